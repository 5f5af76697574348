"""`codejury convert` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codejury.dataset import read_problems
from codejury.dataset.formats import kattis
from codejury.dataset.writers import TARGETS

GOLD = "a, b = map(int, input().split())\nprint(a + b)\n"
ROWS = [
    {
        "custom_id": f"p{n}",
        "question": "Add.",
        "solutions": [GOLD],
        "input_output": json.dumps({"inputs": [f"{n} 1\n"], "outputs": [f"{n + 1}\n"]}),
    }
    for n in range(3)
]


def codejury(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "P.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_it_says_what_was_written_and_what_was_lost(source: Path, tmp_path: Path) -> None:
    done = codejury("convert", source, "--to", "verl", tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{tmp_path / 'out.jsonl'}: 3 of 3 problems" in done.stdout
    assert "lost golds" in done.stdout
    assert "filled in ability" in done.stdout
    assert [problem.id for problem in read_problems(tmp_path / "out.jsonl")] == ["p0", "p1", "p2"]


def test_every_problem_by_itself_with_verbose(source: Path, tmp_path: Path) -> None:
    done = codejury("convert", "-v", source, "--to", "apps", tmp_path / "out.jsonl")
    assert "'p1' lost cases.group" in done.stderr


def test_packages_have_their_golds_under_the_endings_of_their_languages(source: Path, tmp_path: Path) -> None:
    done = codejury("convert", "--from", "klear", "--to", "kattis", source, tmp_path / "out", "--json")
    said = json.loads(done.stdout)
    assert (said["written"], said["refused"], "golds" in said["lost"]) == (3, 0, False)
    assert (tmp_path / "out" / "p0" / "submissions" / "accepted" / "1.py").read_text() == GOLD
    assert kattis.read(tmp_path / "out" / "p2").cases[0].output == "3\n"


def test_what_is_left_out_ends_with_code_3(source: Path, tmp_path: Path) -> None:
    with source.open("a") as file:
        file.write("{torn\n")
    done = codejury("convert", source, "--to", "klear", tmp_path / "out")
    assert done.returncode == 3
    assert "line 4" in done.stderr
    assert "left out: 1 rows that cannot be read" in done.stdout
    done = codejury("convert", source, "--to", "evalplus", tmp_path / "none")
    assert done.returncode == 3
    assert "left out: 3, which the format cannot hold" in done.stdout


def test_bad_usage_is_code_2(source: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    for args, match in [
        (["--to", "klear", source, tmp_path / "there"], "--force"),
        (["--to", "typo", source, tmp_path / "out"], "--to: expected one of"),
        (["--from", "typo", "--to", "klear", source, tmp_path / "out"], "--from: expected one of"),
        ([source, tmp_path / "out"], "--to"),
    ]:
        done = codejury("convert", *args)
        assert (done.returncode, match in done.stderr) == (2, True)
    assert (tmp_path / "there").read_text() == "mine"


def test_help_names_every_format() -> None:
    shown = codejury("convert", "--help").stdout
    assert [name for name in TARGETS if name not in shown] == []
