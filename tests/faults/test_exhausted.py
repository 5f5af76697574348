"""A parent that has run out: of descriptors, of processes, of memory for its workers.

The run is an internal error that says what was missing, or it gets through all the same; never a verdict, never a
weaker level than an idle host would give. When there is enough again, the same sandbox works.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import host
from faults.conftest import Background, check_right, levels

import codejury

BEGIN = """
import json, os, resource, sys
import codejury

level, said = sys.argv[1], []

def attempt(box, **options):
    try:
        outcome = box.run("print(input())", language="python", stdin="in", **options)
    except codejury.CodejuryError as error:
        return [type(error).__name__, isinstance(error, codejury.InternalError), str(error)]
    return [outcome.status, outcome.stdout.decode(), outcome.level]

with codejury.Sandbox(1, level) as box:  # whatever is imported at the first use is imported by now
    attempt(box), attempt(box, fresh=True)
"""


def _child(script: str, level: str, **options: Any) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + script + "\nprint(json.dumps(said))", level],
        capture_output=True,
        text=True,
        timeout=2 * host.LONGEST_S,
        **options,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(json.loads(done.stdout))


def _check(said: list[Any], level: str, *words: str) -> None:
    """Each attempt in want is right or an internal error, and each one afterwards is right."""
    right = ["ok", "in\n", level]
    assert said
    for want, plenty in said:
        assert plenty == right, said
        if want != right:
            _, internal, text = want
            assert internal is True, said
            assert not words or any(word in text for word in words), said


# ── Descriptors ──────────────────────────────────────────────────────────────────────────────────────────────────────

DESCRIPTORS = """
def exhaust(left):
    taken = []
    try:
        while True:
            taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for _ in range(left):
        os.close(taken.pop())
    return taken

def free(taken):
    for fd in taken:
        os.close(fd)

resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
"""


@pytest.mark.parametrize("asked", ["the level itself", "auto"])
def test_no_descriptors_for_the_first_worker(
    level: str, asked: str, remains: host.Remains, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From none left to enough, one more at a time: each step of starting a worker gets its turn to fail."""
    if asked == "auto" and level != levels()[0]:
        pytest.skip("auto takes the strongest")
    script = f"""
for left in {(0, 2, 4) if asked == "auto" else (*range(7), 9)}:
    with codejury.Sandbox(1, {asked!r} if {asked!r} == "auto" else level) as box:
        taken = exhaust(left)
        want = attempt(box)
        free(taken)
        said.append([want, attempt(box)])
"""
    said = _child(DESCRIPTORS + script, level)
    _check(said, level, "Too many open files")
    assert said[0][0][0] != "ok", "with no descriptor at all no worker can have come up"


def test_no_descriptors_for_a_worker_that_stands(level: str, remains: host.Remains) -> None:
    """Its own descriptors it has; a new one after its death needs some."""
    script = """
import signal
for fresh in (False, True):
    with codejury.Sandbox(1, level) as box:
        attempt(box)
        taken = exhaust(0)
        said.append([attempt(box, fresh=fresh), ["ok", "in\\n", level]])
        (worker,) = box._pool._alive
        os.kill(worker.pid, signal.SIGTERM)
        worker._process.wait()
        want = attempt(box, fresh=fresh)
        free(taken)
        said.append([want, attempt(box, fresh=fresh)])
"""
    said = _child(DESCRIPTORS + script, level)
    _check(said, level)
    assert [want[0] for want, _ in said[0::2]] == ["ok", "ok"], "a standing worker needs nothing from its parent"


def test_few_descriptors_for_the_keeper(level: str, remains: host.Remains) -> None:
    """It inherits the parent's limit."""
    script = """
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
for limit in (8, 14, 20, 32):
    with codejury.Sandbox(1, level) as box:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        want = attempt(box)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        said.append([want, attempt(box)])
"""
    _check(_child(script, level), level)


# ── Processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _somebody() -> dict[str, Any]:
    """Nothing for an ordinary user. For root, whom RLIMIT_NPROC does not bind: a user that nobody else is."""
    if os.geteuid() != 0:
        return {}
    options: dict[str, Any] = {"user": 1700000000 + os.getpid(), "group": 1700000000, "extra_groups": []}
    try:
        subprocess.run([sys.executable, "-c", "import codejury"], check=True, capture_output=True, **options)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("root is not bound, and others cannot reach this interpreter")
    return options


def test_no_processes(level: str, remains: host.Remains, place: Path) -> None:
    if level == "full":
        pytest.skip("an ordinary user has no control groups")
    somebody = _somebody()
    (place / "temp").chmod(0o777)
    env = {**os.environ, "CODEJURY_CACHE": str(place / "temp" / "none"), "HOME": "/nonexistent"}
    script = """
def count():
    return sum(
        len(os.listdir(f"/proc/{pid}/task"))
        for pid in os.listdir("/proc")
        if pid.isdigit() and os.path.exists(f"/proc/{pid}") and os.stat(f"/proc/{pid}").st_uid == os.getuid()
    )

hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
for more in range(6):
    with codejury.Sandbox(1, level) as box:
        resource.setrlimit(resource.RLIMIT_NPROC, (count() + more, hard))
        want = attempt(box)
        resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))
        said.append([want, attempt(box)])
"""
    _check(_child(script, level, env=env, **somebody), level, "Resource temporarily unavailable", "zygote")


# ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────

Open = Callable[..., codejury.Sandbox]


def _limit_keeper(box: codejury.Sandbox, number: int, bytes_: int) -> None:
    """What the kernel refuses the keeper, and whoever it starts from now on."""
    (worker,) = box._pool._alive
    keeper = host.parts(worker.pid).keeper
    assert keeper is not None
    hard = resource.prlimit(keeper, number)[1]
    resource.prlimit(keeper, number, (bytes_, hard))


@pytest.mark.parametrize("room_mb", [0, 4])
def test_no_memory_for_the_waiting_interpreter(box: codejury.Sandbox, remains: host.Remains, room_mb: int) -> None:
    assert box.level  # the worker stands, without an interpreter yet
    _limit_keeper(box, resource.RLIMIT_AS, room_mb << 20)
    check_right(box)


@pytest.mark.parametrize("what", ["stdin", "a file", "the output"])
def test_no_memory_for_what_a_run_carries(box: codejury.Sandbox, remains: host.Remains, what: str) -> None:
    check_right(box, times=1)
    big = 16 << 20
    _limit_keeper(box, resource.RLIMIT_AS, 8 << 20)
    program = (
        "import sys, os\nn = len(sys.stdin.buffer.read())\nprint(n, os.path.exists('data') and os.stat('data').st_size)"
    )
    if what == "stdin":
        expected = (f"{big} False\n".encode(), {"stdin": bytes(big)})
    elif what == "a file":
        expected = (f"0 {big}\n".encode(), {"files": {"data": bytes(big)}})
    else:
        program = f"import sys\nsys.stdout.buffer.write(bytes({big}))"
        expected = (bytes(big), {})
    stdout, options = expected
    result = Background(lambda: box.run(program, language="python", **options)).join()
    if isinstance(result, codejury.InternalError):
        assert str(result)
    else:
        assert (result.status, result.stdout == stdout) == ("ok", True), (result.status, result.stderr)
    assert box.run(program, language="python", **options).stdout == stdout
    check_right(box)


def test_no_descriptors_in_the_keeper(box: codejury.Sandbox, remains: host.Remains) -> None:
    check_right(box, times=1)
    _limit_keeper(box, resource.RLIMIT_NOFILE, 4)
    check_right(box)
