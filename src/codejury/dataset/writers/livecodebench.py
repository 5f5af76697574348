"""LiveCodeBench's rows. The header of `formats/livecodebench.py` shows them.

Private tests are written as JSON, which its loader takes beside the packed form. That loader wants five more fields:
what the problem's `extra` does not have of them is filled in, and told. Golds have no place.
"""

from __future__ import annotations

from typing import Any

from codejury.dataset.writers.values import (
    as_json,
    limits_fields,
    paired,
    refuse_scripts,
    refuse_unknown_outputs,
    split_public,
)
from codejury.model import Limits, Problem, TestCase

_USUAL = Limits(cpu_s=6.0)  # what the reader takes for a row without limits
_FILLED = {
    "platform": "codeforces",
    "contest_id": "",
    "contest_date": "1970-01-01T00:00:00",
    "difficulty": "medium",
}


def write(problem: Problem) -> dict[str, Any]:
    refuse_scripts(problem)
    refuse_unknown_outputs(problem)
    public, private = split_public(problem.cases)
    limits = problem.limits or Limits()
    return {
        "question_title": problem.extra.get("question_title", problem.id),
        "question_content": problem.statement,
        **{name: problem.extra.get(name, usual) for name, usual in _FILLED.items()},
        "question_id": problem.id,
        "starter_code": problem.starter_code,
        "public_test_cases": as_json(_tests(problem, public)),
        "private_test_cases": as_json(_tests(problem, private)),
        "metadata": as_json({"func_name": problem.fn_name} if problem.kind == "function" else {}),
        **({} if limits == _USUAL else limits_fields(limits, time="time_limit", memory="memory_limit")),
    }


def _tests(problem: Problem, cases: list[TestCase]) -> list[dict[str, Any]]:
    word = "functional" if problem.kind == "function" else "stdin"
    return [{**row, "testtype": word} for row in paired(problem, cases, listed=False)]
