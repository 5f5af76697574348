"""When requests may go. The clock is a number that the test gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.llm.pace import BURST_S, Pace
from codejury.llm.wire import retry_after_s


def run(pace: Pace, requests: list[int], *, start: float = 0.0) -> list[float]:
    """The times at which they went, each as soon as it may."""
    now, times = start, []
    for tokens in requests:
        for _ in range(10):
            wait = pace.wait_s(now, tokens)
            if wait == 0:
                break
            now += wait
        else:
            raise AssertionError("it never may go")
        times.append(now)
    return times


def test_without_limits_nothing_waits() -> None:
    assert run(Pace(), [10**9] * 5) == [0.0] * 5


def test_requests_go_evenly_after_the_first_ones() -> None:
    times = run(Pace(requests_per_minute=60), [1] * 10)
    assert times[:6] == [0.0] * 6  # what six seconds bring
    assert times[6:] == pytest.approx([1, 2, 3, 4])


@given(st.integers(1, 600), st.integers(2, 80))
def test_never_more_in_any_stretch_than_the_rate_allows(per_minute: int, count: int) -> None:
    times = run(Pace(requests_per_minute=per_minute), [1] * count)
    burst = max(1.0, per_minute * BURST_S / 60)
    for first in range(count):
        for last in range(first, count):
            allowed = burst + (times[last] - times[first]) * per_minute / 60
            assert last - first + 1 <= allowed + 1e-3


def test_tokens_are_put_right_when_the_reply_says() -> None:
    pace = Pace(tokens_per_minute=6000)  # a hundred a second, a bucket of 600
    assert pace.wait_s(0.0, 600) == 0
    pace.settle(0.0, 600, 100)  # there were less
    assert pace.wait_s(0.0, 500) == 0
    pace.settle(0.0, 500, 800)  # there were more
    assert pace.wait_s(0.0, 100) == pytest.approx(4.0)


def test_a_request_that_is_larger_than_the_bucket_goes_when_it_is_full() -> None:
    times = run(Pace(tokens_per_minute=6000), [100, 5000, 1])
    assert times[1] == pytest.approx(1.0)
    assert times[2] > 40  # it has to be earned afterwards


def test_all_wait_when_the_server_says_so() -> None:
    pace = Pace()
    pace.hold(10.0)
    pace.hold(5.0)
    assert pace.wait_s(4.0, 1) == pytest.approx(6.0)
    assert pace.wait_s(10.0, 1) == 0


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none(value: float) -> None:
    with pytest.raises(UsageError, match="tokens_per_minute"):
        Pace(tokens_per_minute=value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),  # long ago
        ("Thu, 01 Jan 1970 00:16:50 GMT", 10.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("1e300", None),
        ("Sun, 99 Foo 1994 99:99:99 GMT", None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_retry_after(text: str, expected: float | None) -> None:
    assert retry_after_s(text, now=1000.0 if "1994" not in text else 2e9) == expected
