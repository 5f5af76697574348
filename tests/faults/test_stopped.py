"""Processes of a worker that are stopped (SIGSTOP), as by a debugger, a freezer, or a laptop's lid: close() does not
wait for them for ever, and nothing is left."""

from __future__ import annotations

import os
import signal
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
