"""Limits and outcomes at every level: each limit has its own status, and what goes in and out is exact to the byte.

Programs that must meet a limit never end on their own: whatever ends them is what is asserted. Programs that must
not meet one are given limits far beyond what they use, so that busy cores change nothing.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

import codejury
from codejury import Command, Limits, Outcome
from codejury.sandbox.pool import Pool

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")

AMPLE = Limits(cpu_s=60, wall_s=300, memory_mb=1024)
KB = 1 / 1024


def run(box: codejury.Sandbox, source: str, limits: Limits = AMPLE, **options: Any) -> Outcome:
    return box.run(source, language=options.pop("language", "python"), limits=limits, **options)


def ended(outcome: Outcome) -> tuple[str, int | None, int | None]:
    return outcome.status, outcome.exit_code, outcome.signal


@pytest.fixture(params=[False, True], ids=["warm", "fresh"])
def fresh(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


# -- CPU time of the tree

CPU = Limits(cpu_s=0.25, wall_s=300)
BURN = """
import os, time
def burn(s):
    end = time.process_time() + s
    while time.process_time() < end: pass
"""
CPU_PROGRAMS = {
    "loop": "while True: pass",
    "system_time": "import os\nwhile True: os.stat('/')",
    "threads": """
import hashlib, threading
block = bytes(1 << 20)
def spin():
    while True: hashlib.sha256(block)  # outside of the interpreter's lock
for _ in range(4): threading.Thread(target=spin).start()
""",
    "child": "import os\nif os.fork() == 0:\n    while True: pass\nos.wait()",
    "children_together": BURN
    + """
for _ in range(5):
    if os.fork() == 0:
        burn(0.15)  # each below the limit
        os._exit(0)
for _ in range(5): os.wait()
while True: time.sleep(60)
""",
    "children_one_by_one": BURN
    + """
while True:
    if os.fork() == 0:
        burn(0.1)
        os._exit(0)
    os.wait()
""",
    "orphans": BURN
    + """
for _ in range(2):
    if os.fork() == 0:
        if os.fork() == 0:
            while True: pass
        os._exit(0)
while True: time.sleep(60)
""",
    "ignoring_sigxcpu": "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
    "ignoring_all_signals": """
import signal
for number in set(range(1, 65)) - {9, 19, 32, 33}: signal.signal(number, signal.SIG_IGN)
while True: pass
""",
    "blocking_all_signals": """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True: pass
