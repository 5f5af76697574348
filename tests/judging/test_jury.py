"""Verdicts through the public face: `judge`, `Jury`, and what does not depend on how many run at a time."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import codejury
from codejury import (
    Checker,
    CodejuryError,
    Comparison,
    Judgement,
    Jury,
    Limits,
    Problem,
    Submission,
    TestCase,
    UsageError,
    WorkerLost,
)
from codejury.judging import case, clock
from codejury.judging.gate import Gate
from codejury.sandbox.pool import Task
from codejury.sandbox.worker import Worker

DOUBLE = "print(int(input()) * 2)"
CASES = [("1", "2"), ("21", "42"), ("-3", "-6")]
QUICK = Limits(cpu_s=0.3, memory_mb=200)


@pytest.fixture(scope="module")
def jury() -> Iterator[Jury]:
    with Jury(workers=2) as jury:
        yield jury


# ── The shapes of tests ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "tests",
    [
        CASES,
        [TestCase(input=i, output=o) for i, o in CASES],
        [{"input": i, "output": o} for i, o in CASES],
        {"inputs": [i for i, _ in CASES], "outputs": [o for _, o in CASES]},
        Problem(cases=tuple(TestCase(input=i, output=o) for i, o in CASES)),
        {"custom_id": "a", "type": "stdin", "question": "", "solutions": [], "input_generator": [],
         "input_output": '{"inputs": ["1", "21", "-3"], "outputs": ["2", "42", "-6"]}'},
    ],
    ids=["pairs", "cases", "objects", "lists", "problem", "row"],
)  # fmt: skip
def test_every_shape_of_the_same_tests(jury: Jury, tests: object) -> None:
    assert jury.judge(DOUBLE, tests, language="python").accepted
    said = jury.judge("print(2)", tests, language="python")
    assert (said.verdict, said.passed, said.total) == ("wrong_answer", 1, 3)


def test_functions(jury: Jury) -> None:
    tests = {"inputs": [[1, 2], ["a", "b"]], "outputs": [3, "ab"], "fn_name": "add"}
    assert jury.judge("def add(a, b): return a + b", tests).accepted
    assert jury.judge("class Solution:\n    def add(self, a, b): return a + b", tests).accepted
    said = jury.judge("def add(a, b): return a if b == 'b' else 3", tests)
    assert [case.verdict for case in said.cases] == ["success", "wrong_answer"]
    assert "'ab'" in said.cases[1].message


def test_scripts(jury: Jury) -> None:
    tests = ["assert add(1, 2) == 3", "assert add('a', 'b') == 'ab'"]
    assert jury.judge("def add(a, b): return a + b", tests).accepted
    said = jury.judge("def add(a, b): return 3", tests)
    assert [case.verdict for case in said.cases] == ["success", "wrong_answer"]
    assert jury.judge("def add(a, b): return a + b", "def check(f):\n    assert f(1, 1) == 2\n", fn_name="add").accepted


def test_a_checker_decides(jury: Jury) -> None:
    checker = "def is_valid_output(i, o, r):\n    return sum(map(int, o.split())) == int(i)\n"
    said = jury.judge(
        "n = int(input()); print(1, n - 1)", [("5", "2 3"), ("7", "3 4")], language="python", checker=checker
    )
    assert said.accepted
    said = jury.judge("print(1, 4)", [("5", "2 3"), ("7", "3 4")], language="python", checker=checker)
    assert [case.verdict for case in said.cases] == ["success", "wrong_answer"]


def test_a_checker_that_fails_is_an_error_and_no_verdict(jury: Jury) -> None:
    checker = Checker(kind="klear", source="def is_valid_output(i, o, r):\n    return 1 / 0\n", language="python")
    with pytest.raises(codejury.CheckerError, match="ZeroDivisionError"):
        jury.judge(DOUBLE, CASES, language="python", checker=checker)


@pytest.mark.parametrize(
    ("how", "answer", "accepted"),
    [
        ("default", "2.0", False),
        ("floats", "2.0", True),
        ("exact", "2\n", False),
        ("exact", "2", True),
        (Comparison(by="floats", absolute=0.5), "2.4", True),
    ],
)
def test_comparisons(jury: Jury, how: str | Comparison, answer: str, accepted: bool) -> None:
    source = f"import sys; sys.stdout.write({answer!r})"
    assert jury.judge(source, [("1", "2")], language="python", compare=how).accepted is accepted


def test_without_outputs_nobody_is_accepted_for_nothing(jury: Jury) -> None:
    for tests in (["1", "2"], {"inputs": [[1]], "fn_name": "f"}):
        with pytest.raises(UsageError, match="judge by"):
            jury.judge("def f(x): return x", tests, language="python")
    with pytest.raises(UsageError, match="as output"):
        jury.judge(DOUBLE, [TestCase(input="1", output=2)], language="python")


def test_without_outputs_it_is_enough_to_run_where_that_is_wanted(jury: Jury) -> None:
    with Jury(jury.sandbox, run_only=True) as runs:
        said = runs.judge(DOUBLE, ["1", "2"], language="python")
        assert (said.verdict, [case.output for case in said.cases]) == ("success", ["2\n", "4\n"])
        assert runs.judge("def f(x): return x", {"inputs": [[1]], "fn_name": "f"}).accepted


# ── Verdicts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "verdict", "words"),
    [
        ("while True: pass", "time_limit_exceeded", "0.3 s"),
        ("import time; time.sleep(60)", "time_limit_exceeded", "on the clock"),
        ("x = bytearray(400 << 20)", "memory_limit_exceeded", "64 MB"),
        ("print(1 / 0)", "runtime_error", "ZeroDivisionError"),
        ("import os; os.abort()", "runtime_error", "signal 6"),
        ("import sys; sys.exit(3)", "runtime_error", "exit code 3"),
        ("print(3)", "wrong_answer", "expected '2'"),
        ("", "wrong_answer", "expected '2'"),
    ],
)
def test_verdicts_of_programs(jury: Jury, source: str, verdict: str, words: str) -> None:
    limits = Limits(cpu_s=0.3, wall_s=1.5, memory_mb=64)
    said = jury.judge(source, [("1", "2")], language="python", limits=limits)
    assert said.verdict == verdict
    assert words in said.cases[0].message


def test_a_flood_of_output(jury: Jury) -> None:
    source = "while True: print('x' * 10**6)"
    said = jury.judge(source, [("1", "2")], language="python", limits=Limits(output_mb=1))
    assert said.verdict == "output_limit_exceeded"


def test_what_does_not_compile_has_the_compilers_words_and_no_cases(jury: Jury) -> None:
    said = jury.judge("int main() { return x; }", CASES, language="cpp17")
    assert (said.verdict, said.cases, said.passed, said.total) == ("compile_error", (), 0, 3)
    assert "'x'" in said.compile_message.replace("‘", "'").replace("’", "'")


def test_an_early_stop_leaves_out_the_rest(jury: Jury) -> None:
    tests = [(str(n), str(2 * n)) for n in range(40)]
    source = "n = int(input()); print(0 if n in (7, 9) else n * 2)"
    said = jury.judge(source, tests, language="python", stop_on_first_failure=True)
    assert (said.verdict, len(said.cases), said.passed, said.total) == ("wrong_answer", 8, 7, 40)
    said = jury.judge(source, tests, language="python")
    assert (said.verdict, len(said.cases), said.passed) == ("wrong_answer", 40, 38)


def test_bad_calls_are_told(jury: Jury) -> None:
    with pytest.raises(UsageError, match="tests"):
        jury.judge(DOUBLE, [], language="python")
    with pytest.raises(UsageError, match="compare"):
        jury.judge(DOUBLE, CASES, language="python", compare="nearly")
    with pytest.raises(UsageError, match="source"):
        jury.judge(3, CASES)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Python"):
        jury.judge("int main() {}", {"inputs": [[1]], "outputs": [1], "fn_name": "f"}, language="cpp17")
    with pytest.raises(codejury.UnknownLanguage):
        jury.judge(DOUBLE, CASES, language="klingon")


def test_golds_may_answer_more_than_can_be_sent(jury: Jury) -> None:
    many = "def solve(n, k):\n    return [(n,) * 3] * (2_000_000 + k)\n"
    other = "def solve(n, k):\n    return [(n, n, n) for _ in range(2_000_000 + k)]\n"
    problem = Problem(
        kind="function",
        fn_name="solve",
        outputs="gold",
        golds=(Submission(source=many, language="python"),),
        cases=(TestCase(input=[7, 0]), TestCase(input=[7, 1])),
        limits=Limits(cpu_s=30, memory_mb=2048),
    )
    assert jury.judge(Submission(source=other, language="python"), problem).accepted
    said = jury.judge(Submission(source=other.replace(" + k", ""), language="python"), problem)
    assert [case.verdict for case in said.cases] == ["success", "wrong_answer"]


def test_golds_say_what_is_expected(jury: Jury) -> None:
    problem = Problem(
        id="square",
        kind="function",
        fn_name="f",
        outputs="gold",
        cases=(TestCase(input=[3]), TestCase(input=[-4])),
        golds=(Submission(source="def f(x): return x * x"),),
    )
    assert jury.judge("def f(x): return x ** 2", problem).accepted
    assert jury.judge("def f(x): return abs(x) * x", problem).verdict == "wrong_answer"
    broken = Problem(id="b", kind="function", fn_name="f", outputs="gold", cases=problem.cases)
    with pytest.raises(UsageError, match="gold"):
        jury.judge("def f(x): return 1", broken)


# ── Many ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def mixed() -> list[tuple[Submission, Problem]]:
    programs = [
        DOUBLE, "print(2)", "print(1 / 0)", "x = bytearray(400 << 20)", "while True: pass", "int main( {",
        "import sys\nfor line in sys.stdin: print(2 * int(line))",
    ]  # fmt: skip
    problem = Problem(cases=tuple(TestCase(input=i, output=o) for i, o in CASES))
    return [
        (Submission(source=source, id=str(number), language="cpp17" if "main" in source else "python"), problem)
        for number, source in enumerate(programs * 3)
    ]


def essence(said: Judgement) -> tuple[object, ...]:
    return said.verdict, said.passed, said.total, [case.verdict for case in said.cases]


def test_the_same_verdicts_whoever_runs_beside() -> None:
    work = mixed()
    limits = Limits(cpu_s=0.3, memory_mb=64)  # which one is met first is not to depend on how fast memory is
    with Jury(workers=1) as one:
        alone = [essence(said) for said in one.judge_many(work, limits=limits)]
    with Jury(workers=8) as many:
        together = [essence(said) for said in many.judge_many(work, limits=limits)]
    assert alone == together
    assert {essence[0] for essence in alone} >= {"success", "wrong_answer", "runtime_error", "compile_error"}


def test_work_is_taken_as_it_is_needed(jury: Jury) -> None:
    taken = 0

    def endless() -> Iterator[tuple[Submission, Problem]]:
        nonlocal taken
        problem = Problem(cases=(TestCase(input="1", output="2"),))
        while True:
            taken += 1
            yield Submission(source=DOUBLE, language="python"), problem

    said = jury.judge_many(endless())
    assert [next(said).verdict for _ in range(5)] == ["success"] * 5
    assert taken < 30
    said.close()  # type: ignore[attr-defined]


class Slow:
    """Makes programs called `slow` take as long as it takes until `wanted` others have been judged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wanted: int) -> None:
        judged: list[str] = []
        enough = threading.Event()
        real = case.judge_programs

        def judge_programs(sandbox: Any, gate: Gate, ready: Any, problem: Problem, **options: Any) -> Any:
            if problem.id == "slow":
                assert enough.wait(120), f"{len(judged)} others were judged, {wanted} were to be"
                return real(sandbox, gate, ready, problem, **options)
            found = real(sandbox, gate, ready, problem, **options)
            judged.append(problem.id)
            if len(judged) >= wanted:
                enough.set()
            return found

        monkeypatch.setattr(case, "judge_programs", judge_programs)

    def work(self, others: int) -> Iterator[tuple[Submission, Problem]]:
        cases = (TestCase(input="1", output="2"),)
        yield Submission(source=DOUBLE, language="python"), Problem(id="slow", cases=cases)
        for number in range(others):
            yield Submission(source=f"print({number % 2 + 1})", language="python"), Problem(id="quick", cases=cases)


