"""Two programs that talk to each other, each in a box of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from codejury import Job, Limits, Sandbox, WorkerLost
from codejury.model import LEVELS
from codejury.sandbox.pool import Task

ASK = """
import sys
for n in range(50):
    print(n, flush=True)
    assert input() == str(n * n)
print("asked", file=sys.stderr)
"""
ANSWER = """
import sys
for line in sys.stdin:
    print(int(line) ** 2, flush=True)
print("answered", file=sys.stderr)
"""
ANSWER_CPP = """
#include <iostream>
int main() { long n; while (std::cin >> n) std::cout << n * n << std::endl; std::cerr << "answered\\n"; }
"""


@pytest.fixture(scope="module", params=LEVELS)
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    from codejury.errors import LevelUnavailable

    try:
        with Sandbox(workers=1, level=request.param) as box:
            box.prepare()
            yield box
    except LevelUnavailable as error:
        pytest.skip(str(error))


def python(source: str, **options: object) -> Job:
    return Job(source=source, language="python", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [python(ANSWER), Job(source=ANSWER_CPP, language="cpp17")], ids=["python", "cpp"])
@pytest.mark.parametrize("turned", [False, True])
def test_they_converse(box: Sandbox, other: Job, turned: bool) -> None:
    jobs = (other, python(ASK)) if turned else (python(ASK), other)
    outcomes = box.run_pair(*jobs)
    if turned:
        outcomes = outcomes[::-1]
    assert [outcome.stderr for outcome in outcomes] == [b"asked\n", b"answered\n"]
    assert [outcome.status for outcome in outcomes] == ["ok", "ok"]
    assert [outcome.stdout for outcome in outcomes] == [b"", b""]


def test_the_end_of_one_is_an_end_of_file_for_the_other(box: Sandbox) -> None:
    quick, patient = box.run_pair(python("pass"), python("import sys; sys.exit(len(sys.stdin.read()))"))
    assert (quick.status, patient.status, patient.exit_code) == ("ok", "ok", 0)


def test_who_writes_to_one_that_is_gone_is_told_so(box: Sandbox) -> None:
    gone, writer = box.run_pair(python("pass"), python("import sys; sys.stdin.read(); print('x' * 10**7)"))
    assert gone.ok
    assert b"BrokenPipeError" in writer.stderr


def test_each_has_limits_of_its_own(box: Sandbox) -> None:
    spins, waits = box.run_pair(
        python("while True: pass", limits=Limits(cpu_s=0.5)), python("import sys; sys.stdin.read()")
    )
    assert (spins.status, waits.status) == ("time_limit_exceeded", "ok")
    eats, waits = box.run_pair(
        python("x = bytearray(10**9)", limits=Limits(memory_mb=100)), python("import sys; sys.stdin.read()")
    )
    assert (eats.status, waits.status) == ("memory_limit_exceeded", "ok")


def test_neither_sees_the_other(box: Sandbox) -> None:
    hide = "import os, sys; open('secret', 'w').write('hunter2'); print(os.getpid(), flush=True); sys.stdin.read()"
    seek = """
import os, sys
found = []
# Not its own: to read from one's own end of a pipe is to wait for ever.
for pid in {int(input()), *range(1, 20)} - {os.getpid()}:
    for path in ("cwd/secret", "environ", "mem", "root/etc/passwd", "fd/1"):
        try:
            found.append(open(f'/proc/{pid}/{path}', 'rb').read(100) and (pid, path))
        except OSError:
            pass
sys.exit(repr(found) if any(found) else 0)
"""
    hider, seeker = box.run_pair(python(hide), python(seek))
    assert (hider.status, seeker.status, seeker.stderr) == ("ok", "ok", b"")


def test_one_that_does_not_compile_keeps_both_from_running(box: Sandbox) -> None:
    outcomes = box.run_pair(python("print(1)"), Job(source="int main( {", language="cpp17"))
    assert [outcome.status for outcome in outcomes] == ["compile_error", "compile_error"]


def test_as_many_pairs_as_workers_at_a_time() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with Sandbox(workers=2) as box, ThreadPoolExecutor(6) as threads:
        pairs = list(threads.map(lambda _: box.run_pair(python(ASK), python(ANSWER)), range(12)))
    assert {outcome.status for pair in pairs for outcome in pair} == {"ok"}


def test_a_run_after_a_pair_has_its_own_streams(box: Sandbox) -> None:
    box.run_pair(python(ASK), python(ANSWER))
    assert box.run("print(input())", language="python", stdin="own\n").stdout == b"own\n"


def test_one_is_not_to_blame_for_what_the_other_waits_for(box: Sandbox) -> None:
    """The asker sleeps while the answerer, which has much to do, waits for a core that many others want."""
    ask = python("print(1, flush=True)\ninput()", limits=Limits(cpu_s=5, wall_s=1))
    answer = python(
        "import time\ninput()\nwhile time.process_time() < 0.6: pass\nprint(1, flush=True)",
        limits=Limits(cpu_s=5, wall_s=1),
    )
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        for _ in range(2):
            assert [outcome.status for outcome in box.run_pair(ask, answer)] == ["ok", "ok"]
        asleep = python("import time\ntime.sleep(60)", limits=Limits(cpu_s=5, wall_s=1))
        assert box.run_pair(asleep, answer)[0].status == "wall_limit_exceeded"
    finally:
        for each in others:
            each.kill()
            each.wait()


def test_one_that_keeps_itself_waiting_gets_its_status(box: Sandbox) -> None:
    """Its own processes stand in each other's way, and then all sleep: that is no reason to blame the host."""
    source = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        while time.process_time() < 0.1: pass
        break
time.sleep(600)
"""
    crowd = python(source, limits=Limits(cpu_s=6, wall_s=0.3))
    other = python("input()", limits=Limits(cpu_s=6, wall_s=600))
    assert box.run_pair(crowd, other)[0].status == "wall_limit_exceeded"


def test_a_pair_that_is_given_up_ends(box: Sandbox) -> None:
    forever = Job(source="while True: pass", language="python", limits=Limits(cpu_s=250))
    task, outcomes = Task(), []

    def run() -> None:
        with pytest.raises(WorkerLost):
            box.run_for(task, lambda: box.run_pair(forever, forever))
        outcomes.append("ended")

    thread = threading.Thread(target=run)
    thread.start()
    task.give_up()  # before, while or after it begins: it ends
    thread.join(60)
    assert outcomes == ["ended"]
    assert box.run("print(1)", language="python").stdout == b"1\n"
