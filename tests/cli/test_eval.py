"""`codejury eval` and `codejury compare` as a user calls them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from benchmarks.tasks import ROWS, solution

from codejury.cli.compare import compare
from codejury.cli.eval import eval as eval_

RIGHT = ["return x + x", "return x / 3", "return x"]


def codejury(*args: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury.cli", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "tasks.jsonl", ROWS)


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def samples(path: Path, *bodies: list[str]) -> Path:
    """Task by task, the bodies of its samples."""
    pairs = [(row, body) for row, given in zip(ROWS, bodies, strict=False) for body in given]
    return written(path, [{"task_id": row["task_id"], "solution": solution(row, body)} for row, body in pairs])


def evaluated(given: Path, data: Path, *more: object, code: int = 0) -> dict[str, Any]:
    done = codejury(
        "eval", "--samples", given, "--datasets", "humaneval_plus", "--data", data, "--json", *more, code=code
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_eval_and_go_on(tmp_path: Path, data: Path) -> None:
    """Task 0: one of two on plus; task 1: none of two; task 2: both. So plus is a half, and base 5 of 6 samples."""
    given = samples(
        tmp_path / "S.jsonl", ["return 2 * x", "return abs(2 * x)"], ["return x // 3", "return 0"], ["return x"] * 2
    )
    output = tmp_path / "out"
    told = evaluated(given, data, "--output", output)
    assert (told["tasks"], told["samples"], told["known"], told["scoring"]) == (3, 6, 0, "codejury")
    assert told["estimates"]["base"][0]["value"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert told["estimates"]["plus"][0]["value"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert [each["k"] for each in told["estimates"]["plus"]] == [1]
    results = json.loads((output / "eval_results.json").read_text())
    statuses = {
        name: [(each["base_status"], each["plus_status"]) for each in rows] for name, rows in results["eval"].items()
    }
    assert statuses == {
        "HumanEval/0": [("pass", "pass"), ("pass", "fail")],
        "HumanEval/1": [("pass", "fail"), ("fail", "fail")],
        "HumanEval/2": [("pass", "pass"), ("pass", "pass")],
    }
    assert results["eval"]["HumanEval/0"][1]["plus_fail_tests"] == [[-1]]
    again = evaluated(given, data, "--output", output)
    assert again["known"] == 5, "five programs, as the last two samples are the same"
    assert again["estimates"] == told["estimates"]
    shown = codejury("eval", "--samples", given, "--datasets", "humaneval_plus", "--data", data, "--output", output)
    assert re.search(r"^plus +pass@1 +50\.0   \([0-9.]+–[0-9.]+\)$", shown.stdout, re.MULTILINE)


def test_results_are_where_evalplus_has_them(tmp_path: Path, data: Path) -> None:
    given = samples(tmp_path / "S.jsonl", *[[body] for body in RIGHT])
    assert evaluated(given, data)["results"] == str(tmp_path / "S_eval_results.json")
    folder = tmp_path / "folder"
    (folder / "HumanEval_0").mkdir(parents=True)
    (folder / "HumanEval_0" / "0.py").write_text(solution(ROWS[0], RIGHT[0]))
    told = evaluated(folder, data, "--limit", 1)
    assert told["results"] == str(folder / "eval_results.json")
    assert (told["tasks"], told["estimates"]["plus"][0]["value"]) == (1, 1.0)


def test_strict_compat_says_so_and_wants_every_task(tmp_path: Path, data: Path) -> None:
    given = samples(tmp_path / "S.jsonl", ["return 2 * x"])
    told = evaluated(given, data, "--output", tmp_path / "ours")
    assert told["without_samples"] == ["HumanEval/1", "HumanEval/2"]
    refused = codejury(
        "eval", "--samples", given, "--datasets", "humaneval_plus", "--data", data, "--strict-compat", code=2
    )
    assert "expected samples of every task, as evalplus does; 'HumanEval/1' has none" in refused.stderr
    told = evaluated(given, data, "--strict-compat", "--limit", 1, "--output", tmp_path / "strict")
    assert told["scoring"] == "strict-compat: as evalplus"
    assert "expected values" in told["differs"]


def test_a_task_whose_solution_fails_is_not_judged(tmp_path: Path) -> None:
    broken = {**ROWS[0], "canonical_solution": "    return 1 // (x - 2)\n"}
    data = written(tmp_path / "tasks.jsonl", [broken, ROWS[1]])
    given = samples(tmp_path / "S.jsonl", ["return 2 * x"], ["return x / 3"])
    told = evaluated(given, data, code=3)
    assert [each["task_id"] for each in told["not_judged"]] == ["HumanEval/0"]
    assert (told["tasks"], told["estimates"]["plus"][0]["value"]) == (1, 1.0)


def test_rows_that_cannot_be_read_are_told_and_the_rest_is_scored(tmp_path: Path, data: Path) -> None:
    given = samples(tmp_path / "S.jsonl", ["return 2 * x"])
    with given.open("a") as file:
        file.write('{"task_id": "HumanEval/1"}\n{"task_id": "HumanEval/99", "solution": "x"}\n')
    done = codejury("eval", "--samples", given, "--datasets", "humaneval_plus", "--data", data, code=2)
    assert "line 2" in done.stderr
    assert "HumanEval/99" in done.stderr
    assert "1 tasks, 1 samples" in done.stdout


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--datasets", "nothing"], "datasets: expected one of apps"),
        (["--datasets", "humaneval_plus", "mbpp_plus"], "--data: expected one data set"),
        (["--datasets", "humaneval_plus", "--model", "m"], "expected --model, to ask it, or --samples"),
        (["--datasets", "humaneval_plus", "--limit", "0.5"], "--limit: expected a whole number"),
        (["--datasets", "humaneval_plus", "--dataset-hub", "x"], "--dataset-hub: expected modelscope"),
        (["--datasets", "mbpp_plus"], "expected samples of tasks in"),
        (["--datasets", "humaneval_plus", "--output", "S.jsonl"], "expected a folder"),
    ],
)
def test_usage(tmp_path: Path, data: Path, options: list[str], expected: str) -> None:
    given = written(tmp_path / "S.jsonl", [])
    placed = [str(tmp_path / each) if each == "S.jsonl" else each for each in options]
    assert expected in codejury("eval", "--samples", given, "--data", data, *placed, code=2).stderr


def test_compare(tmp_path: Path, data: Path) -> None:
    first = evaluated(samples(tmp_path / "A.jsonl", ["return abs(2 * x)"], ["return x / 3"], ["return 1"]), data)[
        "results"
    ]
    second = evaluated(samples(tmp_path / "B.jsonl", *[[body] for body in RIGHT]), data)["results"]
    said = json.loads(codejury("compare", first, second, "--json").stdout)
    assert (said["base"]["gained"], said["base"]["lost"]) == (["HumanEval/2"], [])
    assert (said["plus"]["gained"], said["plus"]["lost"]) == (["HumanEval/0", "HumanEval/2"], [])
    assert said["plus"]["first"] == pytest.approx(1 / 3)
    assert (said["plus"]["second"], said["plus"]["exact"], said["plus"]["mid_p"]) == (1.0, 0.5, 0.25)
    shown = codejury("compare", second, first, "--subset", "plus").stdout
    assert "A 100.0   B 33.3   B - A -66.7" in shown
    assert "lost: HumanEval/0, HumanEval/2" in shown
    assert "base" not in shown
    (tmp_path / "R.json").write_text("{}")
    assert "expected an object of tasks" in codejury("compare", first, tmp_path / "R.json", code=2).stderr


def test_human_evals_own_example(tmp_path: Path, root: Path) -> None:
    """Of its six samples three pass: pass@1 is a half, 0.4999… as its page has it."""
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data" / "humaneval"
    if not folder.is_dir():
        pytest.skip("no real data: expected ../shared/data, or CODEJURY_SHARED")
    given, data = folder / "example_samples.jsonl", folder / "example_problem.jsonl"
    done = codejury(
        "eval", "--samples", given, "--datasets", "humaneval", "--data", data, "--output", tmp_path, "--json"
    )
    assert json.loads(done.stdout)["estimates"]["base"][0]["value"] == pytest.approx(0.5)
    rows = json.loads((tmp_path / "eval_results.json").read_text())["eval"]["test/0"]
    assert [each["base_status"] for each in rows] == ["fail", "timeout", "fail", "pass", "pass", "pass"]


def test_live_code_benchs_custom_output(tmp_path: Path) -> None:
    """Two of three samples of the first question are right, and the one of the second: pass@1 is 5/6."""
    tests = json.dumps([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}])
    rows = [
        {
            "question_id": name,
            "question_content": "Add.",
            "starter_code": "",
            "public_test_cases": tests,
            "metadata": "{}",
        }
        for name in ("a", "b")
    ]
    data = written(tmp_path / "lcb.jsonl", rows)
    right, wrong = "print(sum(map(int, input().split())))", "print(4)"
    given = tmp_path / "output.json"
    given.write_text(
        json.dumps(
            [
                {"question_id": "a", "code_list": [right, wrong, right + "\n"]},
                {"question_id": "b", "code_list": [right]},
            ]
        )
    )
    done = codejury("eval", "--samples", given, "--datasets", "live_code_bench", "--data", data, "--json")
    told = json.loads(done.stdout)
    assert (told["tasks"], told["samples"]) == (2, 4)
    assert told["estimates"]["base"][0]["value"] == pytest.approx((2 / 3 + 1) / 2)


@pytest.mark.parametrize(("name", "command"), [("Eval", eval_), ("Compare", compare)])
def test_every_option_is_documented(root: Path, name: str, command: click.Command) -> None:
    page = (root / "docs" / "evaluation.md").read_text()
    text = page.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
    given = {word for each in command.params if isinstance(each, click.Option) for word in each.opts}
    assert given == told
