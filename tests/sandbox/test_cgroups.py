"""The search for control groups, on directories that look like them, and on this host's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codejury.sandbox import cgroups
from codejury.sandbox.cgroups import Groups

as_user = pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")


def group(path: Path, *, controllers: str = "cpu memory pids", enabled: str = "") -> Path:
    """A directory that looks like a group of version 2."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "cgroup.controllers").write_text(controllers + "\n")
    (path / "cgroup.subtree_control").write_text(enabled + "\n")
    return path


# -- where a controller is mounted, and where we are in it


def test_octal_escapes_of_mountinfo() -> None:
    assert cgroups._unescape(r"/a\040b\011c\134d") == "/a b\tc\\d"
    assert cgroups._unescape("/plain/path_1") == "/plain/path_1"


def test_mounts_of_this_host_are_there() -> None:
    mounts = cgroups._mounts()
    for controller, (point, root) in mounts.items():
        assert point.is_dir(), controller
        assert (point / "cgroup.procs").exists(), controller
        assert root.startswith("/"), controller
    kinds = {line.split(" - ")[1].split()[0] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    assert bool(mounts) == bool(kinds & {"cgroup", "cgroup2"})
    assert ("v2" in mounts) == ("cgroup2" in kinds)


def test_own_groups_of_this_host() -> None:
    own = cgroups._own()
    assert all(path.startswith("/") for path in own.values())
    assert len(own) >= len(Path("/proc/self/cgroup").read_text().splitlines())


@pytest.mark.parametrize(
    ("root", "path", "below"),
    [
        ("/", "/", ""),
        ("/", "/user/me", "user/me"),
        ("/docker/abc", "/docker/abc", ""),
        ("/docker/abc", "/docker/abc/mine", "mine"),
    ],
)
def test_the_place_of_our_group(tmp_path: Path, root: str, path: str, below: str) -> None:
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    assert cgroups._place({"memory": (tmp_path, root)}, {"memory": path}, "memory") == tmp_path / below


def test_a_place_that_is_not_mounted_here_falls_back_to_the_mount(tmp_path: Path) -> None:
    assert cgroups._place({"v2": (tmp_path, "/")}, {"v2": "/not/visible"}, "v2") == tmp_path


def test_a_group_beside_the_mounted_one_is_not_taken_for_one_below_it(tmp_path: Path) -> None:
    """/docker/abc is mounted, we are in /docker/abcdef: that is no group `def` below the mount."""
    (tmp_path / "def").mkdir()
    place = cgroups._place({"v2": (tmp_path, "/docker/abc")}, {"v2": "/docker/abcdef"}, "v2")
    assert place == tmp_path


@pytest.mark.parametrize(("mounts", "own"), [({}, {"v2": "/"}), ({"v2": (Path("/"), "/")}, {})])
def test_no_place_where_it_is_not_mounted_or_we_are_not_in_it(
    mounts: dict[str, tuple[Path, str]], own: dict[str, str]
) -> None:
    assert cgroups._place(mounts, own, "v2") is None


# -- version 2: a parent whose children may have limits


def test_a_group_whose_children_already_have_limits(tmp_path: Path) -> None:
    own = group(tmp_path / "own", enabled="cpu memory pids")
    assert cgroups.find(own) == Groups(2, (("v2", own),))


def test_what_is_missing_is_enabled(tmp_path: Path) -> None:
    own = group(tmp_path / "own", enabled="memory")
    assert cgroups.find(own).parents == (("v2", own),)
    assert (own / "cgroup.subtree_control").read_text() == "+pids"


@pytest.mark.parametrize("controllers", ["", "cpu io", "memory", "pids cpu"])
def test_a_group_without_the_controllers_is_refused_with_a_reason(tmp_path: Path, controllers: str) -> None:
    own = group(tmp_path / "own", controllers=controllers)
    found = cgroups.find(own)
    assert found.parents == ()
    assert found.version == 2
    assert found.reason == f"{own} has not the controllers memory and pids"


def test_a_directory_that_is_no_group_is_refused(tmp_path: Path) -> None:
    found = cgroups.find(tmp_path)
    assert found.parents == ()
    assert str(tmp_path) in found.reason


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    found = cgroups.find(tmp_path / "missing")
    assert found.parents == ()
    assert "missing" in found.reason


def test_only_the_given_group_is_looked_at(tmp_path: Path) -> None:
    """Who names a group wants that one: no quiet way to its parent."""
    parent = group(tmp_path / "parent", enabled="memory pids")
    own = group(parent / "own", controllers="")
    found = cgroups.find(own)
    assert found.parents == ()
    assert "; " not in found.reason


def test_a_group_whose_controllers_cannot_be_enabled_says_so(tmp_path: Path) -> None:
    own = group(tmp_path / "own")
    (own / "cgroup.subtree_control").unlink()
    (own / "cgroup.subtree_control").mkdir()  # whatever is written to it is refused, to root too
    found = cgroups.find(own)
    assert found.parents == ()
    assert found.reason == f"{own}/cgroup.subtree_control: Is a directory"


@as_user
def test_a_group_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    own = group(tmp_path / "own", enabled="memory pids")
    own.chmod(0o555)
    try:
        assert cgroups.find(own).reason == f"{own} is not ours to write"
    finally:
        own.chmod(0o755)


def test_our_own_group_comes_first_then_its_parent_then_the_root(tmp_path: Path) -> None:
    point = group(tmp_path / "point", controllers="")
    parent = group(point / "parent", controllers="")
    own = group(parent / "own", controllers="")
    assert cgroups._find_v2(own, point, None).reason.split("; ") == [
        f"{place} has not the controllers memory and pids" for place in (own, parent, point)
    ]
    group(point, enabled="memory pids")
    assert cgroups._find_v2(own, point, None).parents == (("v2", point),)
    group(parent, enabled="memory pids")
    assert cgroups._find_v2(own, point, None).parents == (("v2", parent),)
    group(own, enabled="memory pids")
    assert cgroups._find_v2(own, point, None).parents == (("v2", own),)


def test_at_the_root_nothing_above_is_asked(tmp_path: Path) -> None:
    point = group(tmp_path / "point", controllers="")
    group(tmp_path, enabled="memory pids")
    assert cgroups._find_v2(point, point, None).parents == ()


# -- what killed launchers left


def ended_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_groups_of_dead_launchers_are_swept(tmp_path: Path) -> None:
    dead, alive = tmp_path / f"codejury-{ended_pid()}", tmp_path / f"codejury-{os.getpid()}"
    others = [tmp_path / name for name in ("codejury-", "codejury-12x", "xcodejury-999999999", "system.slice")]
    for each in (dead, alive, *others):
        each.mkdir()
    cgroups.sweep(Groups(2, (("v2", tmp_path),)))
    assert sorted(tmp_path.iterdir()) == sorted([alive, *others])


def test_a_group_with_something_in_it_stays_and_does_not_disturb(tmp_path: Path) -> None:
    full = tmp_path / f"codejury-{ended_pid()}"
    (full / "inner").mkdir(parents=True)
    cgroups.sweep(Groups(1, (("memory", tmp_path), ("pids", tmp_path / "missing"))))
    assert full.is_dir()


def test_nothing_is_swept_where_there_is_nothing() -> None:
    cgroups.sweep(Groups(0, (), "none"))


def test_what_is_found_here_is_usable_or_explained() -> None:
    found = cgroups.find()
    if found.parents:
        assert found.reason == ""
        assert [kind for kind, _ in found.parents] == (["v2"] if found.version == 2 else ["memory", "pids", "cpuacct"])
        assert all(os.access(place, os.W_OK) for _, place in found.parents)
    else:
        assert found.reason
