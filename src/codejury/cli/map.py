"""`codejury map`: an index over a file of tests, for look-ups by id at reward time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from codejury.cli import progress

_TOLD = 20  # bad rows that are told one by one


@click.command(name="map")
@click.argument("tests", metavar="T.jsonl", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="The index; else T.idx beside T.jsonl.")
@click.option("--format", "form", metavar="F", help="Of the rows, where it cannot be told from them.")
@click.option("--json", "as_json", is_flag=True, help="What was done as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def map(tests: Path, output: Path | None, form: str | None, as_json: bool, quiet: bool) -> None:
    """Index a JSON lines file of tests, so that programs find a problem's tests by its id without loading the file.

    \b
      codejury map T.jsonl                    writes T.idx
      codejury map T.jsonl --output /fast/T.idx
    \b
    Then, in a reward function or a data loader, in as many processes as you like:
      from codejury.dataset import TestIndex
      index = TestIndex("T.jsonl")            # refuses an index that is stale or damaged
      index["code_contest_8"]                 # the Problem
      index.tests("code_contest_8")           # its test cases

    Rows of any format that codejury reads will do; the id is custom_id, task_id, question_id or what the format has.
    A row that cannot be read is told and left out of the index; an id that comes twice is an error. Index the file
    again whenever it changes: an index of an older version is refused.

    Exit code: 0 when all rows are in the index, 3 when some could not be read, 2 when there is no index.
    """
    from codejury.dataset.index import build_index

    bad = 0

    def complain(error: object) -> None:
        nonlocal bad
        bad += 1
        if bad <= _TOLD:
            click.echo(f"codejury: {error}", err=True)

    with progress.measured("indexing", quiet=quiet) as on_progress:
        built = build_index(tests, output, format=form, on_error=complain, on_progress=on_progress)
    if bad > _TOLD:
        click.echo(f"codejury: … and {bad - _TOLD} more", err=True)
    if as_json:
        import msgspec

        click.echo(json.dumps(msgspec.to_builtins(built)))
    else:
        click.echo(f"{built.path}: {built.problems} problems, {built.tests} tests, {built.index_bytes} bytes")
        if built.without_tests:
            click.echo(f"problems without tests: {built.without_tests}")
        if built.bad_rows:
            click.echo(f"rows that could not be read, and are left out: {built.bad_rows}")
    if built.bad_rows:
        sys.exit(3)
