"""The shared threads: order, how far ahead they go, and what they hold. And that it changes no row's tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from testgen.rows import SUM_LOOP_PY, SUM_PY, task

from codejury.testgen import Options, outputs
from codejury.testgen.agreement import Failed
from codejury.testgen.crew import Crew, Times
from codejury.testgen.inputs import Input
from codejury.testgen.outputs import Gold, Ran

LONG_S = 60


def test_results_come_in_the_order_of_the_items(crew: Crew) -> None:
    for weigh in (None, len):
        assert list(crew.each(0, str, range(500), weigh=weigh)) == [str(n) for n in range(500)]
        assert list(crew.each(0, str, [], weigh=weigh)) == []


def test_items_are_taken_as_they_are_needed(crew: Crew) -> None:
    taken = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    for weigh in (None, lambda result: 0):
        taken.clear()
        found = crew.each(0, str, endless(), ahead=3, weigh=weigh)
        assert [next(found) for _ in range(10)] == [str(n) for n in range(10)]
        found.close()  # type: ignore[attr-defined]
        assert len(taken) < 1000


def test_a_slow_one_keeps_nobody_waiting(crew: Crew) -> None:
    """The first ends only when the hundredth has."""
    reached = threading.Event()

    def work(item: int) -> bool:
        if item == 0:
            return reached.wait(LONG_S)
        if item == 100:
            reached.set()
        return True

    assert all(crew.each(0, work, range(200), weigh=lambda result: 0))


def test_heavy_results_are_not_piled_up(crew: Crew) -> None:
    """The first ends when no other, of 4 MB each, is begun any more."""
    begun: list[int] = []

    def work(item: int) -> bytes:
        begun.append(item)
        before = 0
        while item == 0 and len(begun) != before:
            before = len(begun)
            time.sleep(0.2)
        return b"x" * (4 << 20)

    most = 0
    for result in crew.each(0, work, range(60), weigh=len):
        most = most or len(begun)
        assert len(result) == 4 << 20
    assert most <= 6 * crew.sandbox.workers + 4
    assert len(begun) == 60


def test_what_fails_fails_at_its_place(crew: Crew) -> None:
    def work(item: int) -> int:
        return 1 // (5 - item)

    found = crew.each(0, work, range(50), weigh=lambda result: 0)
    assert len([next(found) for _ in range(5)]) == 5
    with pytest.raises(ZeroDivisionError):
        next(found)


@pytest.mark.parametrize("late", [None, 0, 2])
def test_who_fails_too_often_is_left_out_from_the_same_input_on(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, late: int | None
) -> None:
    """Whichever failure is seen last. Ten inputs, two of which a gold may fail on; it fails on 0, 2, 4 and 8."""
    others = threading.Event()

    def run_gold(crew: Any, task: Any, gold: Gold, each: Input, limits: Any) -> Ran:
        if gold.number == 0:
            if each.position == 9:
                others.set()
            return Ran(answer="right")
        if each.position == late:
            others.wait(LONG_S)
        if each.position in (0, 2, 4, 8):
            return Ran(failed=Failed(verdict="runtime_error", what=f"at {each.position}"))
        return Ran(answer="left")

    monkeypatch.setattr(outputs, "run_gold", run_gold)
    golds = [Gold(number=0, source=SUM_PY), Gold(number=1, source=SUM_LOOP_PY)]
    found = [Input(value=str(n), generator=0, position=n) for n in range(10)]
    polls = list(outputs.polls(crew, 0, task(), golds, found, Options()))
    assert [at for at, poll in enumerate(polls) if 1 in poll.failed] == [0, 2, 4]
    assert [at for at, poll in enumerate(polls) if any(1 in camp.cost for camp in poll.camps)] == [1, 3]
    assert all(0 in poll.camps[0].cost for poll in polls)


def test_times() -> None:
    times = Times()
    with times.of("inputs"):
        pass
    for _ in range(2):
        with times.of("outputs"):
            pass
    told = times.as_json()
    assert {step: each["runs"] for step, each in told.items()} == {"inputs": 1, "outputs": 2}
    assert told["inputs"]["first_s"] <= told["inputs"]["last_s"] <= told["outputs"]["last_s"]