def test_a_slow_one_does_not_keep_those_after_it(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch, wanted=40)
    said = [each.verdict for each in jury.judge_many(slow.work(50))]
    assert said == ["success", *["wrong_answer", "success"] * 25], "and they are told in order"


def test_those_after_a_slow_one_are_told_before_it(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch, wanted=500)
    said = list(jury.judge_as_done(slow.work(500)))
    assert said[-1][0] == 0
    by_place = {place: each.verdict for place, each in said if isinstance(each, Judgement)}
    assert [by_place[place] for place in range(501)] == ["success", *["wrong_answer", "success"] * 250]


def test_what_waits_behind_a_slow_one_is_bounded(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codejury.judging.jury._BEHIND", 3)
    slow, taken = Slow(monkeypatch, wanted=8), 0

    def endless() -> Iterator[tuple[Submission, Problem]]:
        nonlocal taken
        for each in slow.work(10_000):
            taken += 1
            yield each

    said = jury.judge_many(endless())
    assert next(said).accepted
    assert taken < 40
    said.close()  # type: ignore[attr-defined]


def test_one_that_cannot_be_judged_does_not_end_the_others(jury: Jury) -> None:
    problem = Problem(cases=(TestCase(input="1", output="2"),))
    work = [
        (Submission(source=DOUBLE, language="python"), problem),
        (Submission(source=DOUBLE, language="klingon"), problem),
        (Submission(source=DOUBLE, language="python"), Problem()),
        (Submission(source="print(3)", language="python"), problem),
    ]
    said = list(jury.judge_each(work))
    assert [getattr(each, "verdict", type(each).__name__) for each in said] == [
        "success", "UnknownLanguage", "UsageError", "wrong_answer",
    ]  # fmt: skip


def test_from_many_threads_and_as_coroutines(jury: Jury) -> None:
    with ThreadPoolExecutor(6) as threads:
        said = list(threads.map(lambda n: jury.judge(f"print({n})", [("", "3")], language="python"), range(6)))
    assert [each.accepted for each in said] == [n == 3 for n in range(6)]

    async def all_of_them() -> list[Judgement]:
        calls = [jury.judge_async(f"print({n})", [("", "3")], language="python") for n in range(6)]
        return list(await asyncio.gather(*calls))

    assert [each.accepted for each in asyncio.run(all_of_them())] == [n == 3 for n in range(6)]


def test_the_shared_jury() -> None:
    assert codejury.judge(DOUBLE, CASES, language="python").accepted
    assert asyncio.run(codejury.judge_async(DOUBLE, CASES, language="python")).accepted
    (said,) = codejury.judge_many(
        [(Submission(source=DOUBLE, language="python"), Problem(cases=(TestCase(output="2"),)))]
    )
    assert said.verdict == "runtime_error"


# ── The clock ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Ran:
    def __init__(self, cpu_s: float) -> None:
        self.cpu_s = cpu_s


@pytest.mark.parametrize(("cpu_s", "runs"), [(0.5, 1), (0.89, 1), (0.91, 2), (1.0, 2), (1.09, 2), (1.2, 1)])
def test_near_the_limit_a_second_run_counts(cpu_s: float, runs: int) -> None:
    ran = [Ran(cpu_s), Ran(0.1)]
    taken: list[Ran] = []

    def run() -> Ran:
        taken.append(ran[len(taken)])
        return taken[-1]

    assert clock.measured(run, Gate(), Limits(cpu_s=1.0)) is ran[runs - 1]
    assert len(taken) == runs


def test_alone_is_alone() -> None:
    gate, count = Gate(), threading.Lock()
    present, beside, together = 0, [], 0

    def one(seed: int) -> None:
        nonlocal present, together
        draw = random.Random(seed)
        for _ in range(200):
            alone = draw.random() < 0.3
            with gate.alone() if alone else gate.together():
                with count:
                    present += 1
                    together = max(together, present)
                    if alone:
                        beside.append(present)
                time.sleep(0)
                with count:
                    present -= 1
                    if alone:
                        beside.append(present + 1)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(one, range(8)))
    assert set(beside) == {1}
    assert together > 1


