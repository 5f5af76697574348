"""Rows, files and packages that were mutated at random raise UsageErrors, and nothing else."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dataset import samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.dataset import problem_of, read_cases, read_problems, read_submissions
from codejury.dataset.formats import kattis
from codejury.dataset.formats.detect import ROW_FORMATS
from codejury.dataset.problems import row_of
from codejury.errors import UsageError
from codejury.model import Problem

FREELY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)

WORDS = st.sampled_from(
    ["", " ", "{", "[]", "{}", "null", "[[1]]", '{"inputs": 3}', "1e999", "0", "-1", "nan", "x" * 50, "\x00", "\ud800",
     "é", "functional", "stdin", "Mbpp/124", "Mbpp/252", "HumanEval/32", "$tuple", "9" * 5000, "(" * 300, "gA=="]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8)
KEYS = WORDS | st.sampled_from(["input", "output", "inputs", "outputs", "fn_name", "$set", "$dict", "$complex"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, rows: list[dict[str, Any]]) -> dict[str, Any]:
    row = copy.deepcopy(draw(st.sampled_from(rows)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([place for place in places(row) if place] or [("new",)]))
        holder: Any = row
        for key in path[:-1]:
            holder = holder[key]
        kind = draw(st.sampled_from(["replace", "remove", "cut", "wrap"]))
        old = holder[path[-1]] if path != ("new",) else None
        if kind == "remove" and isinstance(holder, dict) and path[-1] in holder:
            del holder[path[-1]]
        elif kind == "cut" and isinstance(old, str):
            holder[path[-1]] = old[: draw(st.integers(0, len(old)))]
        elif kind == "wrap":
            holder[path[-1]] = draw(st.sampled_from([[old], {"input": old}, json.dumps(old), repr(old)]))
        else:
            holder[path[-1]] = draw(VALUES)
    return row


def quietly(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except UsageError as error:
        said = str(error)
    assert 0 < len(said) < 2000, "a message is for a person"
    return None


ROWS = [row for _, row in samples.ROWS.values()]


@settings(max_examples=1500)
@given(mutated(ROWS))
def test_mutated_rows(row: dict[str, Any]) -> None:
    problem = quietly(lambda: problem_of(row))
    if problem is not None:
        assert isinstance(problem, Problem)
        own = row_of(problem)
        assert row_of(problem_of(json.loads(json.dumps(own)))) == own


@settings(max_examples=500)
@given(mutated(ROWS), st.sampled_from(list(ROW_FORMATS)))
def test_mutated_rows_read_as_another_format(row: dict[str, Any], name: str) -> None:
    quietly(lambda: problem_of(row, format=name))


@given(st.dictionaries(KEYS | SCALARS, VALUES, max_size=4))
def test_rows_of_noise(row: dict[Any, Any]) -> None:
    quietly(lambda: problem_of(row))


@given(VALUES, st.none() | st.just("f"))
def test_cases_of_noise(value: Any, fn_name: str | None) -> None:
    if not isinstance(value, str):  # a text is a path
        quietly(lambda: read_cases(value, fn_name=fn_name))


@st.composite
def mutated_bytes(draw: st.DrawFn, texts: list[bytes]) -> bytes:
    raw = bytearray(draw(st.sampled_from(texts)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(raw) - 1, 0)))
        raw[at : at + draw(st.integers(0, 3))] = draw(
            st.binary(max_size=4) | st.sampled_from([b"\n", b"[", b'"', b"}"])
        )
    return bytes(raw)


LINES = [json.dumps(row).encode() + b"\n" for row in ROWS]
FILES = [
    *(line * 2 for line in LINES),
    json.dumps(ROWS).encode(),
    repr(samples.PLAIN).encode(),
    repr(["1", "2"]).encode(),
]
FILES += [gzip.compress(line) for line in LINES]


@FREELY
@given(raw=mutated_bytes(FILES))
@pytest.mark.parametrize("how", ["problems", "collected", "cases", "submissions"])
def test_mutated_files(tmp_path: Path, how: str, raw: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(raw)
    calls: dict[str, Callable[[], Any]] = {
        "problems": lambda: list(read_problems(file)),
        "collected": lambda: list(read_problems(file, on_error=lambda _: None)),
        "cases": lambda: read_cases(file),
        "submissions": lambda: list(read_submissions(file, on_error=lambda _: None)),
    }
    quietly(calls[how])


YAML = [
    b"name: Add\nlimits:\n  time_limit: 2\n  memory: 512\nvalidator_flags: float_tolerance 1e-6\n",
    b"validation: custom\ntype: scoring\ngrading:\n  show_test_data_groups: yes\nuuid: 2024-01-01\n",
    b"name: {is: a, en: b}\nlimits: {output: 3}\nvalidator_flags: [case_sensitive]\nkeywords: &k [*k]\n",
]


@FREELY
@given(raw=mutated_bytes(YAML), group=mutated_bytes(YAML))
def test_mutated_packages(tmp_path: Path, raw: bytes, group: bytes) -> None:
    (tmp_path / "data" / "secret").mkdir(parents=True, exist_ok=True)
    (tmp_path / "problem.yaml").write_bytes(raw)
    (tmp_path / "data" / "testdata.yaml").write_bytes(group)
    quietly(lambda: kattis.read(tmp_path))
