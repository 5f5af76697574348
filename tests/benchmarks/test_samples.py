"""Samples before the tests of a benchmark: statuses, what is kept for the next run, and our own failures."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from benchmarks.tasks import ROWS, solution, task

from codejury import Jury
from codejury.benchmarks.catalog import Benchmark, benchmark
from codejury.benchmarks.prepared import prepared
from codejury.benchmarks.results import hash_of, rows_of
from codejury.benchmarks.samples import Judged, Tasks, format_of_data, judge_samples, read_samples
from codejury.dataset import BadRow, problem_of
from codejury.dataset.shelf import Shelf
from codejury.errors import UsageError, WorkerLost
from codejury.model import Judgement, Submission

PLUS = benchmark("humaneval_plus")


@pytest.fixture
def shelf(data: Path) -> Iterator[Shelf]:
    with Shelf(data) as made:
        yield made


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judged(jury: Jury, shelf: Shelf, source: str, *, number: int = 0, strict: bool = False) -> Judged:
    samples = {f"HumanEval/{number}": [Submission(source=source)]}
    peer = PLUS.peer("function") if strict else None
    (said,) = judge_samples(jury, PLUS, Tasks(shelf, PLUS), samples, peer=peer)
    return said


def statuses(said: Judged) -> tuple[str, ...]:
    return tuple(each.status for each in said.subsets.values())


@pytest.mark.parametrize(
    ("body", "expected", "failed"),
    [
        ("return x + x", ("pass", "pass"), ((), ())),
        ("return abs(2 * x)", ("pass", "fail"), ((), ([-1],))),
        ("return 2 * x if x < 1 else 0", ("fail", "pass"), (([1],), ())),
        ("return None", ("fail", "fail"), (([1],), ([-1],))),
        ("raise SystemExit(0)", ("fail", "fail"), (([1],), ([-1],))),
    ],
)
def test_statuses(
    jury: Jury, shelf: Shelf, body: str, expected: tuple[str, str], failed: tuple[tuple[Any, ...], ...]
) -> None:
    said = judged(jury, shelf, solution(ROWS[0], body))
    assert statuses(said) == expected
    assert tuple(each.failed for each in said.subsets.values()) == failed


def test_an_order_that_is_another_in_each_interpreter_is_not_right_by_luck(jury: Jury, tmp_path: Path) -> None:
    """A gold that is asked for the first time is no fork of the interpreter that runs the sample."""
    row = task(0, "each", "x", "return list(set(x))", [[[f"word {n}" for n in range(40)]]], [])
    with Shelf(written(tmp_path / "one.jsonl", [row])) as shelf:
        assert statuses(judged(jury, shelf, solution(row, "return list({*x})"))) == ("fail", "pass")
        assert statuses(judged(jury, shelf, solution(row, "return sorted(x)"))) == ("fail", "pass")


def test_a_program_that_is_none(jury: Jury, shelf: Shelf) -> None:
    said = judged(jury, shelf, "def double(x:\n")
    assert statuses(said) == ("fail", "fail")


def test_an_answer_that_equals_everything_fails(jury: Jury, shelf: Shelf) -> None:
    liar = "class Yes(int):\n    def __eq__(self, other): return True\n    __hash__ = None\n"
    said = judged(jury, shelf, liar + "def double(x):\n    return Yes(77)\n")
    assert statuses(said) == ("fail", "fail")


def test_no_plus_tests_are_passed_by_all(jury: Jury, shelf: Shelf) -> None:
    assert statuses(judged(jury, shelf, "def same(x): return x\n", number=2)) == ("pass", "pass")
    assert statuses(judged(jury, shelf, "def same(x): return 1\n", number=2)) == ("fail", "pass")


def test_out_of_time_is_a_word_of_its_own_except_for_the_peer(jury: Jury, shelf: Shelf) -> None:
    hurried = msgspec.structs.replace(PLUS, call_s=0.2)
    tasks = Tasks(shelf, PLUS)
    samples = {"HumanEval/0": [Submission(source="def double(x):\n    while x != 2: pass\n    return 4\n")]}
    for peer, status in ((None, "timeout"), (PLUS.peer("function"), "fail")):
        (said,) = judge_samples(jury, hurried, tasks, samples, peer=peer)
        assert statuses(said) == (status, status)
        assert said.subsets["base"].verdict == "time_limit_exceeded"


def test_strict_compat_wants_one_type_for_a_tolerance(jury: Jury, shelf: Shelf) -> None:
    """A third by way of Fraction is near enough, and no float."""
    near = "from fractions import Fraction\ndef third(x):\n    return Fraction(x, 3)\n"
    assert statuses(judged(jury, shelf, near, number=1)) == ("pass", "pass")
    assert statuses(judged(jury, shelf, near, number=1, strict=True)) == ("pass", "fail")


def test_the_rules_of_an_earlier_day(jury: Jury, tmp_path: Path) -> None:
    """That a set will do where the solution gives a tuple is a rule that came later."""
    row = task(2, "similar_elements", "a, b", "return tuple(set(a) & set(b))", [[[1, 2], [2, 3]]], [[[1], [2]]])
    data = written(tmp_path / "tasks.jsonl", [{**row, "task_id": "Mbpp/2"}])
    chosen = benchmark("mbpp_plus")
    (earlier,) = chosen.earlier
    samples = {"Mbpp/2": [Submission(source="def similar_elements(a, b): return set(a) & set(b)\n")]}
    with Shelf(data) as shelf:
        for peer, expected in ((None, "pass"), (chosen.peer("function"), "pass"), (earlier, "fail")):
            (said,) = judge_samples(jury, chosen, Tasks(shelf, chosen), samples, peer=peer)
            assert statuses(said) == (expected, expected)


def test_strict_compat_on_test_scripts_runs_the_base_asserts_alone(jury: Jury, tmp_path: Path) -> None:
    row = {"task_id": 7, "prompt": "Double.", "code": "def f(x): return 2 * x", "test_list": ["assert f(1) == 2"]}
    data = written(tmp_path / "mbpp.jsonl", [{**row, "test": "assert f(3) == 6\n"}])
    chosen = benchmark("mbpp_plus")
    samples = {"7": [Submission(source="def f(x): return 2\n")]}
    with Shelf(data) as shelf:
        tasks = Tasks(shelf, chosen)
        (ours,) = judge_samples(jury, chosen, tasks, samples)
        (theirs,) = judge_samples(jury, chosen, tasks, samples, peer=chosen.peer("script"))
    assert {name: each.status for name, each in ours.subsets.items()} == {"base": "pass", "plus": "fail"}
    assert ours.subsets["plus"].failed == ("assert f(3) == 6\n",)
    assert {name: each.status for name, each in theirs.subsets.items()} == {"base": "pass"}


# ── Limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def limits_of(jury: Jury, row: dict[str, Any], chosen: Benchmark = PLUS) -> dict[str, float | None]:
    found = prepared(jury, chosen, problem_of(row))
    return {name: each.limits.cpu_s if each.limits else None for name, each in found.items()}


def test_limits_are_four_seconds_at_least(jury: Jury) -> None:
    assert limits_of(jury, ROWS[0]) == {"base": 4.0, "plus": 4.0}


def test_a_slow_gold_gives_its_subset_more_time(jury: Jury) -> None:
    """Where a call may take 40 ms and the gold takes about 100 on one test of plus, plus has several times that."""
    slow = "import time\n    while x and time.process_time() < 0.1: pass\n    return x"
    quick = msgspec.structs.replace(PLUS, call_s=0.04)
    found = limits_of(jury, task(0, "wait", "x", slow, [[0]], [[0], [1]]), quick)
    assert found["base"] is not None
    assert found["plus"] is not None
    assert found["plus"] > 0.2
    assert found["base"] < found["plus"]


def test_a_gold_that_fails_is_told_for_its_task_and_the_others_go_on(jury: Jury, tmp_path: Path) -> None:
    bad = task(9, "broken", "x", "return 1 // x", [[1]], [[0]])
    data = written(tmp_path / "tasks.jsonl", [bad, ROWS[0]])
    samples = {
        "HumanEval/9": [Submission(source="def broken(x): return 1\n")],
        "HumanEval/0": [Submission(source=solution(ROWS[0], "return 2 * x"))],
    }
    with Shelf(data) as shelf:
        said = list(judge_samples(jury, PLUS, Tasks(shelf, PLUS), samples))
    by_task = {each.task_id: each for each in said}
    assert "its canonical solution fails on test 1" in by_task["HumanEval/9"].error
    assert not by_task["HumanEval/9"].subsets
    assert statuses(by_task["HumanEval/0"]) == ("pass", "pass")
    rows, not_judged = rows_of(samples, said)
    assert list(rows) == ["HumanEval/0"]
    assert [each["task_id"] for each in not_judged] == ["HumanEval/9"]


def test_golds_are_asked_beside_each_other(jury: Jury, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    met = threading.Barrier(2)

    def both(*args: Any, **options: Any) -> Any:
        met.wait(60)
        return prepared(*args, **options)

    monkeypatch.setattr("codejury.benchmarks.samples.prepared", both)
    samples = {row["task_id"]: [Submission(source=solution(row, "return None"))] for row in ROWS[:2]}
    said = list(judge_samples(jury, PLUS, Tasks(shelf, PLUS), samples))
    assert sorted(each.task_id for each in said) == sorted(samples)
    assert not any(each.error for each in said)


# ── Our own failures ─────────────────────────────────────────────────────────────────────────────────────────────────


class Failing(Jury):
    """A jury whose worker is lost under the first `times` judgements."""

    def __init__(self, times: int, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.times = times

    def judge_as_done(self, *args: Any, **options: Any) -> Iterator[Any]:
        for place, said in super().judge_as_done(*args, **options):
            assert isinstance(said, Judgement)
            if self.times:
                self.times -= 1
                yield place, WorkerLost("the worker that held the run is gone")
            else:
                yield place, said


def test_a_failure_of_ours_is_tried_again(jury: Jury, shelf: Shelf, tmp_path: Path) -> None:
    store = tmp_path / "verdicts.jsonl"
    samples = {"HumanEval/0": [Submission(source=solution(ROWS[0], "return 2 * x"))]}
    with Failing(1, jury.sandbox) as failing:
        (said,) = judge_samples(failing, PLUS, Tasks(shelf, PLUS), samples, store=store)
    assert statuses(said) == ("pass", "pass")
    with Failing(99, jury.sandbox) as failing:
        (said,) = judge_samples(failing, benchmark("humaneval"), Tasks(shelf, PLUS), samples, store=store)
    assert "WorkerLost" in said.error
    assert len(store.read_text().splitlines()) == 1, "no row for what was not judged"


# ── The next run ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_judged_is_not_judged_again(jury: Jury, shelf: Shelf, tmp_path: Path) -> None:
    store = tmp_path / "verdicts.jsonl"
    tasks = Tasks(shelf, PLUS)
    right, wrong = (Submission(source=solution(ROWS[0], body)) for body in ("return x * 2", "return 2"))
    first = list(judge_samples(jury, PLUS, tasks, {"HumanEval/0": [right, right]}, store=store))
    assert [said.known for said in first] == [False], "the same program twice is judged once"
    with store.open("a") as file:
        file.write('{"key": "whose", "subsets": {"base": "yes"}}\n{"key": "torn')
    second = list(judge_samples(jury, PLUS, tasks, {"HumanEval/0": [right, wrong]}, store=store))
    assert [said.known for said in second] == [True, False]
    assert second[0].subsets == first[0].subsets
    assert second[1].subsets["base"].failed == ([2],)
    third = list(judge_samples(jury, PLUS, tasks, {"HumanEval/0": [wrong]}, store=store))
    assert (third[0].known, third[0].subsets) == (True, second[1].subsets)
    strict = PLUS.peer("function")
    other = list(judge_samples(jury, PLUS, tasks, {"HumanEval/0": [right]}, peer=strict, store=store))
    assert [said.known for said in other] == [False], "another scoring"


def test_other_tests_are_other_verdicts(jury: Jury, shelf: Shelf, tmp_path: Path) -> None:
    store = tmp_path / "verdicts.jsonl"
    sample = {"HumanEval/0": [Submission(source=solution(ROWS[0], "return 2 * x"))]}
    list(judge_samples(jury, PLUS, Tasks(shelf, PLUS), sample, store=store))
    changed = written(tmp_path / "more.jsonl", [{**ROWS[0], "plus_input": [[-1], [5]]}])
    with Shelf(changed) as other:
        (said,) = judge_samples(jury, PLUS, Tasks(other, PLUS), sample, store=store)
    assert not said.known


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_samples_in_rows_and_in_folders(shelf: Shelf, tmp_path: Path) -> None:
    tasks = Tasks(shelf, PLUS, limit=2)
    rows = [
        {"task_id": "HumanEval/1", "solution": "one"},
        {"task_id": "HumanEval/2", "completion": "    left out"},
        {"task_id": "HumanEval/0", "completion": "    return 2"},
        {"task_id": "HumanEval/1", "solution": "two"},
    ]
    found = read_samples(written(tmp_path / "S.jsonl", rows), tasks)
    assert {name: [each.source for each in given] for name, given in found.items()} == {
        "HumanEval/0": [solution(ROWS[0], "return 2").removesuffix("\n")],
        "HumanEval/1": ["one", "two"],
    }
    folder = tmp_path / "samples"
    for name, text in (("HumanEval_0/0.py", "a"), ("HumanEval_0/1.py", "b"), ("HumanEval_2/0.py", "c")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = read_samples(folder, tasks)
    assert {name: [each.source for each in given] for name, given in found.items()} == {"HumanEval/0": ["a", "b"]}


def test_a_task_is_found_with_and_without_its_prefix(tmp_path: Path) -> None:
    row = {"task_id": 7, "prompt": "Double.", "code": "def f(x): return 2 * x", "test_list": ["assert f(1) == 2"]}
    data = written(tmp_path / "mbpp.jsonl", [row])
    rows = [{"task_id": "Mbpp/7", "completion": "a"}, {"task_id": 7, "solution": "b"}]
    with Shelf(data) as shelf:
        found = read_samples(written(tmp_path / "S.jsonl", rows), Tasks(shelf, benchmark("mbpp")))
    assert [each.source for each in found["7"]] == ["a", "b"]


def test_a_sample_of_no_task(shelf: Shelf, tmp_path: Path) -> None:
    rows = [{"task_id": "HumanEval/77", "solution": "x"}, {"task_id": "HumanEval/0", "solution": "y"}]
    path = written(tmp_path / "S.jsonl", rows)
    with pytest.raises(BadRow, match="a task of the data"):
        read_samples(path, Tasks(shelf, PLUS))
    told: list[object] = []
    assert list(read_samples(path, Tasks(shelf, PLUS), on_error=told.append)) == ["HumanEval/0"]
    assert "HumanEval/77" in str(told[0])


def test_data_of_another_kind(tmp_path: Path, data: Path) -> None:
    assert format_of_data(PLUS, data) == "evalplus"
    other = written(tmp_path / "klear.jsonl", [{"custom_id": "a", "question": "?", "solutions": [], "type": "stdin"}])
    with pytest.raises(UsageError, match=r"tasks of HumanEval\+ in the format evalplus or humaneval"):
        format_of_data(PLUS, other)
    with pytest.raises(UsageError, match="an empty file"):
        format_of_data(PLUS, written(tmp_path / "empty.jsonl", []))


# ── Real data ────────────────────────────────────────────────────────────────────────────────────────────────────────

_CHECKED = {
    "humaneval": ("humanevalplus/HumanEvalPlus-Mini.jsonl.gz", 10),
    "mbpp": ("mbppplus/MbppPlus-v0.1.0.jsonl.gz", 5),
}


@pytest.mark.parametrize("name", _CHECKED)
@pytest.mark.parametrize("strict", [False, True])
def test_base_verdicts_of_evalplus(jury: Jury, real: Path, name: str, strict: bool) -> None:
    """The first tasks' base tests, which are few. `Mbpp/2` answers a set: the evalplus that recorded these wanted a
    tuple, as the one that is scored as in strict mode does; later ones do not."""
    file, count = _CHECKED[name]
    folder = real / "samples" / "qwen2.5-coder-7b-base" / name
    theirs = json.loads((folder / "generated_eval_results.json").read_text())
    chosen = benchmark(name)
    peer = chosen.peer("function", hash_of(real / file)) if strict else None
    with Shelf(real / file) as shelf:
        tasks = Tasks(shelf, chosen, limit=count)
        samples = read_samples(folder / "generated.jsonl", tasks)
        said = {
            each.task_id: each.subsets["base"].status for each in judge_samples(jury, chosen, tasks, samples, peer=peer)
        }
    assert len(said) == count
    differs = {task_id for task_id, status in said.items() if status != theirs["eval"][task_id][0]["base_status"]}
    assert differs == ({"Mbpp/2"} if name == "mbpp" and not strict else set())


# ── Bounds, and the gold ─────────────────────────────────────────────────────────────────────────────────────────────

SLOW = "import time\ndef f(x):\n    while time.process_time() < {}: pass\n    return x\n"


def scripted(tmp_path: Path, jury: Jury, gold: str, source: str, *, peer: bool = False) -> Judged:
    row = {"task_id": 7, "prompt": "Same.", "code": gold, "test_list": ["assert f(1) == 1"]}
    chosen = msgspec.structs.replace(benchmark("mbpp_plus"), script_s=0.1)
    with Shelf(written(tmp_path / "mbpp.jsonl", [row])) as shelf:
        samples = {"7": [Submission(source=source)]}
        strict = chosen.peer("script") if peer else None
        (said,) = judge_samples(jury, chosen, Tasks(shelf, chosen), samples, peer=strict)
    return said


def test_a_gold_that_is_slow_under_a_script_gives_more_time(jury: Jury, tmp_path: Path) -> None:
    slow, endless = SLOW.format(0.15), "def f(x):\n    while True: pass\n"
    assert statuses(scripted(tmp_path, jury, slow, slow)) == ("pass",)
    assert statuses(scripted(tmp_path, jury, slow, endless)) == ("timeout",)
    assert statuses(scripted(tmp_path, jury, slow, slow, peer=True)) == ("timeout",), "a peer has its own time"


def test_whose_gold_fails_for_a_bound_is_not_judged(jury: Jury, tmp_path: Path) -> None:
    endless = "def f(x):\n    while True: pass\n"
    broken = "def f(x): return 0\n"
    assert "its own solution fails its tests" in scripted(tmp_path, jury, broken, endless).error
    assert statuses(scripted(tmp_path, jury, broken, "def f(x): return 5\n")) == ("fail",), "wrong is wrong"


# ── What calls leave behind ──────────────────────────────────────────────────────────────────────────────────────────

SPOILT = "seen = []\ndef f(x):\n    seen.append(x)\n    return x if len(seen) < 3 else -1\n"


@pytest.mark.parametrize("strict", [False, True])
def test_state_between_calls_fails_nobody_but_for_the_peer(jury: Jury, tmp_path: Path, strict: bool) -> None:
    """Base has two calls and plus three: for the peer each subset has a process, in which the third call is wrong."""
    row = {"task_id": "Mbpp/7", "prompt": "", "entry_point": "f", "canonical_solution": "def f(x):\n    return x\n"}
    row |= {"base_input": [[1], [2]], "plus_input": [[3], [4], [5]], "atol": 0, "contract": ""}
    chosen = benchmark("mbpp_plus")
    peer = chosen.peer("function") if strict else None
    with Shelf(written(tmp_path / "mbpp.jsonl", [row]), format="evalplus") as shelf:
        samples = {"Mbpp/7": [Submission(source=SPOILT)]}
        (said,) = judge_samples(jury, chosen, Tasks(shelf, chosen), samples, peer=peer)
    assert statuses(said) == (("pass", "fail") if strict else ("pass", "pass"))
    if strict:
        assert said.subsets["plus"].failed == ([5],)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x", ("pass", "pass")),
        ("x if x < 5 else -1", ("pass", "fail")),
        ("x if x > 2 else -1", ("fail", "pass")),
        ("x if x == 1 or x == 3 else -1", ("fail", "fail")),
    ],
)
def test_subsets_that_share_a_process_have_verdicts_of_their_own(
    jury: Jury, tmp_path: Path, body: str, expected: tuple[str, str]
) -> None:
    row = {"task_id": "Mbpp/7", "prompt": "", "entry_point": "f", "canonical_solution": "def f(x):\n    return x\n"}
    row |= {"base_input": [[1], [2]], "plus_input": [[3], [4], [5]], "atol": 0, "contract": ""}
    chosen = benchmark("mbpp_plus")
    with Shelf(written(tmp_path / "mbpp.jsonl", [row]), format="evalplus") as shelf:
        samples = {"Mbpp/7": [Submission(source=f"def f(x):\n    return {body}\n")]}
        (said,) = judge_samples(jury, chosen, Tasks(shelf, chosen), samples)
    assert statuses(said) == expected
    first = {"x if x < 5 else -1": ("plus", [5]), "x if x > 2 else -1": ("base", [1])}.get(body)
    if first is not None:
        assert said.subsets[first[0]].failed == (first[1],)  # type: ignore[index]