def test_a_closed_jury_says_so() -> None:
    jury = Jury(workers=1)
    with jury:
        assert jury.judge(DOUBLE, CASES, language="python").accepted
    with pytest.raises(UsageError, match="closed"):
        jury.judge(DOUBLE, CASES, language="python")


def test_closing_wakes_who_waits() -> None:
    """A judgement that will never come is an error, in whatever thread it is waited for."""
    said: list[BaseException] = []
    jury = Jury(workers=1)

    def ask() -> None:
        try:
            jury.judge("while True: pass", [("1\n", "1\n")] * 50, language="python")
        except CodejuryError as error:
            said.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while not jury._sessions:
        time.sleep(0.01)
    jury.close()
    asking.join()
    assert len(said) == 1


def test_two_callers_take_turns() -> None:
    """A long one does not keep a short one waiting to its end."""
    with Jury(workers=1) as jury, ThreadPoolExecutor(1) as thread:
        long_one = thread.submit(jury.judge, DOUBLE, CASES * 200, language="python")
        while not jury._sessions:
            time.sleep(0.01)
        assert jury.judge(DOUBLE, CASES, language="python").accepted
        assert not long_one.done()
        assert long_one.result().accepted


def test_who_runs_out_of_time_is_not_waited_for_on_every_case() -> None:
    """Case 2 loops: 0 and 1 count, 2 is told, and what comes after it does not depend on who was faster."""
    source = "n = int(input())\nwhile n % 10 == 7: pass\nprint(n * 2 if n != 3 else 0)"
    cases = [("1", "2"), ("3", "6"), ("7", "14"), ("4", "8"), *[("17", "34")] * 40]
    problem = Problem(cases=tuple(TestCase(input=i, output=o) for i, o in cases), limits=QUICK)
    with Jury(workers=2) as jury:
        (said,) = jury.judge_each([(Submission(source=source, language="python"), problem)], stop_on_time_limit=True)
    assert isinstance(said, Judgement)
    assert [case.verdict for case in said.cases] == ["success", "wrong_answer", "time_limit_exceeded"]
    assert said.total == 44


