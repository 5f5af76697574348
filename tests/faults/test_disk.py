"""Directories of ours that are full, missing, or removed in the middle: the cache of compiled programs, and the working
directories of the level landlock.

A cache that cannot be used costs time, and nothing else. A working directory that cannot be made is an internal error
that says so; when there is room again, the same sandbox works.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import host
from faults.conftest import LONG, Background, Gate, check_right

import codejury

C = '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n'


# A disk of 256 kB, in a mount namespace of its own: as root, or as root of a user namespace and then ourselves again.
def _on_a_small_disk(disk: Path) -> list[str]:
    mount = f"mount -t tmpfs -o size=256k,mode=755,uid={os.geteuid()},gid={os.getegid()} small {disk}"
    if os.geteuid() == 0:
        return ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    mount = f"mount -t tmpfs -o size=256k,mode=755 small {disk}"
    back = f"exec unshare --user --map-user={os.geteuid()} --map-group={os.getegid()}"
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'{mount} && {back} "$@"', "sh"]


@functools.cache
def _refusal() -> str | None:
    try:
        done = subprocess.run([*_on_a_small_disk(Path("/mnt")), "true"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return done.stderr.strip() if done.returncode else None


SCRIPT = """
import json, os, sys, time
import codejury
level, disk = sys.argv[1:]
said = []

