"""`codejury quality`, `harden`, `select` and `stats` as a user calls them."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

READ = "n = int(input())\na = list(map(int, input().split()))\n"
RIGHT = READ + "print(max(a))\n"
LOOP = READ + "best = a[0]\nfor x in a:\n    if x > best:\n        best = x\nprint(best)\n"
FIRST = READ + "print(a[0])\n"
ZERO = READ + "print(max([0, *a]))\n"
CPP = "#include <iostream>\nusing namespace std;\nint main() { int n, x, b = -9999; cin >> n; while (n--) { cin >> x; "
CPP += "if (x > b) b = x; } "
CPP_RIGHT, CPP_WRONG = CPP + 'cout << b << "\\n"; }\n', CPP + 'cout << b - 1 << "\\n"; }\n'
STATEMENT = "The first line has n (1 ≤ n ≤ 50), the second n integers a_i (-1000 ≤ a_i ≤ 1000)."
WEAK = [("3\n9 2 3\n", "9\n"), ("2\n5 1\n", "5\n")]
STRONG = [*WEAK, ("2\n1 7\n", "7\n"), ("1\n-3\n", "-3\n")]


def codejury(*args: object, cache: Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    env = {**os.environ, "CODEJURY_CACHE": str(cache)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=env)
    assert code is None or done.returncode == code, done.stderr
    return done


def suite(path: Path, tests: list[tuple[str, str]], **more: Any) -> Path:
    row = {
        "custom_id": "largest",
        "question": STATEMENT,
        "solutions": [RIGHT, LOOP],
        "input_generator": [],
        "type": "stdin",
        "something": {"else": 1},
        "reward": {"ground_truth": {"input_output": [{"input": i, "output": o} for i, o in tests], "type": "stdin"}},
    }
    path.write_text(json.dumps({**row, **more}) + "\n")
    return path


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    path = tmp_path / "S.jsonl"
    rows = [
        (RIGHT, "python", True),
        (LOOP, None, True),
        (CPP_RIGHT, "cpp17", True),
        (FIRST, "python", False),
        (ZERO, "python", False),
        (CPP_WRONG, "cpp17", False),
        ("print(", "python", True),  # said to be right, and is not
    ]
    names = ("solution", "language", "correct")
    named = (dict(zip(names, row, strict=True)) for row in rows)
    told = ({"custom_id": f"s{n}", "problem_id": "largest", **row} for n, row in enumerate(named))
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    return path


def test_the_table_by_hand(tmp_path: Path, submissions: Path) -> None:
    """Weak tests: 3 of 4 right ones accepted, 1 of 3 wrong ones rejected. Strong ones: 3 of 4, 3 of 3."""
    weak, strong = suite(tmp_path / "weak.jsonl", WEAK), suite(tmp_path / "strong.jsonl", STRONG)
    call = ("quality", "--tests", weak, "--tests", strong, "--submissions", submissions)
    done = codejury(*call, "--json", "--output", tmp_path / "Q", cache=tmp_path / "cache")
    table = {(row["suite"], row["language"]): row for row in json.loads(done.stdout)["table"]}
    assert list(table) == [(name, lang) for name in ("weak", "strong") for lang in ("C/C++", "Python 3", "All")]

    def rates(suite: str, language: str) -> tuple[int, int, int, int]:
        row = table[suite, language]
        return row["tpr_hits"], row["tpr_programs"], row["tnr_hits"], row["tnr_programs"]

    assert rates("weak", "C/C++") == (1, 1, 1, 1)
    assert rates("weak", "Python 3") == (2, 3, 0, 2)
    assert rates("weak", "All") == (3, 4, 1, 3)
    assert rates("strong", "All") == (3, 4, 3, 3)
    assert table["strong", "All"]["tnr"] == 1.0
    assert table["strong", "All"]["tnr_low"] < 0.5  # three programs prove little
    with (tmp_path / "Q.csv").open() as file:
        assert [row["tnr_hits"] for row in csv.DictReader(file)] == ["1", "0", "1", "1", "2", "3"]
    programs = [json.loads(line) for line in (tmp_path / "Q.programs.jsonl").read_text().splitlines()]
    assert [row["accepted"] for row in programs if row["suite"] == "weak"] == [
        True,
        True,
        True,
        True,
        True,
        False,
        False,
    ]

    shown = codejury(*call, "--problems", cache=tmp_path / "cache").stdout
    assert "75.0" in shown
    assert "33.3" in shown
    assert "largest" in shown


def test_twice_the_same_and_the_second_from_what_is_kept(tmp_path: Path, submissions: Path) -> None:
    tests = suite(tmp_path / "T.jsonl", STRONG)
    call = ("quality", "--tests", tests, "--submissions", submissions)
    for name in ("one", "two"):
        codejury(*call, "--output", tmp_path / name, cache=tmp_path / "cache")
    fresh = codejury(*call, "--output", tmp_path / "three", "--no-cache", cache=tmp_path / "cache")
    assert fresh.returncode == 0
    for ending in (".json", ".csv", ".problems.csv", ".programs.jsonl"):
        one, two, three = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "two", "three"))
        assert one == two == three


def test_who_is_not_known_to_be_right_or_wrong(tmp_path: Path) -> None:
    tests = suite(tmp_path / "T.jsonl", STRONG)
    path = tmp_path / "S.jsonl"
    rows = [
        {"custom_id": "largest", "solution": RIGHT},
        {"custom_id": "largest", "solution": RIGHT, "correct": "yes"},
        {"custom_id": "another", "solution": RIGHT, "correct": True},
        {"custom_id": "largest", "solution": RIGHT, "correct": True},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = codejury("quality", "--tests", tests, "--submissions", path, "--json", cache=tmp_path / "cache", code=2)
    assert json.loads(done.stdout)["table"][-1]["tpr_programs"] == 1
    assert "true or false" in done.stderr
    assert "has no problem of the id 'another'" in done.stderr  # whose program would be judged by another's tests


def test_a_split_takes_every_program_once(tmp_path: Path, submissions: Path) -> None:
    tests = suite(tmp_path / "T.jsonl", STRONG)
    call = ("quality", "--tests", tests, "--submissions", submissions, "--json", "--split")
    counts = []
    for part in ("0/2", "1/2"):
        done = codejury(*call, part, cache=tmp_path / "cache")
        row = json.loads(done.stdout)["table"][-1]
        counts.append(row["tpr_programs"] + row["tnr_programs"])
    assert sum(counts) == 7
    done = codejury(*call, "2/2", cache=tmp_path / "cache", code=2)
    assert done.stderr.startswith("codejury: split: expected PART/PARTS")


# ── harden, select ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_harden_then_select_then_quality(tmp_path: Path, submissions: Path) -> None:
    weak = suite(tmp_path / "weak.jsonl", WEAK)
    hard, few, cache = tmp_path / "H.jsonl", tmp_path / "M.jsonl", tmp_path / "cache"
    small = ("--budget", 100, "--mutants", 6, "--max-tests", 40)
    done = codejury("harden", "--input", weak, "--output", hard, *small, cache=cache)
    assert "largest" in done.stdout
    (row,) = map(json.loads, hard.read_text().splitlines())
    tests = row["reward"]["ground_truth"]["input_output"]
    assert [(test["input"], test["output"]) for test in tests[:2]] == WEAK
    assert len(tests) > 2
    assert len({test["input"] for test in tests}) == len(tests)
    assert row["something"] == {"else": 1}
    assert row["solutions"] == [RIGHT, LOOP]
    assert len(row["test_provenance"]["tests"]) == len(tests)

    codejury("select", "--input", hard, "--output", few, "--max-tests", 8, "--mutants", 6, cache=cache)
    (kept,) = map(json.loads, few.read_text().splitlines())
    chosen = kept["reward"]["ground_truth"]["input_output"]
    assert 0 < len(chosen) <= 8
    assert {test["input"] for test in chosen} <= {test["input"] for test in tests}
    assert kept["test_provenance"]["selected"]["lost"] == []

    call = ("quality", "--tests", weak, "--tests", hard, "--tests", few, "--submissions", submissions, "--json")
    table = {row["suite"]: row for row in json.loads(codejury(*call, cache=cache).stdout)["table"]}
    assert [table[name]["tnr_hits"] for name in ("weak", "H", "M")] == [1, 3, 3]
    assert [table[name]["tpr_hits"] for name in ("weak", "H", "M")] == [3, 3, 3]


def test_tests_that_repeat_themselves_and_a_field_that_never_varies(tmp_path: Path) -> None:
    """As in a published data set: most tests are one test, a field is the same in all, and whoever ignores it passes.
    `lint` says so, `quality` counts it, `harden` mends it."""
    read = "n, k = map(int, input().split())\na = list(map(int, input().split()))\n"
    count, ignores = read + "print(sum(x >= k for x in a))\n", read + "print(sum(x >= 3 for x in a))\n"
    inputs = ["4 3\n1 2 3 4\n"] * 24 + [
        f"{n} 3\n{' '.join(str((n * i + n) % 50 + 1) for i in range(n))}\n" for n in range(5, 13)
    ]
    tests = [(text, f"{sum(int(x) >= 3 for x in text.split()[2:])}\n") for text in inputs]
    statement = "The first line has n and k (1 ≤ n ≤ 50, 1 ≤ k ≤ 50), the second n integers a_i (1 ≤ a_i ≤ 50)."
    weak = suite(tmp_path / "weak.jsonl", tests, question=statement, solutions=[count])
    programs = tmp_path / "S.jsonl"
    rows = [(count, True), (ignores, False)]
    told = (
        {"custom_id": f"s{n}", "problem_id": "largest", "solution": text, "correct": right}
        for n, (text, right) in enumerate(rows)
    )
    programs.write_text("".join(json.dumps(row) + "\n" for row in told))
    cache, hard = tmp_path / "cache", tmp_path / "H.jsonl"

    def findings(path: Path) -> dict[str, str]:
        (row,) = json.loads(codejury("lint", path, "--json", "--all", cache=cache).stdout)["findings"]
        return {each["check"]: each["message"] for each in row["findings"]}

    assert findings(weak)["duplicates"].startswith("24 of 32 tests are identical; 9 of 32 are distinct")
    assert findings(weak)["constant_field"].startswith("line 1, field 2 is always 3")
    codejury("harden", "--input", weak, "--output", hard, "--budget", 64, "--mutants", 4, cache=cache)
    assert not {"constant_field", "duplicates"} & set(findings(hard))
    call = ("quality", "--tests", weak, "--tests", hard, "--submissions", programs, "--json")
    table = {row["suite"]: row for row in json.loads(codejury(*call, cache=cache).stdout)["table"]}
    assert [(table[name]["tpr_hits"], table[name]["tnr_hits"]) for name in ("weak", "H")] == [(1, 0), (1, 1)]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    weak, hard = suite(tmp_path / "weak.jsonl", WEAK), tmp_path / "H.jsonl"
    small = ("--budget", 20, "--mutants", 2, "--json")
    codejury("harden", "--input", weak, "--output", hard, *small, cache=tmp_path / "cache")
    before = hard.read_bytes()
    hard.write_bytes(before + b'{"custom_id": "torn')
    done = codejury("harden", "--input", weak, "--output", hard, *small, cache=tmp_path / "cache")
    assert json.loads(done.stdout.splitlines()[-1])["counts"]["done before"] == 1
    assert hard.read_bytes() == before


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    """Three problems, kill -9 three times, then left alone: each is there once, as if nothing had happened."""
    rows = [json.loads(suite(tmp_path / "one.jsonl", WEAK, custom_id=f"p{n}").read_text()) for n in range(3)]
    weak = tmp_path / "weak.jsonl"
    weak.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = ["harden", "--input", weak, "--budget", 20, "--mutants", 2, "--output"]
    codejury(*call, tmp_path / "calm.jsonl", cache=tmp_path / "cache")
    command = [sys.executable, "-m", "codejury.cli", *map(str, call), str(tmp_path / "H.jsonl")]
    env = {**os.environ, "CODEJURY_CACHE": str(tmp_path / "cache")}
    for pause_s in (0.4, 0.9, 1.6):
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pause_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
    codejury(*call, tmp_path / "H.jsonl", cache=tmp_path / "cache")

    def tests(name: str) -> dict[str, Any]:
        found = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert len({row["custom_id"] for row in found}) == len(found) == 3
        return {row["custom_id"]: row["reward"] for row in found}

    assert tests("H.jsonl") == tests("calm.jsonl")


def test_what_cannot_be_hardened_is_told(tmp_path: Path) -> None:
    path = tmp_path / "P.jsonl"
    good = json.loads(suite(tmp_path / "one.jsonl", WEAK).read_text())
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in ({**good, "custom_id": "none", "solutions": ["print(0)"]}, good))
        + "no json\n"
    )
    done = codejury(
        "harden", "--input", path, "--output", tmp_path / "H.jsonl", "--budget", 8, "--mutants", 0,
        cache=tmp_path / "cache", code=3,
    )  # fmt: skip
    assert "none of its 1 solutions passes its tests" in done.stderr
    assert "line 3" in done.stderr
    assert [json.loads(line)["custom_id"] for line in (tmp_path / "H.jsonl").read_text().splitlines()] == ["largest"]
    assert (tmp_path / "H.errors.jsonl").read_text().count("\n") == 2


def test_a_second_problem_of_the_same_id_is_told(tmp_path: Path) -> None:
    one, other = (json.loads(suite(tmp_path / "one.jsonl", tests).read_text()) for tests in (WEAK, STRONG))
    both, hard, few = tmp_path / "P.jsonl", tmp_path / "H.jsonl", tmp_path / "M.jsonl"
    both.write_text(json.dumps(one) + "\n" + json.dumps(other) + "\n")
    for _ in range(2):  # and when it goes on, too
        call = ("harden", "--input", both, "--output", hard, "--budget", 8, "--mutants", 0)
        done = codejury(*call, cache=tmp_path / "cache", code=2)
        assert "expected one problem of each id, got a second 'largest'" in done.stderr
        assert hard.read_text().count("\n") == 1
        assert (tmp_path / "H.errors.jsonl").read_text().count("\n") == 1
    codejury("select", "--input", both, "--output", few, "--mutants", 2, cache=tmp_path / "cache", code=2)


def test_where_tests_come_from_is_not_forgotten(tmp_path: Path) -> None:
    """A row of `gen` is hardened, and few tests of it kept: the sample of the statement stays, each test says how it
    was made, and what was done before stands beside what was done now."""
    made = [{"generator": 0, "position": at, "golds": [0, 1], "cpu_s": 0.01} for at in range(2)]
    told = {"style": "list", "quorum": "all", "tests": made, "dropped": [], "set_aside": []}
    public = json.dumps({"inputs": ["1\n4\n"], "outputs": ["4\n"]})
    weak = suite(tmp_path / "weak.jsonl", WEAK, input_output=public, test_provenance=told)
    hard, few, cache = tmp_path / "H.jsonl", tmp_path / "M.jsonl", tmp_path / "cache"
    codejury("harden", "--input", weak, "--output", hard, "--budget", 60, "--mutants", 6, cache=cache)
    codejury("select", "--input", hard, "--output", few, "--max-tests", 8, "--mutants", 6, cache=cache)
    (row,), (kept,) = (list(map(json.loads, path.read_text().splitlines())) for path in (hard, few))
    by_input = {}
    for each in (row, kept):
        tests, about = each["reward"]["ground_truth"]["input_output"], each["test_provenance"]
        assert json.loads(each["input_output"])["inputs"] == ["1\n4\n"]
        assert len(about["tests"]) == len(tests)
        assert about["quorum"] == "all"
        for test, origin in zip(tests, about["tests"], strict=True):
            assert by_input.setdefault(test["input"], origin) == origin
    assert row["test_provenance"]["tests"][:2] == made
    assert {each["origin"] for each in row["test_provenance"]["tests"][2:]} == {"mutation"}
    assert len(kept["test_provenance"]["tests"]) == 7
    hardened = row["test_provenance"]["hardened"]
    assert kept["test_provenance"]["hardened"] == {name: value for name, value in hardened.items() if name != "kills"}


def test_other_options_than_those_of_rows_that_are_there(tmp_path: Path) -> None:
    weak, hard = suite(tmp_path / "weak.jsonl", WEAK), tmp_path / "H.jsonl"
    call = ("harden", "--input", weak, "--output", hard, "--mutants", 2, "--budget")
    assert "earlier run" not in codejury(*call, 8, cache=tmp_path / "cache").stderr
    assert "earlier run" not in codejury(*call, 8, cache=tmp_path / "cache").stderr
    assert "an earlier run with budget 8: they stay" in codejury(*call, 16, cache=tmp_path / "cache").stderr


def test_wrong_programs_of_other_problems_are_told(tmp_path: Path) -> None:
    wrong = tmp_path / "W.jsonl"
    wrong.write_text(
        "".join(json.dumps({"custom_id": name, "solution": FIRST}) + "\n" for name in ("largest", "lagrest"))
    )
    call = ("--input", suite(tmp_path / "T.jsonl", WEAK), "--output", tmp_path / "H.jsonl", "--mutants", 0)
    done = codejury("harden", *call, "--budget", 0, "--wrong", wrong, cache=tmp_path / "cache")
    assert "1 programs are of problems that are not in the input: 'lagrest'" in done.stderr
    for name in ("harden", "select"):
        done = codejury(name, *call, "--split", "0/2", cache=tmp_path / "cache", code=2)
        assert "--split: expected --wrong beside it" in done.stderr
        done = codejury(name, *call, "--wrong", wrong, "--split", "", cache=tmp_path / "cache", code=2)
        assert "expected PART/PARTS" in done.stderr


def test_nothing_to_choose_by_is_told(tmp_path: Path) -> None:
    path = suite(tmp_path / "T.jsonl", STRONG, solutions=["#!/bin/bash\nread n; tr ' ' '\\n' | sort -n | tail -n 1\n"])
    done = codejury("select", "--input", path, "--output", tmp_path / "M.jsonl", cache=tmp_path / "cache")
    assert "no wrong program to choose by" in done.stderr


def test_why_no_solution_passes(tmp_path: Path) -> None:
    causes = {
        "print(0)": "wrong_answer on test 1",
        "print(1/0)": "runtime_error on test 1",
        "#include <iostream>\nint main() { return x; }": "compile_error",
        "1/0": "cannot tell the language",
    }
    for source, why in causes.items():
        path = suite(tmp_path / "T.jsonl", WEAK, solutions=[source])
        call = ("harden", "--input", path, "--output", tmp_path / "H.jsonl")
        assert f"the first one: {why}" in codejury(*call, cache=tmp_path / "cache", code=3).stderr


# ── stats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_stats(tmp_path: Path) -> None:
    path = suite(tmp_path / "T.jsonl", STRONG, checker=["def is_valid_output(a, b, c):\n    return True\n"])
    told = json.loads(codejury("stats", path, "--json", cache=tmp_path / "cache").stdout)
    assert (told["problems"], told["tests"], told["golds"], told["languages"]) == (1, 4, 2, {"python": 2})
    assert told["tests_per_problem"] == {"least": 4, "median": 4, "mean": 4.0, "most": 4}
    assert told["bytes"] == sum(len(i) + len(o) for i, o in STRONG)
    assert told["with"]["checker"] == 1
    assert "with checker" in codejury("stats", path, cache=tmp_path / "cache").stdout


# ── What cannot be read or written ───────────────────────────────────────────────────────────────────────────────────


def test_a_bad_row_among_wrong_programs_is_told_and_the_others_are_used(tmp_path: Path) -> None:
    wrong = tmp_path / "W.jsonl"
    wrong.write_text("no json\n" + json.dumps({"custom_id": "w", "problem_id": "largest", "solution": FIRST}) + "\n")
    call = ("harden", "--input", suite(tmp_path / "T.jsonl", WEAK), "--output", tmp_path / "H.jsonl", "--wrong", wrong)
    done = codejury(*call, "--budget", 0, "--mutants", 0, "--json", cache=tmp_path / "cache", code=2)
    assert "line 1: expected JSON" in done.stderr
    assert json.loads(done.stdout.splitlines()[0])["hardened"]["programs"] == 1


def test_no_folder_for_the_output(tmp_path: Path, submissions: Path) -> None:
    tests = suite(tmp_path / "T.jsonl", WEAK)
    call = ("quality", "--tests", tests, "--submissions", submissions, "--output", tmp_path / "none" / "Q")
    done = codejury(*call, cache=tmp_path / "cache", code=2)
    assert "expected a folder that is there" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", [".", "/", ""])
def test_an_output_without_a_name(tmp_path: Path, submissions: Path, name: str) -> None:
    tests = suite(tmp_path / "T.jsonl", WEAK)
    for call in (("harden", "--input", tests), ("select", "--input", tests)):
        done = codejury(*call, "--output", name, cache=tmp_path / "cache", code=2)
        assert "expected the name of a file" in done.stderr
    call = ("quality", "--tests", tests, "--submissions", submissions, "--output", name)
    assert "expected the name of a file" in codejury(*call, cache=tmp_path / "cache", code=2).stderr


def test_a_suite_is_given_once(tmp_path: Path, submissions: Path) -> None:
    tests = suite(tmp_path / "T.jsonl", WEAK)
    (tmp_path / "link.jsonl").symlink_to(tests)
    call = ("quality", "--tests", tests, "--tests", tmp_path / "link.jsonl", "--submissions", submissions)
    assert "is given twice" in codejury(*call, cache=tmp_path / "cache", code=2).stderr


def test_an_interrupt_leaves_the_earlier_result(tmp_path: Path, submissions: Path) -> None:
    tests, cache = suite(tmp_path / "T.jsonl", WEAK, **{"time-limit": 60}), tmp_path / "cache"
    call = ["quality", "--tests", tests, "--submissions", submissions, "--output", tmp_path / "Q"]
    codejury(*call, cache=cache)
    before = {path: path.read_bytes() for path in tmp_path.glob("Q.*")}
    assert len(before) == 4
    endless = json.dumps({"custom_id": "largest", "solution": "while True: pass", "correct": False}) + "\n"
    submissions.write_text(submissions.read_text() + endless)
    command = [sys.executable, "-m", "codejury.cli", *map(str, call)]
    process = subprocess.Popen(command, env={**os.environ, "CODEJURY_CACHE": str(cache)}, stderr=subprocess.DEVNULL)
    while not (tmp_path / "Q.programs.jsonl.new").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert {path: path.read_bytes() for path in before} == before
