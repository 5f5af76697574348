"""APPS, TACO and what descends from them.

    {problem_id | id | name, question, starter_code?, solutions: JSON list | list, input_output: JSON | object,
     time_limit?: "2.0 seconds", memory_limit?: "256 megabytes"}

`input_output` is {"inputs", "outputs", "fn_name"?}; see `cases` for its two encodings of a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import Tests, cases_of
from codejury.dataset.fields import Fields
from codejury.dataset.formats.golds import golds_of
from codejury.model import Problem


def recognises(row: Mapping[str, Any]) -> bool:
    return "input_output" in row


def read(row: Fields) -> Problem:
    problem_id = row.name("problem_id", "id", "task_id", "name")
    if not recognises(row.row):
        raise row.bad("input_output", "the tests, or an empty text")
    value = row.data("input_output")
    fn_name = row.text("fn_name", default="") or None
    tests = (
        cases_of(value, where=row.where, field="input_output", fn_name=fn_name)
        if value
        else Tests(kind="stdin", cases=())
    )
    return Problem(
        id=problem_id,
        kind=tests.kind,
        cases=tests.cases,
        fn_name=tests.fn_name,
        statement=row.text("question", "problem", "description", default=""),
        starter_code=row.text("starter_code", default=""),
        limits=row.limits(),
        compare=tests.compare,
        golds=golds_of(row.texts("solutions"), problem_id),
        outputs=tests.outputs,
        extra=row.rest(),
    )