def fill():
    # A keeper empties the directory of the run before when it has given its answer.
    while any(os.listdir(f"{disk}/{name}") for name in os.listdir(disk) if name.startswith("codejury-")):
        time.sleep(0.005)
    with open(f"{disk}/filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass

def run(source, language):
    try:
        outcome = box.run(source, language=language)
        said.append(f"{outcome.status} {outcome.stdout.decode().strip()} {outcome.level}")
    except codejury.InternalError as error:
        said.append(f"internal error: {error}")

"""


def _child(script: str, level: str, disk: Path, **settings: str) -> list[str]:
    if reason := _refusal():
        pytest.skip(f"no disk of our own: {reason}")
    done = subprocess.run(
        [
            *_on_a_small_disk(disk),
            sys.executable,
            "-c",
            SCRIPT + script + "\nprint(json.dumps(said))",
            level,
            str(disk),
        ],
        capture_output=True,
        text=True,
        timeout=host.LONGEST_S,
        env={**os.environ, **settings},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture
def disk(place: Path) -> Path:
    directory = place / "disk"
    directory.mkdir()
    return directory


def test_cache_on_a_full_disk(level: str, disk: Path, remains: host.Remains) -> None:
    script = f"""
fill()
with codejury.Sandbox(1, level) as box:
    run({C!r}, "c")
    os.unlink(f"{{disk}}/filler")
    run({C!r}, "c")
with codejury.Sandbox(1, level) as box:
    run({C!r}, "c")
said.append(any(files for _, _, files in os.walk(disk)))
"""
    assert _child(script, level, disk, CODEJURY_CACHE=str(disk / "cache")) == [f"ok compiled {level}"] * 3 + [True]


@pytest.mark.parametrize("language", ["python", "c"])
def test_working_directory_on_a_full_disk(disk: Path, remains: host.Remains, cache: Path, language: str) -> None:
    """Also with a worker that stood before the disk was full."""
    source = C if language == "c" else "print('compiled')"
    with codejury.Sandbox(1, "landlock") as box:
        assert box.run(source, language=language).ok  # and in the cache
    script = f"""
with codejury.Sandbox(1, level) as box:
    fill()
    run({source!r}, {language!r})
    os.unlink(f"{{disk}}/filler")
    run({source!r}, {language!r})
    fill()
    run({source!r}, {language!r})
    os.unlink(f"{{disk}}/filler")
    run({source!r}, {language!r})
said.append(os.listdir(disk))
"""
    said = _child(script, "landlock", disk, CODEJURY_TEMP=str(disk))
    assert said.pop() == []
    assert said[1::2] == ["ok compiled landlock"] * 2, said
    for words in said[0::2]:
        assert re.match("internal error:.*No space left on device", words), said


def _remove(tree: Path) -> None:
    """Though a keeper may be emptying it at the same moment."""
    while tree.exists():
        shutil.rmtree(tree, ignore_errors=True)


Open = Callable[..., codejury.Sandbox]


@pytest.mark.parametrize("what", ["missing", "a file"])
def test_directory_that_is_none(
    open_box: Open, place: Path, monkeypatch: pytest.MonkeyPatch, what: str, remains: host.Remains
) -> None:
    """CODEJURY_TEMP is wrong: said in so many words, at the level that needs it."""
    directory = place / "there"
    if what == "a file":
        directory.write_text("")
    monkeypatch.setenv("CODEJURY_TEMP", str(directory))
    box = open_box(workers=1, level="landlock")
    with pytest.raises(codejury.CodejuryError, match=str(directory)):
        box.run("print(1)", language="python")
    directory.unlink(missing_ok=True)
    directory.mkdir()
    check_right(box, times=1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it likes")
def test_directory_that_is_not_ours_to_write(
    open_box: Open, place: Path, monkeypatch: pytest.MonkeyPatch, remains: host.Remains
) -> None:
    (place / "closed").mkdir(mode=0o500)
    monkeypatch.setenv("CODEJURY_TEMP", str(place / "closed"))
    box = open_box(workers=1, level="landlock")
    with pytest.raises(codejury.CodejuryError, match="Permission denied"):
        box.run("print(1)", language="python")
    (place / "closed").chmod(0o700)
    check_right(box, times=1)


@pytest.mark.parametrize("what", ["the worker's directory", "the whole directory"])
@pytest.mark.parametrize("when", ["between runs", "in the middle"])
def test_removed(
    open_box: Open,
    place: Path,
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    when: str,
    remains: host.Remains,
) -> None:
    """Somebody cleans up what is old in /tmp."""
    temp = place / "temp" / "deeper"
    temp.mkdir()
    monkeypatch.setenv("CODEJURY_TEMP", str(temp))
    box = open_box(workers=1, level="landlock")
    box._pool.show([gate.directory])
    check_right(box, times=1)
    run: Any = None
    if when == "in the middle":
        run = Background(lambda: box.run(gate.program, language="python", limits=LONG))
        host.wait_until(lambda: run.over or gate.reached, "the program runs")
    for directory in list(temp.iterdir()):
        _remove(directory)
    if what == "the whole directory":
        temp.rmdir()
        (place / "temp" / "deeper").mkdir()
    gate.open()
    if run is not None:
        result = run.join()
        if not isinstance(result, codejury.InternalError):
            assert (result.status, result.stdout) == ("ok", b"through\n"), result
    check_right(box)
    box.close()
    temp.rmdir()  # so it is empty


def test_removed_and_gone_for_a_while(
    open_box: Open, place: Path, monkeypatch: pytest.MonkeyPatch, remains: host.Remains
) -> None:
    temp = place / "temp" / "deeper"
    temp.mkdir()
    monkeypatch.setenv("CODEJURY_TEMP", str(temp))
    box = open_box(workers=1, level="landlock")
    check_right(box, times=1)
    _remove(temp)
    with pytest.raises(codejury.InternalError):
        box.run("print(1)", language="python")
    temp.mkdir()
    check_right(box)
    box.close()
    temp.rmdir()


def test_many_files(open_box: Open) -> None:
    """Counting them takes longer than the time between two counts; the program's end is seen all the same. With
    namespaces nothing is counted: the kernel knows."""
    box = open_box(workers=1, level="landlock")
    program = "for n in range(20000):\n    open(str(n), 'w').close()\nprint('made')"
    outcome = box.run(program, language="python", limits=LONG)
    assert (outcome.status, outcome.stdout) == ("ok", b"made\n"), outcome


def test_cache_that_cannot_be_made(
    open_box: Open, level: str, place: Path, monkeypatch: pytest.MonkeyPatch, remains: host.Remains
) -> None:
    (place / "cache").write_text("a file is in the way")
    monkeypatch.setenv("CODEJURY_CACHE", str(place / "cache"))
    box = open_box(workers=1, level=level)
    for _ in range(2):
        assert box.run(C, language="c").stdout == b"compiled\n"


def test_cache_that_is_removed(
    open_box: Open, level: str, place: Path, monkeypatch: pytest.MonkeyPatch, remains: host.Remains
) -> None:
    monkeypatch.setenv("CODEJURY_CACHE", str(place / "cache"))
    box = open_box(workers=1, level=level)
    for number in range(2):
        assert box.run(C + f"// {number}\n", language="c").stdout == b"compiled\n"
        shutil.rmtree(place / "cache", ignore_errors=True)