def test_other_cases_of_the_same_problem_have_answers_of_their_own(jury: Jury) -> None:
    """The same id, gold and number of cases: as base and plus of one task have."""
    gold = Submission(source="def double(a): return a * 2")
    one = Problem(
        id="p", kind="function", fn_name="double", outputs="gold", golds=(gold,), cases=(TestCase(input=[1]),)
    )
    other = Problem(
        id="p", kind="function", fn_name="double", outputs="gold", golds=(gold,), cases=(TestCase(input=[4]),)
    )
    for problem in (one, other, one):
        assert jury.judge(gold, problem).accepted
        assert not jury.judge("def double(a): return a + 1", other).accepted


# ── Calls that are made together ─────────────────────────────────────────────────────────────────────────────────────

COUNTING = """
import os
calls = 0
def f(x):
    global calls
    calls += 1
    {body}
    return x + 1
"""


def called_together(jury: Jury, body: str, *, count: int = 5, **options: Any) -> Judgement:
    cases = tuple(TestCase(input=[n], output=n + 1) for n in range(count))
    problem = Problem(id="together", kind="function", fn_name="f", cases=cases, limits=Limits(cpu_s=0.5))
    work = [(Submission(source=COUNTING.format(body=body), language="python"), problem)]
    (said,) = jury.judge_each(work, together=True, **options)
    assert isinstance(said, Judgement), said
    return said


