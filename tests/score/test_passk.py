"""pass@k against figures worked out by hand, against counting all draws, and its intervals."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.score.passk import Tally, estimate, estimates, micro, pass_at_k
from codejury.score.rates import wilson


@pytest.mark.parametrize(
    ("samples", "correct", "k", "expected"),
    [
        (6, 3, 1, 0.5),
        (5, 2, 2, 1 - 3 / 10),  # C(3, 2) = 3 of C(5, 2) = 10 pairs hold none that passes
        (10, 1, 10, 1.0),
        (10, 0, 10, 0.0),
        (10, 9, 2, 1.0),
        (200, 1, 100, 0.5),
        (200, 20, 1, 0.1),
    ],
)
def test_by_hand(samples: int, correct: int, k: int, expected: float) -> None:
    assert pass_at_k(samples, correct, k) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 8), st.data())
def test_the_share_of_all_draws(samples: int, data: st.DataObject) -> None:
    correct, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    draws = list(combinations([True] * correct + [False] * (samples - correct), k))
    assert pass_at_k(samples, correct, k) == pytest.approx(sum(map(any, draws)) / len(draws))


@pytest.mark.parametrize(("samples", "k"), [(3, 4), (3, 0), (0, 1)])
def test_too_few_samples_are_an_error(samples: int, k: int) -> None:
    with pytest.raises(ValueError, match="at least k"):
        pass_at_k(samples, 0, k)
    assert estimate([Tally(3, 1), Tally(1, 1)], 2) is None


def test_more_correct_than_samples_is_an_error() -> None:
    with pytest.raises(ValueError, match="from 0 to 2"):
        Tally(2, 3)


def test_means_of_tasks_and_of_samples() -> None:
    """Two tasks, 4 of 4 and 0 of 2: the mean of the tasks is a half, 4 of all 6 samples pass."""
    tallies = [Tally(4, 4), Tally(2, 0)]
    found = estimate(tallies, 1)
    assert found is not None
    assert (found.value, found.tasks) == (0.5, 2)
    assert micro(tallies) == pytest.approx(4 / 6)
    assert micro([]) is None
    assert estimate([], 1) is None


def test_only_ks_that_there_are_samples_for() -> None:
    assert [each.k for each in estimates([Tally(10, 1), Tally(12, 3)])] == [1, 10]
    assert [each.k for each in estimates([Tally(100, 1)])] == [1, 10, 100]


def test_one_sample_a_task_is_wilsons_interval() -> None:
    found = estimate([Tally(1, 1)] * 7 + [Tally(1, 0)] * 3, 1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(7, 10))
    for correct in (0, 1):
        found = estimate([Tally(1, correct)] * 10, 1)
        assert found is not None
        assert (found.low, found.high) == pytest.approx(wilson(10 * correct, 10))


def test_samples_of_one_task_that_agree_are_not_many_tasks() -> None:
    """Ten samples of each of ten tasks, all or none pass: no surer than one sample of each."""
    many = estimate([Tally(10, 10)] * 5 + [Tally(10, 0)] * 5, 1)
    one = estimate([Tally(1, 1)] * 5 + [Tally(1, 0)] * 5, 1)
    assert many is not None
    assert one is not None
    assert (many.low, many.high) == pytest.approx((one.low, one.high))
    all_pass = estimate([Tally(10, 10)] * 10, 1)
    assert all_pass is not None
    assert all_pass.low == pytest.approx((wilson(10, 10) or (0, 0))[0])


def test_tasks_that_agree_by_chance_are_no_certainty() -> None:
    """3 of 6 in a single task: as 3 of 6 independent tries, not an interval of no width."""
    found = estimate([Tally(6, 3)], 1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(3, 6))
    found = estimate([Tally(6, 3), Tally(6, 4)], 1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(7, 12))


@given(
    st.lists(
        st.integers(1, 20).flatmap(lambda n: st.integers(0, n).map(lambda c: Tally(n, c))), min_size=1, max_size=30
    )
)
def test_an_interval_holds_its_value(tallies: list[Tally]) -> None:
    found = estimate(tallies, 1)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
