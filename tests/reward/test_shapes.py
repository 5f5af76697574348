"""Each shape of tests is recognised, accepts what is right and rejects what is wrong."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from reward.shapes import CASES, FUNCTION, LISTS, PROGRAM, SHAPES, WRONG_FUNCTION, WRONG_PROGRAM, fenced

import codejury
from codejury.reward import score


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape(jury: codejury.Jury, name: str) -> None:
    shape = SHAPES[name]
    right, wrong = (FUNCTION, WRONG_FUNCTION) if shape.call else (PROGRAM, WRONG_PROGRAM)
    said = score([fenced(right), fenced(wrong)], [shape.truth] * 2, jury=jury)
    assert [each.score for each in said] == [1.0, 0.0], [each.message for each in said]
    assert [each.trouble for each in said] == ["", ""]
    assert said[1].verdict == "wrong_answer"


def test_rows_out_of_parquet(jury: codejury.Jury) -> None:
    """Lists come as arrays, and a row has the fields of all rows."""
    truth = {
        "inputs": numpy.array(LISTS["inputs"], dtype=object),
        "outputs": numpy.array(LISTS["outputs"], dtype=object),
    }
    row = {"custom_id": None, "reward_model": None, "input_output": None, "tests": numpy.array(CASES, dtype=object)}
    assert [each.score for each in score([fenced(PROGRAM)] * 2, [truth, row], jury=jury)] == [1.0, 1.0]


def test_a_null_within_a_value_stays(jury: codejury.Jury) -> None:
    truth = {"fn_name": "f", "inputs": [[{"a": None}]], "outputs": [1]}
    (said,) = score([fenced("def f(d):\n    return len(d)\n")], [truth], jury=jury)
    assert said.score == 1.0, said.message


@pytest.mark.parametrize(
    "truth",
    [
        None,
        7,
        "",
        "no tests",
        "AAAABBBBCCCCDDDDEEEE",
        '{"inputs": ["1"]',
        {},
        [],
        {"inputs": [], "outputs": []},
        {"inputs": ["1"], "outputs": []},
        {"inputs": ["1"]},
        {"custom_id": "nowhere"},
        {"fn_name": "f", "inputs": ["1"]},
        "assert True\nimport inspect\ninspect.getsource(double)",
        {"inputs": ["1"], "outputs": ["1"], "weights": [1, 2], "id": "w"},
        3.5,
    ],
    ids=repr,
)
def test_what_cannot_be_judged_by_is_no_nought(jury: codejury.Jury, truth: Any) -> None:
    bad, good = score([fenced(FUNCTION), fenced(PROGRAM)], [truth, LISTS], jury=jury)
    assert bad.score is None
    assert bad.trouble == "tests"
    assert bad.message
    assert good.score == 1.0
