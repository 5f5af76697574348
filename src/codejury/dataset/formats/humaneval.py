"""HumanEval, and HumanEval+ in the same form, tested by a script.

    {task_id, prompt, entry_point, canonical_solution, test}

`test` defines check(candidate); `Problem.fn_name` says who the candidate is, and the judge makes the call. The prompt
is the beginning of the program: a completion goes right after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.fields import Fields
from codejury.model import Problem, Submission, TestCase


def recognises(row: Mapping[str, Any]) -> bool:
    return "entry_point" in row and isinstance(row.get("test"), str) and "prompt" in row


def read(row: Fields) -> Problem:
    problem_id = row.name("task_id")
    if "declaration" in row.row and not problem_id.startswith("Python/"):
        raise row.bad("task_id", "a task in Python: of HumanEvalPack, codejury reads the Python rows", problem_id)
    prompt, solution = row.text("prompt"), row.text("canonical_solution", default="")
    gold = Submission(source=prompt + solution, id=f"{problem_id}/canonical", language="python", label="success")
    return Problem(
        id=problem_id,
        kind="script",
        cases=(TestCase(input=row.text("test"), provenance="test"),),
        fn_name=row.text("entry_point"),
        statement=prompt,
        starter_code=prompt,
        golds=(gold,) if solution else (),
        extra=row.rest(),
    )
