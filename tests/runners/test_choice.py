"""Where programs run is chosen by a name; a runner that is not installed is a wrong usage, and says what to install."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from codejury import Jury, Sandbox, UsageError, runners
from codejury.languages.execute import run_on
from codejury.reward import score
from codejury.sandbox.pool import Pool


def test_an_unknown_one() -> None:
    with pytest.raises(UsageError, match="expected one of local, ray, got 'cloud'"):
        runners.choose("cloud")


def test_sandboxes_are_made_on_what_was_chosen() -> None:
    made = []

    class Counted(Pool):
        def __init__(self, **options: object) -> None:
            made.append(options["workers"])
            super().__init__(**options)  # type: ignore[arg-type]

    run_on(Counted)
    try:
        with Sandbox(workers=1) as box:
            assert box.run("print(1)", language="python").stdout == b"1\n"
    finally:
        runners.choose("local")
    with Sandbox(workers=1) as box:
        assert box.run("print(2)", language="python").stdout == b"2\n"
    assert made == [1]


@pytest.mark.skipif(find_spec("ray") is not None, reason="the package ray is installed")
def test_what_to_install_is_said(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("print(input())")
    (tmp_path / "t.json").write_text('[{"input": "1", "output": "1"}]')
    command = ["judge", "p.py", "2", "256", "t.json", "--runner", "ray"]
    said = subprocess.run(
        [sys.executable, "-m", "codejury.cli", *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert said.returncode == 2
    assert "pip install 'codejury[ray]'" in said.stderr
    assert "Traceback" not in said.stderr


def test_rewards_on_an_unknown_one() -> None:
    with pytest.raises(UsageError, match="expected one of local, ray, got 'cloud'"):
        score([], [], runner="cloud")


def test_an_address_without_ray() -> None:
    with pytest.raises(UsageError, match="ray_address: expected runner='ray' as well"):
        score([], [], ray_address="10.0.0.1:6379")


def test_a_jury_has_its_runner_already() -> None:
    with Jury(workers=1) as jury, pytest.raises(UsageError, match="jury, runner: expected one of the two"):
        score([], [], jury=jury, runner="ray")


@pytest.mark.skipif(find_spec("ray") is not None, reason="the package ray is installed")
def test_what_to_install_for_rewards() -> None:
    with pytest.raises(UsageError, match=r"pip install 'codejury\[ray\]'"):
        score([], [], runner="ray")
