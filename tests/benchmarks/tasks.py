"""A benchmark of three tasks in evalplus' form, and samples of them."""

from __future__ import annotations

from typing import Any


def task(number: int, name: str, arguments: str, body: str, base: list[Any], plus: list[Any]) -> dict[str, Any]:
    return {
        "task_id": f"HumanEval/{number}",
        "prompt": f'def {name}({arguments}):\n    """Task {number}."""\n',
        "entry_point": name,
        "canonical_solution": f"    {body}\n",
        "base_input": base,
        "plus_input": plus,
        "atol": 0,
        "contract": "",
    }


ROWS = [
    task(0, "double", "x", "return 2 * x", [[1], [2]], [[-1], [0]]),
    task(1, "third", "x", "return x / 3", [[3], [6]], [[1], [2]]),
    task(2, "same", "x", "return x", [[1], ["a"]], []),  # no plus tests: nothing more to fail
]


def solution(row: dict[str, Any], body: str) -> str:
    return f"{row['prompt']}    {body}\n"
