"""codejury eval: a model, or files of its samples, on a benchmark: verdicts on base and plus tests, and pass@k."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from codejury.cli import progress
from codejury.cli.dashboard import dashboard_option
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.benchmarks.report import Report
    from codejury.benchmarks.results import Summary

_SAMPLES = click.Path(exists=True, path_type=Path)
_SEVERAL = ("--datasets",)  # options that take all words up to the next option, as evalscope's do


class _Words(click.Command):
    """`--datasets a b` is `--datasets a --datasets b`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        found: list[str] = []
        several = ""
        given = 0
        for word in args:
            if word.startswith("--"):
                several, given = (word if word in _SEVERAL else ""), 0
                found.append(word)
            elif several and given:
                found += [several, word]
            else:
                found.append(word)
                given += 1
        return super().parse_args(ctx, found)


def _json_object(ctx: click.Context, option: click.Parameter, text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"expected a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise click.BadParameter("expected a JSON object")
    return value


def _pairs(ctx: click.Context, option: click.Parameter, text: str | None) -> dict[str, Any]:
    """A JSON object, or name=value,name=value."""
    if not text or text.lstrip().startswith("{"):
        return _json_object(ctx, option, text)
    found: dict[str, Any] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter("expected a JSON object, or name=value,name=value")
        try:
            found[name.strip()] = json.loads(value.strip().lower() if value.strip() in ("True", "False") else value)
        except ValueError:
            found[name.strip()] = value.strip()
    return found


@click.command(cls=_Words)
@click.option("--model", help="A model of the server: it is asked, and its answers are judged.")
@click.option("--api-url", help="The server, up to /v1.  [CODEJURY_LLM_URL]")
@click.option("--api-key", default="EMPTY", show_default=True, help="Its key.")
@click.option("--samples", type=_SAMPLES, help="Samples instead of a model: JSON lines, or a folder with TASK_ID/0.py.")
@click.option("--datasets", multiple=True, required=True, help="Benchmarks, or paths of problems; several words.")
@click.option("--dataset-args", callback=_json_object, help='JSON: {"mbpp_plus": {"local_path": "FILE"}}.')
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="The same for one data set: its file.")
@click.option("--dataset-hub", default="modelscope", show_default=True, help="modelscope or huggingface.")
@click.option("--dataset-dir", help="The cache of data sets.  [~/.cache/codejury/datasets]")
@click.option("--generation-config", callback=_pairs, help="JSON, or temperature=0.2,max_tokens=1024.")
@click.option("--eval-batch-size", type=int, default=1, show_default=True, help="Questions at a time.")
@click.option("--limit", type=float, help="Only the first tasks; below 1, that share of them.")
@click.option("--repeats", type=int, default=1, show_default=True, help="Questions a task, for pass@k.")
@click.option("--use-cache", help="The folder of an earlier run: go on with it.")
@click.option("--rerun-review", is_flag=True, help="Judge anew what it has, without asking again.")
@click.option("--work-dir", default="./outputs", show_default=True, help="Where a folder is made for the run.")
@click.option("--no-timestamp", is_flag=True, help="Take that folder itself.")
@click.option("--model-id", help="The model's name in files and reports.  [made of --model]")
@click.option("--eval-type", help="openai_api, and nothing else.")
@click.option(
    "--seed", type=int, default=42, show_default=True, help="Recorded. The model's: --generation-config seed=1."
)
@click.option("--ignore-errors", is_flag=True, help="End well also where the model failed to answer; it is left out.")
@click.option("--use-sandbox", is_flag=True, help="Programs always run in the sandbox; taken for evalscope's sake.")
@click.option("--sandbox", callback=_json_object, help="Taken likewise, without effect.")
@click.option("--output", type=click.Path(path_type=Path), help="With --samples: folder of the results.  [beside them]")
@click.option("--strict-compat", is_flag=True, help="Score as the peer does whose data it is.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@runner_options
@dashboard_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress.")
def eval(
    samples: Path | None,
    datasets: tuple[str, ...],
    data: Path | None,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """pass@k of a model on benchmarks of code, or of samples in files, with 95 % intervals.

    \b
      codejury eval --model M --api-url http://127.0.0.1:8000/v1 --datasets mbpp_plus --limit 10
      codejury eval --samples S.jsonl --datasets humaneval_plus --data HumanEvalPlus.jsonl.gz

    A model is asked and its answers are judged at the same time; all of it is recorded in ./outputs/<timestamp>, in
    evalscope's layout, and --use-cache goes on with a run that was interrupted. Samples are {task_id, solution} or
    {task_id, completion}, several a task, or LiveCodeBench's [{question_id, code_list}]; results are in evalplus'
    layout. Data comes from a path, or from a hub by way of a cache. What could not be answered or judged is counted
    apart: it is no wrong answer.

    Exit code 0: all were judged. 3: some were not, or the model did not answer. 2: wrong usage, or rows that could not
    be read.
    """
    if (samples is None) == (options["model"] is None):
        raise click.UsageError("expected --model, to ask it, or --samples, to judge what is there")
    if data is not None:
        if len(datasets) != 1:
            raise click.UsageError("--data: expected one data set; for several: --dataset-args")
        options["dataset_args"] = {
            datasets[0]: {**options["dataset_args"].get(datasets[0], {}), "local_path": str(data)}
        }
    if samples is not None:
        if len(datasets) != 1:
            raise click.UsageError("--samples: expected one data set")
        _samples(samples, datasets[0], output=output, as_json=as_json, quiet=quiet, **options)
    else:
        if output is not None:
            raise click.UsageError("--output is for --samples; the folder of a run is --work-dir's")
        _model(datasets, as_json=as_json, quiet=quiet, **options)


# ── A model ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _model(datasets: tuple[str, ...], *, as_json: bool, quiet: bool, **options: Any) -> None:
    from codejury.benchmarks.task import TaskConfig, run_task

    config = TaskConfig(datasets=list(datasets), **{**options, "sandbox": options["sandbox"] or None})

    def tell(words: str) -> None:
        click.echo(f"codejury: {words}", err=True)

    with progress.scored(quiet=quiet) as show:
        reports = run_task(config, on_progress=show, on_trouble=tell)
    if as_json:
        click.echo(json.dumps({name: report.to_dict() for name, report in reports.items()}))
    else:
        click.echo("\n\n".join(_shown(report) for report in reports.values()))
    unjudged = sum(report.counts.not_judged for report in reports.values())
    unanswered = sum(report.counts.unanswered for report in reports.values())
    if unjudged or (unanswered and not config.ignore_errors):
        sys.exit(3)


def _shown(report: Report) -> str:
    counts = report.counts
    lines = [f"{report.model} on {report.dataset}: {counts.judged} of {counts.requested} samples; {report.scoring}"]
    for subset, found in report.intervals.items():
        for each in found:
            interval = f"{each.low * 100:.1f}–{each.high * 100:.1f}"
            lines.append(f"{subset:<6}{f'pass@{each.k}':<10}{each.value * 100:5.1f}   ({interval})")
    if report.score is not None:
        lines.append(f"mean accuracy {report.score * 100:.1f}")
    if counts.no_code:
        lines.append(f"replies without code, counted as wrong: {counts.no_code}")
    if counts.unanswered and report.if_failed is not None:
        lines.append(f"not answered, left out: {counts.unanswered}; counted as wrong: {report.if_failed * 100:.1f}")
    if counts.not_judged:
        lines.append(f"not judged, left out: {counts.not_judged}")
    return "\n".join([*lines, f"report in {report.path}", f"more in {report.results}"])


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _samples(
    samples: Path,
    name: str,
    *,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    dataset_args: dict[str, Any],
    dataset_hub: str,
    dataset_dir: str | None,
    limit: float | None,
    strict_compat: bool,
    workers: int | None,
    level: str,
    **others: Any,
) -> None:
    from codejury import settings
    from codejury.benchmarks import sources
    from codejury.benchmarks.catalog import HUBS, benchmark
    from codejury.benchmarks.results import hash_of, rows_of, said_of, summary_of, write_results
    from codejury.benchmarks.samples import Tasks, format_of_data, judge_samples, read_samples
    from codejury.dataset.shelf import Shelf
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury

    bad_rows = 0

    def complain(error: object) -> None:
        nonlocal bad_rows
        bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    args = sources.args_of(name, dataset_args.get(name))
    chosen = sources.as_asked(benchmark(name), args)
    hub = next((each for each in HUBS if each == dataset_hub), None)
    if hub is None:
        raise UsageError(f"--dataset-hub: expected {' or '.join(HUBS)}, got {dataset_hub!r}")
    if limit is not None and (limit < 1 or limit != int(limit)):
        raise UsageError(f"--limit: expected a whole number from 1, got {limit!r}")
    source = sources.source_of(
        name, chosen, args, settings=settings.load(), hub=hub, folder=Path(dataset_dir) if dataset_dir else None
    )
    data = source.paths[0]
    data_hash = "" if data.is_dir() or len(source.paths) > 1 else hash_of(data)
    results, verdicts = _places(samples, output)
    with ExitStack() as stack:
        form = format_of_data(chosen, data)
        shelf = stack.enter_context(Shelf(*source.paths, format=form, on_error=complain))
        tasks = Tasks(shelf, chosen, limit=None if limit is None else int(limit))
        peer = chosen.peer(tasks[next(iter(tasks))].kind, data_hash) if strict_compat else None
        given = read_samples(samples, tasks, on_error=complain)
        missing = [name for name in tasks if name not in given]
        if not given:
            raise UsageError(f"{samples}: expected samples of tasks in {data}, found none")
        if missing and peer is not None and peer.every_task:
            raise UsageError(f"{samples}: expected samples of every task, as {peer.peer} does; {missing[0]!r} has none")
        jury = stack.enter_context(Jury(workers=workers, level=level, kept=0))
        count = sum(len({sample.source for sample in each}) for each in given.values())
        advance = stack.enter_context(progress.counted("judging", quiet=quiet, total=count))
        judged = []
        for said in judge_samples(jury, chosen, tasks, given, peer=peer, store=verdicts):
            judged.append(said)
            if said.error:
                click.echo(f"codejury: {said.task_id}: not judged: {said.error}", err=True)
            advance()
    rows, not_judged = rows_of(given, judged)
    summary = summary_of(chosen, rows, not_judged, peer=peer, without_samples=missing)
    write_results(results, rows.items(), said_of(summary), data_hash=data_hash)
    if as_json:
        known = sum(said.known for said in judged)
        click.echo(json.dumps({**msgspec.to_builtins(summary), "results": str(results), "known": known}))
    else:
        click.echo(_table(summary))
        click.echo(f"\nmore in {results}")
    if not_judged:
        sys.exit(3)
    if bad_rows:
        sys.exit(2)


def _places(samples: Path, output: Path | None) -> tuple[Path, Path]:
    """Where evalplus has its results, unless a folder is named; and the verdicts beside them."""
    from codejury.errors import UsageError

    start = ""
    if output is None:
        output = samples if samples.is_dir() else samples.parent
        start = "" if samples.is_dir() else samples.name.removesuffix(".gz").removesuffix(".jsonl") + "_"
    else:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--output: {output}: expected a folder: {error.strerror}") from None
    return output / f"{start}eval_results.json", output / f"{start}eval_verdicts.jsonl"


def _table(summary: Summary) -> str:
    lines = [f"{summary.dataset}: {summary.tasks} tasks, {summary.samples} samples; scoring: {summary.scoring}"]
    if summary.differs:
        lines.append(f"not reproduced: {summary.differs}")
    for subset, found in summary.estimates.items():
        for each in found:
            interval = f"{each.low * 100:.1f}–{each.high * 100:.1f}"
            lines.append(f"{subset:<6}{f'pass@{each.k}':<10}{each.value * 100:5.1f}   ({interval})")
    if summary.without_samples:
        lines.append(f"tasks without a sample, left out: {len(summary.without_samples)}")
    if summary.not_judged:
        lines.append(f"samples that were not judged, left out: {len(summary.not_judged)}")
    return "\n".join(lines)
