"""`codejury trust` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = """
def is_valid_output(given, got, expected):
    try:
        one, other = map(int, got.split())
    except ValueError:
        return False
    return one > 0 and other > 0 and one + other == int(given)
"""
WRONG = "def is_valid_output(given, got, expected):\n    print('\\x07')\n    return True\n"
VALIDATOR = "def is_valid_input(text):\n    return text.strip().isdecimal() and 2 <= int(text) <= 99\n"
ANYTHING = "def is_valid_input(text):\n    return True\n"
GOLDS = ["n = int(input())\nprint(1, n - 1)\n", "n = int(input())\nprint(n // 2, n - n // 2)\n"]


def codejury(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


def row(name: str, **more: object) -> str:
    tests = [{"input": f"{n}\n", "output": f"1 {n - 1}\n"} for n in (2, 3, 7, 10, 40)]
    ground_truth = {"input_output": tests, "type": "stdin", "fn_name": None}
    return json.dumps({"custom_id": name, "solutions": GOLDS, "reward": {"ground_truth": ground_truth}, **more}) + "\n"


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "T.jsonl"
    path.write_text(
        row("right", checker=[RIGHT], input_validator=[VALIDATOR])
        + row("wrong\x07", checker=[WRONG], input_validator=[ANYTHING])
        + row("plain")
    )
    return path


def test_a_line_each(tests: Path) -> None:
    done = codejury("trust", "--input", tests, "--evidence")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("right  checker    trusted      accepts ")
    assert lines[1].startswith("right  validator  trusted      accepts 5 of 5, ")
    assert any(line.startswith("wrong   checker    NOT trusted  ") for line in lines)
    assert any("it accepts 5 of 5 outputs with nothing at all" in line for line in lines)
    assert any("it accepts 5 of 5 inputs with nothing at all" in line for line in lines)
    assert "    | must be rejected, but it was accepted" in lines
    assert lines[-3:] == ["checkers: 1 of 2 trusted", "validators: 1 of 2 trusted", "without either: 1"]
    assert "\x07" not in done.stdout


def test_an_id_that_is_not_there(tests: Path) -> None:
    missing = codejury("trust", "--input", tests, "--id", "nowhere")
    assert missing.returncode == 2
    assert "has no problem 'nowhere'" in missing.stderr


def test_json(tests: Path) -> None:
    said = json.loads(codejury("trust", "--input", tests, "--id", "wrong\x07", "--evidence", "--json").stdout)
    assert (said["id"], said["trusted"]) == ("wrong\x07", False)
    accepts = said["checker"]["accepts"]
    assert accepts["count"] == accepts["total"] > 5
    assert said["checker"]["rejects"]["count"] == 0
    assert "(nothing)" in said["checker"]["evidence"]
    assert said["validator"]["kinds"]["empty"] == {"count": 0, "total": 5}


def test_rows_that_cannot_be_read(tests: Path, tmp_path: Path) -> None:
    path = tmp_path / "T.jsonl"
    path.write_text(tests.read_text().splitlines(keepends=True)[0] + '{"custom_id": 5, "checker": 3}\n')
    done = codejury("trust", "--input", path, "--id", "right")
    assert done.returncode == 2
    assert "line 2" in done.stderr
    assert "right  checker    trusted" in done.stdout