def test_calls_together(jury: Jury) -> None:
    said = called_together(jury, "pass")
    assert (said.verdict, said.passed, said.total) == ("success", 5, 5)
    assert [case.index for case in said.cases] == list(range(5))
    assert [case.output for case in said.cases] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("body", "verdicts"),
    [
        ("x = -x if x == 3 else x", {3: "wrong_answer"}),
        ("1 / (x - 2)", {2: "runtime_error"}),
        ("x == 1 and os._exit(0)", {1: "runtime_error"}),
        ("x == 4 and os.abort()", {4: "runtime_error"}),
        ("while x == 2: pass", {2: "time_limit_exceeded"}),
        ("os.write(1, b'x' * 9)", {}),
    ],
)
def test_what_fails_together_is_judged_alone(jury: Jury, body: str, verdicts: dict[int, str]) -> None:
    said = called_together(jury, body)
    assert {case.index: case.verdict for case in said.cases if case.verdict != "success"} == verdicts
    assert len(said.cases) == 5
    first = called_together(jury, body, stop_on_first_failure=True)
    assert [case.verdict for case in first.cases if case.verdict != "success"] == list(verdicts.values())[:1]


def test_a_program_that_spoils_its_own_later_calls(jury: Jury) -> None:
    """It is right when it is asked once: that decides."""
    assert called_together(jury, "x += (calls > 1) * 7").accepted