""",
    "after_close_of_streams": "import os\nfor fd in (0, 1, 2): os.close(fd)\nwhile True: pass",
}


def ends(
    box: codejury.Sandbox, programs: dict[str, str], limits: Limits
) -> dict[str, tuple[str, int | None, int | None]]:
    """How each of the programs ended, two at a time."""
    jobs = [codejury.Job(source=source, language="python", limits=limits) for source in programs.values()]
    return {name: ended(outcome) for name, outcome in zip(programs, box.run_many(jobs), strict=True)}


def test_cpu_time_is_of_the_whole_tree(box: codejury.Sandbox) -> None:
    expected = ("time_limit_exceeded", None, signal.SIGKILL)
    assert ends(box, CPU_PROGRAMS, CPU) == dict.fromkeys(CPU_PROGRAMS, expected)


@pytest.mark.parametrize("cpu_s", [0.5, 40, 300])
def test_the_kernels_own_limit_of_cpu_time_is_not_the_one_that_is_met(box: codejury.Sandbox, cpu_s: float) -> None:
    """It counts whole ticks, a tenth too many on a busy host: a loop that was to run for 40 s died of SIGXCPU after 39,
    which is a runtime error. Nobody waits here for that to happen again."""
    found = run(box, "import resource; print(*resource.getrlimit(resource.RLIMIT_CPU))", Limits(cpu_s=cpu_s))
    assert all(int(each) >= 1.9 * cpu_s + 5 for each in found.stdout.split())


def test_cpu_time_of_a_new_interpreter(box: codejury.Sandbox) -> None:
    assert ended(run(box, "while True: pass", CPU, fresh=True)) == ("time_limit_exceeded", None, signal.SIGKILL)


def test_cpu_time_is_reported(box: codejury.Sandbox) -> None:
    outcome = run(box, BURN + "burn(0.25)")
    assert outcome.ok
    assert 0.25 <= outcome.cpu_s < 30


def test_cpu_time_of_waited_children_is_reported(box: codejury.Sandbox) -> None:
    outcome = run(box, BURN + "if os.fork() == 0:\n    burn(0.25); os._exit(0)\nos.wait()")
    assert outcome.ok
    assert 0.25 <= outcome.cpu_s < 30


def test_sleeping_uses_no_cpu_time(box: codejury.Sandbox, fresh: bool) -> None:
    """Longer on the clock than its CPU limit, and fine."""
    outcome = run(box, "import time; time.sleep(0.6); print('slept')", Limits(cpu_s=0.5, wall_s=300), fresh=fresh)
    assert (outcome.status, outcome.stdout) == ("ok", b"slept\n")
    assert outcome.cpu_s < 0.5
    assert outcome.wall_s >= 0.6


def test_a_run_that_ends_by_itself_past_its_limit_is_over_it(box: codejury.Sandbox) -> None:
    """However late the keeper looked: the sum at the end counts."""
    outcome = run(box, BURN + "burn(0.5)", Limits(cpu_s=0.2, wall_s=300))
    assert outcome.status == "time_limit_exceeded"


# -- the clock

WALL_PROGRAMS = {
    "sleep": "import time; time.sleep(10**6)",
    "pause": "import signal; signal.pause()",
    "pipe": "import os; os.read(os.pipe()[0], 1)",
    "lock": "import threading; threading.Lock().acquire(); l = threading.Lock(); l.acquire(); l.acquire()",
    "sleeping_thread": "import threading, time; threading.Thread(target=time.sleep, args=(10**6,)).start()",
    "sleeping_child": "import os, time\nif os.fork() == 0: time.sleep(10**6)\nos.wait()",
    "stopped": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
}


def test_sleepers_are_ended_by_the_clock(box: codejury.Sandbox) -> None:
    expected = ("wall_limit_exceeded", None, signal.SIGKILL)
    limits = Limits(cpu_s=60, wall_s=0.3)
    assert ends(box, WALL_PROGRAMS, limits) == dict.fromkeys(WALL_PROGRAMS, expected)


def test_what_was_written_before_a_limit_is_kept(box: codejury.Sandbox) -> None:
    source = "import sys, time; print('out', flush=True); print('err', file=sys.stderr); time.sleep(10**6)"
    outcome = run(box, source, Limits(cpu_s=60, wall_s=0.3))
    assert (outcome.status, outcome.stdout, outcome.stderr) == ("wall_limit_exceeded", b"out\n", b"err\n")
    assert not outcome.stdout_truncated
    assert outcome.wall_s >= 0.3


# -- memory of the tree

MEMORY = Limits(cpu_s=60, wall_s=10, memory_mb=128)
FILL = "def fill(mb): return [b'x' * (1 << 20) for _ in range(mb)]\n"
MEMORY_PROGRAMS = {
    "list": "x = []\nwhile True: x.append(b'x' * (1 << 20))",
    "dict": "x = {}\nwhile True: x[len(x)] = 'x' * 10000",
    "string": "x = 'x'\nwhile True: x += x",
    "mmap": "import mmap\nx = []\nwhile True:\n    m = mmap.mmap(-1, 1 << 22); m.write(b'x' * (1 << 22)); x.append(m)",
    "child": FILL
    + "import os\nif os.fork() == 0:\n    x = fill(10**6)\nos.wait()\nwhile True: os.read(os.pipe()[0], 1)",
    "children_together": FILL
    + """
import os
r, w = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        x = fill(50)  # each far below the limit
        os.write(w, b'.')
        while True: os.read(os.pipe()[0], 1)
for _ in range(4): os.read(r, 1)
while True: os.read(os.pipe()[0], 1)
""",
    "threads": FILL
    + """
import threading
keep = []
for _ in range(4): threading.Thread(target=lambda: keep.append(fill(50)) or threading.Event().wait()).start()
""",
    "shared_memory": """
import mmap, os
m = mmap.mmap(-1, 1 << 28)
if os.fork() == 0:
    for _ in range(256): m.write(b'x' * (1 << 20))
