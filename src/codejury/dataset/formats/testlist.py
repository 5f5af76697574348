"""Rows whose tests are a list or an object in one field: PRIME, rllm, SandboxFusion's common_oj, open-r1.

    {… tests | test_cases | ground_truth | test: tests in a shape of `cases`, or the source of a test script}
    {… verification_info: {language, test_cases: […]}}

A language that the row asks for stays in `extra`, as `language`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import Tests, cases_of, scripts_of
from codejury.dataset.fields import Fields
from codejury.dataset.formats.golds import golds_of
from codejury.dataset.formats.verl import statement_of
from codejury.dataset.rows import data_of
from codejury.errors import UsageError
from codejury.model import Problem

_FIELDS = ("tests", "test_cases", "ground_truth", "test")


def recognises(row: Mapping[str, Any]) -> bool:
    return any(row.get(name) is not None for name in (*_FIELDS, "verification_info"))


def read(row: Fields) -> Problem:
    problem_id = row.name("id", "problem_id", "task_id", "question_id", "name")
    fn_name = row.text("fn_name", "entry_point", "func_name", default="") or None
    extra: dict[str, Any] = {}
    if row.has("verification_info"):
        info = row.inner("verification_info")
        extra["language"] = info.text("language", default="")
        tests = cases_of(
            info.value("test_cases"), where=row.where, field="verification_info.test_cases", fn_name=fn_name
        )
    else:
        name = next((name for name in _FIELDS if row.has(name)), _FIELDS[0])
        tests = _tests(row, name, fn_name)
    golds = [text for text in [row.text("canonical_solution", default="")] if text] + row.texts("solutions")
    return Problem(
        id=problem_id,
        kind=tests.kind,
        cases=tests.cases,
        fn_name=tests.fn_name,
        statement=statement_of(row.value("question", "problem", "problem_statement", "content", "prompt"), row),
        starter_code=row.text("starter_code", default=""),
        limits=row.limits(),
        compare=tests.compare,
        golds=golds_of(golds, problem_id),
        outputs=tests.outputs,
        extra={**row.rest(), **extra},
    )


def _tests(row: Fields, name: str, fn_name: str | None) -> Tests:
    value = row.value(name)
    if isinstance(value, str):
        try:
            value = data_of(value, where=row.where, field=name)
        except UsageError:
            if value.lstrip()[:1] in ("[", "{", ""):  # tests that are torn are no test script
                raise
            return scripts_of([value], fn_name=fn_name)
    return cases_of(value, where=row.where, field=name, fn_name=fn_name)
