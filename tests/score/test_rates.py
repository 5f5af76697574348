"""Rates and their intervals, against figures worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.score.quality import ALL, Counts, family
from codejury.score.rates import Rate, wilson


def test_known_intervals() -> None:
    """10 of 20: symmetric about a half. 0 of 10 and 10 of 10: z²/(n+z²) from the end."""
    low, high = wilson(10, 20) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.2993, 0.7007)
    assert wilson(0, 10) == pytest.approx((0.0, 3.841459 / 13.841459), abs=1e-6)
    assert wilson(10, 10) == pytest.approx((10 / 13.841459, 1.0), abs=1e-6)
    assert wilson(0, 0) is None
    assert Rate(0, 0).value is None


@given(st.integers(1, 2000), st.floats(0, 1))
def test_an_interval_holds_its_rate(total: int, share: float) -> None:
    hits = round(total * share)
    low, high = wilson(hits, total) or (2, -1)
    assert 0 <= low <= hits / total + 1e-12
    assert hits / total - 1e-12 <= high <= 1


def test_more_tries_tell_more() -> None:
    spans = [high - low for low, high in (wilson(n // 2, n) or (0, 1) for n in (10, 100, 1000))]
    assert spans == sorted(spans, reverse=True)


@pytest.mark.parametrize(
    ("language", "shown"),
    [("cpp17", "C/C++"), ("c", "C/C++"), ("C++", "C/C++"), ("python", "Python 3"), ("pypy", "Python 3"),
     ("python2", "Python 2"), ("java", "Java"), ("csharp", "Csharp"), ("", "unknown")],
)  # fmt: skip
def test_families(language: str, shown: str) -> None:
    assert family(language) == shown


def test_the_two_by_two_table() -> None:
    """Hand-made: of C++ 3 right (2 accepted), 2 wrong (2 rejected); of Python 1 right (1), 4 wrong (1); one lost."""
    counts = Counts(["A", "B"])
    for accepted in (True, True, False):
        counts.add("A", "p", "cpp17", correct=True, accepted=accepted)
    for accepted in (False, False):
        counts.add("A", "p", "c", correct=False, accepted=accepted)
    counts.add("A", "q", "python", correct=True, accepted=True)
    for accepted in (True, True, True, False):
        counts.add("A", "q", "python", correct=False, accepted=accepted)
    counts.add("A", "q", "python", correct=False, accepted=None)
    rows = {(row.suite, row.language): row for row in counts.table()}
    assert list(rows) == [("A", "C/C++"), ("A", "Python 3"), ("A", ALL), ("B", ALL)]
    assert (rows["A", "C/C++"].tpr, rows["A", "C/C++"].tnr) == (Rate(2, 3), Rate(2, 2))
    assert (rows["A", "Python 3"].tpr, rows["A", "Python 3"].tnr) == (Rate(1, 1), Rate(1, 4))
    assert (rows["A", ALL].tpr, rows["A", ALL].tnr, rows["A", ALL].not_judged) == (Rate(3, 4), Rate(3, 6), 1)
    assert rows["B", ALL].tpr == Rate(0, 0)
    assert [(row.problem, row.tpr, row.tnr) for row in counts.problems()] == [
        ("p", Rate(2, 3), Rate(2, 2)),
        ("q", Rate(1, 1), Rate(1, 4)),
    ]
    told = rows["A", ALL].as_json()
    assert (told["tpr"], told["tnr"], told["tnr_programs"]) == (0.75, 0.5, 6)