while True: os.read(os.pipe()[0], 1)
""",
}


def test_memory_is_of_the_whole_tree(box: codejury.Sandbox) -> None:
    found = {name: status for name, (status, _, _) in ends(box, MEMORY_PROGRAMS, MEMORY).items()}
    assert found == dict.fromkeys(MEMORY_PROGRAMS, "memory_limit_exceeded")


@pytest.mark.timeout(200)
def test_the_run_ends_when_a_child_has_no_memory_left(box: codejury.Sandbox) -> None:
    """Not the child alone: its parent would wait until the clock ends it."""
    outcome = run(box, MEMORY_PROGRAMS["child"], Limits(cpu_s=60, wall_s=40, memory_mb=128))
    assert outcome.status == "memory_limit_exceeded"
    assert outcome.wall_s < 40


def test_memory_of_a_new_interpreter(box: codejury.Sandbox) -> None:
    assert run(box, MEMORY_PROGRAMS["list"], MEMORY, fresh=True).status == "memory_limit_exceeded"


def test_memory_below_the_limit_is_fine_and_reported(box: codejury.Sandbox, fresh: bool) -> None:
    outcome = run(box, FILL + "x = fill(64); print(len(x))", MEMORY, fresh=fresh)
    assert (outcome.status, outcome.stdout) == ("ok", b"64\n")
    assert 64 <= outcome.memory_mb <= 128


def test_address_space_is_not_memory(box: codejury.Sandbox) -> None:
    """What is mapped and never touched costs nothing: numpy, threads, the JVM, Node and Go all do it."""
    source = """
import mmap
lazily = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
m = mmap.mmap(-1, 1 << 36, flags=lazily)
m[1 << 35] = 1
print(len(m))
"""
    outcome = run(box, source, MEMORY)
    assert (outcome.status, outcome.stdout) == ("ok", b"68719476736\n")


def test_forks_that_share_their_memory_are_counted_once(box: codejury.Sandbox) -> None:
    tail = """
import os, time
x = fill(60)
for _ in range(6):
    if os.fork() == 0:
        time.sleep(0.2)  # so that they are there together
        os._exit(0)
for _ in range(6): os.wait()
print('shared')
"""
    outcome = run(box, FILL + tail, MEMORY)
    assert (outcome.status, outcome.stdout) == ("ok", b"shared\n")


def test_a_memory_error_of_its_own_is_the_programs(box: codejury.Sandbox) -> None:
    assert ended(run(box, "raise MemoryError")) == ("runtime_error", 1, None)


@needs_gcc
def test_recursion_in_c_through_256_mb_of_stack(box: codejury.Sandbox) -> None:
    source = """
#include <stdio.h>
#include <string.h>
static long down(long n)
{
    volatile char frame[1000];
    memset((char *)frame, (int)n, sizeof frame);
    return n ? down(n - 1) + (frame[n % 1000] == (char)n) : 0;
}
int main(void) { printf("%ld\\n", down(262144)); }
"""
    outcome = run(box, source, language="c")
    assert (outcome.status, outcome.stdout) == ("ok", b"262144\n")
    assert outcome.memory_mb > 250


@needs_gcc
def test_endless_recursion_in_c_ends(box: codejury.Sandbox) -> None:
    source = """
