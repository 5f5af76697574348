"""Results that are kept: the same case is not run again, another one is, and nothing that is wrong with the store ever
decides a verdict."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from codejury import Checker, Comparison, Job, Jury, Limits, Outcome, Problem, Sandbox, Submission, TestCase
from codejury.judging.results import Results
from codejury.languages.execute import Ready
from codejury.model import CaseResult

DOUBLE = Submission(source="print(int(input()) * 2)", language="python")
PROBLEM = Problem(
    cases=(TestCase(input="1", output="2"), TestCase(input="4", output="8"), TestCase(input="5", output="1"))
)


def with_cases(cases: Iterable[TestCase]) -> Problem:
    return msgspec.structs.replace(PROBLEM, cases=tuple(cases))


class Counting(Sandbox):
    """A real sandbox that counts what it runs."""

    runs = 0

    def ready(self, job: Job) -> Ready:
        sandbox = self

        class Counted(Ready):
            def run_row(self, inputs: Sequence[str | bytes]) -> list[Outcome]:
                sandbox.runs += len(inputs) or 1
                return super().run_row(inputs)

        return Counted(self, job)


@pytest.fixture(scope="module")
def box() -> Iterator[Counting]:
    with Counting(workers=2) as box:
        yield box


def judged(box: Counting, folder: Path, submission: Submission = DOUBLE, problem: Problem = PROBLEM, **options: object):
    """Verdicts, and how many runs they took."""
    before = box.runs
    with Results(folder) as results, Jury(box, results=results, **options) as jury:  # type: ignore[arg-type]
        said = jury.judge(submission, problem)
    return [case.verdict for case in said.cases], box.runs - before


def test_the_second_time_nothing_runs(box: Counting, tmp_path: Path) -> None:
    first = judged(box, tmp_path)
    assert first == (["success", "success", "wrong_answer"], 3)
    assert judged(box, tmp_path) == (first[0], 0)


def test_places_and_provenance_are_those_of_now(box: Counting, tmp_path: Path) -> None:
    judged(box, tmp_path)
    turned = msgspec.structs.replace(
        PROBLEM, cases=tuple(msgspec.structs.replace(case, provenance="new") for case in reversed(PROBLEM.cases))
    )
    with Results(tmp_path) as results, Jury(box, results=results) as jury:
        said = jury.judge(DOUBLE, turned)
    assert [(case.index, case.verdict, case.provenance) for case in said.cases] == [
        (0, "wrong_answer", "new"),
        (1, "success", "new"),
        (2, "success", "new"),
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"problem": msgspec.structs.replace(PROBLEM, compare=Comparison(by="exact"))},
        {"problem": msgspec.structs.replace(PROBLEM, limits=Limits(cpu_s=3))},
        {"problem": with_cases(TestCase(input=c.input + " ", output=c.output) for c in PROBLEM.cases)},
        {"problem": with_cases(TestCase(input=c.input, output=c.output + " ") for c in PROBLEM.cases)},
        {"submission": msgspec.structs.replace(DOUBLE, source=DOUBLE.source + " ")},
        {"submission": msgspec.structs.replace(DOUBLE, files={"more.txt": b""})},
        {"submission": msgspec.structs.replace(DOUBLE, language="pypy")},
        {"kept": 7},
    ],
    ids=["comparison", "limits", "input", "output", "source", "files", "language", "kept"],
)  # fmt: skip
def test_whatever_decides_is_part_of_the_key(box: Counting, tmp_path: Path, changed: dict[str, object]) -> None:
    if getattr(changed.get("submission"), "language", "") == "pypy":
        try:
            box.toolchain(box.catalog.get("pypy"))
        except Exception:  # noqa: BLE001
            pytest.skip("this host has no PyPy")
    judged(box, tmp_path)
    assert judged(box, tmp_path, **changed)[1] == 3  # type: ignore[arg-type]


def test_a_checker_is_part_of_the_key(box: Counting, tmp_path: Path) -> None:
    judged(box, tmp_path)
    accepts = "def is_valid_output(a, b, c):\n    return True\n"
    verdicts, _ = judged(
        box, tmp_path, problem=msgspec.structs.replace(PROBLEM, checker=Checker(kind="klear", source=accepts))
    )
    assert verdicts == ["success"] * 3


def test_functions(box: Counting, tmp_path: Path) -> None:
    problem = Problem(
        kind="function", fn_name="add", cases=(TestCase(input=[1, 2], output=3), TestCase(input=[{1}, {2}], output=0))
    )
    source = Submission(source="def add(a, b): return a + b if isinstance(a, int) else 0")
    with Results(tmp_path) as results, Jury(box, results=results) as jury:
        assert jury.judge(source, problem).accepted
        assert (results.hits, results.misses) == (0, 2)
        assert jury.judge(source, problem).accepted
        assert results.hits == 2


def test_a_store_that_others_can_write_is_not_used(box: Counting, tmp_path: Path) -> None:
    judged(box, tmp_path)
    (tmp_path / "results.sqlite").chmod(0o666)
    assert judged(box, tmp_path)[1] == 3
    with Results(tmp_path) as results:
        assert "written by others" in results.problem


def test_a_lie_in_it_would_count_so_it_is_private(tmp_path: Path) -> None:
    """Which is why nobody else may write there."""
    with Results(tmp_path / "made"):
        pass
    assert (tmp_path / "made").stat().st_mode & 0o077 == 0
    assert (tmp_path / "made" / "results.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", [b"", b"no data base", os.urandom(5000)], ids=["empty", "text", "noise"])
def test_a_damaged_store_is_a_miss(box: Counting, tmp_path: Path, damage: bytes) -> None:
    judged(box, tmp_path)
    (tmp_path / "results.sqlite").write_bytes(damage)
    for rest in tmp_path.glob("results.sqlite-*"):
        rest.unlink()
    assert judged(box, tmp_path)[0] == ["success", "success", "wrong_answer"]


def test_a_damaged_entry_is_a_miss(box: Counting, tmp_path: Path) -> None:
    judged(box, tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as base:
        base.execute("update result set value = x'00'")
    assert judged(box, tmp_path) == (["success", "success", "wrong_answer"], 3)


def test_it_is_bounded(tmp_path: Path) -> None:
    result = CaseResult(index=0, verdict="success", output="x" * 1000)
    with Results(tmp_path, max_mb=0.1) as results:
        for number in range(2000):
            results.put(number.to_bytes(32, "big"), result)
        results._write()
        kept = [number for number in range(2000) if results.get(number.to_bytes(32, "big")) is not None]
    assert 0 < len(kept) < 110
    assert kept[-1] == 1999  # the newest stay
    with sqlite3.connect(tmp_path / "results.sqlite") as base:
        (size,) = base.execute("select sum(length(value)) from result").fetchone()
    assert size <= 0.1 * 2**20


def test_two_at_a_time_share_it(box: Counting, tmp_path: Path) -> None:
    with Results(tmp_path) as one, Results(tmp_path) as other:
        result = CaseResult(index=0, verdict="success")
        one.put(b"1" * 32, result)
        other.put(b"2" * 32, result)
        one._write()
        other._write()
        assert other.get(b"1" * 32) == result
        assert one.get(b"2" * 32) == result


def test_no_place_for_it_is_no_failure(box: Counting, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Results(tmp_path / "file" / "folder") as results:
        assert results.problem
        assert results.get(b"1" * 32) is None
        results.put(b"1" * 32, CaseResult(index=0, verdict="success"))
        assert results.get(b"1" * 32) is None
