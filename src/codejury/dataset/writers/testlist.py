"""Rows with a list of tests in one field, as PrimeIntellect and rllm have them. The header of `formats/testlist.py`
shows them. Function calls are text, a JSON argument a line.
"""

from __future__ import annotations

from typing import Any

from codejury.dataset.writers.values import Inexpressible, as_json, limits_fields, paired, refuse_scripts
from codejury.model import Problem


def write(problem: Problem) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": problem.id,
        "question": problem.statement,
        "starter_code": problem.starter_code,
        "solutions": [gold.source for gold in problem.golds],
        **limits_fields(problem.limits, time="time_limit", memory="memory_limit"),
    }
    if problem.kind == "script":
        if len(problem.cases) != 1 or problem.setup:
            raise Inexpressible("test code that is not one piece; the format has one")
        return row | {"test": problem.cases[0].input, "entry_point": problem.fn_name}
    refuse_scripts(problem)
    tests = paired(problem, problem.cases, listed=False)
    if problem.kind == "function":
        about = {"testtype": "functional", "metadata": {"func_name": problem.fn_name}}
        return row | {"fn_name": problem.fn_name, "tests": as_json([{**test, **about} for test in tests])}
    return row | {"tests": as_json([{**test, "testtype": "stdin"} for test in tests])}
