"""The host as the faults see it: a worker's processes and their parts, and whatever a sandbox could leave behind.

    python ──► launcher ──► keeper ──► zygote ──► program (warm)
                                  └──► init ──► program (cold; at the level landlock a child of the keeper itself)

Owns the looking, nothing else: nobody is killed and nothing is removed from here. Others may use this machine at the
same time, so all that counts is what can be told to be ours: our own descendants, groups whose launcher is dead,
files in the directory that `CODEJURY_TEMP` names for the test.
"""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import NamedTuple

LONGEST_S = 60.0  # for what should take milliseconds: bounds a hang, measures nothing


def wait_until(condition: Callable[[], object], what: str, *, longest_s: float = LONGEST_S) -> None:
    """Returns as soon as the condition holds; AssertionError with `what` when it never does."""
    end = time.monotonic() + longest_s
    while not condition():
        assert time.monotonic() < end, f"waited {longest_s:.0f} s in vain: {what}"
        time.sleep(0.005)


# ── Processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Process(NamedTuple):
    """One that was seen. The start time tells it from a later one of the same number."""

    pid: int
    start: int


class Seen(NamedTuple):
    parent: int
    state: str
    start: int


def look(pid: int) -> Seen | None:
    """None where there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return Seen(int(fields[1]), fields[0], int(fields[19]))


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def below(root: int, *, but: Container[Process] = ()) -> list[Process]:
    """The descendants of `root`, itself left out, and those of `but` with all that is below them."""
    found, todo = [], [root]
    while todo:
        for pid in children(todo.pop()):
            if (seen := look(pid)) and Process(pid, seen.start) not in but:
                found.append(Process(pid, seen.start))
                todo.append(pid)
    return found


def alive(processes: Iterable[Process]) -> list[Process]:
    """Those that still run. A zombie whose parent is not ours waits for the host's init, and is no longer a process."""
    left, mine = [], None
    for process in processes:
        now = look(process.pid)
        if now and now.start == process.start:
            if now.state in "ZX":
                mine = mine or {os.getpid(), *(one.pid for one in below(os.getpid()))}
            if now.state not in "ZX" or now.parent in (mine or ()):
                left.append(process)
    return left


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


class Parts(NamedTuple):
    """The processes of one worker that are there at the moment."""

    launcher: int
    keeper: int | None
    zygotes: list[int]
    inits: list[int]  # of runs; also what the keeper has forked and what has not yet become something else
    programs: list[int]  # untrusted code; the warm ones may still be locking themselves down

    def named(self, name: str) -> list[int]:
        one = {"launcher": [self.launcher], "keeper": [self.keeper] if self.keeper else []}
        return one.get(name) or {"zygote": self.zygotes, "init": self.inits}.get(name, [])


def _living_children(pid: int) -> list[int]:
    return [child for child in children(pid) if (seen := look(child)) and seen.state not in "ZX"]


def parts(launcher: int) -> Parts:
    keeper = next(iter(_living_children(launcher)), None)
    zygotes, inits, programs = [], [], []
    for pid in _living_children(keeper) if keeper else ():
        line = command_line(pid)
        if "/zygote.py " in line:
            zygotes.append(pid)
        elif "/_native/keeper " in line:
            inits.append(pid)
        elif line:
            programs.append(pid)
    for pid in zygotes:
        programs += _living_children(pid)
    for pid in inits:
        programs += [child for child in _living_children(pid) if "/_native/keeper " not in command_line(child)]
    return Parts(launcher, keeper, zygotes, inits, programs)


def launchers(python: int) -> list[int]:
    """The launchers that this Python process has started and that still run."""
    return [pid for pid in _living_children(python) if "/_native/keeper " in command_line(pid)]


def running(python: int, count: int = 1) -> bool:
    """Whether `count` of its workers are in the middle of a run."""
    return sum(bool(parts(launcher).programs) for launcher in launchers(python)) >= count


# ── What could be left ───────────────────────────────────────────────────────────────────────────────────────────────


def _groups(*, of_the_dead: bool) -> set[tuple[str, int]]:
    """Control groups of this user's, with their inodes; `of_the_dead`: whose launcher is gone. The living remove their
    own."""
    found = set()
    for depth in range(6):
        for path in glob.glob("/sys/fs/cgroup/" + "*/" * depth + "codejury-*/"):
            with contextlib.suppress(OSError):
                launcher = path.rstrip("/").rpartition("-")[2]
                seen = os.stat(path)
                if seen.st_uid == os.geteuid() and not (of_the_dead and os.path.exists(f"/proc/{launcher}")):
                    found.add((path, seen.st_ino))
    return found


def _mounts() -> set[str]:
    return {line for line in Path("/proc/self/mountinfo").read_text().splitlines() if "codejury" in line}


class Remains:
    """What was there before a test, and what is more there afterwards."""

    def __init__(self, temp: Path) -> None:
        self.temp = temp
        self._noted: set[Process] = set()
        self._before = set(below(os.getpid()))
        self._groups = _groups(of_the_dead=False)  # a dead one's number may be somebody else's just now
        self._mounts = _mounts()
        self._descriptors = _descriptors()

    def note(self, root: int) -> None:
        """The whole tree below `root`, and itself, must be gone at the end, whoever is killed now."""
        self._noted.update(below(root))
        if root != os.getpid() and (seen := look(root)):
            self._noted.add(Process(root, seen.start))

    def found(self) -> dict[str, list[str]]:
        # What is below another's keeper is that keeper's: it makes the next run ready when it comes to it.
        left = {*self._noted, *below(os.getpid(), but=self._before)}
        lines = {
            "processes": [f"{one.pid} {command_line(one.pid)}" for one in alive(left)] + self._at_home(),
            "control groups": sorted(path for path, _ in _groups(of_the_dead=True) - self._groups),
            "mounts": sorted(_mounts() - self._mounts),
            "temporary files": sorted(os.listdir(self.temp)) if self.temp.is_dir() else [],
            "descriptors": sorted(_descriptors() - self._descriptors),
        }
        return {what: found for what, found in lines.items() if found}

    def _at_home(self) -> list[str]:
        """Whoever is in a working directory of this test's, wherever he has come to hang in the tree."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                if os.readlink(path).startswith(f"{self.temp}/"):
                    found.append(f"{path} {command_line(int(path.split('/')[2]))}")
        return found

    def check(self) -> None:
        """Nothing more than before; what is still going is given its time."""
        end = time.monotonic() + LONGEST_S
        while left := self.found():
            assert time.monotonic() < end, f"left behind: {left}"
            time.sleep(0.01)


def _descriptors() -> set[str]:
    """Descriptors of this process by what they stand for; files and pipes of pytest's own come and go."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/self/fd/{name}")
            if target.startswith(("socket:", "pipe:", "anon_inode:[pidfd]")):
                found.add(f"{name} {target}")
    return found
