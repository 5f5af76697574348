"""What the faults share: the levels of this host, a place of each test's own, and a check that nothing is left.

<place>/               0755, below /var/tmp
├── temp/              CODEJURY_TEMP: working directories of the level landlock
└── gate/              readable by the program of `Gate`: `here` is where it comes to, `open` lets it go on
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import host

import codejury
from codejury import model

LONG = model.Limits(cpu_s=120, wall_s=600)


@functools.cache
def _refusal(level: str) -> str | None:
    try:
        with codejury.Sandbox(workers=1, level=level) as box:
            return None if box.level == level else f"got {box.level}"
    except codejury.LevelUnavailable as error:
        return str(error)


def levels() -> list[str]:
    """Those that this host gives."""
    return [level for level in model.LEVELS if _refusal(level) is None]


@pytest.fixture(params=model.LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    """Each in turn; or, by indirect parameters, those that a test names."""
    if request.param == "strongest":
        return levels()[0]
    if reason := _refusal(request.param):
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def strongest() -> str:
    """For what does not depend on the level."""
    return levels()[0]


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """One cache of compiled programs for all faults: compiling is not what is tested."""
    directory = Path(tempfile.mkdtemp(prefix="faults-cache-"))
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def place(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="faults-", dir="/var/tmp"))
    directory.chmod(0o755)
    (directory / "temp").mkdir()
    (directory / "temp").chmod(0o755)
    monkeypatch.setenv("CODEJURY_TEMP", str(directory / "temp"))
    monkeypatch.setenv("CODEJURY_CACHE", str(cache))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def remains(place: Path) -> Iterator[host.Remains]:
    """Asked to check in the test itself, and once more after every sandbox of the test has been closed."""
    one = host.Remains(place / "temp")
    yield one
    one.check()


@pytest.fixture
def open_box(remains: host.Remains) -> Iterator[Callable[..., codejury.Sandbox]]:
    boxes: list[codejury.Sandbox] = []

    def make(**options: Any) -> codejury.Sandbox:
        boxes.append(codejury.Sandbox(**options))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


@pytest.fixture
def box(open_box: Callable[..., codejury.Sandbox], level: str) -> codejury.Sandbox:
    """One worker."""
    return open_box(workers=1, level=level)


class Gate:
    """A program that waits until it is let through, so that a fault can be put in the middle of its run."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(exist_ok=True)
        directory.chmod(0o755)
        self.directory = directory
        os.mkfifo(directory / "here", 0o644)
        self.program = (
            "import os, time\n"
            f"here = os.open({str(directory / 'here')!r}, os.O_RDONLY | os.O_NONBLOCK)\n"
            f"while not os.path.exists({str(directory / 'open')!r}):\n"
            "    time.sleep(0.005)\n"
            "print('through')\n"
        )

    @property
    def reached(self) -> bool:
        """Whether the program itself is there: who opens a FIFO for writing learns whether somebody reads."""
        try:
            os.close(os.open(self.directory / "here", os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return False
        return True

    def open(self) -> None:
        (self.directory / "open").touch()


@pytest.fixture
def gate(place: Path) -> Iterator[Gate]:
    one = Gate(place / "gate")
    yield one
    one.open()  # a test that failed must not leave a thread waiting


class Background:
    """A call in a thread of its own; `result` is its value or its exception."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.result: Any = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[[], Any]) -> None:
        try:
            self.result = call()
        except BaseException as error:  # noqa: BLE001 - handed over, whatever it is
            self.result = error

    def join(self, *, longest_s: float = host.LONGEST_S) -> Any:
        self._thread.join(longest_s)
        assert not self._thread.is_alive(), f"a call did not return within {longest_s:.0f} s"
        return self.result

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()


def check_right(box: codejury.Sandbox, *, times: int = 2) -> None:
    """The sandbox works, warm and cold, and each answer belongs to its own question."""
    for number in range(times):
        for fresh in (False, True):
            token = os.urandom(8).hex()
            outcome = box.run(f"print({token!r}, input())", language="python", stdin=f"{number}\n", fresh=fresh)
            assert (outcome.status, outcome.stdout) == ("ok", f"{token} {number}\n".encode()), outcome
