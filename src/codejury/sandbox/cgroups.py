"""The control groups of this host: where a worker's own can be made.

Owns the search. The groups themselves are made, used and removed by the native code; what a killed
launcher left behind is swept from here. A group is called codejury-<pid of its launcher>.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from pathlib import Path

import msgspec

from codejury.errors import SetupError

_NEEDED_V2 = {"memory", "pids"}
_NEEDED_V1 = ("memory", "pids", "cpuacct")
_REMOVE_TRIES = 200
_NAME = re.compile(r"codejury-(\d+)")


class Groups(msgspec.Struct, frozen=True):
    """Parents for a worker's groups. `parents` is empty when there is none: `reason` says why."""

    version: int
    parents: tuple[tuple[str, Path], ...]  # (controller, or "v2"; directory)
    reason: str = ""


def _unescape(text: str) -> str:
    return re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), text)


def _mounts() -> dict[str, tuple[Path, str]]:
    """Controller -> (mount point, the group that is mounted there); `v2` for the unified hierarchy."""
    found: dict[str, tuple[Path, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, point = (_unescape(field) for field in left.split(" ")[3:5])
        if kind == "cgroup2":
            found.setdefault("v2", (Path(point), root))
        elif kind == "cgroup":
            for option in options.split(" ")[-1].split(","):
                found.setdefault(option, (Path(point), root))
    return found


def _own() -> dict[str, str]:
    groups: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text(errors="surrogateescape").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(",") if controllers else ["v2"]:
            groups[controller] = path
    return groups


def _place(mounts: dict[str, tuple[Path, str]], own: dict[str, str], controller: str) -> Path | None:
    if controller not in mounts or controller not in own:
        return None
    point, root = mounts[controller]
    path = own[controller]
    inside = root != "/" and (path == root or path.startswith(f"{root}/"))
    below = path[len(root) :] if inside else path
    place = point / below.lstrip("/")
    return place if place.is_dir() else point


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text().split())
    except OSError:
        return set()


def _enable_v2(group: Path) -> str:
    """Makes the controllers available to children of `group`; what is in the way, or ''."""
    if not _words(group / "cgroup.controllers") >= _NEEDED_V2:
        return f"{group} has not the controllers memory and pids"
    missing = _NEEDED_V2 - _words(group / "cgroup.subtree_control")
    if not missing:
        return ""
    try:
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(missing)))
    except OSError as error:
        if error.errno == errno.EBUSY:
            return (
                f"processes sit in {group} itself: start codejury in a group below it"
                f" (mkdir {group}/main; echo $$ > {group}/main/cgroup.procs)"
            )
        return f"{group}/cgroup.subtree_control: {error.strerror}"
    return ""


def _find_v2(own: Path, point: Path, given: Path | None) -> Groups:
    """Our own group cannot have limited children while we are in it (no internal processes, cgroups(7)), so its
    parent is asked too, and the root, which is free of that rule."""
    reasons = []
    for group in dict.fromkeys([given] if given else [own, own.parent if own != point else own, point]):
        if not os.access(group, os.W_OK):
            reasons.append(f"{group} is not ours to write" if group.is_dir() else f"{group} is not a directory")
            continue
        reason = _enable_v2(group)
        if not reason:
            return Groups(2, (("v2", group),))
        reasons.append(reason)
    return Groups(2, (), "; ".join(reasons))


def find(given: Path | None = None) -> Groups:
    """The best place for workers' groups, version 1 or 2."""
    try:
        mounts, own = _mounts(), _own()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):  # says nothing of the host
            raise SetupError("cgroup-find", error.errno, f"/proc cannot be read: {error.strerror}") from error
        return Groups(0, (), f"/proc says nothing of control groups: {error}")
    if given is not None:
        return _find_v2(given, given, given)
    v1 = {name: _place(mounts, own, name) for name in _NEEDED_V1}
    if all(v1.values()):
        denied = [str(place) for place in v1.values() if place and not os.access(place, os.W_OK)]
        if denied:
            return Groups(1, (), f"not ours to write: {', '.join(denied)}")
        return Groups(1, tuple((name, place) for name, place in v1.items() if place))
    unified = _place(mounts, own, "v2")
    if unified is None:
        return Groups(0, (), "no control groups are mounted")
    return _find_v2(unified, mounts["v2"][0], None)


def sweep(groups: Groups) -> None:
    """Removes the groups of launchers that were killed. A group with somebody in it is not removed by rmdir."""
    for _, parent in groups.parents:
        with contextlib.suppress(OSError):
            for entry in os.scandir(parent):
                match = _NAME.fullmatch(entry.name)
                if match and not os.path.exists(f"/proc/{match[1]}"):
                    with contextlib.suppress(OSError):
                        os.rmdir(entry.path)


def remove(groups: Groups, launcher: int) -> None:
    """Removes the group of a launcher that is gone and could not do it itself. Whoever is still in it is about to
    end: his namespace is gone."""
    for _, parent in groups.parents:
        path = os.path.join(parent, f"codejury-{launcher}")
        for _ in range(_REMOVE_TRIES):
            try:
                os.rmdir(path)
            except FileNotFoundError:
                break
            except OSError as error:
                if error.errno != errno.EBUSY:
                    break
                time.sleep(0.01)
            else:
                break
