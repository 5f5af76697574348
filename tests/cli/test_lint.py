"""`codejury lint` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codejury.testgen.lint import CHECKS

CHECKER = "def is_valid_output(given, got, expected):\n    return True\n"


def codejury(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def row(name: str, inputs: list[str], **more: object) -> str:
    tests = [{"input": each, "output": f"{each} {each}"} for each in inputs]
    return json.dumps({"custom_id": name, "reward": {"ground_truth": {"input_output": tests}}, **more}) + "\n"


GOOD = row("good", [str(n) for n in range(12)])
WEAK = row("weak\x07", ["1", "1", *(str(n) for n in range(12))])


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    path = tmp_path / "T.jsonl"
    path.write_text(GOOD + WEAK)
    return path


def test_a_table_of_what_was_found(tests: Path) -> None:
    done = codejury("lint", tests)
    assert (done.returncode, done.stderr) == (0, "")
    assert "14 tests, 12 distinct" in done.stdout
    assert "duplicates            3 of 14 tests are identical" in done.stdout
    assert "good" not in done.stdout
    assert "\x07" not in done.stdout
    assert "2 problems, 26 tests (13.0 a problem), 24 distinct" in done.stdout
    assert "good" in codejury("lint", tests, "--all").stdout


def test_strict_is_code_3_when_something_is_found(tests: Path) -> None:
    assert codejury("lint", tests, "--strict").returncode == 3
    clean = codejury("lint", tests, "--strict", "--ignore", "duplicates")
    assert (clean.returncode, "nothing found" in clean.stdout) == (0, True)


def test_json(tests: Path) -> None:
    said = json.loads(codejury("lint", tests, "--json").stdout)
    assert (said["problems"], said["tests"], said["distinct"], said["bad_rows"]) == (2, 26, 24, 0)
    assert said["counts"] == {"duplicates": 1}
    (found,) = said["findings"]
    assert (found["tests"], found["findings"][0]["check"], found["findings"][0]["count"]) == (14, "duplicates", 2)


def test_bad_rows_are_told_and_the_rest_goes_on(tests: Path) -> None:
    tests.write_text(GOOD + "{torn\n" + WEAK)
    done = codejury("lint", tests)
    assert done.returncode == 3
    assert f"{tests}, line 2: expected JSON" in done.stderr
    assert "2 problems" in done.stdout
    assert "1 rows that cannot be read" in done.stdout


def test_checkers_are_tried_unless_told_not_to(tmp_path: Path) -> None:
    path = tmp_path / "T.jsonl"
    path.write_text(row("p", [str(n) for n in range(12)], checker=[CHECKER]))
    assert "checker_accepts_junk" in codejury("lint", path).stdout
    assert "nothing found" in codejury("lint", path, "--no-run").stdout


def test_an_unknown_check_is_bad_usage(tests: Path) -> None:
    done = codejury("lint", tests, "--ignore", "typo")
    assert done.returncode == 2
    assert "expected one of no_tests" in done.stderr


def test_help_explains_every_check() -> None:
    shown = codejury("lint", "--help").stdout
    assert [check for check in CHECKS if check not in shown] == []
