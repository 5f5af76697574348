"""Waiting interpreters whose preloaded modules misbehave at import.

A module that fails is not preloaded, and that is all. Where the interpreter cannot come up at all, a run is an internal
error with the interpreter's own words, in bounded time; other programs (cold ones) still run.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults import host
from faults.conftest import Background

import codejury

# Each a module's text. The environment that it is laid into is a virtual one of the test's own.
HARMLESS = {
    "raises": "raise RuntimeError('at import')",
    "is_no_python": "def (:",
    "raises_what_nobody_catches": "raise BaseException('at import')",
    "exits": "import sys\nsys.exit('I leave')",
    "prints": "import sys\nprint('noise')\nprint('noise', file=sys.stderr)",
    "prints_a_lot": "import sys\nsys.stdout.write('noise\\n' * 200000)",
    "prints_bytes": "import os\nos.write(1, b'noise' * 50000)\nos.write(2, b'noise' * 50000)",
    "starts_a_thread": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    "starts_a_thread_to_wait_for": "import threading\nthreading.Thread(target=threading.Event().wait).start()",
    "starts_a_process": "import subprocess\nsubprocess.Popen(['/bin/sleep', '3600'])",
    "takes_signals": "import signal\nfor n in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):\n"
    "    signal.signal(n, signal.SIG_IGN)",
    "moves": "import os\nos.chdir('/usr')\nos.umask(0o777)\nos.environ['NOISE'] = '1'",
    "seeds": "import random\nrandom.seed(1)",
}
# These take the interpreter along.
FATAL = {
    "ends_at_once": "import os\nos._exit(3)",
    "kills_itself": "import os\nos.kill(os.getpid(), 9)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "says_why": "import os\nos.write(2, b'the reason why\\n')\nos._exit(4)",
    "closes_everything_and_hangs": "import os, time\nos.closerange(3, 1024)\ntime.sleep(3600)",
    "leaves_a_child_and_ends": "import os, time\nif os.fork() == 0:\n    time.sleep(3600)\nos._exit(0)",
}
Open = Callable[..., codejury.Sandbox]


@pytest.fixture(scope="module")
def python() -> Iterator[Path]:
    """An interpreter that has the modules `misbehaving_NAME`."""
    venv = Path(tempfile.mkdtemp(prefix="faults-venv-", dir="/var/tmp"))
    venv.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=host.LONGEST_S)
    (site,) = venv.glob("lib/python*/site-packages")
    for name, text in {**HARMLESS, **FATAL, "hangs": "import time\ntime.sleep(3600)"}.items():
        (site / f"misbehaving_{name}.py").write_text(text)
    yield venv / "bin" / "python"
    shutil.rmtree(venv)


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(open_box: Open, strongest: str, remains: host.Remains, python: Path, name: str) -> None:
    box = open_box(workers=1, level=strongest, python=python, preload=["math", f"misbehaving_{name}", "json"])
    program = (
        f"# misbehaving_{name}\n"  # a program that names it gets the interpreter that has it
        "import os, sys, json, math\n"
        "open('made', 'w').write('x')\n"
        "mode = oct(os.stat('made').st_mode & 0o777)\n"
        "print(sys.stdin.read(), json.dumps(math.floor(2.5)), mode, 'NOISE' in os.environ)\n"
    )
    for _ in range(2):
        run = Background(lambda: box.run(program, language="python", stdin="in"))
        outcome = run.join()
        assert not isinstance(outcome, BaseException), outcome
        assert (outcome.status, outcome.stderr) == ("ok", b""), outcome
        assert outcome.stdout == b"in 2 0o644 False\n", outcome
    program = f"import random  # misbehaving_{name}\nprint(random.random())"
    assert len({box.run(program, language="python").stdout for _ in range(3)}) == 3


@pytest.mark.parametrize("name", FATAL)
def test_fatal(open_box: Open, level: str, remains: host.Remains, python: Path, name: str) -> None:
    box = open_box(workers=1, level=level, python=python, preload=["math", f"misbehaving_{name}"])
    run = Background(lambda: box.run(f"print(1)  # misbehaving_{name}", language="python"))
    host.wait_until(lambda: run.over or _note(box, remains), "the run has ended")
    error = run.join()
    assert isinstance(error, codejury.InternalError), error
    assert "zygote" in str(error) or "interpreter" in str(error), error
    assert len(str(error)) > len("sandbox set-up step 'zygote' failed: "), error
    if name == "says_why":
        assert "the reason why" in str(error), error
    assert box.run("print(1)", language="python", fresh=True).stdout == b"1\n"
    assert box.run("print(1)", language="python").stdout == b"1\n"  # the other interpreter, without it


def _note(box: codejury.Sandbox, remains: host.Remains) -> bool:
    for worker in list(box._pool._alive):
        remains.note(worker.pid)
    return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
def test_parent_ends_while_it_hangs(level: str, remains: host.Remains, python: Path, number: signal.Signals) -> None:
    """Nobody waits for an interpreter that nobody waits for."""
    script = (
        "import sys, codejury\n"
        "box = codejury.Sandbox(1, sys.argv[1], python=sys.argv[2], preload=['misbehaving_hangs'])\n"
        "box.run('1  # misbehaving_hangs', language='python')"
    )
    child = subprocess.Popen([sys.executable, "-c", script, level, str(python)], stderr=subprocess.PIPE)
    try:
        host.wait_until(
            lambda: child.poll() is not None or any(host.parts(pid).zygotes for pid in host.launchers(child.pid)),
            "an interpreter is coming up",
        )
        remains.note(child.pid)
        child.send_signal(number)
        child.communicate(timeout=host.LONGEST_S)
        remains.check()
    finally:
        child.kill()
        child.communicate()
    assert child.returncode == -number


def test_hangs_and_the_sandbox_is_closed(open_box: Open, level: str, remains: host.Remains, python: Path) -> None:
    box = open_box(
        workers=1,
        level=level,
        python=python,
        preload=["misbehaving_hangs"],
    )
    run = Background(lambda: box.run("print(1)  # misbehaving_hangs", language="python"))
    host.wait_until(
        lambda: run.over or any(host.parts(worker.pid).zygotes for worker in list(box._pool._alive)),
        "an interpreter is coming up",
    )
    Background(box.close).join()
    assert isinstance(run.join(), codejury.CodejuryError), run.result