static int f(volatile int *p) { volatile int a[999]; a[0] = *p; return f(a) + a[0]; }
int main(void) { int x = 1; return f(&x); }
"""
    outcome = run(box, source, MEMORY, language="c")
    assert outcome.status in ("memory_limit_exceeded", "runtime_error")
    assert outcome.signal in (signal.SIGSEGV, signal.SIGKILL)


# -- output

SIZE = 256 * 1024
PATTERN = bytes(range(256)) * (SIZE // 256)
WRITE = (
    "import sys, os\nraw = bytes(range(256)) * 1024\ndef put(fd, raw):\n    while raw: raw = raw[os.write(fd, raw):]\n"
)
STREAMS = {"stdout": 1, "stderr": 2}


@pytest.mark.parametrize("stream", STREAMS)
def test_output_of_exactly_the_limit_is_fine(box: codejury.Sandbox, stream: str, fresh: bool) -> None:
    outcome = run(box, WRITE + f"put({STREAMS[stream]}, raw)", Limits(output_mb=SIZE / 2**20, wall_s=300), fresh=fresh)
    assert outcome.status == "ok"
    assert getattr(outcome, stream) == PATTERN
    assert not outcome.stdout_truncated
    assert not outcome.stderr_truncated


@pytest.mark.parametrize("stream", STREAMS)
def test_one_byte_more_is_cut_exactly_there(box: codejury.Sandbox, stream: str, fresh: bool) -> None:
    other = "stderr" if stream == "stdout" else "stdout"
    source = WRITE + f"put({STREAMS[stream]}, raw + b'!')"
    for _ in range(5):
        outcome = run(box, source, Limits(output_mb=SIZE / 2**20, wall_s=300), fresh=fresh)
        assert outcome.status == "output_limit_exceeded"
        assert getattr(outcome, stream) == PATTERN
        assert getattr(outcome, f"{stream}_truncated")
        assert not getattr(outcome, f"{other}_truncated")
        assert getattr(outcome, other) == b""


@pytest.mark.parametrize("size", [1, 5, 4096, 65536, 65537])
def test_small_limits_of_output(box: codejury.Sandbox, size: int) -> None:
    limits = Limits(output_mb=size / 2**20, wall_s=300)
    assert run(box, f"print('x' * {size}, end='')", limits).status == "ok"
    outcome = run(box, f"print('x' * {size + 1}, end='')", limits)
    assert (outcome.status, outcome.stdout) == ("output_limit_exceeded", b"x" * size)


def test_each_stream_has_the_limit_to_itself(box: codejury.Sandbox) -> None:
    outcome = run(box, WRITE + "put(1, raw); put(2, raw)", Limits(output_mb=SIZE / 2**20, wall_s=300))
    assert (outcome.status, outcome.stdout, outcome.stderr) == ("ok", PATTERN, PATTERN)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_flood_is_ended(box: codejury.Sandbox, stream: str) -> None:
    outcome = run(box, WRITE + f"while True: put({STREAMS[stream]}, raw)", Limits(output_mb=1, wall_s=300))
    assert ended(outcome) == ("output_limit_exceeded", None, signal.SIGKILL)
    assert getattr(outcome, stream) == PATTERN * 4


def test_a_flood_from_a_child_is_ended(box: codejury.Sandbox) -> None:
    source = WRITE + "if os.fork() == 0:\n    while True: put(1, raw)\nos.wait()"
    outcome = run(box, source, Limits(output_mb=1, wall_s=300))
    assert (outcome.status, outcome.stdout) == ("output_limit_exceeded", PATTERN * 4)


def test_60_mb_of_output(box: codejury.Sandbox) -> None:
    outcome = run(box, WRITE + "for i in range(240): put(1, raw[i:] + raw[:i])")
    assert outcome.status == "ok"
    expected = hashlib.sha256()
    for i in range(240):
        expected.update(PATTERN[i:] + PATTERN[:i])
    assert len(outcome.stdout) == 60 << 20
    assert hashlib.sha256(outcome.stdout).digest() == expected.digest()


def test_50_mb_of_input_and_back(box: codejury.Sandbox) -> None:
    block = os.urandom(1 << 20)
    stdin = b"".join(block[i:] + block[:i] for i in range(50))
    source = "import sys\nwhile raw := sys.stdin.buffer.read(1 << 20): sys.stdout.buffer.write(raw)"
    outcome = run(box, source, stdin=stdin)
    assert outcome.status == "ok"
    assert hashlib.sha256(outcome.stdout).digest() == hashlib.sha256(stdin).digest()


def test_large_input_that_is_never_read(box: codejury.Sandbox) -> None:
    outcome = run(box, "print('done')", stdin=b"x" * (20 << 20))
    assert (outcome.status, outcome.stdout) == ("ok", b"done\n")


def test_input_and_output_of_any_bytes(box: codejury.Sandbox, fresh: bool) -> None:
    raw = bytes(range(256)) * 3 + b"\r\n\0\x1a\xff\xfe"
    source = (
        "import sys\nraw = sys.stdin.buffer.read(); sys.stdout.buffer.write(raw); sys.stderr.buffer.write(raw[::-1])"
    )
    outcome = run(box, source, stdin=raw, fresh=fresh)
    assert (outcome.stdout, outcome.stderr) == (raw, raw[::-1])


# -- processes and threads, open files, disk

FORKS = "import os, time\nfor _ in range({n}):\n    if os.fork() == 0:\n        while True: time.sleep(60)\n{then}"
THREADS = """
import threading, time
for _ in range({n}): threading.Thread(target=time.sleep, args=(10**6,), daemon=True).start()
{then}
"""
WAIT = "while True: time.sleep(60)"  # where nothing refuses a fork, the watch must find what there is


@pytest.mark.parametrize("source", [FORKS, THREADS], ids=["processes", "threads"])
def test_too_many_processes(box: codejury.Sandbox, source: str, fresh: bool) -> None:
    limits = Limits(processes=10, cpu_s=60, wall_s=300)
    outcome = run(box, source.format(n=40, then=WAIT), limits, fresh=fresh)
    assert outcome.status == "process_limit_exceeded", outcome
    assert not outcome.ok


@pytest.mark.parametrize("source", [FORKS, THREADS], ids=["processes", "threads"])
def test_as_many_processes_as_allowed(box: codejury.Sandbox, source: str) -> None:
    limits = Limits(processes=10, cpu_s=60, wall_s=300)
    outcome = run(box, source.format(n=9, then="print('all there')"), limits)
    assert (outcome.status, outcome.stdout) == ("ok", b"all there\n")


def test_a_program_that_makes_do_is_fine(box: codejury.Sandbox) -> None:
    """Meeting a limit is no failure by itself."""
    source = """
