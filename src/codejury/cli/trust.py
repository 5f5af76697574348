"""`codejury trust`: whether checkers and input validators have earned trust, as a table or as JSON."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from codejury.cli import progress

if TYPE_CHECKING:
    from codejury.testgen.trust import Trust, Trusts


@click.command()
@click.option("--input", "tests", metavar="T.jsonl|DIR", required=True, type=click.Path(path_type=Path, exists=True),
              help="Problems with tests, and checkers or input validators.")  # fmt: skip
@click.option("--id", "ids", metavar="ID", multiple=True, help="Only this problem; may be given several times.")
@click.option("--evidence", is_flag=True, help="Show the trials that speak against each.")
@click.option("--format", "form", metavar="F", help="Of the problems, where it cannot be told from them.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is tried.")
@click.option("--workers", metavar="N", type=click.IntRange(1, 4096), help="Programs at a time; else as many as cores.")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a problem, in place of the table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def trust(
    tests: Path,
    ids: tuple[str, ...],
    evidence: bool,
    form: str | None,
    seed: int,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Try checkers and input validators: on what they must accept, and on what they must reject.

    \b
      codejury trust --input T.jsonl              a line each: trusted, or why not
      codejury trust --input T.jsonl --evidence   and inputs and outputs that show it
      codejury trust --input package/             a contest package: its output and input validators
      codejury trust --input T.jsonl --json | jq 'select(.trusted == false)'

    A checker must accept what the solutions print on the tests, and reject 95 % of such outputs, spoilt, that are
    surely wrong: empty, cut, with words, nan, numbers out of range, other values where all solutions agree. A validator
    must accept the inputs of the tests, and reject nearly valid ones: a count off by one, a number beyond the bounds of
    the statement, letters in numbers, something missing or too much. Neither may be moody, and a checker may not fail.

    Exit code: 0 when all are trusted, 1 when some are not; 2 for bad usage, and when a row cannot be read.
    """
    from codejury.dataset import read_problems
    from codejury.errors import UsageError
    from codejury.languages.execute import Sandbox
    from codejury.testgen.trust import trusts

    bad_rows = 0

    def complain(error: object) -> None:
        nonlocal bad_rows
        bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    summary = _Summary(as_json=as_json, evidence=evidence)
    left = set(ids)
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(workers, level))
        advance = stack.enter_context(progress.counted("problems", quiet=quiet))
        for problem in read_problems(tests, format=form, on_error=complain):
            if ids and problem.id not in ids:
                continue
            left.discard(problem.id)
            summary.add(trusts(sandbox, problem, seed=seed))
            advance()
    if left:
        raise UsageError(f"--id: {tests} has no problem {min(left)!r}")
    summary.show()
    if bad_rows:
        sys.exit(2)
    if summary.refused:
        sys.exit(1)


class _Summary:
    """Shows problems as they come, and counts."""

    def __init__(self, *, as_json: bool, evidence: bool) -> None:
        self.refused = 0
        self._counts = {"checker": [0, 0], "validator": [0, 0]}  # trusted, tried
        self._without = 0
        self._as_json, self._evidence = as_json, evidence

    def add(self, found: Trusts) -> None:
        parts = {name: getattr(found, name) for name in self._counts}
        for name, each in parts.items():
            if each is not None:
                self._counts[name][0] += each.trusted
                self._counts[name][1] += 1
                self.refused += not each.trusted
        has_some = any(each is not None for each in parts.values())
        self._without += not has_some
        if self._as_json:
            told = {name: None if each is None else self._row(each) for name, each in parts.items()}
            click.echo(json.dumps({"id": found.id, "trusted": found.trusted if has_some else None, **told}))
            return
        for name, each in parts.items():
            if each is not None:
                self._show(found.id, name, each)

    def _show(self, id: str, name: str, each: Trust) -> None:
        figures = f"accepts {each.accepts}, rejects {each.rejects}"
        click.echo(f"{_printable(id)}  {name:<9}  {'trusted' if each.trusted else 'NOT trusted':<11}  {figures}")
        for reason in each.reasons:
            click.echo(f"    {_printable(reason)}")
        if self._evidence and each.misses:
            text = each.evidence().partition("\n\n")[2]
            click.echo("\n" + "\n".join(f"    | {_printable(line)}" for line in text.split("\n")) + "\n")

    def _row(self, each: Trust) -> dict[str, Any]:
        import msgspec

        row: dict[str, Any] = msgspec.to_builtins(each)
        del row["misses"]
        if self._evidence:
            row["evidence"] = each.evidence()
        return row

    def show(self) -> None:
        if self._as_json:
            return
        for name, (trusted, tried) in self._counts.items():
            if tried:
                click.echo(f"{name}s: {trusted} of {tried} trusted")
        if self._without:
            click.echo(f"without either: {self._without}")


def _printable(text: str) -> str:
    """What checkers say and programs print is anybody's: no control characters reach the terminal."""
    return "".join(each if each.isprintable() else " " for each in text)
