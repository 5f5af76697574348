"""`codejury augment` and `codejury verify` as a user calls them; and their page knows their options."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from benchmarks.mbpp_rows import LARGEST, MEAN, WRONG

from codejury.benchmarks import augment as augmenting
from codejury.benchmarks import verify as verifying
from codejury.cli.augment import augment
from codejury.cli.verify import verify


def codejury(*args: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_augment_and_what_is_told(tmp_path: Path) -> None:
    given, output = written(tmp_path / "in.jsonl", LARGEST, WRONG), tmp_path / "out.jsonl"
    done = codejury("augment", "--input", given, "--output", output, "--tests", 12)
    assert "4: set aside: reference fails" in done.stdout
    assert "15 tests where there were 3: 5.0 times as many" in done.stdout
    (row,) = rows_of(output)
    assert row["test_list"] == LARGEST["test_list"]
    told = codejury("augment", "--input", given, "--output", output, "--tests", 12, "--json").stdout.splitlines()
    assert json.loads(told[0])["before"] is True
    assert json.loads(told[-1])["why"] == {"reference fails": 1}
    assert rows_of(output) == [row]


def test_the_form_by_the_name_of_the_output(tmp_path: Path) -> None:
    given, output = written(tmp_path / "in.jsonl", MEAN), tmp_path / "out.evalplus.jsonl"
    codejury("augment", "--input", given, "--output", output, "--tests", 5)
    (row,) = rows_of(output)
    assert (row["task_id"], len(row["plus_input"]), row["atol"]) == ("Mbpp/3", 5, 1e-4)
    assert "assert abs(mean([1, 2]) - 1.5) < 1e-4" in row["prompt"]
    # and such rows can be augmented in turn, in their own form
    again = tmp_path / "again.jsonl"
    codejury("augment", "--input", output, "--output", again, "--tests", 3)
    assert len(rows_of(again)[0]["plus_input"]) == 3


def test_wrong_usage(tmp_path: Path) -> None:
    given = written(tmp_path / "in.jsonl", MEAN)
    assert "another file" in codejury("augment", "--input", given, "--output", given, code=2).stderr
    assert "expected one of reference fails" in codejury("verify", given, "--only", "x", code=2).stderr
    written(given, {"a": 1})
    assert "line 1" in codejury("verify", given, code=2).stderr


def test_verify_and_its_exit_code(tmp_path: Path) -> None:
    good, bad = written(tmp_path / "good.jsonl", MEAN), written(tmp_path / "bad.jsonl", WRONG, MEAN)
    assert "1 tasks, 0 findings, 0 notes" in codejury("verify", good).stdout
    done = codejury("verify", good, bad, code=1)
    assert "bad.jsonl: 4: reference fails: test 1: wrong_answer" in done.stdout
    assert "bad.jsonl: 3: duplicate: the same statement as 3 in good.jsonl" in done.stdout
    told = codejury("verify", good, bad, "--only", "duplicate", "--json", code=1).stdout.splitlines()
    assert [json.loads(line).get("task") for line in told] == ["3", None]
    assert json.loads(told[-1])["kinds"] == {"duplicate": 1}


# ── The page ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "augment.md").read_text()


@pytest.mark.parametrize(("title", "command"), [("Augment", augment), ("Verify", verify)])
def test_options_are_documented(page: str, title: str, command: click.Command) -> None:
    section = page.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", section))
    given = {word for each in command.params if isinstance(each, click.Option) for word in each.opts}
    assert told == given


def test_words_are_documented(page: str) -> None:
    told = set(re.findall(r"`([a-z ]+)`", page.replace("\n", " ")))
    assert set(get_args(augmenting.Why)) <= told
    assert set(verifying.KINDS) <= told
