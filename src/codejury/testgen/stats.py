"""Counts of a file of problems: how many, how large, of which kinds.

Owns the counts. One problem is in memory at a time; what is held is a number for each problem.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from codejury.model import Problem
from codejury.testgen.select import size_of


class Stats:
    """`language_of`: of a gold's source, where its row does not say."""

    def __init__(self, language_of: Callable[[str], str]) -> None:
        self._language_of = language_of
        self._kinds: Counter[str] = Counter()
        self._languages: Counter[str] = Counter()
        self._tests: list[int] = []
        self._bytes: list[int] = []
        self._largest = 0
        self._with: Counter[str] = Counter()

    def add(self, problem: Problem) -> None:
        sizes = [size_of(case) for case in problem.cases]
        self._kinds[problem.kind] += 1
        self._tests.append(len(sizes))
        self._bytes.append(sum(sizes))
        self._largest = max([self._largest, *sizes])
        for gold in problem.golds:
            self._languages[gold.language or self._language_of(gold.source)] += 1
        for name, there in (
            ("tests", bool(sizes)),
            ("golds", bool(problem.golds)),
            ("checker", problem.checker is not None),
            ("statement", bool(problem.statement.strip())),
            ("limits", problem.limits is not None),
            ("generators", bool(problem.extra.get("input_generator"))),
            ("input_validators", bool(problem.extra.get("input_validator"))),
        ):
            self._with[name] += there

    def as_json(self) -> dict[str, Any]:
        return {
            "problems": len(self._tests),
            "kinds": dict(self._kinds.most_common()),
            "tests": sum(self._tests),
            "tests_per_problem": _spread(self._tests),
            "bytes": sum(self._bytes),
            "bytes_per_problem": _spread(self._bytes),
            "largest_test_bytes": self._largest,
            "golds": sum(self._languages.values()),
            "languages": dict(self._languages.most_common()),
            "with": dict(self._with),
        }


def _spread(counts: Iterable[int]) -> dict[str, float]:
    found = sorted(counts)
    if not found:
        return {}
    return {
        "least": found[0],
        "median": statistics.median(found),
        "mean": round(statistics.fmean(found), 2),
        "most": found[-1],
    }
