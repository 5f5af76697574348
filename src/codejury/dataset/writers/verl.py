"""verl's rows, with PRIME's tests in them. The header of `formats/verl.py` shows them.

Function calls are text, a JSON argument a line. Golds, starter code and checkers have no place. The id is a field of
its own, unless data source and index make it.
"""

from __future__ import annotations

from typing import Any

from codejury.dataset.writers.values import (
    Inexpressible,
    as_json,
    columns,
    limits_fields,
    plain,
    refuse_scripts,
    refuse_unknown_outputs,
)
from codejury.model import Problem

DATA_SOURCE = "codejury"


def write(problem: Problem) -> dict[str, Any]:
    row: dict[str, Any] = {
        "data_source": DATA_SOURCE,
        "prompt": [{"role": "user", "content": problem.statement}],
        "ability": problem.extra.get("ability", "code"),
        "reward_model": {"style": "rule", "ground_truth": as_json(_tests(problem))},
        **limits_fields(problem.limits, time="time_limit", memory="memory_limit"),
    }
    info = problem.extra.get("extra_info")
    if isinstance(info, dict):
        row["extra_info"] = plain(info)
    source, _, index = problem.id.rpartition("/")
    if isinstance(info, dict) and source and str(info.get("index")) == index:
        row["data_source"] = source
    else:
        row["id"] = problem.id
    return row


def _tests(problem: Problem) -> dict[str, Any]:
    if problem.kind != "script":
        refuse_scripts(problem)
        refuse_unknown_outputs(problem)
        return columns(problem, problem.cases, listed=False)
    if problem.setup:
        raise Inexpressible("test code with imports of its own before it; the format has test code alone")
    sources = [case.input for case in problem.cases]
    if problem.fn_name is None:
        return {"assert_case": sources}
    if len(sources) != 1:
        raise Inexpressible(f"{len(sources)} pieces of test code with a function's name; the format has one")
    return {"functional": sources[0], "fn_name": problem.fn_name}
