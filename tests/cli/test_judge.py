"""`codejury judge`: the command as a shell calls it, in its two forms."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FIELDS = ["input", "output", "expected_output", "result", "error", "traceback", "status"]


def judge(*args: object, check: int | None = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", "judge", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert check is None or done.returncode == check, done.stderr
    return done


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def by_id(file: Path) -> list[dict[str, Any]]:
    """Rows come as they are judged, in any order."""
    return sorted(rows(file), key=lambda row: row["custom_id"])


@pytest.fixture
def double(tmp_path: Path) -> Path:
    file = tmp_path / "double.py"
    file.write_text("print(int(input()) * 2)\n")
    return file


# ── One program, the Klear way ───────────────────────────────────────────────────────────────────────────────────────


def test_a_generator(tmp_path: Path) -> None:
    (tmp_path / "gen.py").write_text("print(['1', '2'])\n")
    (row,) = json.loads(judge(tmp_path / "gen.py", 5, 512).stdout)
    assert list(row) == FIELDS
    assert row == {**dict.fromkeys(FIELDS, ""), "output": "['1', '2']\n", "expected_output": None, "result": None,
                   "status": "success"}  # fmt: skip


@pytest.mark.parametrize("text", ['["1", "21"]', "['1', '21']", '{"inputs": ["1", "21"], "outputs": []}',
                                  '{"input": ["1", "21"], "output": []}'])  # fmt: skip
def test_inputs_alone(double: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "io").write_text(text)
    found = json.loads(judge(double, 5, 512, tmp_path / "io").stdout)
    assert [(row["input"], row["output"], row["expected_output"], row["status"]) for row in found] == [
        ("1", "2\n", "", "success"), ("21", "42\n", "", "success"),
    ]  # fmt: skip


def test_inputs_and_outputs_and_where_it_stops(double: Path, tmp_path: Path) -> None:
    (tmp_path / "io").write_text('{"inputs": ["1", "x", "3", "4"], "outputs": ["2", "2", "7", "8"]}')
    found = json.loads(judge(double, 5, 512, tmp_path / "io", 0).stdout)
    assert [row["status"] for row in found] == ["success", "runtime_error", "wrong_answer", "success"]
    assert found[1]["error"] == "ValueError: invalid literal for int() with base 10: 'x'"
    assert found[1]["traceback"].startswith("Traceback (most recent call last)")
    assert len(json.loads(judge(double, 5, 512, tmp_path / "io", 1).stdout)) == 2


def test_a_program_that_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() { return x; }")
    (tmp_path / "io").write_text('{"inputs": ["1", "2"], "outputs": ["2", "4"]}')
    found = json.loads(judge(tmp_path / "a.cpp", 5, 512, tmp_path / "io").stdout)
    assert [row["status"] for row in found] == ["compile_error"] * 2
    assert "not declared" in found[0]["error"]


def test_limits_hold(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = bytearray(300 << 20)\nwhile True: pass\n")
    (row,) = json.loads(judge(tmp_path / "a.py", 0.5, 128).stdout)
    assert row["status"] == "memory_limit_exceeded"
    (row,) = json.loads(judge(tmp_path / "a.py", 0.5, 512).stdout)
    assert row["status"] == "time_limit_exceeded"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "SRC"),
        (("double.py", "0"), "cpu_s"),
        (("nowhere.py",), "nowhere.py"),
        (("double.py", "1", "1", "bad.json"), "bad.json"),
        (("--submissions", "double.py"), "--tests"),
        (("--submissions", "double.py", "--tests", "bad.json"), "--output"),
    ],
)
def test_bad_calls(double: Path, tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    (tmp_path / "bad.json").write_text("{")
    found = [str(tmp_path / arg) if "." in arg and arg[0].isalpha() else arg for arg in args]
    done = judge(*found, check=2)
    assert words in done.stderr
    assert done.stdout == ""


# ── Many ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def batch(tmp_path: Path) -> tuple[Path, Path]:
    problems = [
        {"custom_id": f"p{n}", "question": "", "type": "stdin", "solutions": [], "input_generator": [],
         "input_output": json.dumps({"inputs": ["1", "2"], "outputs": [str(n), str(2 * n)]})}
        for n in range(1, 7)
    ]  # fmt: skip
    programs = ["print(int(input()) * {n})", "print({n})", "print(1 / 0)", "#include <cstdio>\nint main( {{"]
    submissions = [
        {"custom_id": f"p{n}", "solution": program.format(n=n), "language": "cpp" if "main" in program else "python"}
        for n in range(1, 7)
        for program in programs
    ]
    for name, content in (("T.jsonl", problems), ("S.jsonl", submissions)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in content))
    return tmp_path / "T.jsonl", tmp_path / "S.jsonl"


VERDICTS = ["success", "wrong_answer", "runtime_error", "compile_error"]


def test_a_batch(batch: tuple[Path, Path], tmp_path: Path) -> None:
    output = tmp_path / "V.jsonl"
    done = judge("--tests", batch[0], "--submissions", batch[1], "--output", output)
    found = by_id(output)
    assert [row["verdict"] for row in found] == VERDICTS * 6
    assert found[1]["first_failure"]["index"] == 1
    assert "expected '2', got '1'" in found[1]["first_failure"]["message"]
    assert [line.split() for line in done.stdout.splitlines()[:4]] == [[verdict, "6"] for verdict in sorted(VERDICTS)]


def test_a_second_run_judges_nothing_again(batch: tuple[Path, Path], tmp_path: Path) -> None:
    output = tmp_path / "V.jsonl"
    judge("--tests", batch[0], "--submissions", batch[1], "--output", output)
    before = output.read_bytes()
    done = judge("--tests", batch[0], "--submissions", batch[1], "--output", output, "--json")
    assert json.loads(done.stdout) == {"done before": 24}
    assert output.read_bytes() == before


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    """One that never ends does not hold back those that are behind it: they are there, whatever becomes of the run."""
    (tmp_path / "T.jsonl").write_text(
        json.dumps({"custom_id": "p", "question": "", "type": "stdin", "solutions": [], "input_generator": [],
                    "time_limit": 600, "input_output": json.dumps({"inputs": ["1"], "outputs": ["1"]})}) + "\n"
    )  # fmt: skip
    programs = ["while True: pass", *(f"print({n})" for n in range(4))]
    (tmp_path / "S.jsonl").write_text("".join(json.dumps({"custom_id": "p", "solution": each, "language": "python"})
                                              + "\n" for each in programs))  # fmt: skip
    output = tmp_path / "V.jsonl"
    command = [sys.executable, "-m", "codejury.cli", "judge", "--tests", str(tmp_path / "T.jsonl"), "--submissions",
               str(tmp_path / "S.jsonl"), "--output", str(output), "--workers", "2", "--time", "600"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while (not output.exists() or output.read_bytes().count(b"\n") < 4) and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    verdicts = sorted(row["verdict"] for row in rows(output))
    assert verdicts == ["success", "wrong_answer", "wrong_answer", "wrong_answer"]


def test_what_was_killed_goes_on(batch: tuple[Path, Path], tmp_path: Path) -> None:
    whole, output = tmp_path / "whole.jsonl", tmp_path / "V.jsonl"
    judge("--tests", batch[0], "--submissions", batch[1], "--output", whole)
    command = [sys.executable, "-m", "codejury.cli", "judge", "--tests", str(batch[0]), "--submissions", str(batch[1]),
               "--output", str(output)]  # fmt: skip
    for least in (200, 2000):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and (not output.exists() or output.stat().st_size < least):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
    judge("--tests", batch[0], "--submissions", batch[1], "--output", output)
    essence = [(row["custom_id"], row["verdict"], row["passed"]) for row in by_id(output)]
    assert essence == [(row["custom_id"], row["verdict"], row["passed"]) for row in by_id(whole)]


def test_bad_rows_are_told_and_the_rest_goes_on(batch: tuple[Path, Path], tmp_path: Path) -> None:
    lines = batch[1].read_text().splitlines()[:2]
    lines += [
        "{",
        '{"custom_id": "p9", "solution": "print(1)"}',
        '{"custom_id": "p1"}',
        '{"custom_id": "p2", "solution": 3}',
    ]
    batch[1].write_text("\n".join(lines) + "\n")
    output = tmp_path / "V.jsonl"
    done = judge("--tests", batch[0], "--submissions", batch[1], "--output", output, check=2)
    assert [row["verdict"] for row in by_id(output)] == VERDICTS[:2]
    assert [words for words in ("line 3", "p9", "line 5", "line 6") if words not in done.stderr] == []


def test_an_output_that_somebody_else_writes(batch: tuple[Path, Path], tmp_path: Path) -> None:
    from codejury.dataset.store import Store

    with Store(tmp_path / "V.jsonl"):
        done = judge("--tests", batch[0], "--submissions", batch[1], "--output", tmp_path / "V.jsonl", check=2)
    assert "another process" in done.stderr


def test_a_package(tmp_path: Path) -> None:
    package = tmp_path / "sum"
    for name, text in {
        "problem.yaml": "name: Sum\n",
        "data/sample/1.in": "1 2\n",
        "data/sample/1.ans": "3\n",
        "data/secret/2.in": "5 5\n",
        "data/secret/2.ans": "10\n",
        "submissions/accepted/a.py": "print(sum(map(int, input().split())))\n",
        "submissions/wrong_answer/b.cpp": "#include <iostream>\nint main() { std::cout << 3; }\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    judge("--tests", package, "--submissions", package, "--output", tmp_path / "V.jsonl")
    found = {row["label"]: row["verdict"] for row in rows(tmp_path / "V.jsonl")}
    assert found == {"success": "success", "wrong_answer": "wrong_answer"}


def test_help_teaches() -> None:
    words = judge("--help").stdout
    assert all(word in words for word in ("--tests", "--submissions", "Kattis", "stop at the first failure"))
    assert os.linesep in words
