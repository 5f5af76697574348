"""An exception out of a signal handler, Ctrl-C above all, in the middle of a call.

The worker that was under way is given up, so that no later run gets the answer of an earlier one; the place in the
pool is not lost, wherever in our code the exception came; nothing is left.
"""

from __future__ import annotations

import json
import linecache
import signal
import subprocess
import sys
import threading
from types import FrameType
from typing import Any

import pytest
from faults import host
from faults.conftest import LONG, Background, Gate, check_right

import codejury
from codejury.sandbox import pool


def _interrupt_when_reached(gate: Gate) -> Background:
    """Once the program itself is there: a fork that only waits to become one is none."""
    main = threading.get_ident()
    assert threading.current_thread() is threading.main_thread()

    def interrupt() -> None:
        host.wait_until(lambda: gate.reached, "the program runs")
        signal.pthread_kill(main, signal.SIGINT)

    return Background(interrupt)


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "cold"])
def test_in_the_middle_of_a_run(box: codejury.Sandbox, gate: Gate, remains: host.Remains, fresh: bool) -> None:
    box._pool.show([gate.directory])
    check_right(box, times=1)
    for _ in range(2):
        worker = next(iter(box._pool._alive))
        remains.note(worker.pid)
        interrupting = _interrupt_when_reached(gate)
        with pytest.raises(KeyboardInterrupt):
            box.run(gate.program, language="python", fresh=fresh, limits=LONG)
        assert interrupting.join() is None
        assert worker.closed
        host.wait_until(lambda: not gate.reached, "the program is gone")
        check_right(box, times=1)
    box.close()
    remains.check()


def test_in_the_middle_of_many(box: codejury.Sandbox, gate: Gate, remains: host.Remains) -> None:
    """The jobs that were not yet begun are not begun; the sandbox goes on."""
    box._pool.show([gate.directory])
    check_right(box, times=1)
    interrupting = _interrupt_when_reached(gate)
    with pytest.raises(KeyboardInterrupt):
        list(box.run_many([codejury.Job(source=gate.program, language="python", limits=LONG)] * 5))
    assert interrupting.join() is None
    box.close()
    remains.check()


STORM = """
import json, random, signal, sys
import codejury

class Interrupt(BaseException):
    pass

def handler(number, frame):
    raise Interrupt

level, seed = sys.argv[1], int(sys.argv[2])
dice = random.Random(seed)
interrupted = wrong = 0
signal.signal(signal.SIGALRM, handler)
with codejury.Sandbox(2, level) as box:
    box.run("print(1)", language="python")
    for number in range(60):
        try:
            signal.setitimer(signal.ITIMER_REAL, dice.choice([0.0005, 0.003, 0.02, 0.1]) * dice.random() + 1e-6)
            try:
                outcome = box.run(f"print({number})", language="python", fresh=dice.random() < 0.3)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            wrong += outcome.stdout != b"%d\\n" % number
        except Interrupt:
            interrupted += 1
    # Both places are there: two at a time, more than two in a row.
    jobs = [codejury.Job(source=f"print({number})", language="python") for number in range(8)]
    wrong += [outcome.stdout for outcome in box.run_many(jobs)] != [b"%d\\n" % number for number in range(8)]
    both = len(box._pool._alive)
print(json.dumps({"interrupted": interrupted, "wrong": wrong, "workers": both}))
"""


def test_at_any_moment(level: str, remains: host.Remains) -> None:
    """Also in the middle of our own cleaning up: a child's, because such an exception may come out anywhere."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STORM, level, "7"],
        capture_output=True,
        text=True,
        timeout=2 * host.LONGEST_S,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["wrong"] == 0, said
    assert said["interrupted"] > 0, said
    assert said["workers"] <= 2, said
    remains.check()


class _At:
    """Raises an interrupt before the line that is the nth to be reached of the pool's own code. Not at a `with`: a
    tracer comes there a second time, between the end of the block and the release of a lock, and a signal does not."""

    def __init__(self, countdown: int) -> None:
        self.countdown = countdown

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != pool.__file__:
            return None
        if event == "line" and not linecache.getline(pool.__file__, frame.f_lineno).lstrip().startswith("with "):
            self.countdown -= 1
            if self.countdown == 0:
                raise KeyboardInterrupt
        return self


def test_at_every_line_of_the_pool(level: str, remains: host.Remains) -> None:
    """Each with a worker that is gone and has to be made anew; the places and the count of workers stay right."""
    number, interrupted = 0, True
    with codejury.Sandbox(2, level) as box:
        box._pool.prepare()
        while interrupted:
            number += 1
            for worker in list(box._pool._alive):
                remains.note(worker.pid)
                worker.close()
            at, before = _At(number), sys.gettrace()
            sys.settrace(at)
            try:
                outcome = box.run("print(1)", language="python")
            except KeyboardInterrupt:
                interrupted = True
            else:
                interrupted = at.countdown <= 0  # it may have come where exceptions end, in the finalizer of a place
                assert outcome.stdout == b"1\n"
            finally:
                sys.settrace(before)
            box._pool.prepare()
            assert len(box._pool._alive) == 2, number
    assert number > 20
    remains.check()
