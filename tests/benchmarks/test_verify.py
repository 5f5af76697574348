"""What is broken in a benchmark is found; what is not is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.mbpp_rows import LARGEST, MEAN, SHARED, WRONG, row
from benchmarks.tasks import ROWS

from codejury import Jury
from codejury.benchmarks.verify import Finding, apart, prompt_has_solution, reads_clock, verify
from codejury.dataset import problem_of, read_problems

ORDER = row(
    10,
    "Count the calls of a function so far and add them up.",
    "seen = []\ndef count(x):\n    seen.append(x)\n    return len(seen)\n",
    "assert count(5) == 1",
    "assert count(5) == 2",
)
YEAR = row(
    11,
    "Say in which year it is that somebody of some age was born.",
    "from datetime import datetime\ndef born(age):\n    return datetime.now().year - age\n",
    "import datetime\nassert born(0) in (datetime.date.today().year,)",
)
OLD = row(
    12,
    "Say how many years have gone by since the year two thousand.",
    "import datetime\ndef gone(x):\n    return datetime.date.today().year < 2027 + x\n",
    "assert gone(0) == True",
    "assert gone(5) == True",
)
NOTHING = row(
    13,
    "Print a greeting to somebody whose name is given.",
    "def hello(name):\n    print(name)\n",
    "assert hello('x') is None",
)
SOME_NONE = row(
    14,
    "Find the first even number of a list, if there is one.",
    "def even(items):\n    return next((x for x in items if x % 2 == 0), None)\n",
    "assert even([1, 4]) == 4",
    "assert even([1]) == None",
)
HASHES = row(
    15,
    "Find the letters that a text is made of, each once.",
    "def letters(text):\n    return ''.join(set(text))\n",
    "assert sorted(letters('abcdefghijkl')) == sorted('abcdefghijkl')",
    "assert len(letters('abc')) == 3",
)
TOLD = row(
    16,
    "Return the sum of squares, as in: total = sum(x * x for x in items); return total + 0",
    "def squares(items):\n    total = sum(x*x for x in items)\n    return total + 0\n",
    "assert squares([1, 2]) == 5",
)


def found(jury: Jury, *rows: dict[str, Any]) -> list[tuple[str, str]]:
    said = list(verify(jury, [("f", problem_of(each)) for each in rows]))
    assert [each.error for each in said] == [""] * len(rows)
    return [(each.task, each.kind) for one in said for each in one.findings]


def test_nothing_where_nothing_is_wrong(jury: Jury) -> None:
    assert found(jury, LARGEST, MEAN, SHARED, *ROWS) == []


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (WRONG, "reference fails"),
        (ORDER, "depends on order"),
        (YEAR, "depends on time"),
        (NOTHING, "tests nothing"),
        (SOME_NONE, "weak test"),
        (TOLD, "solution in prompt"),
        (row(1, "t", "", "assert f(1) == 1"), "no reference"),
        (row(1, "t", "def f(x):\n    return x\n", "x = 1"), "not testable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_thing_is_wrong(jury: Jury, given: dict[str, Any], kind: str) -> None:
    assert [each for _, each in found(jury, given)] == [kind]


def test_a_reference_that_will_be_wrong_in_a_year(jury: Jury) -> None:
    """Its tests read no clock; it does. Passes while the machine's year is the one it was written for."""
    from datetime import UTC, datetime

    code = OLD["code"].replace("2027", str(datetime.now(UTC).year + 1))
    assert found(jury, {**OLD, "code": code}) == [("12", "depends on time")]


def test_a_reference_that_changes_with_the_interpreter(jury: Jury) -> None:
    """Its tests do not ask for the order, and yet it has none: as a reference for further tests it is no good."""
    assert found(jury, {**HASHES, "test_list": ["assert len(letters('abcdefghijkl')) == 12"]}) == [
        ("15", "flaky reference")
    ]


