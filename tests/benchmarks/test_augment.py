"""Tasks cleaned and strengthened: who is set aside, what is grown, and what it catches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.mbpp_rows import LARGEST, MEAN, SHARED, WRONG, row
from llm.chat_server import ChatServer, Say, fail

from codejury import Jury, Submission
from codejury.benchmarks import contract
from codejury.benchmarks.augment import Made, Options, SetAside, as_calls, augment
from codejury.benchmarks.augment_files import Augmenting
from codejury.benchmarks.model_calls import ModelCalls
from codejury.benchmarks.recorded import calls_of, seconds_of
from codejury.dataset import problem_of
from codejury.errors import ModelError, UsageError
from codejury.llm.client import Client

FEW = Options(tests=40, seconds=30.0)


def made_of(jury: Jury, given: dict[str, Any], options: Options = FEW, **more: Any) -> Made:
    made = augment(jury, problem_of(given), options, **more)
    assert isinstance(made, Made), made
    return made


def aside(jury: Jury, given: dict[str, Any], options: Options = FEW) -> SetAside:
    told = augment(jury, problem_of(given), options)
    assert isinstance(told, SetAside), told
    return told


def accepts(jury: Jury, given: dict[str, Any], source: str) -> bool:
    return jury.judge(Submission(source=source, language="python"), problem_of(given)).accepted


# ── One task ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_tests_that_catch_what_the_tasks_own_miss(jury: Jury) -> None:
    made = made_of(jury, LARGEST)
    assert made.account["base"] == 3
    assert made.account["tests"] == 43
    lazy = "def largest(items):\n    best = max(items[:3])\n    return (best, items.index(best))\n"
    assert accepts(jury, LARGEST, lazy)
    assert not accepts(jury, made.row, lazy)
    assert accepts(jury, made.row, "def largest(xs):\n    m = max(xs)\n    return m, xs.index(m)\n")
    assert "assert isinstance(items, list)" in made.row["contract"]
    assert "assert len(items) > 0" in made.row["contract"], "max() of nothing fails"


def test_the_same_twice(jury: Jury) -> None:
    assert made_of(jury, LARGEST).row == made_of(jury, LARGEST).row


def test_answers_without_an_order(jury: Jury) -> None:
    """Tests and reference say so; the judge then takes any order, and still no other words."""
    made = made_of(jury, SHARED)
    assert accepts(
        jury, made.row, "def shared(a, b):\n    return sorted(set(a.split()) & set(b.split()), reverse=True)\n"
    )
    assert not accepts(jury, made.row, "def shared(a, b):\n    return [w for w in a.split() if w in b]\n")


def test_an_order_that_changes_with_the_interpreter(jury: Jury) -> None:
    """Nothing in its text says that the answer is a set: only asking again does."""
    code = "def letters(text):\n    return [each for each in set(text)]\n"
    tests = ["assert len(letters('abcdefgh')) == 8", "assert len(letters('abcdefghi')) == 9"]
    problem = as_calls(jury, problem_of(row(1, "The letters of a text.", code, *tests)))
    assert problem is not None
    assert problem.compare.oracle == "as_sets"


def test_tolerances(jury: Jury) -> None:
    made = made_of(jury, MEAN)
    assert accepts(jury, made.row, "def mean(items):\n    return sum(x / len(items) for x in items)\n")
    assert not accepts(jury, made.row, "def mean(items):\n    return sum(items) // len(items)\n")


def test_matches_of_regular_expressions(jury: Jury) -> None:
    code = "import re\ndef found(text):\n    return re.search('ab+', text)\n"
    made = made_of(jury, row(1, "Is there an a with b's?", code, "assert found('xabb')", "assert not found('ba')"))
    assert accepts(jury, made.row, "def found(text):\n    return 'ab' in text\n")
    assert not accepts(jury, made.row, "def found(text):\n    return 'a' in text and 'b' in text and text != 'ba'\n")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (WRONG, "reference fails"),
        (row(1, "t", "", "assert f(1)"), "no reference"),
        (row(1, "t", "def f(x):\n    return x\n"), "not testable"),
        (row(1, "t", "def f(x):\n    return x\n", "assert f(1"), "not testable"),
        (row(1, "t", "import random\ndef f(x):\n    return random.random()\n", "assert f(1) < 1"), "flaky reference"),
        (row(1, "t", "def f(x):\n    return x\n", "assert len([1]) == 1"), "not testable"),
    ],
)
def test_set_aside(jury: Jury, given: dict[str, Any], why: str) -> None:
    assert aside(jury, given).why == why


def test_arguments_that_are_no_plain_data(jury: Jury) -> None:
    """In the form of scripts the task stays as it is; the other form has nothing for it."""
    setup = "class Node:\n    def __init__(self, x):\n        self.x = x\n"
    given = row(1, "t", "def value(node):\n    return node.x\n", "assert value(Node(3)) == 3", test_setup_code=setup)
    made = made_of(jury, given)
    assert made.account["plus"] == 0
    assert not accepts(jury, made.row, "def value(node):\n    return 4\n")
    assert aside(jury, given, Options(form="evalplus")).why == "no calls"


def test_mini_is_fewer_and_as_strong(jury: Jury) -> None:
    code = "def grade(x):\n    if x >= 90:\n        return 'A'\n    if x >= 50:\n        return 'B'\n    return 'C'\n"
    given = row(1, "t", code, "assert grade(95) == 'A'", "assert grade(10) == 'C'")
    made = made_of(jury, given, Options(tests=80, mini=True))
    assert made.account["before_mini"] == 82
    assert 2 < made.account["tests"] < 40
    for bound in ("x >= 90", "x >= 50"):
        assert not accepts(jury, made.row, code.replace(bound, bound.replace(">=", ">"))), bound


def test_mini_of_a_reference_with_hardly_a_mutant(jury: Jury) -> None:
    made = made_of(jury, LARGEST, Options(tests=60, mini=True))
    assert made.account["plus"] >= 10


def test_humaneval_and_evalplus_forms(jury: Jury) -> None:
    given = {
        "task_id": "HumanEval/0",
        "prompt": 'def pairs(items: tuple, k):\n    """Pairs of items with the sum k."""\n',
        "entry_point": "pairs",
        "canonical_solution": "    return sum(a + b == k for i, a in enumerate(items) for b in items[:i])\n",
        "test": "def check(candidate):\n    for k in (3, 4):\n        assert candidate((1, 2, 3), k) == 1\n"
        "    assert candidate((), 0) == 0\n",
    }
    wrong = given["prompt"] + "    return int(k in (3, 4) and len(items) > 0)\n"
    assert accepts(jury, given, wrong)
    script = made_of(jury, given)
    assert script.account["base"] == 3, "calls in a loop are calls"
    assert "def check(candidate)" in script.row["test"]
    evalplus = made_of(jury, given, Options(tests=40, form="evalplus"))
    assert evalplus.row["arguments"][0] == "tuple"
    assert evalplus.row["base_input"][0] == [[1, 2, 3], 3]
    assert len(evalplus.row["plus_input"]) == 40
    for made in (script, evalplus):
        assert not accepts(jury, made.row, wrong)
        assert accepts(jury, made.row, given["prompt"] + given["canonical_solution"])


# By the clock of its own CPU time, so that it is as slow on every machine.
SLOW = """import time

