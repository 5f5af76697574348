"""An installation that is not whole: native files missing, not executable, or not what they should be.

The error names the file or says what the loader said; it is an internal error, never a verdict, and comes at once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from faults import host

import codejury

SCRIPT = """
import json, sys
import codejury
said = []
for fresh in (False, True):
    try:
        with codejury.Sandbox(1, sys.argv[1]) as box:
            outcome = box.run("print(1)", language="python", fresh=fresh)
        said.append([outcome.status, outcome.stdout.decode()])
    except codejury.CodejuryError as error:
        said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""


@pytest.fixture
def package(place: Path) -> Path:
    """A copy of the installed package."""
    copy = place / "site" / "codejury"
    shutil.copytree(Path(codejury.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def _said(package: Path, level: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, level],
        capture_output=True,
        text=True,
        timeout=host.LONGEST_S,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(json.loads(done.stdout))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _garbage(path: Path) -> None:
    path.write_bytes(b"\x7fELF" + bytes(200))


def _no_execution(path: Path) -> None:
    path.chmod(0o644)


def _no_program(path: Path) -> None:
    """Starts, and is something else."""
    path.unlink()
    shutil.copy("/bin/true", path)


def test_whole(package: Path, strongest: str, remains: host.Remains) -> None:
    """The copy works, so what fails below fails for its own reason."""
    assert _said(package, strongest) == [["ok", "1\n"]] * 2


@pytest.mark.parametrize("harm", [Path.unlink, _no_execution, _empty, _garbage, _no_program])
def test_keeper(package: Path, strongest: str, remains: host.Remains, harm: Callable[[Path], None]) -> None:
    harm(package / "_native" / "keeper")
    for name, words in _said(package, strongest):
        assert name in ("SetupError", "WorkerLost"), (name, words)
        assert "keeper" in words, words


@pytest.mark.parametrize("harm", [Path.unlink, _empty, _garbage])
def test_library(package: Path, strongest: str, remains: host.Remains, harm: Callable[[Path], None]) -> None:
    """Only the waiting interpreter needs it."""
    harm(package / "_native" / "box.so")
    (name, words), cold = _said(package, strongest)
    assert name == "SetupError", (name, words)
    assert "box.so" in words, words
    assert cold == ["ok", "1\n"]


def test_waiting_interpreter(package: Path, strongest: str, remains: host.Remains) -> None:
    (package / "sandbox" / "zygote.py").unlink()
    (name, words), cold = _said(package, strongest)
    assert name == "SetupError", (name, words)
    assert "zygote.py" in words, words
    assert cold == ["ok", "1\n"]


def test_replaced_in_the_middle(package: Path, strongest: str, remains: host.Remains) -> None:
    """An upgrade under a running process: workers that stand go on, and new ones are of the new files."""
    script = """
import os, shutil, sys
import codejury
from codejury.sandbox import worker
with codejury.Sandbox(1, sys.argv[1]) as box:
    assert box.run("print(1)", language="python").ok
    for name in ("keeper", "box.so"):
        path = worker._NATIVE / name
        shutil.copy(path, f"{path}.new")
        os.replace(f"{path}.new", path)
    assert box.run("print(1)", language="python").ok
    os.kill(next(iter(box._pool._alive)).pid, 15)
    assert box.run("print(1)", language="python").ok
"""
    done = subprocess.run(
        [sys.executable, "-c", script, strongest],
        capture_output=True,
        text=True,
        timeout=host.LONGEST_S,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