def test_tests_that_are_calls(jury: Jury) -> None:
    """evalplus' rows: the reference says what is expected."""
    flaky = {**ROWS[0], "task_id": "a", "canonical_solution": "    return ''.join(set('abcdefghijkl'))\n"}
    fails = {**ROWS[0], "task_id": "b", "canonical_solution": "    return 1 // x\n"}
    empty = {**ROWS[0], "task_id": "c", "canonical_solution": "    pass\n"}
    state = "    seen.append(x)\n    return len(seen)\nseen = []\n"
    order = {**ROWS[0], "task_id": "d", "canonical_solution": state}
    told = found(jury, flaky, fails, empty, order)
    assert [(name, kind) for name, kind in told if kind != "duplicate"] == [
        ("a", "flaky reference"),
        ("b", "reference fails"),
        ("c", "tests nothing"),
        ("d", "flaky reference"),
    ]


def test_duplicates_across_files(jury: Jury) -> None:
    renamed = row(
        21,
        "Quite another text about the greatest element, which has the same answer.",
        "def best(values):\n    '''Greatest.'''\n    return (max(values), values.index(max(values)))\n",
        "assert best([3, 9, 4]) == (9, 1)",
    )
    longer = LARGEST["code"].replace("return (", "items = [x for x in items]\n    return (")
    first = {**LARGEST, "code": longer}
    same_code = {**renamed, "code": longer.replace("largest", "best").replace("items", "values")}
    same_text = {**LARGEST, "task_id": 22, "text": LARGEST["text"].upper() + "!", "code": LARGEST["code"] + "\n# x\n"}
    same_tests = {
        **LARGEST,
        "task_id": 23,
        "text": "Where is the greatest of these numbers, and what is it?",
        "code": LARGEST["code"].replace("largest", "top"),
        "test_list": [each.replace("largest", "top") for each in LARGEST["test_list"]],
    }
    rows = [("a", first), ("b", same_code), ("b", same_text), ("b", same_tests), ("b", MEAN)]
    said = list(verify(jury, [(file, problem_of(each)) for file, each in rows]))
    assert [[each.message for each in one.findings] for one in said] == [
        [],
        ["the same reference as 1 in a"],
        ["the same statement as 1 in a"],
        ["the same tests as 1 in a"],
        [],
    ]
    assert said[1].findings[0] == Finding(kind="duplicate", task="21", file="b", message="the same reference as 1 in a")


def test_a_prompt_that_begins_the_solution_does_not_hold_it() -> None:
    given = {
        "task_id": "HumanEval/1",
        "prompt": "def f(items):\n    total = 0\n",
        "entry_point": "f",
        "canonical_solution": "    for each in items:\n        total += each\n    return total\n",
        "test": "def check(candidate):\n    assert candidate([1]) == 1\n    assert candidate([]) == 0\n",
    }
    assert not prompt_has_solution(problem_of(given))
    body = given["canonical_solution"].replace("    ", "\t")
    leaked = {**given, "prompt": f'def f(items):\n    """As so:\n{body}"""\n    total = 0\n'}
    assert prompt_has_solution(problem_of(leaked))


def test_asserts_of_check_apart(jury: Jury) -> None:
    text = "LIMIT = 3\ndef check(candidate):\n    assert candidate(1) == LIMIT\n    assert candidate(2) == None\n"
    given = {
        "task_id": "HumanEval/1",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": "    return 3 if x == 1 else None\n",
        "test": text,
    }
    assert len(apart(problem_of(given)).cases) == 2
    assert len(apart(problem_of({**given, "test": text + "    x = 1\n"})).cases) == 1
    assert found(jury, given) == [("HumanEval/1", "weak test")]


def test_tests_that_read_the_clock() -> None:
    assert reads_clock("import time\nstart = time.time()\nassert f(1) == 1\n") == 2
    assert reads_clock("assert f('time') == date\n") is None


def test_real_tasks(jury: Jury, real: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (real / "mbpp" / "mbpp.jsonl").read_text().splitlines()]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows[:10]))
    assert [each.findings for each in verify(jury, (("f", each) for each in read_problems(path)))] == [()] * 10