def test_all_calls_together_are_too_slow_for_one(jury: Jury) -> None:
    """Each is within the limit; nobody said anything of their sum."""
    burn = "import time\n    end = time.process_time() + 0.2\n    while time.process_time() < end: pass"
    assert called_together(jury, burn, count=4).accepted


def test_answers_forged_in_advance_are_only_answers(jury: Jury) -> None:
    """Frames that the program writes for calls that come later: more than one for a call, or for none."""
    forge = (
        "import sys, struct\n    main = sys.modules['codejury_function']\n"
        "    replies = sys._getframe(1).f_locals['replies']\n"
        "    replies.send(b'V', main.encode(x + 1))"
    )
    said = called_together(jury, forge)
    assert not said.accepted
    assert {case.verdict for case in said.cases} == {"format_error"}


def test_what_is_given_up_ends_without_a_verdict(jury: Jury) -> None:
    task = Task()
    work = [(Submission(source="while True: pass", language="python"), Problem(cases=[TestCase(input="", output="")]))]
    said: list[Judgement | CodejuryError] = []
    limits = Limits(cpu_s=250)
    asking = threading.Thread(target=lambda: said.extend(jury.judge_each(work * 3, limits=limits, task=task)))
    asking.start()
    task.give_up()
    asking.join(60)
    assert [type(each) for each in said] == [WorkerLost] * 3
    assert jury.judge(DOUBLE, CASES, language="python").accepted


