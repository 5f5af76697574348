"""Cases grown for function problems: only what contract and golds stand behind, and it catches what it should."""

import json
import os
import signal

import pytest

from codejury.errors import UsageError, WorkerLost
from codejury.judging.calls import gold_answers
from codejury.judging.jury import Jury
from codejury.model import Comparison, Problem, Submission, TestCase
from codejury.mutation.values import mined
from codejury.testgen import functions

GOLD = "def f(a, k):\n    return sorted(a)[k - 1]\n"
CONTRACT = "\n    assert isinstance(a, list) and all(type(x) == int for x in a)\n    assert 1 <= k <= len(a)\n"


@pytest.fixture(scope="module")
def jury():
    with Jury(workers=2) as made:
        yield made


def problem(gold: str = GOLD, seeds=(([3, 1, 2], 2), ([5, 4], 1)), *, more=(), contract="", **fields) -> Problem:
    golds = tuple(Submission(source=text, language="python") for text in (gold, *more))
    return Problem(
        id="p",
        kind="function",
        fn_name="f",
        outputs="gold",
        golds=golds,
        cases=tuple(TestCase(input=list(args)) for args in seeds),
        extra={"contract": contract},
        **fields,
    )


def test_all_keep_the_contract_and_the_gold_is_accepted(jury):
    given = problem(contract=CONTRACT)
    cases = list(functions.grow(jury, given, budget_tests=150).cases)
    assert len(cases) == 150
    joined = mined.with_contract(GOLD, "f", CONTRACT)
    assert all(a.verdict is None for a in gold_answers(jury.sandbox, joined, "f", [case.input for case in cases]))
    for case in cases:
        assert case.output == sorted(case.input[0])[case.input[1] - 1]
        told = json.loads(case.provenance)
        assert (told["origin"], told["seed"], told["validated_by"]) == ("mutation", 0, "contract")
    tests = Problem(id="t", kind="function", fn_name="f", cases=tuple(cases))
    assert jury.judge(Submission(source=GOLD, language="python"), tests).accepted
    for wrong in ("a.sort(reverse=True) or a[-k]+ (len(a) > 6)", "sorted(set(a))[k - 1]", "sorted(map(abs, a))[k - 1]"):
        source = Submission(source=f"def f(a, k):\n    return {wrong}\n", language="python")
        assert not jury.judge(source, tests, stop_on_first_failure=True).accepted


def test_without_a_contract_the_golds_stand_behind_it(jury):
    cases = list(functions.grow(jury.sandbox, problem(), budget_tests=30).cases)
    assert {json.loads(case.provenance)["validated_by"] for case in cases} == {"golds"}
    assert len(cases) == 30


def test_numbers_far_beyond_the_seeds_are_marked(jury):
    given = problem("def f(n):\n    return n * n\n", seeds=[(3,), (40,)])
    cases = list(functions.grow(jury, given, budget_tests=100).cases)
    marked = [case for case in cases if json.loads(case.provenance).get("extreme")]
    assert marked
    assert {abs(case.input[0]) > 10**6 for case in marked} == {True}
    assert {abs(case.input[0]) > 10**6 for case in cases if case not in marked} == {False}


def test_the_same_twice_and_other_by_another_seed(jury):
    first = list(functions.grow(jury, problem(contract=CONTRACT), budget_tests=60).cases)
    assert first == list(functions.grow(jury, problem(contract=CONTRACT), budget_tests=60).cases)
    assert first != list(functions.grow(jury, problem(contract=CONTRACT), budget_tests=60, seed=1).cases)


def test_answers_that_change_are_no_cases(jury):
    by_chance = "import random\ndef f(a):\n    return a if a < 5 else random.random()\n"
    grown = functions.grow(jury, problem(by_chance, seeds=[(3,), (1,)]), budget_tests=20)
    assert grown.unsteady > 0
    assert all(case.input[0] < 5 for case in grown.cases)
    by_order = "def f(a):\n    return list(set(a))\n"  # strings: as the interpreter's hash seed has it
    words = [f"w{n}" for n in range(12)]  # few may come in the same order by chance, so many not
    grown = functions.grow(jury, problem(by_order, seeds=[(words,), (["x", "y"],)]), budget_tests=20)
    assert grown.unsteady > 0
    assert all(len(set(case.input[0])) < 8 for case in grown.cases)
    counting = "n = 0\ndef f(a):\n    global n\n    n += 1\n    return n\n"
    assert functions.grow(jury, problem(counting, seeds=[(3,), (1,)]), budget_tests=20, budget_s=2).unsteady > 0


