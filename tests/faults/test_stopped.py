"""Processes of a worker that are stopped (SIGSTOP), as by a debugger, a freezer, or a laptop's lid: close() does not
wait for them for ever, and nothing is left."""

from __future__ import annotations

import os
import signal

import pytest
from faults import host
from faults.conftest import LONG, Background, Gate, check_right, levels

import codejury


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "when"),
    [
        ("launcher", "between runs"),
        ("keeper", "between runs"),
        ("keeper", "in the middle"),
        ("zygote", "in the middle"),
    ],
)
def test_close_does_not_hang(remains: host.Remains, gate: Gate, victim: str, when: str) -> None:
    """All levels at the same time: it is mostly waiting."""
    boxes = [codejury.Sandbox(1, level) for level in levels()]
    runs = []
    for box in boxes:
        box._pool.show([gate.directory])
        check_right(box, times=1)
        if when == "in the middle":
            runs.append(Background(lambda box=box: box.run(gate.program, language="python", limits=LONG)))
    host.wait_until(lambda: host.running(os.getpid(), len(runs)), "the programs run")
    for box in boxes:
        (worker,) = box._pool._alive
        remains.note(worker.pid)
        for pid in host.parts(worker.pid).named(victim):
            os.kill(pid, signal.SIGSTOP)
    for closing in [Background(box.close) for box in boxes]:
        assert closing.join() is None
    for run in runs:
        assert isinstance(run.join(), codejury.CodejuryError), run.result
    remains.check()