def test_slow_calls_share_as_many_processes_as_the_limit_asks_for(sandbox: codejury.Sandbox) -> None:
    """Of a process that was stopped, the answers that came count; the rest begins in another, not one by one."""
    burn = (
        "import time\ndef f(x):\n    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end: pass\n    return x\n"
    )
    cases = tuple(TestCase(input=[n], output=n) for n in range(8))
    problem = Problem(kind="function", fn_name="f", cases=cases, outputs="given", limits=Limits(cpu_s=1.0))
    gate, submission = Gate(), Submission(source=burn, language="python")
    found = case.judge_together(sandbox, gate, submission, problem, limits=Limits(cpu_s=1.0), kept=0)
    assert [each.index for each in found] == list(range(8))
    assert {each.verdict for each in found} == {"success"}
    assert len({each.cpu_s for each in found}) > 1  # several processes


def test_a_gold_that_is_slow_says_how_many_calls_share_a_process(sandbox: codejury.Sandbox) -> None:
    cases = tuple(TestCase(input=[n], output=n) for n in range(6))
    extra = {case.GOLD_SECONDS: [0.4] * 6}
    problem = Problem(kind="function", fn_name="f", cases=cases, outputs="given", extra=extra)
    source = "seen = 0\ndef f(x):\n    global seen\n    seen += 1\n    return x if seen < 3 else -1\n"
    submission = Submission(source=source, language="python")
    found = case.judge_together(sandbox, Gate(), submission, problem, limits=Limits(cpu_s=2.0), kept=0)
    assert len(found) == 6  # two at a time: 0.8 s of the gold is within half of the limit, 1.2 s is not


def test_answers_of_none_share_a_process_with_others(sandbox: codejury.Sandbox) -> None:
    cases = (TestCase(input=[1], output=None), TestCase(input=[2], output=2))
    problem = Problem(kind="function", fn_name="f", cases=cases, outputs="given")
    submission = Submission(source="def f(x):\n    return x if x > 1 else None\n", language="python")
    assert len(case.judge_together(sandbox, Gate(), submission, problem, limits=Limits(), kept=0)) == 2


# ── Cases in rows ────────────────────────────────────────────────────────────────────────────────────────────────────

REMEMBERING = """
import os
n = int(input())
try:
    seen = open("/tmp/seen").read()
except OSError:
    seen = ""
open("/tmp/seen", "w").write("x")
print(2 * n if not seen else "seen")
"""


def rows_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many inputs were asked for at once, each time."""
    rows: list[int] = []
    inner = Worker.run_row

    def run_row(self: Worker, command: Any, inputs: Any) -> Any:
        rows.append(len(inputs))
        return inner(self, command, inputs)

    monkeypatch.setattr(Worker, "run_row", run_row)
    return rows


def doubles(count: int, **wrong: str) -> Problem:
    return Problem(cases=tuple(TestCase(input=str(n), output=wrong.get(f"n{n}", str(2 * n))) for n in range(count)))


def test_many_short_cases_are_judged_in_rows(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(monkeypatch)
    said = jury.judge(REMEMBERING, doubles(60, n13="27", n59="x"), language="python")
    assert [case.index for case in said.cases] == list(range(60))
    assert [case.index for case in said.cases if case.verdict != "success"] == [13, 59]
    assert (said.verdict, said.passed, said.total) == ("wrong_answer", 58, 60)
    assert rows
    assert max(rows) == 8


def test_where_others_wait_rows_are_long_up_to_the_last_case(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would be idle: so few cases of one program are no reason for short rows. Before it has run, each of the
    two workers may take a share (a quarter of what is left: five and three); alone, no later row would be longer."""
    rows = rows_of(monkeypatch)
    work = [(Submission(source=f"# {n}\n{REMEMBERING}", language="python"), doubles(20)) for n in range(12)]
    said = list(jury.judge_many(work))
    assert [judgement.passed for judgement in said] == [20] * 12
    assert max(rows) == 8