got = []
try:
    while True: got.append(open('/dev/null'))
except OSError as error:
    print(error.errno)
"""
    outcome = run(box, source, Limits(open_files=32, wall_s=300))
    assert (outcome.status, outcome.stdout) == ("ok", b"24\n")


def test_too_many_open_files(box: codejury.Sandbox, fresh: bool) -> None:
    outcome = run(box, "x = [open('/dev/null') for _ in range(100)]", Limits(open_files=32, wall_s=300), fresh=fresh)
    assert ended(outcome) == ("file_limit_exceeded", 1, None)


def test_the_limit_of_open_files_is_exact(box: codejury.Sandbox) -> None:
    source = "import os\nfds = []\ntry:\n    while True: fds.append(os.dup(0))\nexcept OSError: print(max(fds))"
    assert run(box, source, Limits(open_files=50, wall_s=300)).stdout == b"49\n"


@pytest.mark.parametrize("place", ["big", "/dev/shm/big", "tmp"])
def test_a_full_disk(box: codejury.Sandbox, place: str, level: str, fresh: bool) -> None:
    if place.startswith("/dev/shm") and level == "landlock":
        pytest.skip("there is no /dev/shm at this level")
    path = "__import__('os').environ['TMPDIR'] + '/big'" if place == "tmp" else repr(place)
    source = f"f = open({path}, 'wb')\nfor _ in range(64): f.write(b'x' * (1 << 20))\nf.close()"
    outcome = run(box, source, Limits(disk_mb=4, wall_s=300), fresh=fresh)
    assert outcome.status == "disk_limit_exceeded", outcome


def test_a_disk_full_of_small_files(box: codejury.Sandbox) -> None:
    source = "n = 0\nwhile True:\n    with open(f'f{n}', 'wb') as f: f.write(b'x' * 60000)\n    n += 1"
    outcome = run(box, source, Limits(disk_mb=4, cpu_s=60, wall_s=300))
    assert outcome.status == "disk_limit_exceeded", outcome


def test_a_disk_that_was_too_full_at_the_end(box: codejury.Sandbox) -> None:
    """However late the keeper looked."""
    source = "for n in range(8): open(f'f{n}', 'wb').write(b'x' * (1 << 20))"
    assert run(box, source, Limits(disk_mb=4, wall_s=300)).status == "disk_limit_exceeded"


def test_files_that_do_not_fit_on_the_disk(box: codejury.Sandbox) -> None:
    outcome = run(box, "print('ran')", Limits(disk_mb=1, wall_s=300), files={"big": b"x" * (3 << 20)})
    assert outcome.status == "disk_limit_exceeded"


def test_a_disk_that_is_not_full(box: codejury.Sandbox) -> None:
    source = "f = open('big', 'wb')\nfor _ in range(3): f.write(b'x' * (1 << 20))\nf.close()\nprint('fits')"
    outcome = run(box, source, Limits(disk_mb=4, wall_s=300), fetch=["big"])
    assert (outcome.status, outcome.stdout) == ("ok", b"fits\n")
    assert outcome.fetched == {"big": b"x" * (3 << 20)}


@pytest.mark.parametrize("name", Limits.__struct_fields__)
def test_each_limit_can_be_lifted(box: codejury.Sandbox, name: str) -> None:
    outcome = run(box, "import threading; print(threading.active_count())", Limits(**{"wall_s": 300, name: None}))
    assert (outcome.status, outcome.stdout) == ("ok", b"1\n")


def test_all_limits_can_be_lifted(box: codejury.Sandbox, fresh: bool) -> None:
    none = Limits(**dict.fromkeys(Limits.__struct_fields__))
    source = "import sys; print(len(sys.stdin.buffer.read()))\nopen('f', 'w').write('x')"
    outcome = run(box, source, none, stdin=b"x" * 100_000, fetch=["f"], fresh=fresh)
    assert (outcome.status, outcome.stdout, outcome.fetched) == ("ok", b"100000\n", {"f": b"x"})


def test_the_next_run_has_its_own_limits(box: codejury.Sandbox) -> None:
    """A worker goes on after each kind of end."""
    for source, limits, status in (
        ("while True: pass", CPU, "time_limit_exceeded"),
        (MEMORY_PROGRAMS["list"], MEMORY, "memory_limit_exceeded"),
        ("print('x' * 10000)", Limits(output_mb=KB, wall_s=300), "output_limit_exceeded"),
    ):
        assert run(box, source, limits).status == status
        assert run(box, FILL + "print(len(fill(200)))").stdout == b"200\n"


# -- how programs end


@pytest.mark.parametrize("code", [0, 1, 2, 42, 126, 127, 128, 255])
def test_exit_codes(box: codejury.Sandbox, code: int, fresh: bool) -> None:
    outcome = run(box, f"import sys; sys.exit({code})", fresh=fresh)
    assert ended(outcome) == ("ok" if code == 0 else "runtime_error", code, None)


SIGNALS = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGTERM"]


@pytest.mark.parametrize("name", [*SIGNALS, "SIGALRM", "SIGUSR1", "SIGRTMIN"])
def test_signals(box: codejury.Sandbox, name: str, fresh: bool) -> None:
    default = "" if name == "SIGKILL" else f"signal.signal(signal.{name}, signal.SIG_DFL)"
    source = f"import os, signal\n{default}\nos.kill(os.getpid(), signal.{name})"
    assert ended(run(box, source, fresh=fresh)) == ("runtime_error", None, getattr(signal, name))


@needs_gcc
@pytest.mark.parametrize(
    ("body", "number"),
    [("*(volatile int *)0 = 1;", signal.SIGSEGV), ("__builtin_trap();", signal.SIGILL), ("abort();", signal.SIGABRT)],
)
def test_crashes_in_c(box: codejury.Sandbox, body: str, number: int) -> None:
    outcome = run(box, f"#include <stdlib.h>\nint main(void) {{ {body} }}", language="c")
    assert ended(outcome) == ("runtime_error", None, number)


def processes_called(mark: str) -> list[int]:
    """Those on this host, in whatever namespace, that have `mark` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def test_a_daemon_left_behind_is_gone(box: codejury.Sandbox, fresh: bool) -> None:
    mark = f"left-{uuid.uuid4()}"
    source = f"""
import os
r, w = os.pipe()
if os.fork() == 0:
    try: os.setsid()
    except OSError: pass  # one group for all at the level landlock
    if os.fork() == 0:
        os.close(1); os.close(2)
        os.execv('/bin/sleep', [{mark!r}, '1000'])
    os._exit(0)
os.close(w)
os.read(r, 1)  # closed by exec: the daemon is up
print('done')
"""
    up = "print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", up, mark], **pipes) as control:  # type: ignore[call-overload]
        assert control.stdout.readline() == b"\n"
        assert processes_called(mark) == [control.pid]  # or the look itself sees nothing
        control.communicate(b"\n")
    outcome = run(box, source, fresh=fresh)
    assert (outcome.status, outcome.stdout) == ("ok", b"done\n")
    assert processes_called(mark) == []


