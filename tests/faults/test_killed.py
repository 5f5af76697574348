"""kill -9 of a worker's own processes, in the middle of a run and between runs.

The run in flight is retried or ends as an internal error, never as a verdict on the program; a run that starts later
is as good as any; nothing is left on the host.
"""

from __future__ import annotations

import os
import signal

import pytest
from faults import host
from faults.conftest import LONG, Background, Gate, check_right

import codejury

VICTIMS = ("launcher", "keeper", "zygote", "init")


def _worker(box: codejury.Sandbox) -> int:
    (worker,) = box._pool._alive
    return worker.pid


def _kill(box: codejury.Sandbox, victim: str, remains: host.Remains) -> None:
    launcher = _worker(box)
    remains.note(launcher)
    victims = host.parts(launcher).named(victim)
    if not victims:
        pytest.skip(f"there is no {victim} in such a run")
    for pid in victims:
        before = host.look(pid)
        os.kill(pid, signal.SIGKILL)
        # As dead as it gets before its parent has reaped it.
        host.wait_until(lambda pid=pid, before=before: _is_dead(pid, before), f"{victim} {pid} is killed")


def _is_dead(pid: int, before: host.Seen | None) -> bool:
    now = host.look(pid)
    return now is None or before is None or now.start != before.start or now.state in "ZX"


@pytest.mark.parametrize("fresh", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize("victim", VICTIMS)
def test_in_the_middle_of_a_run(
    box: codejury.Sandbox, gate: Gate, remains: host.Remains, victim: str, fresh: bool
) -> None:
    box._pool.show([gate.directory])
    check_right(box, times=1)  # and so there is a zygote
    run = Background(lambda: box.run(gate.program, language="python", fresh=fresh, limits=LONG))
    host.wait_until(lambda: run.over or gate.reached, "the program runs")
    _kill(box, victim, remains)
    gate.open()
    result = run.join()
    if not isinstance(result, codejury.InternalError):
        assert (result.status, result.stdout) == ("ok", b"through\n"), result
    check_right(box)
    box.close()
    remains.check()


@pytest.mark.parametrize("victim", ["launcher", "keeper", "zygote"])
def test_between_runs(box: codejury.Sandbox, remains: host.Remains, victim: str) -> None:
    check_right(box, times=1)
    _kill(box, victim, remains)
    check_right(box)
    box.close()
    remains.check()


def test_both_zygotes(box: codejury.Sandbox, remains: host.Remains) -> None:
    pytest.importorskip("numpy")
    program = "import numpy\nprint(int(numpy.arange(4).sum()))"
    assert box.run(program, language="python").stdout == b"6\n"
    check_right(box, times=1)
    assert len(host.parts(_worker(box)).zygotes) == 2
    _kill(box, "zygote", remains)
    assert box.run(program, language="python").stdout == b"6\n"
    check_right(box)


def test_a_compiler_is_retried(box: codejury.Sandbox, remains: host.Remains) -> None:
    """A killed compiler run is our failure, and its result is not kept as the source's."""
    source = f'#include <stdio.h>\nint main(void) {{ puts("compiled {os.getpid()}"); }}\n'
    assert box.run("int main(void) { return 0; }", language="c").ok  # the version was asked for, the worker stands
    run = Background(lambda: box.run(source, language="c"))
    host.wait_until(lambda: run.over or host.running(os.getpid()), "the compiler runs")
    if not run.over:
        remains.note(_worker(box))
        (keeper,) = host.parts(_worker(box)).named("keeper") or [None]
        if keeper:
            os.kill(keeper, signal.SIGKILL)
    result = run.join()
    if not isinstance(result, codejury.InternalError):
        assert (result.status, result.stdout) == ("ok", b"compiled %d\n" % os.getpid()), result
    assert box.run(source, language="c").stdout == b"compiled %d\n" % os.getpid()


def test_all_workers_at_once(open_box: object, level: str, remains: host.Remains) -> None:
    box = open_box(workers=3, level=level)  # type: ignore[operator]
    box.prepare()
    for worker in list(box._pool._alive):
        remains.note(worker.pid)
        (keeper,) = host.parts(worker.pid).named("keeper")
        os.kill(keeper, signal.SIGKILL)
    jobs = [codejury.Job(source=f"print({number})", language="python") for number in range(12)]
    assert [outcome.stdout for outcome in box.run_many(jobs)] == [b"%d\n" % number for number in range(12)]
    box.close()
    remains.check()


def test_nobody_waits_to_be_buried(box: codejury.Sandbox) -> None:
    """The namespaces of the last run are taken apart while the next is made ready; an idle worker has no zombies."""
    for _ in range(3):
        check_right(box, times=1)
        host.wait_until(lambda: _none_dead(_worker(box)), "nobody below the worker is a zombie")
    assert host.parts(_worker(box)).keeper


def _none_dead(launcher: int) -> bool:
    states = [seen.state for process in host.below(launcher) if (seen := host.look(process.pid))]
    return bool(states) and not set(states) & {"Z", "X"}
