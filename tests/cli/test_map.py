"""`codejury map` as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codejury.dataset import TestIndex

GOOD = [{"custom_id": f"p{n}", "input_output": json.dumps({"inputs": [f"{n}"], "outputs": ["x"]})} for n in range(3)]


def codejury(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    path = tmp_path / "T.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in GOOD))
    return path


def test_it_writes_the_index_beside_the_file_and_says_so(tests: Path) -> None:
    done = codejury("map", tests)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tests.with_suffix('.idx')}: 3 problems, 3 tests, ")
    assert TestIndex(tests).tests("p2")[0].input == "2"


def test_json_and_another_place(tests: Path, tmp_path: Path) -> None:
    done = codejury("map", tests, "--output", tmp_path / "other", "--json")
    said = json.loads(done.stdout)
    assert (said["problems"], said["tests"], said["bad_rows"]) == (3, 3, 0)
    assert said["path"] == str(tmp_path / "other")
    assert said["index_bytes"] == os.path.getsize(tmp_path / "other")
    assert not tests.with_suffix(".idx").exists()
    assert "p0" in TestIndex(tests, index=tmp_path / "other")


def test_bad_rows_are_told_and_end_with_code_3(tests: Path) -> None:
    with tests.open("a") as file:
        file.write("{torn\n" * 30)
    done = codejury("map", tests)
    assert done.returncode == 3
    assert f"{tests}, line 4: expected JSON" in done.stderr
    assert "… and 10 more" in done.stderr
    assert "left out: 30" in done.stdout
    assert len(TestIndex(tests)) == 3


def test_duplicates_end_with_code_2_and_no_index(tests: Path) -> None:
    with tests.open("a") as file:
        file.write(json.dumps(GOOD[1]) + "\n")
    done = codejury("map", tests)
    assert done.returncode == 2
    assert "the text 'p1' in lines 2 and 4" in done.stderr
    assert not tests.with_suffix(".idx").exists()


def test_help_shows_how_the_index_is_used() -> None:
    shown = codejury("map", "--help").stdout
    assert "TestIndex" in shown
    assert "Exit code" in shown
