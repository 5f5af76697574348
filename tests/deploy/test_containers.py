"""docs/containers.md is true: each setting of its table is put together here, out of what the kernel gives, and
`codejury doctor` says in it what the page says. And what it says is kept: a program runs there.

As root, on x86-64; the interpreter must be one that an ordinary user can start.
"""

from __future__ import annotations

import json
import os
import platform
import re
import site
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from deploy.setting import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "containers.md"
HERE = Path(__file__).with_name("setting.py")
PACKAGES = [str(ROOT / "src"), *site.getsitepackages()]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGES)}

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can put containers together"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter has x86-64's numbers"),
]


def table() -> dict[str, str]:
    """Setting -> level."""
    rows = re.findall(r"^\| [^|]+ \| `([^`|]+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


def python() -> str:
    """One that others than root can reach, too, with the same packages."""
    for each in (sys.executable, "/usr/bin/python3"):
        probe = [each, "-c", "import msgspec, sys; assert sys.version_info >= (3, 11)"]
        try:
            done = subprocess.run(
                probe, env=ENVIRONMENT, cwd="/", capture_output=True, user=65534, group=65534, extra_groups=[]
            )
        except OSError:
            continue
        if done.returncode == 0:
            return each
    pytest.skip("no interpreter of 3.11 that an ordinary user can start with codejury's packages")


def said(setting: str, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, str(HERE), setting, python(), "-m", "codejury.cli", *command],
        env=ENVIRONMENT, cwd="/", capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    if "unshare failed" in done.stderr or "unshare: " in done.stderr:
        pytest.skip(f"no namespaces here: {done.stderr.strip()}")
    return done


def test_the_page_has_every_setting() -> None:
    assert set(table()) == set(SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_level(setting: str, tmp_path: Path) -> None:
    done = said(setting, "doctor", "--no-languages", "--json")
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    if report["cgroup_version"] == 0 and table()[setting] == "full":
        pytest.skip("this host has no control groups")
    assert report["chosen"] == table()[setting], report


@pytest.mark.parametrize("setting", ["default", "non-root, nothing else", "user namespace, no filter, unmasked"])
def test_a_program_is_judged_there(setting: str) -> None:
    with_output = '[{"input": "1 2", "output": "3"}, {"input": "1 2", "output": "4"}]'
    place = Path("/tmp")  # what every setting can read
    program, tests = place / f"codejury-{os.getpid()}.py", place / f"codejury-{os.getpid()}.json"
    program.write_text("print(sum(map(int, input().split())))")
    tests.write_text(with_output)
    try:
        done = said(setting, "judge", str(program), "5", "256", str(tests))
        assert [case["status"] for case in json.loads(done.stdout)] == ["success", "wrong_answer"], done.stderr
    finally:
        program.unlink()
        tests.unlink()
