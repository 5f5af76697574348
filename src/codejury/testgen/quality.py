"""Programs that are known to be right or wrong, before one or several suites of tests.

Owns which program is judged by which problem, and the order of the tests: the one that has rejected most so far comes
first, since a program is rejected by one test as well as by all. What the verdicts are worth is score/quality.py's.

    suites × submissions ─► Verdict …      in the order of the suites, then of the submissions
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from codejury.dataset.formats import kattis
from codejury.dataset.labels import is_right
from codejury.dataset.rows import BadRow
from codejury.dataset.shelf import Shelf
from codejury.dataset.submissions import Entry, read_submissions
from codejury.errors import CodejuryError, UnknownLanguage, UsageError
from codejury.judging.jury import Jury
from codejury.languages.detect import detect
from codejury.model import Problem, Submission
from codejury.testgen.order import Order

Complain = Callable[[object], None]


class Split(msgspec.Struct, frozen=True):
    """One of `parts` shares of all programs, by their text: who selects tests with one and scores them with another
    never scores a program by tests that were chosen with it."""

    part: int
    parts: int

    @classmethod
    def of(cls, text: str) -> Split:
        match = re.fullmatch(r"([0-9]{1,4})/([1-9][0-9]{0,3})", text)
        if match is None or int(match[1]) >= int(match[2]):
            raise UsageError(f"split: expected PART/PARTS, such as 0/2 or 1/2, got {text!r}")
        return cls(int(match[1]), int(match[2]))

    def has(self, source: str) -> bool:
        digest = hashlib.sha256("\n".join(source.split()).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.parts == self.part


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite says of a program; not which test said so, for that depends on who ran first. `accepted` None: we
    could not judge it, for the reason in `error`."""

    suite: str
    problem: str
    program: str
    language: str
    correct: bool
    accepted: bool | None
    error: str = ""


def judged(
    jury: Jury,
    suites: Sequence[Path],
    submissions: Path,
    *,
    complain: Complain,
    format: str | None = None,
    split: Split | None = None,
) -> Iterator[Verdict]:
    """Every submission by every suite. What is wrong with a row is told, and the others go on."""
    for path in suites:
        with Shelf(path, format=format, on_error=complain) as shelf:
            yield from _suite(jury, str(path), shelf, submissions, complain, split)


def _suite(
    jury: Jury,
    suite: str,
    shelf: Mapping[str, Problem],
    submissions: Path,
    complain: Complain,
    split: Split | None,
) -> Iterator[Verdict]:
    orders: dict[str, Order] = {}
    of_one = submissions.is_dir() and kattis.is_package(submissions)  # its name is a folder's, which may be any
    under_way: deque[tuple[str, Submission, bool, Order, Sequence[int]]] = deque()

    def work() -> Iterator[tuple[Submission, Problem]]:
        for entry in read_submissions(submissions, problems=shelf, on_error=complain):
            if split is not None and not split.has(entry.submission.source):
                continue
            correct = is_right(entry.submission)
            if correct is None:
                complain(BadRow(str(submissions), f"{entry.submission.id}: correct", "true or false", "nothing"))
                continue
            problem = _problem_of(entry, shelf, of_one=of_one)
            if problem is None:
                complain(f"{submissions}: {entry.submission.id!r}: {suite} has no problem of the id {entry.problem!r}")
                continue
            order = orders.setdefault(problem.id, Order(len(problem.cases)))
            places = order.places()
            under_way.append((problem.id, entry.submission, correct, order, places))
            cases = tuple(problem.cases[place] for place in places)
            yield entry.submission, msgspec.structs.replace(problem, cases=cases)

    for said in jury.judge_each(work(), stop_on_first_failure=True):
        name, submission, correct, order, places = under_way.popleft()
        if isinstance(said, CodejuryError):
            accepted, error = None, str(said)
        else:
            accepted, error = said.accepted, ""
            failed = next((result.index for result in said.cases if result.verdict != "success"), None)
            if failed is not None and failed < len(places):
                order.killed(places[failed])
        yield Verdict(
            suite=suite,
            problem=name,
            program=submission.id,
            language=_language(jury, submission),
            correct=correct,
            accepted=accepted,
            error=error,
        )


def _problem_of(entry: Entry, shelf: Mapping[str, Problem], *, of_one: bool) -> Problem | None:
    if entry.problem in shelf:
        return shelf[entry.problem]
    return shelf.only if of_one and isinstance(shelf, Shelf) and len(shelf) == 1 else None


def _language(jury: Jury, submission: Submission) -> str:
    catalog = jury.sandbox.catalog
    try:
        if submission.language is not None:
            return catalog.get(submission.language).name
        return detect(submission.source, None, catalog).name
    except UnknownLanguage:
        return ""
