"""Klear-CodeTest, before and after its tests were generated.

    {custom_id, question, solutions[], input_generator[], checker[]?, type: "stdin" | "function_call", fn_name?,
     starter_code?, input_output: "" | JSON | {inputs, outputs, fn_name?}, time-limit, memory-limit,
     error_info?, reward?: {ground_truth: {input_output: [{input, output}…], type, fn_name}}}

Public tests come first (group `public`), then the generated ones (group `generated`). The last checker counts, as in
Klear; generators, and the other checkers, stay in `extra`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import Tests, cases_of
from codejury.dataset.fields import Fields
from codejury.dataset.formats.golds import golds_of
from codejury.model import Checker, Comparison, Problem

_MARKS = ("input_generator", "solutions", "reward", "input_output")


def recognises(row: Mapping[str, Any]) -> bool:
    return "custom_id" in row and any(mark in row for mark in _MARKS)


def read(row: Fields) -> Problem:
    problem_id = row.name("custom_id", required=True)
    word = row.text("type", default="stdin")
    if word not in ("stdin", "function_call"):
        raise row.bad("type", "stdin or function_call", word)
    fn_name = _fn_name(row)
    if word == "function_call" and not fn_name:
        raise row.bad("fn_name", "the name of the function to call, as the type is function_call")
    tests = _tests(row, fn_name if word == "function_call" else None)
    if word == "stdin" and any(each.kind != "stdin" for each in tests):
        raise row.bad("type", "function_call, as the tests have a fn_name", word)
    checkers = row.texts("checker")
    extra: dict[str, Any] = {"checker": checkers} if len(checkers) > 1 else {}
    return Problem(
        id=problem_id,
        kind="function" if word == "function_call" else "stdin",
        cases=tuple(case for each in tests for case in each.cases),
        outputs="unknown" if any(each.outputs == "unknown" for each in tests) else "given",
        fn_name=fn_name if word == "function_call" else None,
        statement=row.text("question", default=""),
        starter_code=row.text("starter_code", default=""),
        limits=row.limits(),
        compare=Comparison(
            tuple_is_list=word == "function_call",
            unwrap=any(each.compare.unwrap for each in tests),
        ),
        checker=Checker(kind="klear", source=checkers[-1], language="python") if checkers else None,
        golds=golds_of(row.texts("solutions"), problem_id),
        extra={**row.rest(), **extra},
    )


def _fn_name(row: Fields) -> str | None:
    """It stands in the row, or beside the tests in one part of it."""
    found = row.text("fn_name", default="")
    public = row.data("input_output")
    if not found and isinstance(public, dict):
        found = Fields(public, row.where, field="input_output").text("fn_name", default="")
    if not found and row.value("reward") is not None:
        found = row.inner("reward").inner("ground_truth").text("fn_name", default="")
    return found or None


def _tests(row: Fields, fn_name: str | None = None) -> list[Tests]:
    found = []
    public = row.data("input_output")
    if isinstance(public, dict) and not {"inputs", "input"} & public.keys():  # {"fn_name": …} alone: none yet
        name = Fields(public, row.where, field="input_output").text("fn_name", default="")
        found.append(Tests(kind="function" if name else "stdin", cases=(), fn_name=name or None))
    elif public:
        found.append(cases_of(public, where=row.where, field="input_output", fn_name=fn_name, group="public"))
    if row.value("reward") is not None:
        truth = row.inner("reward").inner("ground_truth")
        name = truth.text("fn_name", default="") or fn_name or ""
        made = truth.data("input_output")
        field = "reward.ground_truth.input_output"
        if made:
            found.append(cases_of(made, where=row.where, field=field, fn_name=name or None, group="generated"))
    return found
