"""evalplus' rows. The header of `formats/evalplus.py` shows them.

The format has no expected values: they are what the canonical solution answers. So a problem needs a gold in Python
that defines the function, and values that it had are lost, which is told. A statement that does not begin the gold's
source is put before it as a text of its own, as evalplus has it for MBPP. Arguments that JSON lacks are spelled the way
that the reader's table turns back: where it has no entry for the task, reading back shows what became of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from codejury.dataset.writers.values import Inexpressible, plain
from codejury.model import Problem, Submission


def write(problem: Problem) -> dict[str, Any]:
    if problem.kind != "function" or not problem.fn_name:
        raise Inexpressible("no function calls; the format has nothing else")
    gold = _gold(problem)
    prompt = _prompt(problem, gold)
    count = next((n for n, case in enumerate(problem.cases) if case.group == "plus"), len(problem.cases))
    inputs = [write_arguments(case.input) for case in problem.cases]
    return {
        "task_id": problem.id,
        "prompt": prompt,
        "entry_point": problem.fn_name,
        "canonical_solution": gold.source.removeprefix(prompt) if gold.source.startswith(prompt) else gold.source,
        "base_input": inputs[:count],
        "plus_input": inputs[count:],
        "atol": problem.compare.absolute or 0,
        "contract": problem.extra.get("contract", ""),
    }


def write_arguments(arguments: Sequence[Any]) -> list[Any]:
    """As JSON holds them."""
    return [_spelled(each) for each in arguments]


def _gold(problem: Problem) -> Submission:
    defines = re.compile(rf"^def {re.escape(problem.fn_name or '')}\s*\(", re.MULTILINE)
    for gold in problem.golds:
        if gold.language in (None, "python", "python3") and not gold.files and defines.search(gold.source):
            return gold
    raise Inexpressible(f"no gold in Python that defines {problem.fn_name}; the format takes the answers from it")


def _prompt(problem: Problem, gold: Submission) -> str:
    for text in (problem.starter_code, problem.statement):
        if text and gold.source.startswith(text):
            return text
    quoted = problem.statement.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\n{quoted}\n"""\n' if quoted else ""


def _spelled(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return [_spelled(each) for each in sorted(value, key=repr)]
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_spelled(each) for each in value]
    if isinstance(value, dict):
        return plain({key: _spelled(each) for key, each in value.items()})
    return plain(value)