def test_a_daemon_that_holds_the_streams_delays_nothing(box: codejury.Sandbox, fresh: bool) -> None:
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(10**6)\nprint('done')"
    outcome = run(box, source, Limits(cpu_s=60, wall_s=200), fresh=fresh)
    assert (outcome.status, outcome.stdout) == ("ok", b"done\n")


# -- files in, files out, arguments, environment

FILES: dict[str, str | bytes] = {
    "plain.txt": "text\n",
    "empty": "",
    "binary.bin": bytes(range(256)),
    "deep/er/and/deeper/f.txt": "deep",
    "deep/beside": b"x",
    "with space/ż🐢": "unicode",
    "-rf": "dash",
    ".hidden": "dot",
    "*": "star",
}


def test_files_are_laid_out(box: codejury.Sandbox, fresh: bool) -> None:
    source = """
import hashlib, os
for folder, _, names in sorted(os.walk('.')):
    for name in sorted(names):
        path = os.path.relpath(os.path.join(folder, name))
        print(path, hashlib.sha256(open(path, 'rb').read()).hexdigest())
"""
    outcome = run(box, source, files=FILES, fresh=fresh)
    assert outcome.ok, outcome.stderr
    given = {name: text.encode() if isinstance(text, str) else text for name, text in FILES.items()}
    given["main.py"] = source.encode()
    expected = {f"{name} {hashlib.sha256(raw).hexdigest()}" for name, raw in given.items()}
    assert set(outcome.stdout.decode().splitlines()) == expected