def test_an_order_that_the_comparison_forgives_is_fine(jury):
    by_order = "def f(a):\n    return list(set(a))\n"
    given = problem(by_order, seeds=[(["abc", "d"],), (["x", "y"],)], compare=Comparison(oracle="as_sets"))
    assert functions.grow(jury, given, budget_tests=20).unsteady == 0


def test_where_golds_disagree_there_is_no_case(jury):
    other = "def f(a):\n    return abs(a) ** 2 if a < 9 else 0\n"
    given = problem("def f(a):\n    return a * a\n", seeds=[(3,), (1,)], more=[other])
    grown = functions.grow(jury, given, budget_tests=30)
    assert grown.split > 0
    assert grown.cases
    assert all(case.input[0] < 9 for case in grown.cases)


def test_what_is_too_much_work_is_left_out_and_what_is_larger_too(jury):
    slow = "def f(n):\n    return sum(1 for _ in range(n))\n"
    grown = functions.grow(jury, problem(slow, seeds=[(10,), (300,)]), budget_tests=60)
    assert grown.too_much > 0
    assert len(grown.cases) == 60
    assert all(case.output == max(0, case.input[0]) for case in grown.cases)


def test_inputs_on_which_the_gold_raises_are_no_cases(jury):
    grown = functions.grow(jury, problem("def f(n):\n    return 10 // n\n", seeds=[(10,), (3,), (0,)]), budget_tests=20)
    assert grown.cases
    assert all(case.input[0] != 0 for case in grown.cases)


def test_answers_without_an_encoding_are_no_cases(jury):
    odd = "def f(n):\n    return n if n < 4 else object()\n"
    grown = functions.grow(jury, problem(odd, seeds=[(3,), (1,)]), budget_tests=15, budget_s=10)
    assert grown.cases
    assert all(case.input[0] < 4 for case in grown.cases)


def test_a_contract_of_another_function_is_not_used(jury):
    cases = list(functions.grow(jury, problem(contract="\n    assert False\n"), budget_tests=10).cases)
    assert {json.loads(case.provenance)["validated_by"] for case in cases} == {"golds"}


def test_a_small_world_comes_to_its_end(jury):
    given = problem("def f(n):\n    return n\n", seeds=[(3,), (4,)], contract="\n    assert 0 < n < 8\n")
    grown = functions.grow(jury, given, budget_tests=200, budget_s=100)
    assert {case.input[0] for case in grown.cases} == {1, 2, 5, 6, 7}
    assert grown.invalid >= 1000


def test_little_time_gives_few_cases(jury):
    assert not functions.grow(jury, problem(), budget_tests=10**6, budget_s=0).cases


def test_golds_that_are_at_work_when_time_is_up_are_given_up(jury):
    asleep = "import time\ndef f(n):\n    if n not in (3, 4): time.sleep(600)\n    return n\n"
    grown = functions.grow(jury, problem(asleep, seeds=[(3,), (4,)]), budget_tests=100, budget_s=2)
    assert (grown.cases, grown.tried) == ((), 0)
    assert functions.grow(jury, problem(), budget_tests=10).cases


def test_an_interrupt_does_not_wait_for_golds_that_are_at_work(jury, monkeypatch):
    asleep = "import time\ndef f(n):\n    if n not in (3, 4): time.sleep(600)\n    return n\n"
    ask, wait, lost = functions._Bench.ask, functions.futures.wait, []

    def noted(*asked):
        try:
            return ask(*asked)
        except WorkerLost as error:
            lost.append(error)
            raise

    def interrupted(*waited):
        monkeypatch.setattr(functions.futures, "wait", wait)
        os.kill(os.getpid(), signal.SIGINT)
        return wait(*waited)

    monkeypatch.setattr(functions._Bench, "ask", noted)
    monkeypatch.setattr(functions.futures, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        functions.grow(jury, problem(asleep, seeds=[(3,), (4,)]), budget_s=600)
    assert lost
    monkeypatch.undo()
    assert functions.grow(jury, problem(), budget_tests=10).cases


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Problem(id="p", kind="stdin"), "expected a function"),
        (Problem(id="p", kind="function", fn_name="f"), "expected a gold"),
        (problem(seeds=[]), "expected cases"),
        (problem("def f(a, k):\n    raise ValueError('never')\n"), "none of its cases: .*never"),
    ],
)
def test_what_the_caller_gave_wrong_is_said(jury, given, words):
    with pytest.raises(UsageError, match=f"(?s)'p'.*{words}"):
        functions.grow(jury, given)
