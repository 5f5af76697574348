"""APPS' and TACO's rows. The header of `formats/apps.py` shows them.

Function calls are lists of arguments, as everybody who reads these rows expects; so an expected list of one is also met
by its element.
"""

from __future__ import annotations

import json
from typing import Any

from codejury.dataset.writers.values import as_json, columns, number_or_text, refuse_scripts
from codejury.model import Problem


def write(problem: Problem) -> dict[str, Any]:
    refuse_scripts(problem)
    empty = not problem.cases and problem.kind == "stdin"
    row: dict[str, Any] = {
        "problem_id": number_or_text(problem.id),
        "question": problem.statement,
        "starter_code": problem.starter_code,
        "solutions": json.dumps([gold.source for gold in problem.golds]),
        "input_output": "" if empty else as_json(columns(problem, problem.cases, listed=True)),
    }
    if problem.limits is not None and problem.limits.cpu_s is not None:
        row["time_limit"] = f"{_decimal(problem.limits.cpu_s)} seconds"
    if problem.limits is not None and problem.limits.memory_mb is not None:
        row["memory_limit"] = f"{_decimal(problem.limits.memory_mb)} megabytes"
    return row


def _decimal(number: float) -> str:
    return f"{float(number):.15f}".rstrip("0") + ("0" if float(number).is_integer() else "")
