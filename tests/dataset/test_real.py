"""Counts over the real data, where it is there."""

from __future__ import annotations

import ast
import gzip
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from dataset import codeforces_c

from codejury.dataset import read_problems, read_submissions
from codejury.dataset.formats import kattis
from codejury.dataset.formats.evalplus import _table
from codejury.dataset.problems import problem_of, row_of
from codejury.model import Limits, Problem


def groups(problems: list[Problem]) -> dict[str, int]:
    return dict(Counter(case.group for problem in problems for case in problem.cases))


@pytest.mark.parametrize(
    ("file", "kind", "count", "expected"),
    [
        ("mbppplus/MbppPlus.jsonl.gz", "function", 378, {"base": 1174, "plus": 39841}),
        ("mbppplus/MbppPlus-v0.1.0.jsonl.gz", "function", 399, {"base": 1236, "plus": 42082}),
        ("mbppplus/MbppPlus-OriginFmt.jsonl.gz", "script", 378, {"base": 1172, "plus": 378}),
        ("humanevalplus/HumanEvalPlus.jsonl.gz", "function", 164, {"base": 1570, "plus": 122683}),
        ("humanevalplus/HumanEvalPlus-Mini.jsonl.gz", "function", 164, {"base": 1570, "plus": 1107}),
        ("humanevalplus/HumanEvalPlus-OriginFmt.jsonl.gz", "script", 164, {"": 164}),
        ("humaneval/HumanEval.jsonl.gz", "script", 164, {"": 164}),
        ("humanevalpack/python.jsonl.gz", "script", 164, {"": 164}),
        ("mbpp/mbpp.jsonl", "script", 974, {"base": 2922, "challenge": 16}),
        ("mbpp/sanitized-mbpp.json", "script", 427, {"base": 1324}),
    ],
)
def test_counts(data: Path, file: str, kind: str, count: int, expected: dict[str, int]) -> None:
    problems = list(read_problems(data / file))
    assert len(problems) == len({problem.id for problem in problems}) == count
    assert {problem.kind for problem in problems} == {kind}
    assert groups(problems) == expected
    assert all(len(problem.golds) == 1 for problem in problems)


