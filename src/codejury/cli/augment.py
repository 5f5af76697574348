"""codejury augment: a function benchmark with many more tests, and without the tasks that are broken."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from codejury.cli import progress
from codejury.cli.progress import note
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.benchmarks.augment_files import Augmenting, Done

_DATA = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--input", "input_", required=True, type=_DATA, help="Tasks: MBPP's, HumanEval's or evalplus' rows.")
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The new rows.")
@click.option("--tests", default=120, show_default=True, type=click.IntRange(1), help="New tests of a task.")
@click.option("--mini", is_flag=True, help="Of these only the fewest that reject as many mutants of the reference.")
@click.option(
    "--form",
    type=click.Choice(["script", "evalplus"]),
    help="script: MBPP+'s and HumanEval's; evalplus: inputs alone.  [evalplus where the input has its form, or the "
    "output's name ends in .evalplus.jsonl]",
)
@click.option("--model", help="Asked for calls to begin with.  [CODEJURY_LLM_MODEL]")
@click.option("--api-url", help="Of the model's API: http://…/v1  [CODEJURY_LLM_URL]")
@click.option("--asked", default=20, show_default=True, type=click.IntRange(1), help="Calls that a model is asked for.")
@click.option("--exchanges", type=click.Path(file_okay=False, path_type=Path), help="Folder that keeps its answers.")
@click.option("--limit", type=click.IntRange(1), help="Only the first tasks.")
@click.option("--mutants", default=60, show_default=True, type=click.IntRange(1), help="Of a reference, for --mini.")
@click.option("--seconds", default=60.0, show_default=True, help="For growing the tests of one task.")
@click.option("--seed", default=0, show_default=True, help="Another one gives other tests.")
@click.option("--format", "format_", help="In which the tasks are written; told from them otherwise.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@runner_options
@click.option("--json", "as_json", is_flag=True, help="A JSON object for each task, and one for all.")
@click.option("--quiet", is_flag=True, help="No progress.")
def augment(
    input_: Path,
    output: Path,
    form: str | None,
    model: str | None,
    api_url: str | None,
    exchanges: Path | None,
    limit: int | None,
    format_: str | None,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Make a plus version of a benchmark: references checked, tests grown from those that are there.

    \b
      codejury augment --input mbpp.jsonl --output mbpp_plus.jsonl
      codejury augment --input HumanEval.jsonl.gz --output hep.evalplus.jsonl --mini
      codejury augment --input mbpp.jsonl --output mbpp_plus.jsonl --model M --api-url http://127.0.0.1:8000/v1

    Tasks whose reference fails its own tests, or answers otherwise when asked again, are set aside and listed. What the
    reference answers is expected. A run that was interrupted goes on when it is called again.

    Exit code 0: all tasks were made or set aside. 3: some were not. 2: wrong usage, or rows that could not be read.
    """
    from codejury import settings
    from codejury.benchmarks.augment import Options
    from codejury.benchmarks.augment_files import Augmenting
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury

    try:
        options = Options(**{"form": form or _form(input_, output, format_), **chosen})
    except ValueError as error:
        raise UsageError(str(error)) from error
    with ExitStack() as stack:
        jury = stack.enter_context(Jury(workers=workers, level=level))
        ask = None
        if model or api_url:
            from codejury.benchmarks.model_calls import ModelCalls
            from codejury.llm.client import Client
            from codejury.llm.store import Exchanges

            kept = Exchanges(exchanges) if exchanges is not None else None
            client = Client.from_settings(settings.load(), url=api_url, model=model, exchanges=kept)
            ask = ModelCalls(stack.enter_context(client), jury.sandbox, note=note)
        advance = stack.enter_context(progress.counted("augmenting", quiet=quiet))
        work = Augmenting(jury, input_, output, options, ask=ask, format=format_, limit=limit, note=note)
        for done in work:
            advance()
            _show(done, as_json)
    _end(work, output, as_json)


def _form(input_: Path, output: Path, format_: str | None) -> str:
    from codejury.dataset.formats.detect import format_of
    from codejury.dataset.rows import BadRow, read_rows

    if output.name.endswith((".evalplus.jsonl", ".evalplus.json")):
        return "evalplus"
    if format_ is not None:
        return "evalplus" if format_ == "evalplus" else "script"
    for row in read_rows(input_, on_error=lambda error: None):
        first = row.value[0] if isinstance(row.value, list) and row.value else row.value
        try:
            return "evalplus" if isinstance(first, dict) and format_of(first, where="") == "evalplus" else "script"
        except BadRow:
            continue
    return "script"


def _show(done: Done, as_json: bool) -> None:
    if as_json:
        told: dict[str, Any] = {"task_id": done.id, "error": done.error or None, "before": done.before, **done.account}
        if done.aside is not None:
            told |= {"set_aside": done.aside.why, "message": done.aside.message}
        click.echo(json.dumps(told))
    elif done.aside is not None:
        last = done.aside.message.strip().splitlines()[-1:] or [""]
        click.echo(f"{done.id}: set aside: {done.aside.why}: {last[0][:160]}")


def _end(work: Augmenting, output: Path, as_json: bool) -> None:
    counts = work.counts
    times = counts["tests"] / counts["base"] if counts["base"] else 0.0
    if as_json:
        told = {"output": str(output), "seconds": round(work.seconds, 3), "times": round(times, 2), "counts": counts}
        click.echo(json.dumps({**told, "why": dict(work.why)}))
    else:
        names = ("tasks", "made", "made before", "set aside", "failed", "bad rows")
        click.echo(", ".join(f"{counts[name]} {name}" for name in names if counts[name]))
        if counts["base"]:
            click.echo(f"{counts['tests']} tests where there were {counts['base']}: {times:.1f} times as many")
        click.echo(f"rows are in {output}" + (f", tasks set aside in {work.set_aside}" if work.why else ""))
    if counts["failed"]:
        sys.exit(3)
    if counts["bad rows"]:
        sys.exit(2)
