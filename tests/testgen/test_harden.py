"""The loop: programs that pass the tests they were given and fail the new ones, in every kind of problem."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from codejury import Checker, Jury, Limits, Problem, Submission, TestCase, UsageError
from codejury.judging.results import Results
from codejury.mutation.programs import Mutant
from codejury.testgen.harden import Options, harden, provenance_of
from codejury.testgen.kills import Program, fail_everywhere, first_kills, matrix, programs_of
from codejury.testgen.texts import nudged, sound_golds

READ = "n = int(input())\na = list(map(int, input().split()))\n"
LARGEST = READ + "best = a[0]\nfor x in a:\n    if x > best:\n        best = x\nprint(best)\n"
# right only where the largest comes first, or is positive
FIRST = READ + "print(a[0])\n"
ZERO = READ + "print(max([0, *a]))\n"
STATEMENT = "The first line has n (1 ≤ n ≤ 50), the second n integers a_i (-1000 ≤ a_i ≤ 1000). Print the largest."
SMALL = Options(budget=120, max_tests=30, mutants=8)


def python(source: str, name: str = "") -> Submission:
    return Submission(source=source, language="python", id=name)


def largest(**changes: object) -> Problem:
    cases = (TestCase(input="3\n9 2 3\n", output="9\n"), TestCase(input="2\n5 1\n", output="5\n"))
    golds = (python(LARGEST), python("input()\nprint(max(map(int, input().split())))\n"))
    problem = Problem(id="largest", cases=cases, golds=golds, statement=STATEMENT, limits=Limits(cpu_s=2))
    return msgspec.structs.replace(problem, **changes)


@pytest.fixture(scope="module")
def jury() -> Iterator[Jury]:
    with Jury(workers=2, kept=None, run_only=True) as jury:
        yield jury


def test_what_passed_fails(jury: Jury) -> None:
    wrong = [python(FIRST, "first"), python(ZERO, "zero")]
    for each in wrong:
        assert jury.judge(each, largest()).accepted
    made = harden(jury, largest(), SMALL, wrong)
    assert made.problem.cases[:2] == largest().cases
    assert len(made.problem.cases) <= 30
    for each in wrong:
        assert not jury.judge(each, made.problem).accepted
    for gold in largest().golds:
        assert jury.judge(gold, made.problem).accepted
    told = made.account
    assert told["killed"] > told["killed_before"]
    assert told["tests_new"] == len(made.problem.cases) - 2
    assert {"first", "zero"} <= {name for some in told["kills"] for name in some}
    assert all(provenance_of(case)["validated_by"] == "format and golds" for case in made.problem.cases[2:])


def test_the_same_again(jury: Jury) -> None:
    one, other = (harden(jury, largest(), SMALL, [python(FIRST, "first")]) for _ in range(2))
    assert one.problem == other.problem
    drop = {"seconds", "slow"}
    assert {k: v for k, v in one.account.items() if k not in drop} == {
        k: v for k, v in other.account.items() if k not in drop
    }


def test_validators_have_the_last_word(jury: Jury) -> None:
    """All numbers even: nothing in the samples or the statement says so."""
    validator = "def is_valid_input(text):\n    return all(int(x) % 2 == 0 for x in text.split()[1:])\n"
    problem = largest(
        cases=(TestCase(input="2\n8 2\n", output="8\n"), TestCase(input="3\n6 -4 2\n", output="6\n")),
        extra={"input_validator": [validator]},
    )
    made = harden(jury, problem, SMALL)
    new = made.problem.cases[2:]
    assert new
    assert all(int(word) % 2 == 0 for case in new for word in case.input.split()[1:])
    assert made.account["inputs"]["invalid"] > 0
    assert all(provenance_of(case)["validated_by"] == "validator" for case in new)


def test_no_test_where_golds_differ(jury: Jury) -> None:
    """The second gold is right on the samples alone: above 500 it says something else."""
    odd = LARGEST.replace("print(best)", "print(best if best <= 500 else best + 1)")
    problem = largest(golds=(python(LARGEST), python(odd)))
    made = harden(jury, problem, SMALL)
    assert made.account["inputs"]["golds disagree"] > 0
    assert all(int(case.output) <= 500 for case in made.problem.cases)


def test_a_gold_that_fails_its_tests_is_not_asked(jury: Jury) -> None:
    problem = largest(golds=(python("print(0)"), python(LARGEST)))
    assert sound_golds(jury, problem, most=4) == [python(LARGEST)]
    assert harden(jury, problem, SMALL).account["golds"] == [1]
    with pytest.raises(UsageError, match="none of its 1 solutions"):
        harden(jury, largest(golds=(python("print(0)"),)), SMALL)


def test_an_unsteady_gold_makes_no_tests(jury: Jury) -> None:
    """Alone, and right on the samples: elsewhere it draws."""
    draws = "import random\n" + READ
    draws += "print(max(a) if a[0] in (9, 5) else random.random())\n"
    made = harden(jury, largest(golds=(python(draws),)), msgspec.structs.replace(SMALL, mutants=0))
    assert made.account["inputs"]["golds disagree"] > 0
    assert all(case.input.split()[1] in ("9", "5") for case in made.problem.cases)


def test_a_checker_decides(jury: Jury) -> None:
    """Any number that is in the list and no smaller than the first: the golds differ, the checker takes both."""
    checker = (
        "def is_valid_output(given, answer, expected):\n"
        "    a = list(map(int, given.split()[1:]))\n"
        "    return answer.strip().lstrip('-').isdigit() and int(answer) in a and int(answer) >= a[0]\n"
    )
    problem = largest(
        golds=(python(LARGEST), python(FIRST)), checker=Checker(kind="klear", source=checker, language="python")
    )
    last = python("input()\nprint(input().split()[-1])\n", "last")
    made = harden(jury, problem, msgspec.structs.replace(SMALL, mutants=0), [last])
    assert not jury.judge(last, made.problem).accepted
    assert jury.judge(python(FIRST), made.problem).accepted


def test_slow_programs_fail_on_large_inputs(jury: Jury) -> None:
    """Quadratic on a list of up to 30000 numbers, within 0.5 s: right, and too slow."""
    total = READ + "print(sum(a))\n"
    slow = READ + "print(sum(a[i] for i in range(n) if sum(a[: i + 1])))\n"
    problem = Problem(
        id="total",
        cases=(TestCase(input="3\n1 2 3\n", output="6\n"),),
        golds=(python(total),),
        statement="The first line has n (1 ≤ n ≤ 30000), the second n integers a_i (1 ≤ a_i ≤ 9).",
        limits=Limits(cpu_s=0.5),
    )
    made = harden(jury, problem, msgspec.structs.replace(SMALL, mutants=0), [python(slow, "slow")])
    assert jury.judge(python(slow), made.problem).verdict == "time_limit_exceeded"
    assert jury.judge(python(total), made.problem).accepted


def test_a_limit_of_this_machine_shows_slow_programs(jury: Jury) -> None:
    """Within the hour that the problem gives, nobody is too slow."""
    total = READ + "print(sum(a))\n"
    slow = READ + "print(sum(a[i] for i in range(n) if sum(a[: i + 1])))\n"
    problem = Problem(
        id="total",
        cases=(TestCase(input="3\n1 2 3\n", output="6\n"),),
        golds=(python(total),),
        statement="The first line has n (1 ≤ n ≤ 60000), the second n integers a_i (1 ≤ a_i ≤ 9).",
        limits=Limits(cpu_s=3600),
    )
    options = Options(budget=32, max_tests=30, mutants=0, calibrate=True)
    made = harden(jury, problem, options, [python(slow, "slow")])
    limits = made.problem.limits
    assert limits is not None
    told = made.account["slow"]
    assert (told["calibrated"], told["limit_s"]) == (True, limits.cpu_s)
    assert limits.cpu_s is not None
    assert max(1.0, 2 * told["slowest_gold_s"]) <= limits.cpu_s < 60
    assert made.account["killed"] == 1
    said = jury.judge(python(slow), made.problem, stop_on_first_failure=True)
    assert said.verdict == "time_limit_exceeded"
    assert jury.judge(python(total), made.problem).accepted


def test_only_mutants_have_less_time_than_the_problem_gives() -> None:
    problem = largest(limits=Limits(cpu_s=5))
    mutant = Mutant(source="", operator="x", line=1, before="", after="", family=0)
    given, hasty = Program(submission=python("")), Program(submission=python(""), mutant=mutant)
    slow = Program(submission=python(""), mutant=msgspec.structs.replace(mutant, slow=True))

    def limit(program: Program, pace_s: float | None) -> float | None:
        limits = program.timed(problem, pace_s).limits
        return limits.cpu_s if limits is not None else None

    assert [limit(hasty, pace_s) for pace_s in (None, 0.01, 0.3, 2.0)] == [5, 1.0, 3.0, 5]
    assert limit(given, 0.01) == limit(slow, 0.01) == 5


def test_functions(jury: Jury) -> None:
    gold = "def median(a):\n    a = sorted(a)\n    k = len(a)\n    return (a[(k - 1) // 2] + a[k // 2]) / 2\n"
    problem = Problem(
        id="median",
        kind="function",
        fn_name="median",
        cases=(TestCase(input=[[1, 2, 3]], output=2.0), TestCase(input=[[5]], output=5.0)),
        golds=(python(gold),),
    )
    wrong = python("def median(a):\n    return float(a[len(a) // 2])\n", "unsorted")
    assert jury.judge(wrong, problem).accepted
    made = harden(jury, problem, SMALL, [wrong])
    assert not jury.judge(wrong, made.problem).accepted
    assert jury.judge(python(gold), made.problem).accepted
    assert made.account["killed"] > made.account["killed_before"]


def test_validators_of_functions_are_asked(jury: Jury) -> None:
    """The gold answers to anything; what the problem means is only in its validator: an argument a line."""
    problem = Problem(
        id="widest",
        kind="function",
        fn_name="widest",
        cases=(TestCase(input=[[[1, 4], [2, 3]]], output=3), TestCase(input=[[[5, 6]]], output=1)),
        golds=(python("def widest(spans):\n    return max((b - a for a, b in spans), default=0)\n"),),
        extra={
            "input_validator": "import json\n\ndef is_valid_input(input_str):\n    (spans,) = map(json.loads,"
            " input_str.split('\\n'))\n    return len(spans) > 0 and all(0 <= a < b for a, b in spans)\n"
        },
    )
    made = harden(jury, problem, SMALL, [python("def widest(spans):\n    return spans[0][1] - spans[0][0]\n", "first")])
    grown = made.problem.cases[2:]
    assert grown
    assert [case for case in grown if not case.input[0] or any(not 0 <= a < b for a, b in case.input[0])] == []
    assert {json.loads(case.provenance)["validated_by"] for case in grown} == {"validator"}


def test_shrunk_tests_still_reject(jury: Jury) -> None:
    wrong = [python(ZERO, "zero")]
    options = msgspec.structs.replace(SMALL, mutants=0, shrink=True)
    plain = harden(jury, largest(), msgspec.structs.replace(options, shrink=False), wrong)
    small = harden(jury, largest(), options, wrong)
    place = next(at for at, some in enumerate(small.account["kills"]) if some)
    assert not jury.judge(wrong[0], small.problem).accepted
    assert len(small.problem.cases[2 + place].input) <= len(plain.problem.cases[2 + place].input)
    assert small.problem.cases[2 + place].input.split()[0] == "1"  # one number below zero is enough


def test_no_golds_no_samples_no_inputs(jury: Jury) -> None:
    with pytest.raises(UsageError, match="expected solutions"):
        harden(jury, largest(golds=()), SMALL)
    with pytest.raises(UsageError, match="found none"):
        harden(jury, largest(cases=()), SMALL)
    with pytest.raises(UsageError, match="test script"):
        harden(jury, largest(kind="script"), SMALL)


# ── The matrix ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_matrix_by_hand(jury: Jury) -> None:
    cases = tuple(TestCase(input=i, output=o) for i, o in (("2\n9 1\n", "9"), ("2\n1 9\n", "9"), ("1\n-4\n", "-4")))
    programs = [Program(submission=python(source)) for source in (LARGEST, FIRST, ZERO, "print(9)", "1 +")]
    found = matrix(jury, largest(cases=cases), programs)
    assert [sorted(some) for some in found.kills] == [[4], [1, 4], [2, 3, 4]]
    first = list(first_kills(jury, largest(cases=cases), programs))
    assert [tried.survives for tried in first] == [True, False, False, False, False]
    assert first[1].killed_by == 1
    assert first[2].killed_by == 2


def test_programs_are_the_same_each_time(jury: Jury) -> None:
    one, other = (programs_of(jury, largest(), [python(FIRST, "x")], most=10, seed=3) for _ in range(2))
    assert one == other
    assert len(one) == 11
    assert one[0].mutant is None
    assert len({program.submission.source for program in one}) == 11
    assert not {program.submission.source for program in one} & {gold.source for gold in largest().golds}


def test_an_input_on_which_the_checker_fails_is_no_test(jury: Jury) -> None:
    checker = (
        "def is_valid_output(given, answer, expected):\n"
        "    if '-' in given:\n        raise ValueError('not made for this')\n"
        "    return answer.split() == expected.split()\n"
    )
    problem = largest(checker=Checker(kind="klear", source=checker, language="python"))
    made = harden(jury, problem, msgspec.structs.replace(SMALL, mutants=0))
    assert len(made.problem.cases) > 2
    assert all("-" not in case.input for case in made.problem.cases)
    assert made.account["inputs"]["golds fail"] > 0


def test_no_test_hangs_on_the_last_digit_of_a_real_number(jury: Jury) -> None:
    """At 2 and at 2.5 themselves the answer is another one than right beside them, and right programs differ."""
    gold = python(
        "x, n = input().split()\nprint('low' if float(x) <= 2 else 'high' if float(x) >= 2.5 else 'middle')\n"
    )
    problem = Problem(
        id="edges",
        cases=(TestCase(input="2.25 3\n", output="middle\n"), TestCase(input="2.9 1\n", output="high\n")),
        golds=(gold,),
        statement="A line with a real number x and an integer n (2 ≤ x ≤ 3, 1 ≤ n ≤ 9).",
        limits=Limits(cpu_s=5),
    )
    made = harden(jury, problem, msgspec.structs.replace(SMALL, mutants=0, budget=200, max_tests=200))
    assert made.account["inputs"]["on the edge"] > 0
    assert len(made.problem.cases) > 10
    assert not [case.input for case in made.problem.cases if float(case.input.split()[0]) in (2.0, 2.5)]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("2.5 4\n2 2\n", "2.500001000 4\n2 2\n"),
        ("3 4\n2 2\n", "3.000001000 4\n2 2\n"),
        ("abc 1.5.2\n", "abc 1.5.2\n"),
    ],
)
def test_only_real_numbers_are_nudged(text: str, moved: str) -> None:
    assert nudged(text, frozenset({(0, 0)}), 1e-6) == moved


def test_what_became_of_each(jury: Jury) -> None:
    """One of every kind; what a mutant's fate says of the tests depends on it."""
    wrong = [
        python(READ + "print(nobody)\n", "fails"),
        python(READ + "print(a[-1])\n", "last"),
        python(FIRST, "first"),
        python(LARGEST.replace("x > best", "x >= best"), "the same"),
        Submission(source="int main(void) { return x; }", language="c", id="refused"),
    ]
    told = harden(jury, largest(), msgspec.structs.replace(SMALL, mutants=0), wrong).account
    assert told["states"] == {
        "does not compile": 1,
        "fails on every input": 1,
        "killed before": 1,
        "killed by new tests": 1,
        "survives": 1,
    }
    assert [each["id"] for each in told["survivors"]] == ["the same"]


