"""Programs out of replies to tasks: the table in replies.toml, and what a peer would take."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from codejury.benchmarks.catalog import benchmark
from codejury.benchmarks.extract import called_name, completed, program_of
from codejury.llm.replies import MAX_CHARS
from codejury.model import Problem, TestCase

TABLE = tomllib.loads((Path(__file__).parent / "replies.toml").read_text())["reply"]
START = 'def double(x):\n    """Twice."""\n'


def script(*asserts: str, **more: Any) -> Problem:
    return Problem(kind="script", cases=tuple(TestCase(input=text, group="base") for text in asserts), **more)


TASKS = {
    "assert": script("assert double(2) == 4", "assert double(0) == 0"),
    "asserts with builtins": script(
        "assert set(shared([1], [1])) == set([1])",
        "assert len(shared([1], [2])) == 0",
        setup="from math import isclose",
    ),
    "function": Problem(kind="function", fn_name="double", starter_code=START, statement=START),
    "stdin": Problem(statement="Double it."),
}
MBPP = benchmark("mbpp_plus")


@pytest.mark.parametrize("row", TABLE, ids=[row["name"] for row in TABLE])
def test_replies(row: dict[str, Any]) -> None:
    found = program_of(row["reply"], TASKS[row["task"]], MBPP)
    if "program" in row:
        assert found.source is not None, found.detail
        assert found.source == row["program"].lstrip("\n")
        assert row.get("cut", "") in ("", *found.what_was_cut)
    else:
        assert (found.source, found.why_none) == (None, row["why"])
        assert found.detail


def test_the_name_that_is_tested() -> None:
    assert called_name(TASKS["assert"]) == "double"
    assert called_name(TASKS["asserts with builtins"]) == "shared"
    assert called_name(script("assert f(g(1)) == 1")) is None, "either could be"
    assert called_name(script("assert f(1) == g(1)", "assert f(2) == 2")) == "f"
    assert called_name(script("assert f(")) is None
    assert called_name(TASKS["stdin"]) is None


def test_long_thoughts_are_no_reason_to_miss_the_answer() -> None:
    found = program_of(f"<think>{'hm ' * MAX_CHARS}</think>def double(x): return 2 * x\n", TASKS["assert"], MBPP)
    assert found.source == "def double(x): return 2 * x\n"


def test_the_end_that_is_missing_is_told() -> None:
    assert program_of("```python\ndef double(x):\n    return 2", TASKS["assert"], MBPP, finish_reason="length").is_cut


@pytest.mark.parametrize("reply", ["return 2 * x", "def other(): pass", "Twice is 2 * x.", "", "    (("])
def test_no_completions(reply: str) -> None:
    assert completed(START, reply, "double") is None


def test_as_evalscope_finds_code() -> None:
    peer = MBPP.peer("script")
    for reply, expected in (
        ("x\n```python\ndef f(): pass\nassert f()\n```\n```python\nsecond\n```", "def f(): pass\n"),
        ("def f(): pass\n[DONE]\nmore", "def f(): pass\n"),
        ('def f(): pass\n"""doc"""', "def f(): pass\n"),
        ("def f(): pass\nif __name__ == '__main__': f()", "def f(): pass\n"),
    ):
        assert program_of(reply, TASKS["assert"], MBPP, peer=peer).source == expected
