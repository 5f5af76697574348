"""Two runs against each other: p-values worked out by hand, and what is left out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.score.paired import mcnemar_exact, mcnemar_mid_p, paired


@pytest.mark.parametrize(
    ("gained", "lost", "exact", "mid_p"),
    [
        (0, 0, 1.0, 1.0),
        (1, 0, 1.0, 0.5),  # one throw: 2 · 1/2, and half of it
        (5, 0, 2 / 32, 1 / 32),
        (4, 1, 2 * 6 / 32, (12 - 5) / 32),
        (3, 3, 1.0, 1.0),
        (10, 2, 2 * (1 + 12 + 66) / 4096, (158 - 66) / 4096),
    ],
)
def test_by_hand(gained: int, lost: int, exact: float, mid_p: float) -> None:
    for one, other in ((gained, lost), (lost, gained)):
        assert mcnemar_exact(one, other) == pytest.approx(exact)
        assert mcnemar_mid_p(one, other) == pytest.approx(mid_p)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_mid_p_is_the_smaller_one(gained: int, lost: int) -> None:
    assert 0 <= mcnemar_mid_p(gained, lost) <= mcnemar_exact(gained, lost) <= 1


def test_flipped_tasks_and_means() -> None:
    first = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0, "mine": 1.0}
    second = {"d": 1.0, "b": 1.0, "c": 1.0, "a": 0.0, "theirs": 0.0}
    said = paired(first, second)
    assert (said.tasks, said.first, said.second, said.difference) == (4, 0.5, 0.75, 0.25)
    assert (said.gained, said.lost) == (("b", "d"), ("a",))
    assert (said.only_first, said.only_second) == (("mine",), ("theirs",))
    assert (said.exact, said.mid_p) == pytest.approx((1.0, (2 * 4 - 3) / 8))
    # differences -1, 1, 0, 1 about a quarter: variance 2.75/3
    half = 1.959964 * math.sqrt(2.75 / 3 / 4)
    assert (said.low, said.high) == pytest.approx((0.25 - half, 1.0), abs=1e-5)


def test_rates_of_several_samples() -> None:
    said = paired({"a": 0.5, "b": 0.25, "c": 0.5}, {"a": 0.75, "b": 0.25, "c": 0.0})
    assert (said.gained, said.lost) == (("a",), ("c",))


def test_a_run_against_itself_and_a_single_task() -> None:
    said = paired({"a": 1.0}, {"a": 1.0})
    assert (said.gained, said.lost, said.exact, said.low) == ((), (), 1.0, None)


def test_runs_without_a_common_task() -> None:
    with pytest.raises(UsageError, match="tasks that both have"):
        paired({"a": 1.0}, {"b": 1.0})