def test_laid_files_belong_to_the_program(box: codejury.Sandbox) -> None:
    source = """
import os
open('a/f', 'a').write('more')
os.mkdir('a/b')
os.rename('a/f', 'a/b/g')
os.remove('h')
print(open('a/b/g').read())
"""
    assert run(box, source, files={"a/f": "some ", "h": ""}).stdout == b"some more\n"


def test_files_are_fetched(box: codejury.Sandbox, fresh: bool) -> None:
    source = """
import os
os.makedirs('out/deep/er')
for path, raw in {'a.txt': b'a', 'b.bin': bytes(range(256)), 'out/c.txt': b'', 'out/deep/er/d.txt': b'd'}.items():
    open(path, 'wb').write(raw)
open('no.log', 'w').write('x')
open('big', 'wb').write(bytes(range(256)) * 20000)
"""
    outcome = run(box, source, fetch=["[ab].*", "out/c.txt", "out/deep/er/*", "big", "missing"], fresh=fresh)
    assert outcome.ok, outcome.stderr
    assert outcome.fetched == {
        "a.txt": b"a",
        "b.bin": bytes(range(256)),
        "out/c.txt": b"",
        "out/deep/er/d.txt": b"d",
        "big": bytes(range(256)) * 20000,
    }


def test_all_files_are_fetched_with_their_names(box: codejury.Sandbox) -> None:
    outcome = run(box, "print('ran')", files=FILES, fetch=["*"])
    assert set(outcome.fetched) == {*FILES, "main.py"}
    assert outcome.fetched["with space/ż🐢"] == b"unicode"


def test_only_regular_files_are_fetched(box: codejury.Sandbox) -> None:
    source = """
import os
os.symlink('/etc/passwd', 'link')
os.symlink('real', 'inner')
os.mkfifo('fifo')
os.mkdir('folder')
open('real', 'w').write('r')
"""
    assert run(box, source, fetch=["*link", "inner", "fifo", "folder", "real"]).fetched == {"real": b"r"}


def test_files_are_fetched_whatever_the_end(box: codejury.Sandbox) -> None:
    head = "f = open('left', 'w'); f.write('kept'); f.flush()\n"
    for tail, limits, status in (
        ("1 / 0", AMPLE, "runtime_error"),
        ("import os; os.abort()", AMPLE, "runtime_error"),
    ):
        outcome = run(box, head + tail, limits, fetch=["left"])
        assert (outcome.status, outcome.fetched) == (status, {"left": b"kept"})


def test_nothing_is_fetched_unasked(box: codejury.Sandbox) -> None:
    assert run(box, "open('f', 'w').write('x')").fetched == {}


ARGS = ["", "plain", "two words", "ż🐢", "-c", "--", "*", "$HOME", "new\nline", "quote'\"", "x" * 10_000]


def test_arguments_arrive_as_they_are(box: codejury.Sandbox, fresh: bool) -> None:
    outcome = run(box, "import sys; print(ascii(sys.argv))", args=ARGS, fresh=fresh)
    assert outcome.stdout.decode() == ascii(["main.py", *ARGS]) + "\n"


def test_many_arguments(box: codejury.Sandbox, fresh: bool) -> None:
    outcome = run(
        box, "import sys; print(len(sys.argv), sys.argv[-1])", args=[str(n) for n in range(5000)], fresh=fresh
    )
    assert outcome.stdout == b"5001 4999\n"


def test_the_environment_is_small_and_given(
    box: codejury.Sandbox, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "leaked")
    env = {"MINE": "a=b\nc", "EMPTY": "", "ŻÓŁW": "🐢"}
    outcome = run(box, "import os; print(ascii(sorted(os.environ.items())))", env=env, fresh=fresh)
    seen = dict(ast.literal_eval(outcome.stdout.decode()))
    assert {name: seen.pop(name) for name in env} == env
    assert sorted(seen) == ["HOME", "LANG", "PATH", "TMPDIR"]
    assert seen["LANG"] == "C.UTF-8"


def test_given_variables_go_before_ours(box: codejury.Sandbox, fresh: bool) -> None:
    env = {"HOME": "/elsewhere", "LANG": "C", "PYTHONHASHSEED": "0"} if fresh else {"HOME": "/elsewhere", "LANG": "C"}
    outcome = run(box, "import os; print(os.environ['HOME'], os.environ['LANG'])", env=env, fresh=fresh)
    assert outcome.stdout == b"/elsewhere C\n"


