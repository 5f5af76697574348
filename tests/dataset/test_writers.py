"""Problems into other formats: what a format can hold comes back the same, and what it cannot is told."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from dataset import samples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import codejury
from codejury.checkers.program import check
from codejury.dataset import FORMATS, read_problems
from codejury.dataset.formats import kattis as packages
from codejury.dataset.formats.detect import ROW_FORMATS
from codejury.dataset.problems import problem_of, row_of
from codejury.dataset.writers import TARGETS, Conversion, Inexpressible, convert
from codejury.dataset.writers.convert import ALIASES
from codejury.dataset.writers.kattis import folder_name
from codejury.dataset.writers.losses import changes_verdicts, losses
from codejury.errors import UsageError
from codejury.model import Checker, Comparison, Limits, Problem, Submission, TestCase

FREELY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
ROW_TARGETS = [name for name in TARGETS if name not in ("kattis", *ALIASES)]


# --- problems, as formats can hold them ------------------------------------------------------------------------------

CLEAN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TEXTS = CLEAN | st.sampled_from(["", "1 2\n", "\r\n", "\x00", "é\u2028", '"', "```", "[1]", "null", "a\tb  \n\n"])
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    ["7", "007", "-1", "a/7"]
)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(CLEAN, v, max_size=3), max_leaves=6)
LIMITS = st.builds(Limits, cpu_s=st.integers(1, 100).map(float), memory_mb=st.integers(16, 4096).map(float))
EXTRA = st.dictionaries(st.sampled_from(["difficulty_level", "tags", "url", "note"]), VALUES, max_size=2)


@st.composite
def stdin_problems(draw: st.DrawFn, first: str = "", rest: str = "", limits: Any = LIMITS) -> Problem:
    cases = [
        TestCase(input=draw(TEXTS), output=draw(TEXTS), group=group)
        for group in [first] * draw(st.integers(0, 2)) + [rest] * draw(st.integers(1, 3))
    ]
    return Problem(
        id=draw(IDS), kind="stdin", cases=tuple(cases), statement=draw(TEXTS), limits=draw(limits), extra=draw(EXTRA)
    )


@st.composite
def call_problems(draw: st.DrawFn, first: str = "", rest: str = "") -> Problem:
    cases = [
        TestCase(input=draw(st.lists(VALUES, max_size=3)), output=draw(VALUES), group=group)
        for group in [first] * draw(st.integers(0, 2)) + [rest] * draw(st.integers(1, 3))
    ]
    return Problem(
        id=draw(IDS),
        kind="function",
        fn_name=draw(NAMES),
        cases=tuple(cases),
        statement=draw(TEXTS),
        limits=draw(LIMITS),
        compare=Comparison(tuple_is_list=True),
        extra=draw(EXTRA),
    )


def with_golds(problem: Problem, sources: list[str], starter_code: str = "") -> Problem:
    golds = tuple(Submission(source=s, id=f"{problem.id}/{n}", label="success") for n, s in enumerate(sources))
    return msgspec.structs.replace(problem, golds=golds, starter_code=starter_code)


def both(first: str = "", rest: str = "") -> st.SearchStrategy[Problem]:
    return stdin_problems(first, rest) | call_problems(first, rest)


def has_digit_keys(problem: Problem) -> bool:
    """A dictionary of APPS whose keys are whole numbers in texts is read with numbers as keys."""
    values = [case.output for case in problem.cases] + [v for case in problem.cases for v in case.input]
    values += [v[0] for v in values if isinstance(v, list) and len(v) == 1]
    return any(isinstance(v, dict) and any(key.lstrip("-").isdigit() for key in v) for v in values)


def listed(problem: Problem) -> Problem:
    assume(problem.kind == "stdin" or not has_digit_keys(problem))
    if problem.kind == "stdin":
        return problem
    return msgspec.structs.replace(problem, compare=Comparison(tuple_is_list=True, unwrap=True))


def checked(problem: Problem, source: str) -> Problem:
    return msgspec.structs.replace(problem, checker=Checker(kind="klear", source=source, language="python"))


GOLDED = st.lists(TEXTS, max_size=2)
HOLDS: dict[str, st.SearchStrategy[Problem]] = {
    "codejury": both("x", "y") | st.builds(checked, stdin_problems(), TEXTS),
    "klear": st.builds(with_golds, both("public", "generated"), GOLDED, TEXTS)
    | both("public", "generated").map(listed)
    | st.builds(checked, stdin_problems("public", "generated"), TEXTS),
    "apps": st.builds(with_golds, both().map(listed), GOLDED, TEXTS),
    "livecodebench": st.builds(with_golds, both("public", "private"), st.just([]), TEXTS).map(
        lambda p: msgspec.structs.replace(p, extra={**p.extra, **FILLED})
    ),
    "verl": both().map(lambda p: msgspec.structs.replace(p, extra={**p.extra, "ability": "code"})),
    "testlist": st.builds(with_golds, both(), GOLDED, TEXTS),
}
FILLED = {
    "platform": "atcoder",
    "contest_id": "x",
    "contest_date": "2024-01-01",
    "difficulty": "hard",
    "question_title": "t",
}


def written(problem: Problem, folder: Path, to: str, **options: Any) -> tuple[Problem, list[str]]:
    """Through files, as a user would: our own rows in, the format out, and read again."""
    source, target = folder / "in.jsonl", folder / "out"
    source.write_text(json.dumps(row_of(problem)) + "\n")
    lost: list[list[str]] = []
    done = convert(source, target, to=to, force=True, on_loss=lambda _, names: lost.append(names), **options)
    assert (done.read, done.written) == (1, 1)
    (after,) = read_problems(target, format=ALIASES.get(to, to))
    return after, lost[0] if lost else []


@pytest.mark.parametrize("to", sorted(HOLDS))
@FREELY
@given(data=st.data())
def test_what_a_format_can_hold_comes_back_the_same(to: str, data: st.DataObject, tmp_path: Path) -> None:
    problem = data.draw(HOLDS[to])
    after, lost = written(problem, tmp_path, to)
    assert lost == []
    assert msgspec.structs.replace(after, extra={}) == msgspec.structs.replace(problem, extra={})
    there = {name: value for name, value in problem.extra.items() if value is not None}
    assert {name: value for name, value in after.extra.items() if name in there} == there


PACKAGED = st.sampled_from(
    [
        Comparison(by="tokens", ignore_case=True),
        Comparison(by="tokens"),
        Comparison(by="exact"),
        Comparison(by="exact", ignore_case=True),
        Comparison(by="floats", absolute=1e-4, relative=1e-9),
        Comparison(by="floats", absolute=0.5, ignore_case=True),
        Comparison(by="floats", relative=1e-6),
    ]
)


@FREELY
@given(
    problem=stdin_problems("sample", "secret"),
    compare=PACKAGED,
    name=st.from_regex(r"[a-z][a-z0-9_-]{0,10}[a-z0-9]", fullmatch=True),
    output_mb=st.integers(1, 64).map(float),
)
def test_a_package_comes_back_the_same(
    problem: Problem, compare: Comparison, name: str, output_mb: float, tmp_path: Path
) -> None:
    assert problem.limits is not None
    golds = (
        Submission(source="int main() {}", id="accepted/a.cpp", language="cpp", label="success"),
        Submission(source="import b", id="accepted/b", language="python", label="success", files={"b.py": b"\xff"}),
    )
    problem = msgspec.structs.replace(
        problem,
        id=name,
        compare=compare,
        golds=golds,
        extra={},
        limits=msgspec.structs.replace(problem.limits, output_mb=output_mb),
    )
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(problem)) + "\n")
    assert convert(source, target, to="kattis", force=True).lost == {}
    after = packages.read(target / name)
    plain = tuple(msgspec.structs.replace(case, provenance="") for case in after.cases)
    assert msgspec.structs.replace(after, cases=plain, extra={}) == problem


PYTHON_GOLD = Submission(
    source="def add(a, b):\n    return a + b\n", id="x/canonical", language="python", label="success"
)


@FREELY
@given(
    inputs=st.lists(st.lists(VALUES, max_size=3), min_size=1, max_size=4), base=st.integers(0, 4), atol=st.booleans()
)
def test_evalplus_rows_come_back_the_same(inputs: list[Any], base: int, atol: bool, tmp_path: Path) -> None:
    groups = ["base"] * base + ["plus"] * 4
    problem = Problem(
        id="x",
        kind="function",
        fn_name="add",
        cases=tuple(TestCase(input=i, group=g, provenance=g) for i, g in zip(inputs, groups, strict=False)),
        outputs="gold",
        statement="def add(a, b):\n",
        starter_code="def add(a, b):\n",
        compare=Comparison(absolute=1e-3 if atol else None),
        golds=(PYTHON_GOLD,),
        extra={"contract": "", "tags": ["a"]},
    )
    after, lost = written(problem, tmp_path, "evalplus")
    assert (after, lost) == (problem, [])


# --- whatever a problem is, nothing is lost without a word -----------------------------------------------------------

ODD_VALUES = VALUES | st.sampled_from(
    [(1, 2), {1, 2}, frozenset(), 1j, b"x", float("nan"), {1: 2}, {"7": 1}, [[5]], {(1,): 2}, ((),), 10**400, "\ud800"]
)


@st.composite
def any_problem(draw: st.DrawFn) -> Problem:
    kind = draw(st.sampled_from(["stdin", "function", "script"]))
    given_value = {"stdin": TEXTS, "function": st.lists(ODD_VALUES, max_size=2), "script": TEXTS}[kind]
    output = {"stdin": TEXTS | st.none(), "function": ODD_VALUES, "script": st.none()}[kind]
    word = st.sampled_from(["", "public", "generated", "plus", "secret", "sample"])
    cases = draw(
        st.lists(st.builds(TestCase, input=given_value, output=output, group=word, provenance=word), max_size=4)
    )
    language = st.sampled_from([None, "python", "cpp17", "brainfuck"])
    files = st.sampled_from([{}, {"a.h": b"x"}])
    source = st.sampled_from(["def f(a):\n    return a\n", "int main() {}", ""])
    gold = st.builds(Submission, source=source, language=language, files=files, label=st.just("success"))
    kinds = st.sampled_from(["klear", "testlib", "kattis"])
    checker = st.builds(Checker, kind=kinds, source=source, language=language, files=files)
    return Problem(
        id=draw(IDS),
        kind=kind,
        cases=tuple(cases),
        outputs=draw(st.sampled_from(["given", "given", "unknown", "gold"])) if kind == "function" else "given",
        fn_name=draw(st.none() | st.just("f")),
        setup=draw(st.sampled_from(["", "import math"])),
        statement=draw(TEXTS),
        starter_code=draw(TEXTS),
        limits=draw(st.none() | LIMITS | st.builds(Limits, cpu_s=st.none() | st.just(0.1), processes=st.just(3))),
        compare=draw(st.builds(Comparison, by=st.sampled_from(["default", "exact", "tokens", "floats", "unordered"]),
                               ignore_case=st.booleans(), unwrap=st.booleans(), oracle=st.sampled_from(["", "x"]))),
        checker=draw(st.none() | checker) if kind == "stdin" else None,
        golds=tuple(draw(st.lists(gold, max_size=2))),
        extra=draw(st.dictionaries(st.sampled_from(["id", "question", "reward", "tags", "tests", "metadata", "checker",
                                                    "input_output", "solutions", "prompt", "x"]), VALUES, max_size=3)),
    )  # fmt: skip


@pytest.mark.parametrize("to", [*ROW_TARGETS, "kattis"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=120)
@given(problem=any_problem())
def test_nothing_is_lost_without_a_word(to: str, problem: Problem, tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    try:
        source.write_text(json.dumps(row_of(problem)) + "\n")
    except (UsageError, ValueError):  # a value that nobody's rows hold
        return
    told: list[str] = []
    refused: list[UsageError] = []
    done = convert(source, target, to=to, force=True, on_loss=lambda _, n: told.extend(n), on_error=refused.append)
    assert done.written + done.refused == 1
    if done.refused:
        assert isinstance(refused[0], Inexpressible)
        return
    if to == "kattis":
        after = packages.read(target / folder_name(problem.id))
    else:
        (after,) = read_problems(target, format=to)
    parts = {name.partition(".")[0] for name in told}
    for name in ("kind", "outputs", "fn_name", "setup", "statement", "starter_code", "checker"):
        before = getattr(problem, name)
        assert before == getattr(after, name) or name in parts or not before, name
    assert [g.source for g in problem.golds] == [g.source for g in after.golds] or "golds" in told
    assert (problem.limits or Limits()) == (after.limits or Limits()) or "limits" in parts
    same = [repr(a.input) == repr(b.input) for a, b in zip(problem.cases, after.cases, strict=True)]
    same += [repr(a.output) == repr(b.output) for a, b in zip(problem.cases, after.cases, strict=True)]
    assert all(same) or "cases.tuples" in told or "outputs" in told
    for name, value in problem.extra.items():
        if value not in (None, "", [], {}) and f"extra.{name}" not in told:
            assert name in after.extra


@pytest.mark.parametrize("to", ROW_TARGETS)
@pytest.mark.parametrize("name", sorted(samples.ROWS))
def test_sample_rows_of_every_format_into_every_other(name: str, to: str, tmp_path: Path) -> None:
    form, row = samples.ROWS[name]
    problem = problem_of(row, format=form)
    problem = problem if problem.id else msgspec.structs.replace(problem, id="p")
    try:
        after, lost = written(problem, tmp_path, to)
    except Inexpressible:
        return
    assert losses(problem, after) == lost
    assert len(after.cases) == len(problem.cases)


# --- what is lost, by name -------------------------------------------------------------------------------------------

SUM = Problem(
    id="sum",
    cases=(
        TestCase(input="1 2\n", output="3\n", group="public"),
        TestCase(input="4 5\n", output="9\n", group="generated"),
    ),
    statement="Add.",
    golds=(Submission(source=samples.GOLD, id="sum/0", label="success"),),
)


@pytest.mark.parametrize(
    ("to", "change", "expected"),
    [
        ("klear", {}, []),
        ("klear", {"limits": Limits(output_mb=1)}, ["limits.output_mb"]),
        ("klear", {"compare": Comparison(by="tokens")}, ["compare.by"]),
        ("klear", {"checker": Checker(kind="testlib", source="x")}, ["checker"]),
        ("apps", {"checker": Checker(kind="klear", source="x")}, ["checker", "cases.group"]),
        ("apps", {"extra": {"question": "?", "url": "u"}}, ["cases.group", "extra.question"]),
        ("verl", {"starter_code": "s"}, ["starter_code", "golds", "cases.group", "added.ability"]),
        ("testlist", {"setup": "import x"}, ["setup", "cases.group"]),
        ("codejury", {"checker": Checker(kind="kattis", source="x", files={"a": b"\xff"}), "setup": "s"}, []),
    ],
)
def test_what_a_format_has_no_place_for_is_named(to: str, change: Any, expected: list[str], tmp_path: Path) -> None:
    assert written(msgspec.structs.replace(SUM, **change), tmp_path, to)[1] == expected


CALL = Problem(
    id="f",
    kind="function",
    fn_name="f",
    cases=(TestCase(input=[1], output=2),),
    compare=Comparison(tuple_is_list=True),
)


@pytest.mark.parametrize(
    ("to", "problem", "match"),
    [
        ("kattis", CALL, "standard input"),
        ("evalplus", SUM, "function calls"),
        ("evalplus", CALL, "no gold in Python"),
        ("klear", Problem(id="s", kind="script", cases=(TestCase(input="assert 1"),)), "tests that are code"),
        ("livecodebench", msgspec.structs.replace(CALL, outputs="unknown"), "answers are not in the data"),
        ("verl", msgspec.structs.replace(SUM, cases=(TestCase(input="x"),)), "answers are not in the data"),
        ("klear", msgspec.structs.replace(CALL, cases=(TestCase(input=[{1}], output=2),)), "type set"),
        ("apps", msgspec.structs.replace(CALL, cases=(TestCase(input=[{"1": 2}], output=2),)), "test 1: an input"),
        ("klear", msgspec.structs.replace(CALL, cases=(TestCase(input=[1], output={1: 2}),)), "test 1: an output"),
    ],
)
def test_what_a_format_cannot_hold_at_all_is_refused(to: str, problem: Problem, match: str, tmp_path: Path) -> None:
    with pytest.raises(Inexpressible, match=match):
        written(problem, tmp_path, to)


def test_tuples_become_lists_and_that_is_told(tmp_path: Path) -> None:
    problem = msgspec.structs.replace(CALL, cases=(TestCase(input=[(1, 2)], output=(3,)),))
    after, lost = written(problem, tmp_path, "klear")
    assert lost == ["cases.tuples"]
    assert after.cases[0].input == [[1, 2]]


def test_a_list_of_one_that_may_stand_for_its_element_is_told_where_it_no_longer_may(tmp_path: Path) -> None:
    wrapped = msgspec.structs.replace(CALL, compare=Comparison(tuple_is_list=True, unwrap=True))
    assert "compare.unwrap" not in written(wrapped, tmp_path, "testlist")[1]
    wrapped = msgspec.structs.replace(wrapped, cases=(TestCase(input=[1], output=[2]),))
    assert "compare.unwrap" in written(wrapped, tmp_path, "testlist")[1]
    assert written(wrapped, tmp_path, "klear")[1] == []


def test_strict_refuses_what_would_be_judged_otherwise_and_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(Inexpressible, match=r"compare\.by"):
        written(msgspec.structs.replace(SUM, compare=Comparison(by="tokens")), tmp_path, "klear", strict=True)
    assert "golds" in written(SUM, tmp_path, "verl", strict=True)[1]
    assert changes_verdicts("limits.cpu_s")
    assert not changes_verdicts("checker.form")


# --- rows as their peers want them -----------------------------------------------------------------------------------


def row_in(problem: Problem, folder: Path, to: str) -> dict[str, Any]:
    written(problem, folder, to)
    row: dict[str, Any] = json.loads((folder / "out").read_text())
    return row


def test_klear_rows_have_the_fields_of_the_published_ones(tmp_path: Path) -> None:
    row = row_in(SUM, tmp_path, "klear")
    assert row["reward"]["ground_truth"] == {
        "input_output": [{"input": "4 5\n", "output": "9\n"}],
        "type": "stdin",
        "fn_name": None,
    }
    assert json.loads(row["input_output"]) == {"inputs": ["1 2\n"], "outputs": ["3\n"]}
    assert row["error_info"] is None
    wanted = {
        "custom_id",
        "question",
        "starter_code",
        "solutions",
        "input_generator",
        "type",
        "fn_name",
        "input_output",
    }
    assert wanted <= row.keys()


def test_livecodebench_rows_have_all_that_its_loader_wants(tmp_path: Path) -> None:
    row = row_in(msgspec.structs.replace(CALL, golds=()), tmp_path, "livecodebench")
    wanted = ("question_title question_content platform question_id contest_id contest_date starter_code difficulty "
              "public_test_cases private_test_cases metadata")  # fmt: skip
    assert set(wanted.split()) <= row.keys()
    assert json.loads(row["private_test_cases"]) == [{"input": "1", "output": "2", "testtype": "functional"}]
    assert json.loads(row["metadata"]) == {"func_name": "f"}


def test_verl_rows_have_their_tests_as_text(tmp_path: Path) -> None:
    row = row_in(CALL, tmp_path, "prime")
    assert row["prompt"] == [{"role": "user", "content": ""}]
    assert row["reward_model"]["style"] == "rule"
    assert json.loads(row["reward_model"]["ground_truth"]) == {"inputs": ["1"], "outputs": ["2"], "fn_name": "f"}


def test_verl_ids_of_source_and_index_stay(tmp_path: Path) -> None:
    value = {
        "data_source": "taco", "prompt": "Add.", "ability": "code", "extra_info": {"index": 5, "split": "train"},
        "reward_model": {"style": "rule", "ground_truth": json.dumps({"inputs": ["1"], "outputs": ["2"]})},
    }  # fmt: skip
    row = row_in(problem_of(value), tmp_path, "verl")
    assert (row["data_source"], row["extra_info"]) == ("taco", {"index": 5, "split": "train"})
    assert "id" not in row


# --- Parquet ---------------------------------------------------------------------------------------------------------


def many(folder: Path, *extras: dict[str, Any]) -> Path:
    source = folder / "in.jsonl"
    rows = [msgspec.structs.replace(SUM, id=f"p{n}", golds=(), extra=extra) for n, extra in enumerate(extras)]
    source.write_text("".join(json.dumps(row_of(row)) + "\n" for row in rows))
    return source


def test_parquet_holds_verl_rows_and_other_fields_by_their_types(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    extras = [{"extra_info": {"index": n, "split": "train"}, "level": n, "tags": ["a"]} for n in range(200)]
    target = tmp_path / "out.parquet"
    done = convert(many(tmp_path, *extras), target, to="verl")
    assert (done.written, done.lost) == (200, {"cases.group": 200, "added.ability": 200})
    after = list(read_problems(target))
    assert [problem.id for problem in after] == [f"p{n}" for n in range(200)]
    assert after[150].extra["extra_info"] == {"index": 150, "split": "train"}
    assert (after[7].extra["level"], after[7].extra["tags"]) == (7, ["a"])
    assert [case.input for case in after[3].cases] == ["1 2\n", "4 5\n"]


def test_parquet_tells_what_does_not_fit_its_columns(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    extras: list[dict[str, Any]] = [{"level": 1, "info": {"a": 1}}] * 100
    extras += [{"level": "high"}, {"info": {"a": 1, "b": 2}}, {"new": 1}, {"level": 2}]
    target = tmp_path / "out.parquet"
    lost: dict[str, list[str]] = {}
    done = convert(many(tmp_path, *extras), target, to="verl", on_loss=lambda name, names: lost.update({name: names}))
    assert done.written == 104
    assert "extra.level" in lost["p100"]
    assert "extra.info" in lost["p101"]
    assert "extra.new" in lost["p102"]
    assert not any(name.startswith("extra.") for name in lost["p103"])
    after = {problem.id: problem.extra for problem in read_problems(target)}
    assert (after["p99"]["level"], after["p103"]["level"]) == (1, 2)


def test_parquet_columns_are_as_wide_as_the_first_rows_need(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    extras: list[dict[str, Any]] = [
        {"tags": [], "meta": {}, "none": None},
        {"tags": ["x"], "number": 1, "info": {"a": 1}},
        {"number": 2.5, "info": {"b": "y"}, "meta": {"in": {}}},
        {"number": "three", "deep": [[], [1]]},
    ]
    target = tmp_path / "out.parquet"
    done = convert(many(tmp_path, *extras), target, to="verl")
    assert {name: count for name, count in done.lost.items() if name.startswith("extra.")} == {
        "extra.number": 1,
        "extra.meta": 1,
    }
    after = [problem.extra for problem in read_problems(target)]
    assert (after[1]["tags"], after[1]["number"], after[2]["number"]) == (["x"], 1, 2.5)
    assert (after[1]["info"]["a"], after[2]["info"]["b"], after[3]["deep"]) == (1, "y", [[], [1]])


def test_parquet_refuses_half_characters_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    source = many(tmp_path, {}, {})
    source.write_text(source.read_text().replace("Add.", "\\ud800", 1))
    told: list[UsageError] = []
    done = convert(source, tmp_path / "out.parquet", to="verl", on_error=told.append)
    assert (done.written, done.refused) == (1, 1)


def test_parquet_is_for_verl_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="verl"):
        convert(many(tmp_path, {}), tmp_path / "out.parquet", to="klear")


# --- packages --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def box() -> Iterator[codejury.Sandbox]:
    with codejury.Sandbox(workers=1) as sandbox:
        yield sandbox


def test_a_klear_checker_works_as_a_validator_of_the_package(tmp_path: Path, box: codejury.Sandbox) -> None:
    problem = msgspec.structs.replace(SUM, checker=Checker(kind="klear", source=samples.CHECKER, language="python"))
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(problem)) + "\n")
    told: list[str] = []
    convert(source, target, to="kattis", language_of=lambda _: "python", on_loss=lambda _, names: told.extend(names))
    assert "checker.form" in told
    assert "golds" not in told
    after = packages.read(target / "sum")
    assert after.checker is not None
    assert check(box, after.checker, input="1 2", output=" 3", expected="3\n").accepted
    assert not check(box, after.checker, input="1 2", output="4", expected="3\n").accepted
    assert sorted(path.name for path in (target / "sum").iterdir()) == [
        ".timelimit", "data", "output_validators", "problem.yaml", "problem_statement", "submissions",
    ]  # fmt: skip
    assert sorted(path.name for path in (target / "sum" / "data").rglob("*.in")) == ["1.in", "2.in"]


def test_input_validators_go_into_the_package(tmp_path: Path) -> None:
    validators = [
        "def is_valid_input(text):\n    return True\n",
        {"source": "import sys\nsys.exit(42)\n", "language": "python"},
    ]
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    for extra, kept in [(validators, True), ([*validators, '#include "testlib.h"'], False), ([3], False), ({}, True)]:
        problem = msgspec.structs.replace(SUM, extra={"input_validator": extra})
        source.write_text(json.dumps(row_of(problem)) + "\n")
        lost = convert(source, target, to="kattis", force=True).lost
        assert ("extra.input_validator" not in lost) is kept
    source.write_text(json.dumps(row_of(msgspec.structs.replace(SUM, extra={"input_validator": validators}))) + "\n")
    convert(source, target, to="kattis", force=True)
    found = sorted(str(path.relative_to(target)) for path in target.rglob("input_validators/**/*.py"))
    folder = "sum/input_validators"
    assert found == [f"{folder}/1/klear_validator.py", f"{folder}/1/main.py", f"{folder}/2/main.py"]


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/x", ".hidden", "..", ".", "", "a\x00b", "x" * 500, "a/../../b", "é"]
)
def test_no_id_leads_out_of_the_directory(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "deep" / "er" / "out"
    source.write_text(json.dumps(row_of(msgspec.structs.replace(SUM, id=name))) + "\n")
    convert(source, target, to="kattis")
    (made,) = target.iterdir()
    assert packages.is_package(made)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "in.jsonl"]


@pytest.mark.parametrize("name", ["../evil", "/tmp/codejury-evil", "main.py", "", "a/../../b", "x\x00"])
def test_no_file_of_a_program_leads_out_of_the_package(tmp_path: Path, name: str) -> None:
    checker = Checker(kind="kattis", source="pass", language="python", files={name: b"x"})
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(msgspec.structs.replace(SUM, checker=checker))) + "\n")
    with pytest.raises(Inexpressible, match="name cannot be kept"):
        convert(source, target, to="kattis")
    assert list(target.iterdir()) == []
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "name", ["secret/../../../evil", "secret/.x", "secret//a", "other/a", "secret/a\x00", "secret/"]
)
def test_no_provenance_leads_out_of_the_data(tmp_path: Path, name: str) -> None:
    problem = msgspec.structs.replace(SUM, cases=(TestCase(input="1", output="2", provenance=name),))
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(problem)) + "\n")
    convert(source, target, to="kattis")
    assert [str(path.relative_to(target)) for path in target.rglob("*.in")] == ["sum/data/secret/1.in"]


def test_ids_that_make_one_name_become_packages_of_their_own(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    rows = [row_of(msgspec.structs.replace(SUM, id=name, statement=name)) for name in ("a/b", "a b", "a-b")]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    convert(source, target, to="kattis")
    assert {path.name: packages.read(path).statement for path in target.iterdir()} == {
        "a-b": "a/b",
        "a-b-2": "a b",
        "a-b-3": "a-b",
    }


def test_a_directory_that_is_no_package_is_never_replaced(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(SUM)) + "\n")
    (target / "sum").mkdir(parents=True)
    (target / "sum" / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="no empty directory"):
        convert(source, target, to="kattis")
    with pytest.raises(UsageError, match="not replaced"):
        convert(source, target, to="kattis", force=True)
    assert (target / "sum" / "thesis.tex").read_text() == "mine"


def test_an_old_package_is_replaced_as_a_whole_when_asked_for(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(json.dumps(row_of(SUM)) + "\n")
    convert(source, target, to="kattis")
    source.write_text(json.dumps(row_of(msgspec.structs.replace(SUM, cases=SUM.cases[:1]))) + "\n")
    convert(source, target, to="kattis", force=True)
    assert len(packages.read(target / "sum").cases) == 1
    assert [path.name for path in target.iterdir()] == ["sum"]


# --- files -----------------------------------------------------------------------------------------------------------


def test_nothing_is_overwritten_unless_it_is_asked_for(tmp_path: Path) -> None:
    source, target = many(tmp_path, {}), tmp_path / "out"
    target.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        convert(source, target, to="klear")
    with pytest.raises(UsageError, match="source itself"):
        convert(source, source, to="klear", force=True)
    with pytest.raises(UsageError, match="found a directory"):
        convert(source, tmp_path, to="klear", force=True)
    assert target.read_text() == "mine"
    assert convert(source, target, to="klear", force=True).written == 1
    assert [problem.id for problem in read_problems(target)] == ["p0"]


def test_bad_rows_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    source = many(tmp_path, {}, {})
    script = row_of(Problem(id="s", kind="script", cases=(TestCase(input="assert 1"),)))
    source.write_text(source.read_text() + "{torn\n" + json.dumps(script) + "\n" + json.dumps(row_of(SUM)) + "\n")
    told: list[str] = []
    done = convert(source, tmp_path / "out", to="klear", on_error=lambda error: told.append(str(error)))
    assert done == Conversion(read=4, written=3, refused=1, bad_rows=1, lost=done.lost)
    assert "line 3" in told[0]
    assert "'s': tests that are code" in told[1]


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_where_nothing_can_be_written_an_old_file_stays(tmp_path: Path, name: str) -> None:
    if name == "out.parquet":
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    source, target = tmp_path / "in.jsonl", tmp_path / name
    source.write_text("{torn\n")
    target.write_text("old")
    done = convert(source, target, to="verl", force=True, on_error=lambda _: None)
    assert (done.written, done.bad_rows, target.read_text()) == (0, 1, "old")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in.jsonl", name])


@pytest.mark.parametrize("to", ["klear", "verl", "kattis"])
def test_a_conversion_that_fails_leaves_nothing_half_done(tmp_path: Path, to: str) -> None:
    source = many(tmp_path, {}, {})
    folder = tmp_path / "made"
    folder.mkdir()

    def interrupt() -> None:
        raise KeyboardInterrupt

    name = "out.parquet" if to == "verl" else "out"
    if to == "verl":
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    with pytest.raises(KeyboardInterrupt):
        convert(source, folder / name, to=to, on_progress=interrupt)
    assert [path.name for path in folder.rglob("*") if path.name.startswith(".") and path.name != ".timelimit"] == []
    assert sorted(path.name for path in folder.iterdir()) == (["out"] if to == "kattis" else [])


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        convert(many(tmp_path, {}), tmp_path / "no" / "such" / "folder", to="klear")


def test_a_name_that_ends_in_gz_is_gzipped(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl.gz"
    convert(many(tmp_path, {}), target, to="klear")
    assert json.loads(gzip.decompress(target.read_bytes()))["custom_id"] == "p0"
    assert [problem.id for problem in read_problems(target)] == ["p0"]


def test_every_target_has_a_reader() -> None:
    assert {ALIASES.get(name, name) for name in TARGETS} <= set(FORMATS)
    assert set(ALIASES.values()) <= set(ROW_FORMATS)


def test_an_unknown_format_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one of codejury, klear"):
        convert(many(tmp_path, {}), tmp_path / "out", to="klaer")


# --- real data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["mbppplus/MbppPlus.jsonl.gz", "humanevalplus/HumanEvalPlus-Mini.jsonl.gz"])
def test_evalplus_data_through_its_own_format_and_ours(data: Path, file: str, tmp_path: Path) -> None:
    for to in ("evalplus", "codejury"):
        done = convert(data / file, tmp_path / to, to=to)
        assert (done.refused, done.lost) == (0, {})
    before = [row_of(problem) for problem in read_problems(data / file)]
    assert [row_of(problem) for problem in read_problems(tmp_path / "evalplus")] == before


@pytest.mark.parametrize("file", ["sample", "sample_with_generated_testcases", "spj_sample_with_special_testcases"])
def test_klear_data_through_its_own_format(data: Path, file: str, tmp_path: Path) -> None:
    assert convert(data / "klear" / f"{file}.jsonl", tmp_path / "out", to="klear").lost == {}
    (before,), (after,) = read_problems(data / "klear" / f"{file}.jsonl"), read_problems(tmp_path / "out")
    assert msgspec.structs.replace(after, extra={}) == msgspec.structs.replace(before, extra={})
    old = json.loads((data / "klear" / f"{file}.jsonl").read_text())
    new = json.loads((tmp_path / "out").read_text())
    assert {name for name in old if name not in new} == set()


def test_packages_through_their_own_format(data: Path, tmp_path: Path) -> None:
    names = ["espressobucks", "demantar", "countintegers", "lucky"]
    for name in names:
        os.symlink(data / "kattis" / name, tmp_path / name)
        done = convert(tmp_path / name, tmp_path / "out" / name, to="kattis")
        assert (done.written, set(done.lost) - {"extra.kattis"}) == (1, set())
