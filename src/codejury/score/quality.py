"""How good a suite of tests is: the share of right programs that it accepts, and of wrong ones that it rejects.

Owns the two rates and their table. A program that could not be judged for a failure of ours counts in neither.

    TPR   right programs accepted / right programs judged
    TNR   wrong programs rejected / wrong programs judged
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from codejury.score.rates import Rate

ALL = "All"
_FAMILIES = {"c": "C/C++", "cpp": "C/C++", "python": "Python 3", "pypy": "Python 3", "python2": "Python 2"}
_FIRST = ("C/C++", "Python 3", "Python 2", "Java")  # in this order, the others by name


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table. `not_judged`: our own failures."""

    suite: str
    language: str
    tpr: Rate
    tnr: Rate
    not_judged: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"suite": self.suite, "language": self.language}
        if self.problem:
            told = {"suite": self.suite, "problem": self.problem}
        for name, rate in (("tpr", self.tpr), ("tnr", self.tnr)):
            between = rate.interval
            told |= {
                name: _rounded(rate.value),
                f"{name}_low": _rounded(between[0] if between else None),
                f"{name}_high": _rounded(between[1] if between else None),
                f"{name}_hits": rate.hits,
                f"{name}_programs": rate.total,
            }
        return {**told, "not_judged": self.not_judged}


def family(language: str) -> str:
    """Of languages that are told apart in the table: all of C and C++ are one, every other is its own."""
    name = language.lower()
    if name.startswith(("cpp", "c++")):
        return _FAMILIES["cpp"]
    return _FAMILIES.get(name, language[:1].upper() + language[1:] if language else "unknown")


class Counts:
    """Verdicts as they come in; what is held grows with suites, languages and problems, not with programs."""

    def __init__(self, suites: Sequence[str] = ()) -> None:
        """`suites`: their order; one that judges nothing has a row too."""
        self._by_language: dict[tuple[str, str], list[int]] = {(suite, ALL): [0] * 5 for suite in suites}
        self._by_problem: dict[tuple[str, str], list[int]] = {}

    def add(self, suite: str, problem: str, language: str, *, correct: bool, accepted: bool | None) -> None:
        """`language`: as it is called in the catalog. `accepted` None: we failed to judge it."""
        if accepted is None:
            changed = [4]
        elif correct:
            changed = [1, 0] if accepted else [1]
        else:
            changed = [3] if accepted else [3, 2]
        for counts in (
            self._by_language.setdefault((suite, family(language)), [0] * 5),
            self._by_language.setdefault((suite, ALL), [0] * 5),
            self._by_problem.setdefault((suite, problem), [0] * 5),
        ):
            for at in changed:
                counts[at] += 1

    def table(self) -> list[Row]:
        """A row for each suite and language, and one for all languages of a suite, last."""
        suites = dict.fromkeys(suite for suite, _ in self._by_language)
        return [
            _row(suite, language, self._by_language[suite, language])
            for suite in suites
            for language in sorted((one for of, one in self._by_language if of == suite), key=_place)
        ]

    def problems(self) -> list[Row]:
        """A row for each suite and problem, in the order in which they came."""
        return [_row(suite, ALL, counts, problem) for (suite, problem), counts in self._by_problem.items()]


def _row(suite: str, language: str, counts: Sequence[int], problem: str = "") -> Row:
    accepted, right, rejected, wrong, not_judged = counts
    return Row(
        suite=suite,
        language=language,
        problem=problem,
        tpr=Rate(accepted, right),
        tnr=Rate(rejected, wrong),
        not_judged=not_judged,
    )


def _place(language: str) -> tuple[int, str]:
    if language == ALL:
        return (len(_FIRST) + 1, "")
    return (_FIRST.index(language) if language in _FIRST else len(_FIRST), language)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
