"""A parent in an odd state, which its workers inherit: masks, limits, signals, streams, directories, environment.

None of it reaches a program: the same program ends in the same way.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from faults import host

SCRIPT = """
import os, resource, signal, sys
import codejury

def lower(what, soft):
    resource.setrlimit(what, (soft, resource.getrlimit(what)[1]))

{state}
program = '''
import os, signal, sys, threading, time
ignored = [n for n in range(1, 32) if n not in (9, 13, 19, 25) and signal.getsignal(n) is signal.SIG_IGN]
blocked = list(signal.pthread_sigmask(signal.SIG_BLOCK, []))
open("made", "w").close()
os.mkdir("directory")
print(sys.stdin.read(), oct(os.stat("made").st_mode & 0o777), oct(os.stat("directory").st_mode & 0o777),
      ignored, blocked,
      sorted(os.listdir("/proc/self/fd")), os.path.basename(os.getcwd()), os.nice(0), "SECRET" in os.environ,
      os.sched_getaffinity(0) != set())
'''
with codejury.Sandbox(1, sys.argv[1]) as box:
    for fresh in (False, True):
        outcome = box.run(program, language="python", stdin="in", fresh=fresh)
        words = outcome.stdout.decode() or repr(outcome)
        os.write(report, words.encode())
    outcome = box.run("#include <stdio.h>\\nint main(void) {{ return puts(\\"c\\") < 0; }}", language="c")
    os.write(report, outcome.stdout or repr(outcome).encode())
"""
STATES = {
    "a narrow umask": "os.umask(0o077)",
    "the narrowest umask": "os.umask(0o777)",
    "a wide umask": "os.umask(0)",
    "signals ignored": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15, 17, 10)]",
    "signals blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
    "streams closed": "[os.close(fd) for fd in (0, 1, 2)]",
    "a directory that is gone": "os.mkdir(f'{os.environ[\"CODEJURY_TEMP\"]}/gone')\n"
    "os.chdir(f'{os.environ[\"CODEJURY_TEMP\"]}/gone')\nos.rmdir(os.getcwd())",
    "an empty environment": "temp, cache = os.environ['CODEJURY_TEMP'], os.environ['CODEJURY_CACHE']\n"
    "os.environ.clear()\nos.environ.update(CODEJURY_TEMP=temp, CODEJURY_CACHE=cache)",
    "a hostile environment": "os.environ.update(SECRET='1', PYTHONHOME='/nowhere', PYTHONSTARTUP='/nowhere',\n"
    "    LANG='C', LD_PRELOAD='/nowhere.so', PYTHONPATH='/nowhere')",
    "open descriptors": "fds = [os.open('/', 0) for _ in range(20)]\n[os.set_inheritable(fd, True) for fd in fds]",
    "no core files, no locks": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
    "resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))",
    "a small stack": "lower(resource.RLIMIT_STACK, 1 << 20)",
    "no size for files": "lower(resource.RLIMIT_FSIZE, 1 << 16)",
    "one core": "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
}


@pytest.mark.parametrize("level", ["strongest", "landlock"], indirect=True)  # inside namespaces or not
@pytest.mark.parametrize("state", STATES)
def test_state(level: str, remains: host.Remains, state: str) -> None:
    ours, theirs = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"report = {theirs}\n" + SCRIPT.format(state=STATES[state]), level],
            capture_output=True,
            text=True,
            timeout=host.LONGEST_S,
            pass_fds=[theirs],
        )
    finally:
        os.close(theirs)
    with open(ours) as file:
        said = file.read().splitlines()
    assert done.returncode == 0, done.stderr
    nice = os.nice(0)  # as nice as the caller: whoever runs us beside his work means the programs too
    expected = f"in 0o644 0o755 [] [] ['0', '1', '2', '3'] work {nice} False True"
    assert said == [expected, expected, "c"], done.stderr
    assert done.stderr == ""
