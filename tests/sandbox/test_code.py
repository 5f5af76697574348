"""What a Python program compiles to is kept from one run to the next, and is nobody's but its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import codejury
from codejury import Limits

Make = Callable[..., codejury.Sandbox]


@pytest.fixture(scope="module")
def box(make_box: Make) -> codejury.Sandbox:
    return make_box("auto", workers=1)


def said(box: codejury.Sandbox, source: str, **options: object) -> bytes:
    outcome = box.run(source, language="python", **options)  # type: ignore[arg-type]
    assert outcome.ok, outcome.stderr
    return outcome.stdout


def test_programs_in_turn_each_have_their_own(box: codejury.Sandbox) -> None:
    programs = {f"print({number} + int(input()))": number for number in range(1000, 1020)}  # all of one length
    for turn in range(4):
        for source, number in programs.items():
            assert said(box, source, stdin=f"{turn}\n") == b"%d\n" % (number + turn)
    for source, number in list(programs.items())[:3]:  # and few enough to be all kept
        for turn in range(4):
            assert said(box, source, stdin=f"{turn}\n") == b"%d\n" % (number + turn)


def below(pid: int) -> list[int]:
    """Some of them may be gone by now."""
    with contextlib.suppress(OSError):
        texts = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return [found for text in texts for child in text.split() for found in (int(child), *below(int(child)))]
    return []


def kept(besides: list[int]) -> int:
    """Files of code that a process below this one holds, which is none of these."""
    most = 0
    for pid in set(below(os.getpid())) - set(besides):
        with contextlib.suppress(OSError):
            links = [target(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()]
            most = max(most, sum(link.startswith("/memfd:code") for link in links))
    return most


def target(fd: Path) -> str:
    """Where it leads; nowhere, if it was closed meanwhile: a keeper makes the next run ready."""
    with contextlib.suppress(OSError):
        return os.readlink(fd)
    return ""


def test_eight_are_kept_at_most() -> None:
    if os.geteuid() != 0:
        pytest.skip("what a keeper has open only root may see")
    others = below(os.getpid())
    with codejury.Sandbox(workers=1) as box:
        if box.level == "landlock":
            pytest.skip("at the level landlock none is kept")
        seen = []
        for number in range(12):
            for _ in range(2):
                assert said(box, f"print({number})") == b"%d\n" % number
            seen.append(kept(others))
    assert seen == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8]


def test_its_code_has_the_name_of_its_file(box: codejury.Sandbox) -> None:
    source = "import sys\nprint(__file__.rpartition('/')[2], sys._getframe().f_code.co_filename.rpartition('/')[2])"
    for _ in range(4):
        assert said(box, source) == b"main.py main.py\n"


def test_other_files_of_a_program_are_read_anew(box: codejury.Sandbox) -> None:
    for number in range(5):
        assert (
            said(box, "import other\nprint(other.x)", files={"other.py": f"x = {number}".encode()}) == b"%d\n" % number
        )


def test_nothing_that_a_run_does_reaches_the_next(box: codejury.Sandbox) -> None:
    """It changes its text, its code object and all that it finds open; the next run is as the first was."""
    source = """
import fcntl, os, sys
def answer():
    return 'right'
print(answer())
sys.stdout.flush()
open(__file__, 'w').write("print('wrong')")
answer.__code__ = (lambda: 'wrong').__code__
for fd in range(3, 256):
    try:
        os.pwrite(fd, b'\\0' * 64, 0)
        print('BREACH wrote to', fd)
    except OSError:
        pass
print(sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[3:-1])
"""
    for _ in range(5):
        assert said(box, source) == b"right\n[]\n"


@pytest.mark.parametrize("limits", [Limits(disk_mb=1), Limits(memory_mb=64), Limits(processes=1), Limits(cpu_s=1)])
def test_it_asks_for_none_of_the_programs_own_room(box: codejury.Sandbox, limits: Limits) -> None:
    lines = "".join(f"def f{number}(x):\n    return x + {number}\n" for number in range(1000))
    for _ in range(4):
        assert said(box, f"{lines}print(f999(1))", limits=limits) == b"1000\n"


def test_too_large_to_be_kept(box: codejury.Sandbox) -> None:
    source = f"x = '{'y' * (300 << 10)}'\nprint(len(x), input())"
    for turn in range(4):
        assert said(box, source, stdin=str(turn)) == f"{300 << 10} {turn}\n".encode()


def test_a_warning_is_said_every_time(box: codejury.Sandbox) -> None:
    runs = [box.run("x = 1\nprint(x is 1)", language="python") for _ in range(4)]
    assert all(b"SyntaxWarning" in run.stderr for run in runs)
    assert len({(run.stdout, run.stderr) for run in runs}) == 1


def test_a_program_with_an_error_has_it_every_time(box: codejury.Sandbox) -> None:
    runs = [box.run("def f():\n    return 1 / 0\nf()", language="python") for _ in range(4)]
    assert len({(run.status, run.stderr) for run in runs}) == 1
    assert b"return 1 / 0" in runs[-1].stderr
    runs = [box.run("print(1)\nprint(", language="python") for _ in range(4)]
    assert len({(run.status, run.stdout, run.stderr) for run in runs}) == 1
    assert b"SyntaxError" in runs[-1].stderr