def test_parquet_has_the_same_rows(data: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    table = list(read_problems(data / "mbppplus/mbppplus_hf_test.parquet"))
    assert table == list(read_problems(data / "mbppplus/MbppPlus-OriginFmt.jsonl.gz"))


def test_special_oracles_all_find_their_tasks(data: Path) -> None:
    problems = [*read_problems(data / "mbppplus/MbppPlus-v0.1.0.jsonl.gz")]
    problems += read_problems(data / "humanevalplus/HumanEvalPlus.jsonl.gz")
    found = {problem.fn_name for problem in problems if problem.compare.oracle}
    assert found == {name for table in _table()["oracles"].values() for name in table}
    numbers = {problem.id.partition("/")[2] for problem in problems if problem.id.startswith("Mbpp/")}
    assert set(_table()["arguments"]) <= numbers


def inputs_of(script: str) -> list[Any]:
    """The inputs that a script of MBPP+ holds, as Python values."""
    match = re.search(r"^inputs = (.*)$", script, re.MULTILINE)
    assert match
    tree = ast.parse(match[1], mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names <= {"inf", "nan", "set", "complex"}
    allowed = {"inf": math.inf, "nan": math.nan, "set": set, "complex": complex, "__builtins__": {}}
    values = eval(compile(tree, "inputs", "eval"), allowed)
    assert isinstance(values, list)
    return values


def spelt(arguments: list[Any]) -> str:
    """With types and all, save the sign of a zero real part: read as Python, what the script has for it loses it."""
    return repr([each + 0 if isinstance(each, complex) else each for each in arguments])


def test_arguments_are_converted_as_in_the_scripts(data: Path) -> None:
    """The scripts of MBPP+ hold the same inputs as Python values, less some: each of theirs is one of ours."""
    ours = {problem.id: problem for problem in read_problems(data / "mbppplus/MbppPlus.jsonl.gz")}
    seen = 0
    raw = gzip.decompress((data / "mbppplus/MbppPlus-OriginFmt.jsonl.gz").read_bytes())
    for row in map(json.loads, raw.splitlines()):
        mine = {spelt(case.input) for case in ours[f"Mbpp/{row['task_id']}"].cases}
        theirs = [spelt(list(each)) for each in inputs_of(row["test"])]
        assert [each for each in theirs if each not in mine] == [], row["task_id"]
        seen += len(theirs)
    assert seen > 39_000


def test_klear(data: Path) -> None:
    (before,) = read_problems(data / "klear/sample.jsonl")
    (after,) = read_problems(data / "klear/sample_with_generated_testcases.jsonl")
    assert (before.id, len(before.golds), len(before.cases), len(after.cases)) == ("code_contest_8", 24, 0, 100)
    assert before.limits == after.limits == Limits(cpu_s=8, memory_mb=256)
    assert len({case.input for case in after.cases}) == 19
    (special,) = read_problems(data / "klear/spj_sample_with_special_testcases.jsonl")
    assert (len(special.golds), len(special.cases), len(special.extra["input_generator"])) == (5, 100, 4)
    assert special.checker is not None
    assert special.checker.source == special.extra["checker"][-1]
    assert special.limits == Limits(cpu_s=10, memory_mb=1024)


def test_packages(data: Path) -> None:
    problems = list(read_problems(data / "kattis"))
    assert len(problems) == 45
    assert sum(problem.checker is not None for problem in problems) == 9
    assert sum(len(problem.cases) for problem in problems) == 2409
    for problem in problems:
        assert all(case.output is not None for case in problem.cases)
        assert problem.golds


def test_submissions_of_packages_carry_the_labels(data: Path) -> None:
    """labels.jsonl leaves out what its machine had no tools for; the rest is as here."""
    ours = {
        (package.name, f"submissions/{each.id}"): each.label
        for package in (data / "kattis").iterdir()
        if kattis.is_package(package)
        for each in kattis.submissions(package)
    }
    words = {"accepted": "success", "run_time_error": "runtime_error"}
    rows = [json.loads(line) for line in (data / "kattis/labels.jsonl").read_text().splitlines()]
    assert len(rows) == 343
    assert {(r["id"], r["sub"]): words.get(r["label"], r["label"]) for r in rows}.items() <= ours.items()
    assert Counter(ours.values()) == {
        "success": 181,
        "wrong_answer": 92,
        "partially_accepted": 79,
        "time_limit_exceeded": 14,
        "runtime_error": 3,
    }


def test_samples(data: Path) -> None:
    folder = data / "samples/qwen2.5-coder-7b-base"
    problems = {problem.id: problem for problem in read_problems(data / "mbppplus/MbppPlus-v0.1.0.jsonl.gz")}
    entries = list(read_submissions(folder / "mbpp/generated.jsonl", problems=problems))
    assert {entry.problem for entry in entries} == set(problems)
    total = sum(len(list(read_submissions(file))) for file in (data / "samples/ldb").glob("*.jsonl.gz"))
    assert total == 2156


def test_codeforces(data: Path) -> None:
    rows = list(codeforces_c.read(data / "codeforces_c/dev_nostatement.jsonl.gz"))
    assert len(rows) == 50
    for problem, found in rows:
        assert problem.limits is not None
        assert problem.cases
        assert all(len(vector) in (0, len(problem.cases)) for _, vector in found)


@pytest.mark.parametrize("file", ["mbppplus/MbppPlus.jsonl.gz", "humanevalplus/HumanEvalPlus-Mini.jsonl.gz"])
def test_our_own_rows_give_real_problems_back(data: Path, file: str) -> None:
    for problem in read_problems(data / file):
        again = problem_of(json.loads(json.dumps(row_of(problem), allow_nan=False)))
        assert repr(again) == repr(problem)
