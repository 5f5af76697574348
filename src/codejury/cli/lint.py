"""`codejury lint`: what is weak in tests, as a table or as JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from codejury.cli import progress

if TYPE_CHECKING:
    from codejury.testgen.lint import Linted


class _Command(click.Command):
    """The checks in the help are those that there are."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from codejury.testgen.lint import CHECKS

        with formatter.section("What it looks for"):
            formatter.write_dl(list(CHECKS.items()))


@click.command(cls=_Command)
@click.argument("tests", metavar="T.jsonl|DIR", type=click.Path(path_type=Path, exists=True))
@click.option("--strict", is_flag=True, help="Exit code 3 when anything is found.")
@click.option("--min-tests", metavar="N", type=click.IntRange(0), default=10, show_default=True,
              help="Problems with fewer distinct tests are told.")  # fmt: skip
@click.option("--ignore", metavar="CHECK", multiple=True, help="Leave a check out; may be given several times.")
@click.option("--no-run", is_flag=True, help="Read only: checkers are not tried.")
@click.option("--all", "show_all", is_flag=True, help="List problems without findings too.")
@click.option("--format", "form", metavar="F", help="Of the problems, where it cannot be told from them.")
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Checkers at a time; else as many as cores.")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, in place of the table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def lint(
    tests: Path,
    strict: bool,
    min_tests: int,
    ignore: tuple[str, ...],
    no_run: bool,
    show_all: bool,
    form: str | None,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find what is weak in tests: what a wrong program could slip through, and what would fail a right one.

    \b
      codejury lint T.jsonl                       a table: problem, tests, distinct tests, findings
      codejury lint T.jsonl --strict              the same, for a pipeline: exit code 3 when something is found
      codejury lint T.jsonl --json | jq .counts   for machines
      codejury lint T.jsonl --ignore few_tests --ignore far_from_limits

    Reads problems of any format, also Kattis packages. Limits are read from statements where they stand there as
    "1 <= n <= 2*10^5" or alike. Checkers are tried in the sandbox, on answers that cannot be right.

    Exit code: 0; 3 with --strict when something is found, and when a row cannot be read; 2 for bad usage.
    """
    from codejury.dataset import read_problems
    from codejury.errors import UsageError
    from codejury.languages.execute import Sandbox
    from codejury.testgen.lint import CHECKS
    from codejury.testgen.lint import lint as look_over

    for name in ignore:
        if name not in CHECKS:
            raise UsageError(f"--ignore: expected one of {', '.join(CHECKS)}; got {name!r}")
    summary = _Summary(as_json, show_all)
    with ExitStack() as stack:
        advance = stack.enter_context(progress.counted("problems", quiet=quiet))
        sandbox: Sandbox | None = None
        for problem in read_problems(tests, format=form, on_error=summary.bad_row):
            if sandbox is None and problem.checker is not None and not no_run:
                sandbox = stack.enter_context(Sandbox(workers, level))
            linted = look_over(problem, sandbox=sandbox, min_tests=min_tests)
            summary.add(linted, ignore)
            advance()
    summary.show(tests)
    if summary.bad_rows or (strict and summary.counts):
        sys.exit(3)


class _Summary:
    """Shows problems as they come, in the table; keeps them, for JSON."""

    def __init__(self, as_json: bool, show_all: bool) -> None:
        self.counts: Counter[str] = Counter()
        self.bad_rows = 0
        self._problems = self._tests = self._distinct = 0
        self._as_json, self._show_all = as_json, show_all
        self._rows: list[dict[str, Any]] = []

    def bad_row(self, error: object) -> None:
        self.bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    def add(self, linted: Linted, ignore: tuple[str, ...]) -> None:
        import msgspec

        findings = [each for each in linted.findings if each.check not in ignore]
        self.counts.update({each.check for each in findings})
        self._problems += 1
        self._tests += linted.tests
        self._distinct += linted.distinct
        if not findings and not self._show_all:
            return
        if self._as_json:
            row = {**msgspec.to_builtins(linted), "findings": [msgspec.to_builtins(each) for each in findings]}
            self._rows.append(row)
            return
        click.echo(f"{_printable(linted.id)}  {linted.tests} tests, {linted.distinct} distinct")
        for finding in findings:
            click.echo(f"    {finding.check:<20}  {_printable(finding.message)}{_listed(finding.tests, finding.count)}")

    def show(self, file: Path) -> None:
        if self._as_json:
            facts = {"file": str(file), "problems": self._problems, "tests": self._tests, "distinct": self._distinct}
            more = {"bad_rows": self.bad_rows, "counts": dict(self.counts), "findings": self._rows}
            click.echo(json.dumps({**facts, **more}))
            return
        if self._problems and (self.counts or self._show_all):
            click.echo()
        average = self._tests / self._problems if self._problems else 0
        click.echo(
            f"{self._problems} problems, {self._tests} tests ({average:.1f} a problem), {self._distinct} distinct"
            + (f", {self.bad_rows} rows that cannot be read" if self.bad_rows else "")
        )
        for check, count in self.counts.most_common():
            click.echo(f"    {check:<20}  {count:>7} problems")
        if not self.counts:
            click.echo("nothing found")


def _printable(text: str) -> str:
    """Statements, answers and checkers' words are anybody's: no control characters reach the terminal."""
    return "".join(each if each.isprintable() else " " for each in text)


def _listed(tests: tuple[int, ...], count: int | None) -> str:
    if not tests:
        return ""
    shown = ", ".join(map(str, tests[:5]))
    return f" (tests {shown}{', …' if (count or 0) > 5 else ''})"
