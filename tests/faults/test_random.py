"""Faults at random moments: while four threads run programs whose ends are known, processes of the sandbox are killed.

Every outcome is the right one or an internal error; afterwards all is as it was. The dice are seeded; what they meet
is decided by the machine's own timing, so no two runs of this test are alike.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
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
RUNS, THREADS = 100, 4


@pytest.mark.parametrize("seed", [1])
def test_kills_at_random_moments(
    open_box: Callable[..., codejury.Sandbox], level: str, remains: host.Remains, seed: int
) -> None:
    box = open_box(workers=3, level=level)
    box.prepare()
    for source, options, *_ in PROGRAMS:
        box.run(source, **options)  # compiled, and the version of the compiler known
    dice, turns, lock = random.Random(seed), iter(range(RUNS)), threading.Lock()
    wrong: list[Any] = []
    results: Counter[str] = Counter()

    def run() -> None:
        while True:
            with lock:
                turn = next(turns, None)
                source, options, status, stdout = dice.choice(PROGRAMS)
            if turn is None:
                return
            try:
                outcome = box.run(source, **options)
            except codejury.InternalError as error:
                results[type(error).__name__] += 1
                continue
            results["right"] += 1
            if "fork" in source:  # which of the children came to write is not known
                stdout = outcome.stdout if set(outcome.stdout) <= set(b"f") else b"another"
            if (outcome.status, outcome.stdout) != (status, stdout):
                wrong.append((source, outcome))

    threads = [Background(run) for _ in range(THREADS)]
    kills = 0
    # Nobody outside of the sandbox's own: to kill the program is to change what it does.
    while not all(thread.over for thread in threads):
        for worker in dice.sample(sorted(box._pool._alive, key=id), k=len(box._pool._alive)):
            victims = host.parts(worker.pid).named(dice.choice(["launcher", "keeper", "zygote", "init"]))
            remains.note(worker.pid)
            if victims and worker.pid in host.launchers(os.getpid()):
                try:
                    os.kill(dice.choice(victims), signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
                break
        # A moment of undisturbed work, so that some runs get through.
        threading.Event().wait(dice.random() * 0.06)
    for thread in threads:
        assert thread.join() is None, thread.result
    assert not wrong, wrong
    assert results["right"] >= RUNS // 4, results
    assert kills > 10, kills
    check_right(box)
    box.close()
    remains.check()
