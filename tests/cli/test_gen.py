"""`codejury gen` and `codejury special-judge-gen` as a user calls them: real processes, signals, exit codes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from testgen.rows import SUM_PY, add_row, generator, pairs_of, row, split_row

BASE = [sys.executable, "-m", "codejury.cli"]


def codejury(*args: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [*BASE, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=240)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def problems(tmp_path: Path):
    def write(*given: dict[str, Any]) -> tuple[str, Path, str, Path]:
        path = tmp_path / "P.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in given))
        return "--input", path, "--output", tmp_path / "T.jsonl"

    return write


def test_tests_are_made_and_a_table_is_shown(problems, tmp_path):
    done = codejury("gen", *problems(row("a"), split_row("b"), add_row("c")), "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert {each["custom_id"]: len(pairs_of(each)) for each in read(tmp_path / "T.jsonl")} == {"a": 10, "b": 10, "c": 6}
    table = [line.split() for line in done.stdout.splitlines()[:7]]
    left = [[name, "26"] for name in ("inputs", "distinct", "valid", "agreed", "tests")]
    assert table == [["rows", "3"], ["made", "3"], *left]
    assert (tmp_path / "T.run.json").exists()
    assert not (tmp_path / "T.errors.jsonl").exists()


def test_the_summary_as_json_and_a_plain_row(problems, tmp_path):
    bad = {"custom_id": "x"}
    given = problems(row("a"), row("b", input_generator=["raise SystemExit(1)"]), bad)
    done = codejury("gen", *given, "--json", "--plain", "--quiet")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert (told["counts"]["made"], told["counts"]["failed"], told["counts"]["bad lines"]) == (1, 1, 1)
    assert (told["complete"], told["errors"]) == (False, str(tmp_path / "T.errors.jsonl"))
    assert "P.jsonl, line 3: solutions: expected a list of programs" in done.stderr
    assert all("test_provenance" not in each for each in read(tmp_path / "T.jsonl"))
    again = codejury("gen", *given[:2], "--output", tmp_path / "T.jsonl", "--quiet")
    assert again.returncode == 3, "what failed before has still no tests"


def test_all_generators_or_one(problems, tmp_path):
    given = row("a", input_generator=["print(['1\\n1'])", "print(['1\\n2'])"])
    for index, inputs in (("1", ["1\n2"]), ("all", ["1\n1", "1\n2"])):
        assert codejury("gen", *problems(given), "--gen_index", index).returncode == 0
        (made,) = read(tmp_path / "T.jsonl")
        assert [text for text, _ in pairs_of(made)] == inputs
        (tmp_path / "T.jsonl").unlink()


def test_seeds(problems, tmp_path):
    given = row("a", input_generator=["import sys\nprint(1)\nprint(sys.argv[1])"])
    assert codejury("gen", *problems(given), "--generator-style=seeded", "--seeds", "4").returncode == 0
    assert [text for text, _ in pairs_of(read(tmp_path / "T.jsonl")[0])] == [f"1\n{seed}\n" for seed in range(1, 5)]


def test_a_special_judge_is_demanded(problems, tmp_path):
    done = codejury("special-judge-gen", *problems(row("none"), split_row("has")), "--workers", "2")
    assert done.returncode == 3
    found = {each["custom_id"]: each for each in read(tmp_path / "T.jsonl")}
    assert "the row has no checker" in found["none"]["error_info"]
    assert len(pairs_of(found["has"])) == 10


def test_the_checker_may_be_ignored(problems, tmp_path):
    assert codejury("gen", *problems(split_row("a")), "--ignore-checker").returncode == 0
    assert len(pairs_of(read(tmp_path / "T.jsonl")[0])) < 3


def test_limits_are_options_and_settings(problems, tmp_path):
    hungry = row("a", solutions=[SUM_PY + "x = bytearray(300 << 20)\n"], **{"memory-limit": None})
    given = problems(hungry)
    assert codejury("gen", *given, "--ml-run", "200").returncode == 3
    assert codejury("gen", *given, "--retry-failed", env={"CODEJURY_ML_RUN": "200"}).returncode == 3
    assert codejury("gen", *given, "--retry-failed").returncode == 0
    (made,) = read(tmp_path / "T.jsonl")
    assert made["error_info"] is None


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--gen_index", "first"), "--gen_index: expected a number from 0, or all, got 'first'"),
        (("--gen_index", "-1"), "--gen_index"),
        (("--quorum", "most"), "quorum: expected all, first-last or a number"),
        (("--set-aside", "2"), "set_aside"),
        (("--seeds", "0"), "seeds"),
        (("--tl-gen", "-3"), "cpu_s"),
        (("--compare", "roughly"), "compare"),
        (("--workers", "0"), "workers"),
        (("--generator-style", "odd"), "odd"),
        (("--input", "no-such-file"), "no-such-file"),
        (("--output", "{input}"), "another file than the input"),
        (("--output", "no/such/folder/T.jsonl"), "no/such/folder/T.jsonl: cannot be opened"),
    ],
)
def test_wrong_usage_is_named(problems, args, words):
    given = problems(row("a"))
    done = codejury("gen", *given, *(arg.replace("{input}", str(given[1])) for arg in args))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_input_and_output_are_needed():
    done = codejury("gen")
    assert done.returncode == 2
    assert "--input" in done.stderr


# ── While it runs ────────────────────────────────────────────────────────────────────────────────────────────────────


def many(count: int = 300) -> list[dict[str, Any]]:
    return [row(f"{n}", solutions=[SUM_PY], input_generator=[generator(5, seed=n)]) for n in range(count)]


def wait_for_a_row(output: Path, process: subprocess.Popen[Any]) -> None:
    while not output.exists() or not output.stat().st_size:
        assert process.poll() is None
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_the_rows_under_way(problems, tmp_path, number):
    """The signal goes to the whole process group, as a terminal sends it."""
    output = tmp_path / "T.jsonl"
    command = [*BASE, "gen", *map(str, problems(*many())), "--workers", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_a_row(output, process)
    os.killpg(process.pid, number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Call it again to go on" in told
    assert "Traceback" not in told
    done = read(output)
    assert 0 < len(done) < 300
    assert all(len(pairs_of(each)) == 5 and each["error_info"] is None for each in done)
    assert json.loads((tmp_path / "T.run.json").read_text())["runs"][0]["state"] == "stopped"


def test_a_second_interrupt_gives_them_up(problems, tmp_path):
    endless = ["import sys\nwhile True: pass"]
    slow = row("slow", solutions=endless, input_generator=[generator(1)], **{"time-limit": 1000})
    output = tmp_path / "T.jsonl"
    command = [*BASE, "gen", *map(str, problems(many(1)[0], slow)), "--workers", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_a_row(output, process)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None, "the slow row is still under way"
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert [each["custom_id"] for each in read(output)] == ["0"]
    assert json.loads((tmp_path / "T.run.json").read_text())["runs"][0]["state"] == "interrupted"


def test_a_second_process_is_refused(problems, tmp_path):
    given = problems(*many())
    command = [*BASE, "gen", *map(str, given), "--workers", "1", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for_a_row(tmp_path / "T.jsonl", process)
        done = codejury("gen", *given)
        assert done.returncode == 2
        assert "another process is writing to it" in done.stderr
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)


def test_a_pipe_gets_lines_and_a_terminal_a_bar(problems, tmp_path):
    slow = row("a", solutions=["import time\ntime.sleep(0.9)\nprint(1)"], input_generator=[generator(4)])
    given = [*BASE, "gen", *map(str, problems(slow))]
    done = subprocess.run([*given, "--workers", "1"], capture_output=True, text=True, timeout=240)
    assert re.search(r"0 rows, 0\.00/s, 4 inputs, 4 distinct, 4 valid, \d agreed, 0 tests, \d runs", done.stderr)
    (tmp_path / "T.jsonl").unlink()
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*given, "--workers", "2"], stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how a terminal says that nobody is left on the other side
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"\x1b[" in seen
    assert b"100%" in seen
    assert b"4 inputs" in seen
