"""codejury verify: what is broken in a benchmark's files."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from codejury.cli import progress

if TYPE_CHECKING:
    from codejury.model import Problem


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option("--only", multiple=True, help="A kind of finding, in quotes; may be given several times.  [all]")
@click.option("--limit", type=click.IntRange(1), help="Only the first tasks of each file.")
@click.option("--format", "format_", help="In which the tasks are written; told from them otherwise.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object for each finding, and one for all.")
@click.option("--quiet", is_flag=True, help="No progress.")
def verify(
    files: tuple[Path, ...],
    only: tuple[str, ...],
    limit: int | None,
    format_: str | None,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """References that fail their own tests, tests that test nothing, tasks that are there twice.

    \b
      codejury verify mbpp.jsonl
      codejury verify train.jsonl HumanEval.jsonl.gz --only duplicate

    Every reference and every test is run, in the sandbox: in its order and backwards, again in new interpreters, on a
    function with an empty body, and a year later where it asks for the time. Duplicates are looked for in all files.

    Exit code 0: nothing was found. 1: something was. 3: some tasks could not be looked at. 2: wrong usage, or rows that
    could not be read.
    """
    from codejury.benchmarks.verify import KINDS
    from codejury.benchmarks.verify import verify as each
    from codejury.dataset import read_problems
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury

    for kind in only:
        if kind not in KINDS:
            raise UsageError(f"--only: expected one of {', '.join(KINDS)}; got {kind!r}")
    counts: Counter[str] = Counter()
    totals = dict.fromkeys(("tasks", "findings", "notes", "errors", "bad rows"), 0)

    def bad(error: object) -> None:
        totals["bad rows"] += 1
        click.echo(f"codejury: {error}", err=True)

    def problems() -> Iterator[tuple[str, Problem]]:
        for file in files:
            name = file.name if len({each.name for each in files}) == len(files) else str(file)
            for problem in islice(read_problems(file, format=format_, on_error=bad), limit):
                yield name, problem

    with ExitStack() as stack:
        jury = stack.enter_context(Jury(workers=workers, level=level))
        advance = stack.enter_context(progress.counted("verifying", quiet=quiet))
        for said in each(jury, problems()):
            advance()
            totals["tasks"] += 1
            if said.error:
                totals["errors"] += 1
                click.echo(f"codejury: {said.file}: {said.task}: not looked at: {said.error}", err=True)
            for found in said.findings:
                if only and found.kind not in only:
                    continue
                counts[found.kind] += 1
                totals["notes" if found.is_note else "findings"] += 1
                if as_json:
                    click.echo(json.dumps({**msgspec.to_builtins(found), "note": found.is_note}))
                else:
                    last = (found.message.splitlines() or [""])[-1]
                    click.echo(f"{found.file}: {found.task}: {found.kind}" + (f": {last[:160]}" if last else ""))
    if as_json:
        click.echo(json.dumps({**totals, "kinds": dict(counts)}))
    else:
        click.echo(f"{totals['tasks']} tasks, {totals['findings']} findings, {totals['notes']} notes")
        for kind, count in counts.most_common():
            click.echo(f"{count:6}  {kind}")
    if totals["errors"]:
        sys.exit(3)
    if totals["bad rows"]:
        sys.exit(2)
    if totals["findings"]:
        sys.exit(1)