def test_of_one_case_nothing_follows_for_every_input(jury: Jury) -> None:
    programs = [Program(submission=python("print('no')\n")), Program(submission=python(FIRST))]
    assert fail_everywhere(jury, largest(), programs) == [True, False]
    assert fail_everywhere(jury, largest(cases=largest().cases[:1]), programs) == [False, False]


SPINS = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end:\n    pass\n" + LARGEST
SLEEPS = "import time\ntime.sleep(0.2)\n" + LARGEST


def test_seconds_are_of_work_and_not_of_waiting(jury: Jury) -> None:
    """The first round is 16 inputs, each tried twice: more than three seconds on the clock, next to none of CPU."""
    problem = largest(golds=(python(SLEEPS),))
    told = harden(jury, problem, Options(budget=20, mutants=0, seconds=2)).account["inputs"]
    assert told["tried"] == 20
    told = harden(jury, problem, Options(budget=20, mutants=0, seconds=0.1)).account["inputs"]
    assert told["tried"] == 16  # ten times as long on the clock, for all that


def test_what_is_known_from_before_is_work_too(tmp_path: Path) -> None:
    """Or a second run, which has nothing to run, would go on to where the first did not come."""
    problem = largest(golds=(python(SPINS),))
    for _ in range(2):
        with (
            Results(tmp_path) as results,
            Jury(workers=2, kept=None, run_only=True, results=results) as jury,
        ):
            told = harden(jury, problem, Options(budget=40, mutants=0, seconds=1)).account["inputs"]
            assert told["tried"] == 16
            assert jury.cpu_s > 16 * 2 * 0.2