def slow(n):
    end = time.process_time() + n % 100 * 0.0002
    while time.process_time() < end:
        pass
    return n
"""


def test_tests_that_a_slow_reference_does_in_time(jury: Jury) -> None:
    """Each of them is quick enough alone; all together are not."""
    given = row(1, "t", SLOW, "assert slow(0) == 0", "assert slow(100) == 100", "assert slow(101) == 101")
    made = made_of(jury, given, Options(tests=100, reference_s=0.04))
    assert 3 < made.account["tests"] < 103
    assert accepts(jury, made.row, SLOW)


def test_seconds_of_calls_up_to_the_one_that_is_too_much(jury: Jury) -> None:
    taken = seconds_of(jury.sandbox, SLOW, "slow", [[1], [99], [1], [2]] * 500, most_s=0.05)
    assert 0 < len(taken) < 2000
    assert sum(taken[:-1]) <= 0.05 < sum(taken)


def test_a_contract_that_is_given_is_kept(jury: Jury) -> None:
    rule = "\n    assert all(x > 0 for x in items)\n"
    made = made_of(jury, {**LARGEST, "test_list": LARGEST["test_list"][::2], "contract": rule})
    space: dict[str, Any] = {"largest": lambda items: (max(items), items.index(max(items)))}
    exec(made.row["test"], space)
    assert len(space["inputs"]) > 30
    assert all(x > 0 for (items,) in space["inputs"] for x in items)
    assert made.row["contract"] == rule


def test_contracts_by_probing(jury: Jury) -> None:
    code = "def f(a, b, text):\n    return 10 // a + [7][b < 0 and b * 9] + len(text)\n"
    problem = as_calls(jury, problem_of(row(1, "t", code, "assert f(2, 1, 'x') == 13", "assert f(-5, 3, '') == 5")))
    assert problem is not None
    told = contract.inferred(jury.sandbox, problem)
    assert "assert a != 0" in told
    assert "assert b >= 0" in told
    assert "len(text)" not in told, "an empty one is fine"


def test_recorded_calls_are_as_they_were_before_the_call(jury: Jury) -> None:
    code = "def f(items, *, sign=1):\n    items.append(sign)\n    return items\n"
    tests = [
        "x = [5]\nassert f(x) == [5, 1]\nassert f(x) == [5, 1, 1]",
        "assert f([5]) == [5, 1]",
        "assert f([0], sign=2)",
    ]
    told = calls_of(jury.sandbox, problem_of(row(1, "t", code, *tests)), "f")
    assert told.calls == ([[5]], [[5, 1]])
    assert told.unsendable == 1, "an argument that can be given by name alone"


# ── A model's calls ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_calls_that_a_model_thinks_of(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    script = "```python\ncalls = [[[9, 8, 77]], [[1, 5, 2]], [[]], [1, 2], [['b', 'a']]]\nprint(calls)\n```"
    with ChatServer(Say(script), Say("I cannot."), fail(401)) as server, Client(server.url, "m", retries=0) as client:
        notes: list[str] = []
        ask = ModelCalls(client, jury.sandbox, note=notes.append)
        made = made_of(jury, LARGEST, Options(tests=10), ask=ask)
        assert made.account["by_model"] == 2, "one was known, one the reference fails on, one is no call of it"
        assert "[[9, 8, 77]]" in made.row["test"]
        assert made.account["tests"] == 13
        assert made_of(jury, LARGEST, Options(tests=5), ask=ask).account["by_model"] == 0
        assert "no script" in notes[0]
        with pytest.raises(ModelError):
            augment(jury, problem_of(LARGEST), FEW, ask=ask)


# ── Files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_that_was_cut_short_goes_on(jury: Jury, tmp_path: Path) -> None:
    given = written(tmp_path / "in.jsonl", [LARGEST, WRONG, MEAN, {**LARGEST, "text": "again"}, SHARED])
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    options = Options(tests=8)
    work = Augmenting(jury, given, whole, options)
    assert [done.id for done in work] == ["1", "4", "3", "2"]
    assert work.counts["set aside"] == 1
    assert work.counts["bad rows"] == 1, "an id that is there twice"
    assert [each["task_id"] for each in rows_of(whole)] == [1, 3, 2]
    (told,) = rows_of(work.set_aside)
    assert (told["task_id"], told["why"]) == ("4", "reference fails")

    first = iter(Augmenting(jury, given, cut, options))
    next(first)
    first.close()
    with cut.open("a") as file:
        file.write('{"task_id": 3, "co')  # killed while it wrote
    again = Augmenting(jury, given, cut, options)
    assert [done.before for done in again] == [True, False, False, False]
    assert again.counts["made before"] == 1
    assert rows_of(cut) == rows_of(whole)


def test_the_input_is_not_the_output(jury: Jury, tmp_path: Path) -> None:
    given = written(tmp_path / "in.jsonl", [LARGEST])
    with pytest.raises(UsageError, match="another file"):
        Augmenting(jury, given, given, FEW)


def test_real_tasks(jury: Jury, real: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (real / "mbpp" / "mbpp.jsonl").read_text().splitlines()]
    given = written(tmp_path / "in.jsonl", [each for each in rows if each["task_id"] in (2, 3, 8, 82)])
    work = Augmenting(jury, given, tmp_path / "out.jsonl", Options(tests=110))
    assert all(done.account for done in work)
    assert work.counts["tests"] >= 35 * work.counts["base"]
