"""Cases and nothing else: {"inputs", "outputs", "fn_name"?}, one {"input", "output"}, with an id and limits if need be.

Also what Klear's judge takes as its io file. A file of single cases is one problem: `problems` gathers them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import cases_of
from codejury.dataset.fields import Fields
from codejury.model import Problem

_TESTS = (
    "inputs",
    "outputs",
    "input",
    "output",
    "fn_name",
    "testtype",
    "type",
    "metadata",
    "assert_case",
    "functional",
)


def recognises(row: Mapping[str, Any]) -> bool:
    return any(name in row for name in ("inputs", "input", "assert_case", "functional"))


def is_case(row: Mapping[str, Any]) -> bool:
    """One case of a problem that goes over several rows."""
    return "input" in row and not isinstance(row["input"], list) and not {"id", "problem_id", "inputs"} & row.keys()


def read(row: Fields) -> Problem:
    given = {name: row.value(name) for name in _TESTS if row.has(name)}
    tests = cases_of(given, where=row.where)
    return Problem(
        id=row.name("id", "problem_id", "custom_id"),
        kind=tests.kind,
        cases=tests.cases,
        fn_name=tests.fn_name,
        limits=row.limits(),
        compare=tests.compare,
        outputs=tests.outputs,
        extra=row.rest(),
    )
