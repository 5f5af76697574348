"""What `harden` and `select` share: the wrong programs that are given, what is told of each problem, how it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from codejury.cli.progress import note

if TYPE_CHECKING:
    from codejury.model import Submission
    from codejury.testgen.rework import Rework


class Wrong:
    """By problem. `bad_rows`: that could not be read, and were told."""

    def __init__(self) -> None:
        self.bad_rows = 0
        self._by_problem: dict[str, list[Submission]] = {}

    def add(self, problem: str, submission: Submission) -> None:
        self._by_problem.setdefault(problem, []).append(submission)

    def complain(self, error: object) -> None:
        self.bad_rows += 1
        note(error)

    def of(self, problem: str) -> Sequence[Submission]:
        return self._by_problem.get(problem, ())

    def tell_unused(self, problems: Container[str]) -> None:
        """Of those for problems that are none of these."""
        unused = {name: len(some) for name, some in self._by_problem.items() if name not in problems}
        if unused:
            names = ", ".join(map(repr, list(unused)[:5])) + (", …" if len(unused) > 5 else "")
            note(f"--wrong: {sum(unused.values())} programs are of problems that are not in the input: {names}")


def wrong_programs(path: Path | None, split: str | None) -> Wrong:
    """Those that are known to be right are passed over."""
    from codejury.dataset.labels import is_right
    from codejury.dataset.submissions import read_submissions
    from codejury.errors import UsageError
    from codejury.testgen.quality import Split

    if split is not None and path is None:
        raise UsageError("--split: expected --wrong beside it, whose programs it shares out")
    share = Split.of(split) if split is not None else None
    found = Wrong()
    for entry in read_submissions(path, on_error=found.complain) if path is not None else ():
        if is_right(entry.submission) or (share is not None and not share.has(entry.submission.source)):
            continue
        found.add(entry.problem, entry.submission)
    return found


def show(
    work: Rework,
    what: str,
    head: str,
    line: Callable[[str, dict[str, Any]], str],
    *,
    advance: Callable[[], None],
    as_json: bool,
) -> None:
    """Does the work. `what`: where a problem's account stands; `line`: the account in a line."""
    is_first = True
    for done in work:
        advance()
        if as_json:
            click.echo(json.dumps({"custom_id": done.id, "error": done.error or None, **done.account}))
        elif done.account:
            if is_first:
                click.echo(head)
            is_first = False
            click.echo(line(done.id, done.account[what]))


def end(work: Rework, output: Path, given: Wrong, *, as_json: bool) -> None:
    if work.is_whole:
        given.tell_unused(work.ids)
    if as_json:
        click.echo(json.dumps({"output": str(output), "seconds": round(work.seconds, 3), "counts": work.counts}))
    else:
        click.echo(", ".join(f"{count} {name}" for name, count in work.counts.items() if count) or "no problems")
        click.echo(f"tests are in {output}")
    if work.counts["failed"]:
        sys.exit(3)
    if work.counts["bad rows"] or given.bad_rows:
        sys.exit(2)
