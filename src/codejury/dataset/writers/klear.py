"""Klear-CodeTest's rows. The header of `formats/klear.py` shows them.

Public tests are `input_output`, the others `reward`. Function calls are lists of arguments where a list of one may
stand for its element (`Comparison.unwrap`), and text where it may not. A row without tests of its own is one that tests
are still to be generated for: it has no `reward`.
"""

from __future__ import annotations

from typing import Any

from codejury.dataset.writers.values import (
    as_json,
    columns,
    limits_fields,
    paired,
    plain,
    refuse_scripts,
    split_public,
)
from codejury.model import Problem


def write(problem: Problem) -> dict[str, Any]:
    refuse_scripts(problem)
    word = "function_call" if problem.kind == "function" else "stdin"
    listed = problem.compare.unwrap
    public, made = split_public(problem.cases)
    shown = columns(problem, public, listed=listed) if public else {"fn_name": problem.fn_name}
    row: dict[str, Any] = {
        "custom_id": problem.id,
        "question": problem.statement,
        "starter_code": problem.starter_code,
        "solutions": [gold.source for gold in problem.golds],
        "input_generator": plain(problem.extra.get("input_generator", [])),
        "type": word,
        "fn_name": problem.fn_name,
        "input_output": as_json(shown) if public or problem.kind == "function" else "",
        **limits_fields(problem.limits, time="time-limit", memory="memory-limit"),
    }
    if checkers := _checkers(problem):
        row["checker"] = checkers
    if made:
        truth = {"input_output": paired(problem, made, listed=listed), "type": word, "fn_name": problem.fn_name}
        row |= {"error_info": problem.extra.get("error_info"), "reward": {"ground_truth": truth}}
    return row


def _checkers(problem: Problem) -> list[str]:
    """The last one counts; a row that had more keeps them."""
    if problem.checker is None or problem.checker.kind != "klear":
        return []
    kept = problem.extra.get("checker")
    if isinstance(kept, list) and kept and kept[-1] == problem.checker.source:
        return [each for each in kept if isinstance(each, str)]
    return [problem.checker.source]