def test_so_is_what_is_known_of_functions(tmp_path: Path) -> None:
    spins = "    end = time.process_time() + 0.1\n    while time.process_time() < end: pass\n"
    spins = f"import time\ndef same(n):\n{spins}    return n\n"
    cases = tuple(TestCase(input=[n], output=n) for n in range(3))
    problem = Problem(id="same", kind="function", fn_name="same", cases=cases, golds=(python(spins),))
    mutant = Mutant(
        source=spins.replace("return n", "return -n"), operator="negated", line=5, before="n", after="-n", family=0
    )
    programs = [Program(submission=python(mutant.source, "negated"), mutant=mutant, gold=0)]
    for known in (False, True):
        with Results(tmp_path) as results, Jury(workers=2, kept=None, results=results) as jury:
            assert matrix(jury, problem, programs).kills == [set(), {0}, {0}]
            assert (results.saved_s > 3 * 0.09) == known
            assert jury.cpu_s > 3 * 0.09


def test_neighbours_that_reject_nobody_do_not_fill_up(jury: Jury) -> None:
    """Solutions that know only lists with a 7 in front: what is drawn afresh seldom is a test, a neighbour often is."""
    picky = LARGEST.replace("best = a[0]", "assert a[0] == 7\nbest = a[0]")
    cases = (TestCase(input="3\n7 9 3\n", output="9\n"), TestCase(input="2\n7 1\n", output="7\n"))
    wrong = [python(FIRST.replace("a[0]", "9 if n == 3 else 7"), "first"), python(picky, "right")]
    made = harden(jury, largest(cases=cases, golds=(python(picky),)), Options(budget=200, mutants=8), wrong)
    fills = [
        provenance_of(case)["how"]
        for case, killed in zip(made.problem.cases[2:], made.account["kills"], strict=True)
        if not killed
    ]
    assert 0 < fills.count("near") <= max(fills.count(how) for how in set(fills) - {"near"}) + 1
    assert made.account["inputs"]["golds fail"] > 50
