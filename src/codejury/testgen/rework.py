"""Problems of a file, one after the other, each to a row with other tests.

Owns the way from a file to a file for commands that change tests (harden, select): what is read, in which form it is
written, what is left when it is interrupted. The work on a problem is the caller's; it keeps all workers busy itself.

Rows come out as they came in where they were Klear's (dataset/formats/klear.py), fields that nobody knows included; the
rows of all other formats as codejury's own (dataset/formats/native.py). Each has `test_provenance`, which says of its
tests where they come from and of the work what was done.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from codejury.dataset.formats import native
from codejury.dataset.formats.detect import format_of
from codejury.dataset.problems import read_problems
from codejury.dataset.rows import BadRow, read_rows
from codejury.dataset.store import Store
from codejury.dataset.writers import klear
from codejury.dataset.writers.values import Inexpressible, split_public
from codejury.errors import CodejuryError, UsageError
from codejury.languages.execute import Sandbox
from codejury.model import Problem
from codejury.testgen.harden import provenance_of
from codejury.testgen.record import Errors, Record, last_run, settings_of
from codejury.testgen.rows import beside

Work = Callable[[Problem], tuple[Problem, dict[str, Any]]]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """One problem: its account, or why it was not done. `before`: by an earlier run."""

    id: str
    account: dict[str, Any] = {}
    error: str = ""
    before: bool = False


class Rework:
    """An iterable of Done, which does the work as it is asked for.

    stop      once set, no further problem is begun
    note      is told what a person should know at once
    more      settings for the record, beyond the options
    ids       of the problems that it came to
    is_whole  it came to all of them
    """

    def __init__(
        self,
        input: Path,
        output: Path,
        work: Work,
        *,
        options: msgspec.Struct,
        more: Mapping[str, Any] | None = None,
        sandbox: Sandbox,
        format: str | None = None,
        stop: threading.Event | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        if input.resolve() == output.resolve():
            raise UsageError(f"{output}: expected another file than the input")
        self._input, self._output, self._work = input, output, work
        self._options, self._sandbox, self._format = options, sandbox, format
        self._more = dict(more or {})
        self._stop = stop or threading.Event()
        self._note = note or (lambda text: None)
        self.counts = dict.fromkeys(("problems", "done", "done before", "failed", "bad rows"), 0)
        self.seconds = 0.0
        self.ids: set[str] = set()
        self.is_whole = False
        self.errors = beside(output, ".errors.jsonl")
        self.record = beside(output, ".run.json")

    def __iter__(self) -> Iterator[Done]:
        since = time.monotonic()
        is_klear = _is_klear(self._input, self._format)
        errors = Errors(self.errors)

        def bad(error: BadRow) -> None:
            self.counts["bad rows"] += 1
            self._note(str(error))
            errors.add({"error": str(error)})

        with Store(self._output, key="custom_id" if is_klear else "id") as store:
            if store.repaired:
                self._note(store.repaired)
            if store.done:
                self._compare(last_run(self.record))
            record = Record(self.record, input=self._input, output=self._output, options=self._options, more=self._more)
            state = "failed"
            try:
                for problem in read_problems(self._input, format=self._format, on_error=bad):
                    if self._stop.is_set():
                        break
                    self.counts["problems"] += 1
                    if problem.id in self.ids:
                        bad(BadRow(str(self._input), "id", "one problem of each id", f"a second {problem.id!r}"))
                        continue
                    self.ids.add(problem.id)
                    if problem.id in store:
                        self.counts["done before"] += 1
                        yield Done(id=problem.id, before=True)
                        continue
                    done = self._one(problem, store, errors, is_klear)
                    self.counts["failed" if done.error else "done"] += 1
                    yield done
                self.is_whole = not self._stop.is_set()
                state = "done" if self.is_whole else "stopped"
            except (KeyboardInterrupt, GeneratorExit):
                state = "interrupted"
                raise
            finally:
                self.seconds = time.monotonic() - since
                record.end(state, sandbox=self._sandbox, languages=set(), counts=self.counts, timings={})

    def _compare(self, last: Mapping[str, Any]) -> None:
        """Rows that are there stay as they are, whatever is asked for now: who asked for something else is told."""
        before = {**last["settings"], "input": Path(str(last.get("input", self._input))).name}
        now = {**settings_of(self._options), **self._more, "input": self._input.name}
        other = [f"{name} {before[name]}" for name in now if name in before and before[name] != now[name]]
        if other:
            self._note(
                f"{self._output} holds rows of an earlier run with {', '.join(other)}: they stay as they are; "
                "for other ones give another output, or remove it"
            )

    def _one(self, problem: Problem, store: Store, errors: Errors, is_klear: bool) -> Done:
        try:
            made, account = self._work(_remembering(problem))
            row = row_of(made, account, is_klear=is_klear)
        except CodejuryError as error:
            self._note(f"{problem.id}: {error}")
            errors.add({"custom_id": problem.id, "error": str(error)})
            return Done(id=problem.id, error=str(error))
        store.append(row)
        return Done(id=problem.id, account=account)


def _remembering(problem: Problem) -> Problem:
    """With what its row says of where tests come from in each that does not say it itself. The last ones are meant:
    in Klear's rows public tests come first, of which nothing is said."""
    rows = _before(problem).get("tests")
    if not isinstance(rows, list) or not 0 < len(rows) <= len(problem.cases):
        return problem
    cases = list(problem.cases)
    for at, told in enumerate(rows, len(cases) - len(rows)):
        if isinstance(told, dict) and told and not cases[at].provenance:
            cases[at] = msgspec.structs.replace(cases[at], provenance=json.dumps(told))
    return msgspec.structs.replace(problem, cases=tuple(cases))


def _before(problem: Problem) -> dict[str, Any]:
    told = problem.extra.get("test_provenance")
    return told if isinstance(told, dict) else {}


def row_of(problem: Problem, account: Mapping[str, Any], *, is_klear: bool) -> dict[str, Any]:
    """With what is known of its tests, and what was before; but not in which order they are best asked, nor whom each
    of them rejects, for they are others now."""
    before = {name: value for name, value in _before(problem).items() if name != "selected"}
    if isinstance(hardened := before.get("hardened"), dict):
        before["hardened"] = {name: value for name, value in hardened.items() if name != "kills"}
    tests = split_public(problem.cases)[1] if is_klear else problem.cases
    told = {**before, "tests": [provenance_of(case) for case in tests], **account}
    if not is_klear:
        extra = {**problem.extra, "test_provenance": told}
        return native.row_of(msgspec.structs.replace(problem, extra=extra))
    try:
        row = klear.write(problem)
    except Inexpressible as error:
        raise UsageError(f"problem {problem.id!r}: its tests have no form in Klear's rows: {error}") from error
    unknown = {name: value for name, value in problem.extra.items() if name not in row}
    return {**row, **unknown, "error_info": None, "test_provenance": told}


def _is_klear(path: Path, format: str | None) -> bool:
    if path.is_dir():
        return False
    if format is not None:
        return format == "klear"
    for row in read_rows(path, on_error=lambda error: None):
        if isinstance(row.value, dict):
            try:
                return format_of(row.value, where=row.where) == "klear"
            except BadRow:
                continue
        return False
    return False
