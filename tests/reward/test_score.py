"""A batch: what is judged once, what is tried again, what a number is made of, who decides on the language."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from reward.shapes import CASES, FUNCTION, LISTS, PROGRAM, WRONG_PROGRAM, fenced

import codejury
from codejury.dataset.index import TestIndex, build_index
from codejury.errors import CodejuryError, HostOverloaded, InternalError, LevelUnavailable, UsageError, WorkerLost
from codejury.model import Judgement, Problem, Submission, TestCase
from codejury.reward import Reward, Rule, rules, score, score_async

HALF = "n = int(input())\nprint(8 if n == 4 else 0)\n"  # two of three
CPP = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n; }\n"


class Troubled(codejury.Jury):
    """A jury that fails, as often as it is told, on programs that hold a word."""

    def __init__(self, sandbox: codejury.Sandbox, word: str, errors: Iterable[BaseException]) -> None:
        super().__init__(sandbox)
        self.asked: list[str] = []
        self._word, self._errors = word, list(errors)

    def judge_each(self, work: Iterable[tuple[Submission, Problem]], **options: Any) -> Iterator[Any]:
        for submission, problem in work:
            self.asked.append(submission.source)
            if self._word in submission.source and self._errors:
                error = self._errors.pop(0)
                if not isinstance(error, CodejuryError):
                    raise error
                yield error
            else:
                yield from super().judge_each([(submission, problem)], **options)


def numbers(said: list[Reward]) -> list[float | None]:
    return [each.score for each in said]


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("binary", [1.0, 0.0, 0.0, 0.0]),
        ("pass_rate", [1.0, 2 / 3, 1 / 3, 0.0]),
        ("weighted", [1.0, 2 / 3, 1 / 3, 0.0]),
        ("pass_rate_format", [1.0, 2 / 3, 1 / 3, -0.5]),
        (Rule(by="rate", right=1.0, wrong=-1.0), [1.0, 1 / 3, -1 / 3, -1.0]),
        ({"by": "all", "right": 2.0, "wrong": -1.0, "format_penalty": 3.0}, [2.0, -1.0, -1.0, -4.0]),
    ],
    ids=str,
)
def test_rules(jury: codejury.Jury, rule: Any, expected: list[float]) -> None:
    completions = [fenced(PROGRAM), fenced(HALF), fenced("print(0)\n"), "I would rather not."]
    said = score(completions, [LISTS] * 4, rule=rule, jury=jury)
    assert numbers(said) == pytest.approx(expected)
    assert said[3].verdict == "no_code"


def test_every_named_rule_is_tried_above() -> None:
    assert set(rules()) == {"binary", "pass_rate", "weighted", "pass_rate_format"}


def test_a_rule_that_is_none() -> None:
    for wrong in ("best", {"by": "luck"}, {"by": "all", "bonus": 1}, {"right": float("nan")}, {"weights": {"a": -1}}):
        with pytest.raises(UsageError, match="rule: expected"):
            score([], [], rule=wrong)


def test_weights_of_tests_and_of_groups(jury: codejury.Jury) -> None:
    cases = tuple(TestCase(input=case["input"], output=case["output"], group=group)
                  for case, group in zip(CASES, ("public", "generated", "generated"), strict=True))  # fmt: skip
    problem = Problem(cases=cases)
    weighed = Problem(cases=cases, extra={"weights": [1, 8, 1]})
    rule = Rule(by="weighted", weights={"public": 1.0, "generated": 3.0})
    said = score([fenced(HALF)] * 2, [problem, weighed], rule=rule, jury=jury)  # fails on the second
    assert numbers(said) == pytest.approx([(1 + 1.5) / 4, 2 / 10])


def test_the_form_is_a_block_between_fences(jury: codejury.Jury) -> None:
    completions = [
        fenced(PROGRAM),
        PROGRAM,
        f"```python\n{PROGRAM}",
        f"<think>\n{fenced(HALF)}</think>\n{fenced(PROGRAM)}",
    ]
    said = score(completions, [LISTS] * 4, rule="pass_rate_format", jury=jury)
    assert numbers(said) == [1.0, 0.5, 0.5, 1.0]
    assert [each.in_form for each in said] == [True, False, False, True]


def test_thoughts_without_an_end_are_no_answer(jury: codejury.Jury) -> None:
    """Right code in a draft earns nothing; what was said aloud before the thoughts does."""
    completions = [
        f"<think>\nPerhaps\n{fenced(PROGRAM)}",
        f"<think>\n{PROGRAM}",
        f"<think>one</think>\n<think>\n{fenced(PROGRAM)} Let me check that.",
        f"Let me see.\n<reasoning>\n{fenced(PROGRAM)}",
        f"{fenced(PROGRAM)}\n<think>\nIs that right? {fenced(HALF)}",
        f"<think>\n{fenced(HALF)}\n</think>\n{fenced(PROGRAM)}",
    ]
    said = score(completions, [LISTS] * 6, rule="pass_rate_format", jury=jury)
    assert [each.verdict for each in said] == ["no_code"] * 4 + ["success"] * 2
    assert numbers(said) == [-0.5] * 4 + [1.0] * 2
    assert [each.in_form for each in said] == [False] * 4 + [True] * 2
    assert "ended while thinking" in said[0].message
    cpp = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n; }"
    asked = score([f"<think>\n```cpp\n{cpp}\n```"] * 2, [LISTS, {**LISTS, "language": "cpp"}], jury=jury)
    assert [each.verdict for each in asked] == ["no_code"] * 2


def test_where_the_first_failure_decides_no_more_is_run(jury: codejury.Jury) -> None:
    truth = {"inputs": ["1", "2", "3"], "outputs": ["7", "8", "9"]}
    binary, rate = (score([fenced(PROGRAM)], [truth], rule=rule, jury=jury)[0] for rule in ("binary", "pass_rate"))
    assert binary.judgement is not None
    assert rate.judgement is not None
    assert (len(binary.judgement.cases), len(rate.judgement.cases)) == (1, 3)
    assert (binary.passed, binary.total, binary.first_failure) == (0, 3, 0)


# --- what is done once, and what again -------------------------------------------------------------------------------


def test_duplicates_are_judged_once(jury: codejury.Jury) -> None:
    watched = Troubled(jury.sandbox, "", [])
    other = {**LISTS, "outputs": ["1", "2", "3"]}
    completions = [fenced(PROGRAM), f"Again:\n```python\n{PROGRAM}```", fenced(WRONG_PROGRAM), fenced(PROGRAM)]
    said = score(completions, [LISTS, json.loads(json.dumps(LISTS)), LISTS, other], jury=watched)
    assert numbers(said) == [1.0, 1.0, 0.0, 0.0]
    assert [each.duplicate_of for each in said] == [None, 0, None, None]
    assert len(watched.asked) == 3


def test_equal_looking_truths_are_told_apart(jury: codejury.Jury) -> None:
    """JSON would have one form for both."""
    code = "def double(d):\n    return type(list(d)[0]).__name__\n"
    truths = [{"fn_name": "double", "inputs": [[{1: 2}, 0][:1]], "outputs": ["int"]},
              {"fn_name": "double", "inputs": [[{"a": 2}, 0][:1]], "outputs": ["int"]}]  # fmt: skip
    assert numbers(score([fenced(code)] * 2, truths, jury=jury)) == [1.0, 0.0]


@pytest.mark.parametrize(
    "error", [WorkerLost("gone"), HostOverloaded("no breath"), RuntimeError("a bug of ours")], ids=repr
)
def test_our_own_failure_is_tried_again(jury: codejury.Jury, error: BaseException) -> None:
    troubled = Troubled(jury.sandbox, "* n * 1", [error])
    said = score(
        [fenced(PROGRAM), fenced("n = int(input())\nprint(2 * n * 1)\n"), fenced(WRONG_PROGRAM)],
        [LISTS] * 3,
        jury=troubled,
    )
    assert numbers(said) == [1.0, 1.0, 0.0]
    assert said[1].tries == 2
    assert said[1].trouble == ""


@pytest.mark.parametrize("error", [WorkerLost("gone"), RuntimeError("a bug of ours")], ids=repr)
def test_then_it_is_none_and_never_a_nought(jury: codejury.Jury, error: BaseException) -> None:
    troubled = Troubled(jury.sandbox, "* n * 1", [error] * 9)
    said = score(
        [fenced("n = int(input())\nprint(2 * n * 1)\n"), fenced(WRONG_PROGRAM)], [LISTS] * 2, retries=2, jury=troubled
    )
    assert numbers(said) == [None, 0.0]
    assert (said[0].trouble, said[0].tries, said[0].verdict) == ("grader", 3, None)
    assert str(error) in said[0].message


def test_a_checker_that_fails_is_the_graders_failure(jury: codejury.Jury) -> None:
    row = {
        "custom_id": "c",
        "solutions": [],
        "type": "stdin",
        "input_output": json.dumps(LISTS),
        "checker": ["raise SystemError"],
    }
    (said,) = score([fenced(PROGRAM)], [row], retries=0, jury=jury)
    assert (said.score, said.trouble) == (None, "grader")


def test_a_host_that_can_judge_nothing_is_an_error(jury: codejury.Jury) -> None:
    troubled = Troubled(jury.sandbox, "", [LevelUnavailable("full", "cgroup", "none")])
    with pytest.raises(LevelUnavailable):
        score([fenced(PROGRAM)], [LISTS], jury=troubled)


def test_what_the_caller_gave_is_wrong() -> None:
    with pytest.raises(UsageError, match="expected one for each of 2 completions, got 1"):
        score(["a", "b"], [LISTS])
    with pytest.raises(UsageError, match="expected a list of each"):
        score("a", LISTS)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="max_tests"):
        score([], [], max_tests=0)
    with pytest.raises(UsageError, match="no language is called"):
        score([], [], language="klingon")
    with pytest.raises(UsageError, match="a text or a list of messages"):
        score([7], [LISTS])


# --- completions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "completion",
    [
        [{"role": "assistant", "content": fenced(PROGRAM)}],
        [
            {"role": "user", "content": fenced(WRONG_PROGRAM)},
            {"role": "assistant", "content": [{"type": "text", "text": fenced(PROGRAM)}]},
        ],
        {"role": "assistant", "content": fenced(PROGRAM)},
        fenced(CPP, "cpp"),
        fenced(CPP, ""),
        "x" * 300_000 + f"</think>\n{fenced(PROGRAM)}",
    ],
)  # fmt: skip
def test_forms_of_a_completion(jury: codejury.Jury, completion: Any) -> None:
    (said,) = score([completion], [LISTS], jury=jury)
    assert said.score == 1.0, said.message


@pytest.mark.parametrize(
    "completion", [None, "", [], [{"role": "assistant", "content": None}], "```python\n```", "print(", "\0\ud800"]
)
def test_without_code_there_is_a_number_all_the_same(jury: codejury.Jury, completion: Any) -> None:
    (said,) = score([completion], [LISTS], jury=jury)
    assert (said.score, said.trouble) == (0.0, "")


def test_the_language_is_the_callers_then_the_rows_then_the_completions(jury: codejury.Jury) -> None:
    row = {"language": "python", "test_cases": CASES}
    assert numbers(score([fenced(CPP, "cpp")], [row], jury=jury)) == [0.0]
    assert numbers(score([fenced(CPP, "cpp")], [row], language="c++", jury=jury)) == [1.0]
    assert numbers(score([fenced(PROGRAM)], [LISTS], language="cpp", jury=jury)) == [0.0]


def test_a_language_that_is_not_here_is_no_way_out(jury: codejury.Jury) -> None:
    """What a completion chooses counts; what the caller chose and this host lacks does not."""
    missing = next((each for each in jury.sandbox.catalog if not has(jury, each.name)), None)
    if missing is None:
        pytest.skip("this host has every language")
    (own,) = score([fenced("main = 1\n", missing.name)], [LISTS], jury=jury)
    assert (own.score, own.verdict) == (0.0, "no_code")
    (asked,) = score([fenced("main = 1\n", missing.name)], [LISTS], language=missing.name, jury=jury)
    assert (asked.score, asked.trouble) == (None, "host")


def has(jury: codejury.Jury, name: str) -> bool:
    try:
        jury.sandbox.toolchain(jury.sandbox.catalog.get(name))
    except codejury.LanguageUnavailable:
        return False
    return True


# --- tests by reference, and few of many -----------------------------------------------------------------------------


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    rows = [
        {"custom_id": name, "solutions": [], "type": "stdin", "input_output": json.dumps(LISTS)}
        for name in ("double", "7")
    ]
    path = tmp_path / "tests.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    build_index(path)
    return path


@pytest.mark.parametrize(
    "truth", ["double", {"custom_id": "double"}, {"id": "double"}, 7, "7", {"custom_id": 7}], ids=str
)
def test_tests_by_reference(jury: codejury.Jury, indexed: Path, truth: Any) -> None:
    with TestIndex(indexed) as index:
        problems: Mapping[str, Problem] = {name: index[name] for name in index}
        for tests in (index, indexed, str(indexed), problems):
            said = score([fenced(PROGRAM), fenced(WRONG_PROGRAM)], [truth, json.dumps(LISTS)], tests=tests, jury=jury)
            assert numbers(said) == [1.0, 0.0], said[0].message


def test_a_reference_to_nothing(jury: codejury.Jury, indexed: Path) -> None:
    said = score([fenced(PROGRAM)] * 2, ["triple", {"custom_id": "triple"}], tests=indexed, jury=jury)
    assert [each.trouble for each in said] == ["tests", "tests"]


def test_an_index_that_was_made_anew_is_opened_anew(jury: codejury.Jury, indexed: Path) -> None:
    assert numbers(score([fenced(PROGRAM)], ["double"], tests=indexed, jury=jury)) == [1.0]
    row = {
        "custom_id": "double",
        "solutions": [],
        "type": "stdin",
        "input_output": json.dumps({**LISTS, "outputs": ["1", "2", "3"]}),
    }
    indexed.write_text(json.dumps(row) + "\n")
    later = indexed.stat().st_mtime_ns + 10**9
    os.utime(indexed, ns=(later, later))
    build_index(indexed)
    assert numbers(score([fenced(PROGRAM)], ["double"], tests=indexed, jury=jury)) == [0.0]


def test_few_tests_are_those_that_kill(jury: codejury.Jury) -> None:
    cases = tuple(TestCase(input=f"{n}\n", output=f"{2 * n}\n") for n in range(10))
    truth = Problem(cases=cases, extra={"kill_order": [7, 2]})
    only_seven = "n = int(input())\nprint(2 * n if n != 7 else 0)\n"
    only_nine = "n = int(input())\nprint(2 * n if n != 9 else 0)\n"
    said = score([fenced(only_seven), fenced(only_nine)], [truth] * 2, max_tests=2, jury=jury)
    assert numbers(said) == [0.0, 1.0]
    assert (said[0].first_failure, said[1].total) == (7, 2)


def test_few_tests_by_what_select_wrote(jury: codejury.Jury) -> None:
    cases = tuple(TestCase(input=f"{n}\n", output=f"{2 * n}\n") for n in range(10))
    truth = Problem(cases=cases, extra={"test_provenance": {"selected": {"kill_order": [3, 0]}}})
    (said,) = score([fenced("n = int(input())\nprint(2 * n if n != 3 else 0)\n")], [truth], max_tests=1, jury=jury)
    assert (said.score, said.first_failure) == (0.0, 3)


def test_few_tests_of_which_nothing_is_known_are_from_all_over() -> None:
    from codejury.reward.truths import capped

    problem = Problem(cases=tuple(TestCase(input="9" * n, output="") for n in range(9)))
    assert [list(capped(problem, most)[1]) for most in (1, 2, 3, 5)] == [[0], [0, 8], [0, 8, 4], [0, 8, 4, 2, 6]]
    assert list(capped(problem, 9)[1]) == list(range(9))


# --- processes, threads, coroutines ----------------------------------------------------------------------------------


def test_from_threads() -> None:
    found: dict[int, list[float | None]] = {}

    def one(number: int) -> None:
        completions = [fenced(PROGRAM + f"# {number}\n"), fenced(WRONG_PROGRAM + f"# {number}\n")]
        found[number] = numbers(score(completions, [LISTS] * 2))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [1.0, 0.0] for number in range(8)}


def test_from_coroutines() -> None:
    async def all_of_them() -> list[list[Reward]]:
        return await asyncio.gather(
            *(score_async([fenced(PROGRAM + f"# {n}\n")], [LISTS], rule="pass_rate") for n in range(20))
        )

    assert [numbers(said) for said in asyncio.run(all_of_them())] == [[1.0]] * 20


def test_an_error_comes_out_of_the_coroutine() -> None:
    with pytest.raises(UsageError, match="rule"):
        asyncio.run(score_async([], [], rule="best"))


def test_a_cancelled_coroutine_judges_no_more(jury: codejury.Jury) -> None:
    watched = Troubled(jury.sandbox, "", [])
    reached = threading.Event()

    class Slow(Troubled):
        def judge_each(self, work: Any, **options: Any) -> Iterator[Any]:
            for each in super().judge_each(work, **options):
                reached.set()
                yield each

    watched = Slow(jury.sandbox, "", [])
    many = 2000

    async def cancelled() -> None:
        task = asyncio.create_task(
            score_async([fenced(PROGRAM + f"# {n}\n") for n in range(many)], [LISTS] * many, jury=watched)
        )
        await asyncio.to_thread(reached.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    for thread in threading.enumerate():
        if thread.name == "codejury-reward":
            thread.join(60)
    assert 0 < len(watched.asked) < many


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # as of Python 3.12: that is what is tested
def test_after_a_fork() -> None:
    """As trainers do it: the parent has scored already, another thread is at it, and the child scores too."""
    assert numbers(score([fenced(PROGRAM)], [LISTS])) == [1.0]
    stop = threading.Event()

    def keep_on() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            score([fenced(PROGRAM + f"# {n}\n")], [LISTS])

    thread = threading.Thread(target=keep_on)
    thread.start()
    try:
        for _ in range(3):
            child = os.fork()
            if child == 0:
                try:
                    said = numbers(score([fenced(PROGRAM), fenced(WRONG_PROGRAM)], [LISTS] * 2))
                    os._exit(0 if said == [1.0, 0.0] else 1)
                finally:
                    os._exit(2)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
    finally:
        stop.set()
        thread.join()


FORKED = """
import os, sys
from codejury.reward import score
work = ["```python\\nprint(2 * int(input()))\\n```"], [{"inputs": ["4"], "outputs": ["8"]}]
assert score(*work)[0].score == 1.0
child = os.fork()
assert score(*work)[0].score == 1.0
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_parent_and_child_of_a_fork_come_to_their_ends() -> None:
    """Both by way of what is to be done at exit: each closes its own jury, and waits for no lock of the other's."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_metadata_has_the_same_plain_keys_for_all(jury: codejury.Jury) -> None:
    said = score([fenced(PROGRAM), "no", fenced(FUNCTION)], [LISTS, LISTS, None], jury=jury)
    told = [json.loads(json.dumps(each.metadata())) for each in said]
    assert len({tuple(each) for each in told}) == 1
    assert [each["score"] for each in told] == [1.0, 0.0, None]
    assert isinstance(said[0].judgement, Judgement)


def test_internal_errors_are_the_only_ones_that_are_tried_again(jury: codejury.Jury) -> None:
    troubled = Troubled(jury.sandbox, "", [UsageError("tests: nothing was tested"), InternalError("x")])
    (said,) = score([fenced(PROGRAM)], [LISTS], jury=troubled)
    assert (said.score, said.trouble, said.tries) == (None, "tests", 1)
