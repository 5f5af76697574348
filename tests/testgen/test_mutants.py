"""Marks: each state is reached, by mutants written here and by those that are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from codejury import Checker, Jury, Limits, Problem, Sandbox, TestCase
from codejury.errors import UnknownLanguage, UsageError
from codejury.mutation.programs import Mutant, mutants
from codejury.testgen.mutants import mark

GOLD = "n = int(input())\nprint(n * n if n > 2 else 0)\n"


def case(number: int) -> TestCase:
    return TestCase(input=f"{number}\n", output=f"{number * number if number > 2 else 0}\n")


PROBLEM = Problem(id="squares", cases=(case(5), case(7), case(1)), limits=Limits(cpu_s=2))


@pytest.fixture(scope="module")
def jury(sandbox: Sandbox) -> Iterator[Jury]:
    with Jury(sandbox) as made:
        yield made


def mutant(source: str) -> Mutant:
    return Mutant(source=source, operator="boundary", line=1, before="", after="", family=0)


def test_states_of_what_runs(jury: Jury) -> None:
    given = {
        "killed": "n = int(input())\nprint(n * n)\n",
        "fails_at_once": "n = int(input())\nprint(m)\n",
        "alive": GOLD.replace("> 2", "> 3"),
        "equivalent_so_far": GOLD.replace("n > 2", "n >= 3"),
    }
    further = [case(number) for number in range(10)]
    found = mark(jury, PROBLEM, [mutant(each) for each in given.values()], language="python", further=further)
    assert [each.state for each in found] == list(given)
    killed, at_once, alive, equivalent = found
    assert (killed.killed_by, killed.verdict) == (2, "wrong_answer")
    assert (at_once.killed_by, at_once.verdict) == (0, "runtime_error")
    assert (alive.killed_by, alive.verdict, alive.shown_by) == (None, None, 3)
    assert (equivalent.killed_by, equivalent.shown_by) == (None, None)


def test_what_the_compiler_refuses_is_not_run(jury: Jury) -> None:
    found = mark(jury, PROBLEM, [mutant("int main(void) { return x; }")], language="c", further=[case(3)])
    assert [(each.state, each.killed_by) for each in found] == [("compile_error", None)]


def test_without_further_cases_nobody_is_called_equivalent(jury: Jury) -> None:
    (found,) = mark(jury, PROBLEM, [mutant(GOLD)], language="python")
    assert found.state == "alive"


def test_one_that_fails_the_first_case_only_is_killed(jury: Jury) -> None:
    source = "n = int(input())\nprint('no' if n == 5 else n * n if n > 2 else 0)\n"
    (found,) = mark(jury, PROBLEM, [mutant(source)], language="python")
    assert (found.state, found.killed_by) == ("killed", 0)


def test_a_problem_with_one_case_says_nothing_of_every_input(jury: Jury) -> None:
    (found,) = mark(jury, Problem(cases=(case(5),)), [mutant("print('no')\n")], language="python")
    assert found.state == "killed"


def test_made_ones_keep_their_order_and_fields(jury: Jury) -> None:
    made = mutants(GOLD, "python", limit=30)
    found = mark(jury, PROBLEM, made, language="python", further=[case(number) for number in (2, 3, -4)])
    assert [(each.source, each.operator, each.line) for each in found] == [
        (each.source, each.operator, each.line) for each in made
    ]
    states = Counter(each.state for each in found)
    assert states["compile_error"] == 0
    assert states["killed"] > len(made) // 3
    boundary = next(each for each in found if each.operator == "boundary")
    assert (boundary.after, boundary.aim, boundary.state, boundary.shown_by) == (">=", "2", "alive", 0)


def test_functions(jury: Jury) -> None:
    gold = "def top(rows, k):\n    return sorted(rows)[:k]\n"
    cases = tuple(TestCase(input=[rows, 2], output=sorted(rows)[:2]) for rows in ([3, 1, 2], [1, 2], [5, 4, 9, 1]))
    problem = Problem(kind="function", fn_name="top", cases=cases)
    found = {each.after: each.state for each in mark(jury, problem, mutants(gold, "python"), language="python")}
    assert found["list(rows)"] == "killed"
    assert found["(k) + 1"] == "killed"


def test_one_that_breaks_the_checker_is_left_out(jury: Jury) -> None:
    checker = Checker(
        kind="klear",
        language="python",
        source="import sys\n_, _, said, right = map(str.strip, sys.argv)\nassert said != 'boo'\nprint(said == right)\n",
    )
    problem = Problem(cases=PROBLEM.cases, checker=checker)
    given = [mutant(GOLD), mutant("print('boo')\n"), mutant("print('no')\n")]
    found = mark(jury, problem, given, language="python")
    assert [(each.source, each.state) for each in found] == [(GOLD, "alive"), ("print('no')\n", "fails_at_once")]


def test_no_tests_are_an_error(jury: Jury) -> None:
    with pytest.raises(UsageError):
        mark(jury, Problem(id="empty"), [mutant(GOLD)], language="python")


def test_an_unknown_language_is_an_error(jury: Jury) -> None:
    with pytest.raises(UnknownLanguage):
        mark(jury, PROBLEM, [mutant("x")], language="no such language")
