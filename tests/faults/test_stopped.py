"""Processes of a worker that are stopped (SIGSTOP), as by a debugger, a freezer, or a laptop's lid: close() does not
wait for them for ever, and nothing is left. And once they go on, the time in which they stood still was nobody's."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from faults import host
from faults.conftest import LONG, Background, Gate, check_right, levels

import codejury
from codejury.sandbox import worker


@pytest.mark.parametrize(
    ("victim", "when"),
    [
        ("launcher", "between runs"),
        ("keeper", "between runs"),
        ("keeper", "in the middle"),
        ("zygote", "in the middle"),
    ],
)
def test_close_does_not_hang(
    remains: host.Remains, place: Path, monkeypatch: pytest.MonkeyPatch, victim: str, when: str
) -> None:
    """All levels at the same time: it is mostly waiting."""
    monkeypatch.setattr(worker, "_CLOSING_S", 1)  # however long: those who are stopped never answer
    boxes = {level: codejury.Sandbox(1, level) for level in levels()}  # type: ignore[arg-type]
    gates = {level: Gate(place / level) for level in boxes}
    runs = []
    for level, box in boxes.items():
        box._pool.show([gates[level].directory])
        check_right(box, times=1)
        if when == "in the middle":
            runs.append(Background(lambda box=box, gate=gates[level]: _through(box, gate)))
            host.wait_until(lambda level=level: gates[level].reached, "the program runs")
    for box in boxes.values():
        (one,) = box._pool._alive
        remains.note(one.pid)
        for pid in host.parts(one.pid).named(victim):
            os.kill(pid, signal.SIGSTOP)
    for closing in [Background(box.close) for box in boxes.values()]:
        assert closing.join() is None
    for run in runs:
        assert isinstance(run.join(), codejury.CodejuryError), run.result
    remains.check()


def _through(box: codejury.Sandbox, gate: Gate) -> codejury.Outcome:
    return box.run(gate.program, language="python", limits=LONG)


STILL_S = 1.5
SHORT = codejury.Limits(cpu_s=10, wall_s=1)


def test_a_run_is_not_charged_for_a_machine_that_stood_still(box: codejury.Sandbox, gate: Gate) -> None:
    box._pool.show([gate.directory])
    run = Background(lambda: box.run(gate.program, language="python", limits=SHORT))
    host.wait_until(lambda: gate.reached, "the program runs")
    (one,) = box._pool._alive
    stopped = [process.pid for process in host.below(one.pid)]
    _stand_still(stopped)
    gate.open()
    assert run.join().status == "ok", run.result
    asleep = box.run("import time\ntime.sleep(600)", language="python", limits=SHORT)
    assert asleep.status == "wall_limit_exceeded"


@pytest.mark.parametrize("late", [0, 1])
def test_neither_of_two_is_charged_for_the_start_of_the_other(box: codejury.Sandbox, late: int) -> None:
    """As long as a waiting interpreter takes to import what it is to have, on a machine with much else to do."""
    ask = codejury.Job(source="print(1, flush=True)\ninput()", language="python", limits=SHORT)
    answer = codejury.Job(source="input()\nprint(1, flush=True)", language="python", limits=SHORT)
    box.run_pair(ask, answer)
    keepers = [host.parts(one.pid).named("keeper") for one in sorted(box._pool._alive, key=lambda one: one.pid)]
    for pid in keepers[late]:
        os.kill(pid, signal.SIGSTOP)
    pair = Background(lambda: box.run_pair(ask, answer))
    time.sleep(STILL_S)
    for pid in keepers[late]:
        os.kill(pid, signal.SIGCONT)
    assert [outcome.status for outcome in pair.join()] == ["ok", "ok"]


def _stand_still(processes: list[int]) -> None:
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(STILL_S)
    for pid in processes:
        os.kill(pid, signal.SIGCONT)
