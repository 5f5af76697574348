"""Places of a pool: none is lost for good, whatever an interrupt does."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from codejury.sandbox import pool
from codejury.sandbox.pool import _Places


def test_the_last_one_given_back_is_the_next_to_be_taken() -> None:
    places = _Places(3)
    taken = [places.take() for _ in range(3)]
    for place in taken:
        places.give(place)
    assert places.take() is taken[-1]


def test_one_that_was_dropped_is_found_again() -> None:
    places = _Places(2)
    kept, dropped = places.take(), places.take()
    dropped.worker = worker = object()  # type: ignore[assignment]
    del dropped
    gc.collect()
    assert places.take().worker is worker
    places.give(kept)
    assert places.take() is kept


def test_who_waits_gets_it() -> None:
    places = _Places(1)
    place, got = places.take(), []
    waiting = threading.Thread(target=lambda: got.append(places.take()))
    waiting.start()
    del place
    waiting.join(30)
    assert len(got) == 1


def test_who_waited_longest_comes_first() -> None:
    """One who takes and gives back again and again does not keep another waiting."""
    places = _Places(1)
    stop, got = threading.Event(), threading.Event()

    def busy() -> None:
        while not stop.is_set():
            places.give(places.take())

    def patient() -> None:
        for _ in range(200):
            places.give(places.take())
        got.set()

    threads = [threading.Thread(target=work, daemon=True) for work in (busy, busy, patient)]
    for thread in threads:
        thread.start()
    assert got.wait(60)
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert len(places._free) == 1
    assert not places._waiting


def test_no_place_is_doubled() -> None:
    """Many hands on three places: never more than three hold one."""
    places, held, most = _Places(3), [], []

    def work() -> None:
        for _ in range(300):
            place = places.take()
            held.append(place)
            most.append(len(held))
            held.remove(place)
            places.give(place)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert max(most) <= 3
    assert len(places._free) == 3
    assert len({id(place) for place in places._free}) == 3


def test_a_pool_that_goes_takes_its_places_along() -> None:
    places = _Places(2)
    place = places.take()
    del places
    gc.collect()
    del place  # no home to go back to, and nothing said about it
    gc.collect()


class _Interrupt(BaseException):
    pass


def _interrupted(step: int, call: Callable[[], object]) -> bool:
    """Whether the call came to its step of this number, where an exception came out of nowhere."""
    steps = itertools.count()

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if event != "call" and next(steps) == step:
            raise _Interrupt
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        call()
    except _Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_between_any_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_LOOK_AGAIN_S", 0.01)
    for step in itertools.count():
        places = _Places(1)
        interrupted = _interrupted(step, lambda places=places: places.give(places.take()))
        got: list[object] = []
        again = threading.Thread(target=lambda places=places, got=got: got.append(places.take()), daemon=True)
        again.start()
        again.join(30)
        assert len(got) == 1, f"interrupted at step {step}"
        if not interrupted:
            break
    assert step > 10


def test_closed_while_a_worker_is_made() -> None:
    """At any moment: the run ends, and is no outcome; nobody waits for a program that sleeps."""
    import codejury

    for step in range(12):
        box = codejury.Sandbox(workers=1)
        said: list[object] = []

        def run(box: codejury.Sandbox = box, said: list[object] = said) -> None:
            try:
                said.append(box.run("import time\ntime.sleep(3600)", language="python"))
            except codejury.CodejuryError as error:
                said.append(error)

        running = threading.Thread(target=run, daemon=True)
        running.start()
        threading.Event().wait(step * 0.006)
        box.close()
        running.join(60)
        assert len(said) == 1
        assert isinstance(said[0], codejury.CodejuryError), said