def test_what_a_row_leaves_is_judged_once_and_by_whoever_is_free(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run that is not short ends its row; a program that follows quick ones is expected to be so, too."""
    outcomes: list[int] = []
    inner = Worker.run_row

    def run_row(self: Worker, command: Any, inputs: Any) -> Any:
        found = inner(self, command, inputs)
        outcomes.append(len(found) - len(inputs))
        return found

    monkeypatch.setattr(Worker, "run_row", run_row)
    slow = "import os, time\nn = int(input())\nif n % 3 == 1: time.sleep(0.15)\nprint(2 * n)"
    sources = [REMEMBERING, slow, REMEMBERING, slow.replace("time.sleep(0.15)", "os.abort()"), slow]
    work = [(Submission(source=source, language="python"), doubles(20)) for source in sources]
    said = list(jury.judge_many(work))
    assert [judgement.passed for judgement in said] == [20, 20, 20, 13, 20]
    for judgement in said:
        assert [case.index for case in judgement.cases] == list(range(20))
    assert min(outcomes) < 0, "no row ended early: the test shows nothing"


def test_where_a_checker_decides_there_are_no_rows(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the time that it takes, and that of eight would be spent one after another."""
    rows = rows_of(monkeypatch)
    checker = "def is_valid_output(i, o, r):\n    return int(o) == 2 * int(i)\n"
    said = jury.judge(REMEMBERING, [(str(n), "?") for n in range(40)], language="python", checker=checker)
    assert (said.verdict, said.passed) == ("success", 40)
    assert rows == []


def test_large_inputs_are_not_asked_for_in_one_row(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(monkeypatch)
    sizes = [1, 1, 1, 20_000, 20_000, 1, 1, 50_000] * 8
    cases = tuple(TestCase(input="7" * size, output=str(size)) for size in sizes)
    said = jury.judge("print(len(input()))", Problem(cases=cases), language="python")
    assert (said.verdict, said.passed) == ("success", 64)
    assert 1 < max(rows) < 8


def test_after_the_common_run_all_threads_have_work(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()
    inner = case.judge_function

    def seen(*args: Any, **options: Any) -> Any:
        threads.add(threading.get_ident())
        time.sleep(0.05)
        return inner(*args, **options)

    monkeypatch.setattr(case, "judge_function", seen)
    problem = Problem(cases=tuple(TestCase(input=[n], output=n) for n in range(12)), fn_name="f", kind="function")
    work = [(Submission(source="def f(x):\n    return x if x else 1 / 0", language="python"), problem)]
    (said,) = jury.judge_each(work, together=True)
    assert not isinstance(said, CodejuryError)
    assert said.passed == 11
    assert len(threads) == 2


@pytest.mark.parametrize("options", [{"stop_on_first_failure": True}, {}], ids=["early", "slow"])
def test_where_rows_would_cost_more_there_are_none(
    jury: Jury, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool]
) -> None:
    """Those who stop at the first failure want no case after it; and a slow case is not to wait behind others."""
    rows = rows_of(monkeypatch)
    slow = "" if options else "import time; time.sleep(0.05)\n"
    said = jury.judge(slow + REMEMBERING, doubles(24, n20="x"), language="python", **options)
    assert (said.verdict, said.passed) == ("wrong_answer", 20 if options else 23)
    assert rows == []


def test_of_a_row_who_was_near_the_limit_runs_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spin = "import time\nn = int(input())\nwhile n == 30 and time.process_time() < 0.5: pass\nprint(2 * n)"
    rows = rows_of(monkeypatch)
    with Jury(workers=2) as jury:
        alone = []
        inner = jury._gate.alone

        def counted() -> Any:
            alone.append(1)
            return inner()

        monkeypatch.setattr(jury._gate, "alone", counted)
        said = jury.judge(spin, doubles(60), language="python", limits=Limits(cpu_s=0.55, wall_s=20))
    assert max(rows) > 1
    assert alone == [1]
    assert said.total == 60
    assert {case.verdict for case in said.cases if case.index != 30} == {"success"}
