"""codejury eval: samples of a benchmark, their verdicts on base and plus tests, and pass@k."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from codejury.cli import progress

if TYPE_CHECKING:
    from codejury.benchmarks.results import Summary

_FILE = click.Path(exists=True, path_type=Path)
_DATA = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--samples", required=True, type=_FILE, help="Samples: JSON lines, or a folder with TASK_ID/0.py.")
@click.option("--datasets", required=True, help="humaneval, humaneval_plus, mbpp or mbpp_plus.")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The benchmark's own file.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Folder of the results.  [beside the samples]")
@click.option("--limit", type=click.IntRange(1), help="Only the first tasks of the data.")
@click.option("--strict-compat", is_flag=True, help="Score as the peer does whose data it is.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress.")
def eval(
    samples: Path,
    datasets: str,
    data: Path,
    output: Path | None,
    limit: int | None,
    strict_compat: bool,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """pass@1, pass@10 and pass@100 of samples, with 95 % intervals.

    \b
      codejury eval --samples S.jsonl --datasets humaneval_plus --data HumanEvalPlus.jsonl.gz

    Samples are {task_id, solution} or {task_id, completion}, several a task. Results are in evalplus' layout
    (eval_results.json). Verdicts are kept beside it, and a later run goes on from there. Samples that could not be
    judged for a failure of ours are counted apart, and are no failures of theirs.

    Exit code 0: all were judged. 3: some were not. 2: wrong usage, or rows that could not be read.
    """
    from codejury.benchmarks.catalog import benchmark
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

    chosen = benchmark(datasets)
    data_hash = hash_of(data)
    results, verdicts = _places(samples, output)
    with ExitStack() as stack:
        shelf = stack.enter_context(Shelf(data, format=format_of_data(chosen, data), on_error=complain))
        tasks = Tasks(shelf, chosen, limit=limit)
        peer = chosen.peer(tasks[next(iter(tasks))].kind, data_hash) if strict_compat else None
        given = read_samples(samples, tasks, on_error=complain)
        missing = [name for name in tasks if name not in given]
        if not given:
            raise UsageError(f"{samples}: expected samples of tasks in {data}, found none")
        if missing and peer is not None and peer.every_task:
            raise UsageError(f"{samples}: expected samples of every task, as {peer.peer} does; {missing[0]!r} has none")
        jury = stack.enter_context(Jury(workers=workers, level=level))
        advance = stack.enter_context(progress.counted("judging", quiet=quiet))
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
