"""Rows with many tests: what they say when they are read and run."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.benchmarks import plus_rows
from codejury.dataset import problem_of
from codejury.dataset.writers.values import Inexpressible
from codejury.judging.calls import compare_values
from codejury.model import Comparison, Problem, Submission, TestCase

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers() | st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers() | st.text(max_size=3), max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(PLAIN)
def test_a_spelling_is_the_value(value: Any) -> None:
    back = eval(plus_rows.spelling(value), {"inf": math.inf, "nan": math.nan})
    assert type(back) is type(value)
    assert compare_values(value, back) is None


@pytest.mark.parametrize("value", [object(), [10**5000], {1: {2: range(3)}}, complex(math.nan, 1)])
def test_no_spelling(value: Any) -> None:
    with pytest.raises(Inexpressible):
        plus_rows.spelling(value)


def made(outputs: list[Any], **compare: Any) -> Problem:
    cases = tuple(TestCase(input=[n], output=value, group="plus") for n, value in enumerate(outputs))
    gold = Submission(source="def f(n):\n    return None\n")
    return Problem(id="1", kind="function", fn_name="f", cases=cases, golds=(gold,), compare=Comparison(**compare))


def passes(problem: Problem, answers: list[Any]) -> bool:
    """Whether the script, run as it is, takes these answers."""
    spelled = [(plus_rows.spelling(case.input), plus_rows.spelling(case.output)) for case in problem.cases]
    try:
        exec(plus_rows.script(problem, spelled), {"f": lambda n: answers[n]})
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    ("expected", "got", "compare"),
    [
        (1.0, 1.0 + 1e-8, {}),
        (1.0, 1.1, {}),
        (1, 1.0, {}),
        (True, 1, {}),
        ([1.5, 2.5], [1.5, 2.5 + 1e-9], {}),
        ([1, 2], (1, 2), {}),
        ([1, 2], [2, 1], {}),
        ([1, 2], [2, 1], {"oracle": "as_sets"}),
        ([1, 2], {2, 1}, {"oracle": "as_sets"}),
        ([1, 1, 2], [2, 1], {"oracle": "as_sets"}),
        ([1, 1, 2], [2, 1], {"oracle": "any_order"}),
        ([1, 1, 2], [2, 1, 1], {"oracle": "any_order"}),
        ({"a": (1, 0.5)}, {"a": (1, 0.5000001)}, {"absolute": 1e-6}),
        ({"a": (1, 0.5)}, {"a": (1, 0.6)}, {"absolute": 1e-6}),
        ({"a": 1}, {"a": 1, "b": 2}, {}),
        (math.nan, math.nan, {}),
        (100.0, 100.05, {"relative": 1e-3}),
        (100.0, 100.5, {"relative": 1e-3}),
        (True, "found", {"oracle": "not_none"}),
        (True, None, {"oracle": "not_none"}),
        ("a", "b", {}),
    ],
)
def test_a_script_compares_as_the_judge_does(expected: Any, got: Any, compare: dict[str, Any]) -> None:
    problem = made([expected], **compare)
    assert passes(problem, [got]) is (compare_values(expected, got, problem.compare, args=[0]) is None)


def test_a_name_that_the_script_needs() -> None:
    problem = made([1])
    with pytest.raises(Inexpressible, match="inputs"):
        plus_rows.script(Problem(**{**vars_of(problem), "fn_name": "inputs"}), [("[1]", "1")])
    assert "def check(candidate)" in plus_rows.script(problem, [("[1]", "1")], is_check=True)


def vars_of(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in problem.__struct_fields__}


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([1, 2.5, "a"], "same"),
        ([[1], [2, 3]], "same"),
        ([(1,), ()], "tuple"),
        ([((1, 2), (3, 4))], "tuple[tuple]"),
        ([[(1, 2)], []], "list[tuple]"),
        ([{"a": (1,)}], "dict[tuple]"),
        ([{1, 2}, set()], "set"),
        ([1j], "complex"),
        ([(1,), [1]], "same"),
    ],
)
def test_words_for_arguments(values: list[Any], word: str) -> None:
    assert plus_rows.word_of(values) == word


def test_arguments_come_back_from_evalplus_form() -> None:
    inputs: list[list[Any]] = [[(1, 2), {3}, 1j], [(), set(), 2 + 0j]]
    cases = tuple(TestCase(input=args, output=0, group="base") for args in inputs)
    bad = TestCase(input=[[1, 2], {3}, 1j], output=0, group="plus")  # a list where all others have a tuple
    gold = Submission(source="def f(a, b, c):\n    return 0\n")
    problem = Problem(id="7", kind="function", fn_name="f", cases=(*cases, bad), golds=(gold,), statement="Zero.")
    origin = Problem(id="7", kind="script", cases=(TestCase(input="assert f((), 1, 2) == 0"),), golds=(gold,))
    written = plus_rows.row_of("evalplus", origin, problem, contract="")
    assert written.row["task_id"] == "Mbpp/7"
    assert [case.input for case in problem_of(written.row).cases][:2] == inputs
    assert written.row["arguments"] == ["tuple", "set", "complex"]
    assert written.left_out == 1
    lost = Problem(**{**vars_of(problem), "cases": (TestCase(input=[[1, 2], {3}, {1: 2}], group="base"),)})
    with pytest.raises(Inexpressible):  # one of the task's own
        plus_rows.row_of("evalplus", origin, lost, contract="")