def test_variables_of_the_interpreter_work(box: codejury.Sandbox) -> None:
    """They are read when an interpreter starts: such a run gets a new one by itself."""
    source = "import sys; print(hash('x'), sys.flags.optimize, sys.stdout.encoding)"
    env = {"PYTHONHASHSEED": "1", "PYTHONOPTIMIZE": "2", "PYTHONIOENCODING": "cp1252"}
    first, second = run(box, source, env=env), run(box, source, env=env)
    assert first.stdout == second.stdout
    assert first.stdout.split()[1:] == [b"2", b"cp1252"]


def test_one_run_does_not_see_the_environment_of_another(box: codejury.Sandbox) -> None:
    source = "import os; print(os.environ.get('ONCE'), os.environ['PATH'] != '/odd')"
    assert run(box, source, env={"ONCE": "1", "PATH": "/odd"}).stdout == b"1 False\n"
    for _ in range(4):  # whichever worker
        assert run(box, source).stdout == b"None True\n"


@pytest.mark.parametrize("bad", [{"files": {"../up": ""}}, {"files": {"/abs": ""}}, {"files": {"a//b": ""}}])
def test_paths_out_of_the_working_directory_are_refused(box: codejury.Sandbox, bad: dict[str, Any]) -> None:
    with pytest.raises(codejury.UsageError, match=r"^files: expected a relative path inside the working directory"):
        run(box, "pass", **bad)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"files": {"": ""}}, "files"),
        ({"files": {"a\0b": ""}}, "files"),
        ({"files": {"a": 5}}, "files"),
        ({"files": {"main.py": "own"}}, "files"),
        ({"args": ["a\0b"]}, "args"),
        ({"env": {"A=B": ""}}, "env"),
        ({"env": {"": ""}}, "env"),
        ({"env": {"A": "\0"}}, "env"),
        ({"stdin": 5}, "stdin"),
        ({"files": {"f": "", "f/g": ""}}, "files"),
        ({"files": {"x" * 300: ""}}, "files"),
    ],
)
def test_what_cannot_be_given_is_refused_by_name(box: codejury.Sandbox, bad: dict[str, Any], words: str) -> None:
    """Not an internal error: trying again would not help."""
    with pytest.raises(codejury.UsageError, match=words):
        run(box, "pass", **bad)


# -- a command as it is


@pytest.fixture
def pool(level: str) -> Any:
    with Pool(workers=1, level=level) as pool:  # type: ignore[arg-type]
        try:
            pool.prepare()
        except codejury.LevelUnavailable as error:
            pytest.skip(str(error))
        yield pool


def test_commands(pool: Pool) -> None:
    def end(*argv: str, **fields: Any) -> tuple[str, int | None, int | None]:
        return ended(pool.run(Command(argv=argv, **fields)))

    assert end("/bin/true") == ("ok", 0, None)
    assert end("/bin/false") == ("runtime_error", 1, None)
    assert end("/no/such/program") == ("runtime_error", 127, None)
    assert end("missing") == ("runtime_error", 127, None)
    assert end("/etc/passwd") == ("runtime_error", 126, None)
    assert end("/usr") == ("runtime_error", 126, None)
    assert end("./text", files={"text": b"neither a program nor a script\n"}) == ("runtime_error", 126, None)
    assert end("./script", files={"script": b"#!/bin/sh\nexit 7\n"}) == ("runtime_error", 7, None)
    assert end("./script", files={"script": b"#!/no/such/interpreter\n"}) == ("runtime_error", 127, None)
    assert end("/bin/true") == ("ok", 0, None)  # and the worker is as good as before


def test_words_of_a_program_that_is_not_there(pool: Pool) -> None:
    outcome = pool.run(Command(argv=("/no/such/program", "arg")))
    assert outcome.stderr == b"/no/such/program: No such file or directory\n"
    assert (outcome.stdout, outcome.level) == (b"", pool.level)
    assert outcome.layers == pool.layers


def test_a_command_takes_everything_at_once(pool: Pool) -> None:
    script = b'#!/bin/sh\nread line\necho "$0|$1|$2|$MINE|$line"\necho words >&2\ncat data/in >out.txt\nexit 3\n'
    outcome = pool.run(
        Command(
            argv=("./script", "", "two words"),
            env={"MINE": "my own"},
            files={"script": script, "data/in": b"\0\xff"},
            stdin=b"first line\n",
            fetch=("*.txt",),
        )
    )
    assert ended(outcome) == ("runtime_error", 3, None)
    assert outcome.stdout == b"./script||two words|my own|first line\n"
    assert outcome.stderr == b"words\n"
    assert outcome.fetched == {"out.txt": b"\0\xff"}
