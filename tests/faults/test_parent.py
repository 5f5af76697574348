"""The death of the Python process above the workers: killed, terminated, interrupted from the keyboard.

A child interpreter plays the parent. When it is gone, by whatever way, so is all that it had started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults import host

SLEEP = "import time\ntime.sleep(3600)\n"
BEGIN = f"""
import sys
import codejury
SLEEP, level = {SLEEP!r}, sys.argv[1]
limits = codejury.Limits(cpu_s=60, wall_s=3600)
"""
# What the child does, and how many of its workers are in the middle of a run then.
PARENTS = {
    "warm": ("codejury.Sandbox(1, level).run(SLEEP, language='python', limits=limits)", 1),
    "cold": ("codejury.Sandbox(1, level).run(SLEEP, language='python', limits=limits, fresh=True)", 1),
    "many": (
        "with codejury.Sandbox(2, level) as box:\n"
        "    jobs = [codejury.Job(source=SLEEP, language='python', limits=limits)] * 9\n"
        "    list(box.run_many(jobs))",
        2,
    ),
    "many, without a with": (
        "box = codejury.Sandbox(2, level)\n"
        "for outcome in box.run_many([codejury.Job(source=SLEEP, language='python', limits=limits)] * 9):\n"
        "    pass",
        2,
    ),
    "the function run": ("codejury.run(SLEEP, language='python', limits=limits)", 1),
    "the coroutine": (
        "import asyncio\nasyncio.run(codejury.run_async(SLEEP, language='python', limits=limits))",
        1,
    ),
    "a sandbox's coroutine": (
        "import asyncio\nbox = codejury.Sandbox(1, level)\n"
        "asyncio.run(box.run_async(SLEEP, language='python', limits=limits))",
        1,
    ),
    "another thread": (
        "import threading\n"
        "box = codejury.Sandbox(1, level)\n"
        "thread = threading.Thread(target=lambda: box.run(SLEEP, language='python', limits=limits), daemon=True)\n"
        "thread.start()\n"
        "while True:\n"
        "    thread.join(0.1)",
        1,
    ),
}
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(level: str, place: Path, remains: host.Remains) -> Iterator[Start]:
    """Starts a child interpreter, which leads a process group of its own, as a job of a shell does."""
    children: list[subprocess.Popen[bytes]] = []

    def make(script: str) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-c", BEGIN + script, level],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "CODEJURY_LEVEL": level},
            process_group=0,
        )
        children.append(child)
        return child

    yield make
    for child in children:
        child.kill()
        child.communicate()


def _await_runs(child: subprocess.Popen[bytes], count: int) -> None:
    host.wait_until(lambda: child.poll() is not None or host.running(child.pid, count), f"{count} runs are under way")
    assert child.poll() is None, child.communicate()[1].decode()


def _end(child: subprocess.Popen[bytes], remains: host.Remains, send: Callable[[], None]) -> str:
    """Everything that the child has started goes with it. Its words on stderr."""
    remains.note(child.pid)
    send()
    _, words = child.communicate(timeout=host.LONGEST_S)
    remains.check()
    return words.decode()


@pytest.mark.parametrize(
    ("what", "number"), [("warm", signal.SIGKILL), ("cold", signal.SIGKILL), ("many", signal.SIGTERM)]
)
def test_dies_in_the_middle_of_a_run(start: Start, remains: host.Remains, what: str, number: signal.Signals) -> None:
    script, count = PARENTS[what]
    child = start(script)
    _await_runs(child, count)
    _end(child, remains, lambda: child.send_signal(number))
    assert child.returncode == -number


@pytest.mark.parametrize("what", ["many", "the function run"])
def test_is_interrupted_from_the_keyboard(start: Start, remains: host.Remains, what: str) -> None:
    _interrupt(start, remains, what)


@pytest.mark.parametrize("level", ["strongest"], indirect=True)
@pytest.mark.parametrize("what", [what for what in PARENTS if what not in ("many", "the function run")])
def test_is_interrupted_whatever_it_does(start: Start, remains: host.Remains, what: str) -> None:
    _interrupt(start, remains, what)


def _interrupt(start: Start, remains: host.Remains, what: str) -> None:
    """Ctrl-C goes to the whole foreground process group: the parent ends by it, as any program does."""
    script, count = PARENTS[what]
    child = start(script)
    _await_runs(child, count)
    words = _end(child, remains, lambda: os.killpg(child.pid, signal.SIGINT))
    assert child.returncode == -signal.SIGINT, words
    assert words.rstrip().endswith("KeyboardInterrupt"), words


def test_dies_between_runs(start: Start, remains: host.Remains) -> None:
    child = start(
        "box = codejury.Sandbox(2, level)\n"
        "box.prepare()\n"
        "box.run('print(1)', language='python')\n"
        "sys.stdin.close()\n"
        "import time, os\n"
        "os.set_blocking(2, False)\n"
        "time.sleep(3600)"
    )
    host.wait_until(
        lambda: child.poll() is not None or sum(bool(host.parts(pid).zygotes) for pid in host.launchers(child.pid)),
        "a zygote waits",
    )
    _end(child, remains, child.kill)


def test_dies_while_a_worker_comes_up(start: Start, remains: host.Remains) -> None:
    """The sooner, the less has been set up, and the less of it knows of its parent."""
    for wanted in (0, 1, 3):
        child = start("codejury.Sandbox(3, level).prepare()\nimport time\ntime.sleep(3600)")
        host.wait_until(lambda child=child, wanted=wanted: len(host.below(child.pid)) > wanted, "something has started")
        _end(child, remains, child.kill)


def test_dies_and_a_fork_of_it_lives(start: Start, remains: host.Remains, place: Path) -> None:
    """A forked child (of multiprocessing, say) holds copies of the parent's descriptors, but no worker."""
    child = start(
        "import os, signal\n"
        "box = codejury.Sandbox(1, level)\n"
        "box.run('print(1)', language='python')\n"
        "if os.fork() == 0:\n"
        f"    open({str(place / 'forked')!r}, 'w').write(str(os.getpid()))\n"
        "    os.close(2)\n"
        "    signal.pause()\n"
        "box.run(SLEEP, language='python', limits=limits)"
    )
    _await_runs(child, 1)
    host.wait_until((place / "forked").is_file, "the fork has come up")
    host.wait_until(lambda: (place / "forked").read_text(), "the fork has said who it is")
    fork = int((place / "forked").read_text())
    workers = [*host.below(host.launchers(child.pid)[0])]
    try:
        child.kill()
        child.communicate(timeout=host.LONGEST_S)
        host.wait_until(lambda: not host.alive(workers), "the workers are gone, though a fork of their parent lives")
        assert host.look(fork)
    finally:
        os.kill(fork, signal.SIGKILL)


def test_exits_without_closing(start: Start, remains: host.Remains) -> None:
    child = start("box = codejury.Sandbox(2, level)\nbox.prepare()\nbox.run('print(1)', language='python')")
    words = _end(child, remains, lambda: None)
    assert (child.returncode, words) == (0, "")
