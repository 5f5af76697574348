"""Faults at random moments: while four threads run programs whose ends are known, processes of the sandbox are killed.

Every outcome is the right one or an internal error; afterwards all is as it was. The dice are seeded; what they meet
is decided by the machine's own timing, so no two runs of this test are alike.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from faults import host
from faults.conftest import Background, check_right

import codejury
from codejury.model import Limits

C = '#include <stdio.h>\nint main(void) { int n; return scanf("%d", &n) == 1 ? printf("%d\\n", n * n), 0 : 1; }\n'
CRASH = "#include <stdlib.h>\nint main(void) { abort(); }\n"
# source, options, status, stdout
PROGRAMS: list[tuple[str, dict[str, Any], str, bytes]] = [
    ("print(int(input()) ** 2)", {"language": "python", "stdin": "12"}, "ok", b"144\n"),
    ("print(int(input()) ** 2)", {"language": "python", "stdin": "13", "fresh": True}, "ok", b"169\n"),
    ("import sys\nprint('x' * 300000)\nsys.exit(3)", {"language": "python"}, "runtime_error", b"x" * 300000 + b"\n"),
    ("import os\nos.fork()\nos.fork()\nos.write(1, b'f')", {"language": "python"}, "ok", b""),
    ("while True: pass", {"language": "python", "limits": Limits(cpu_s=0.05)}, "time_limit_exceeded", b""),
    (C, {"language": "c", "stdin": "14"}, "ok", b"196\n"),
    (CRASH, {"language": "c"}, "runtime_error", b""),
]
KILLS, THREADS, WORKERS = 24, 4, 3
VICTIMS = {
    "full": ["launcher", "keeper", "zygote", "init"],
    "rootless": ["launcher", "keeper", "zygote", "init"],
    "landlock": ["launcher", "keeper", "zygote"],
}


def test_kills_at_random_moments(open_box: Callable[..., codejury.Sandbox], level: str, remains: host.Remains) -> None:
    box = open_box(workers=WORKERS, level=level)
    box.prepare()
    for source, options, *_ in PROGRAMS:
        box.run(source, **options)  # compiled, and the version of the compiler known
    dice, lock, enough = random.Random(1), threading.Lock(), threading.Event()
    wrong: list[Any] = []
    results: Counter[str] = Counter()

    def run() -> None:
        while not enough.is_set():
            with lock:
                source, options, status, stdout = dice.choice(PROGRAMS)
            try:
                outcome = box.run(source, **options)
            except codejury.InternalError:
                results["error"] += 1
                continue
            results["outcome"] += 1
            if "fork" in source:  # which of the children came to write is not known
                stdout = outcome.stdout if set(outcome.stdout) <= set(b"f") else b"another"
            if (outcome.status, outcome.stdout) != (status, stdout):
                wrong.append((source, outcome))

    threads = [Background(run) for _ in range(THREADS)]
    try:
        for _ in range(KILLS):
            _kill_somebody(box, level, dice, remains)
            # Some undisturbed work, so that the next one meets another state.
            goal = results.total() + dice.randrange(1, 2 * WORKERS)
            host.wait_until(lambda goal=goal: results.total() >= goal, "runs end")
            threading.Event().wait(dice.random() * 0.01)
    finally:
        enough.set()
    for thread in threads:
        assert thread.join() is None, thread.result
    assert not wrong, wrong
    # A run is tried three times, each time on a worker that no other run is on.
    assert 3 * results["error"] <= KILLS, results
    check_right(box)
    box.close()
    remains.check()


def _kill_somebody(box: codejury.Sandbox, level: str, dice: random.Random, remains: host.Remains) -> None:
    """Nobody outside of the sandbox's own: to kill the program is to change what it does."""

    def done() -> bool:
        # Its own workers: other tests' sandboxes may be there too.
        launcher = dice.choice([worker.pid for worker in list(box._pool._alive)] or [0])
        victims = host.parts(launcher).named(dice.choice(VICTIMS[level])) if launcher else []
        if not victims:
            return False
        remains.note(launcher)
        with contextlib.suppress(ProcessLookupError):
            os.kill(dice.choice(victims), signal.SIGKILL)
            return True
        return False

    host.wait_until(done, "somebody is there to be killed")
