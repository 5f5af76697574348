"""What a function asks of its arguments, as asserts for its head.

    given      a row's own (evalplus' `contract`)
    inferred   the types that all tests have; that a list or text is not empty, that a number is positive, not negative
               or not zero: where no test has it otherwise, and the reference fails on every call that is changed so

Owns the inference. It is what tests and reference show, not what somebody meant.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from codejury.benchmarks.evidence import parsed
from codejury.judging import calls
from codejury.languages.execute import Sandbox
from codejury.model import Limits, Problem
from codejury.mutation.values import mined

_PROBED = 3  # calls that are changed
_LIMITS = Limits(cpu_s=1.0)
_TYPES: tuple[type, ...] = (bool, int, float, complex, str, bytes, list, tuple, set, dict)
_SIZED = (str, bytes, list, tuple, set, dict)


def joined(problem: Problem, contract: str) -> Problem:
    """With the contract at the head of its reference, where it can be put there."""
    if not contract:
        return problem
    source = mined.with_contract(problem.golds[0].source, problem.fn_name or "", contract)
    if source is None:
        return problem
    gold = msgspec.structs.replace(problem.golds[0], source=source)
    return msgspec.structs.replace(problem, golds=(gold, *problem.golds[1:]))


def inferred(sandbox: Sandbox, problem: Problem) -> str:
    """An empty text where nothing is to be seen."""
    names = _parameters(problem.golds[0].source, problem.fn_name or "")
    lines: list[str] = []
    for at, name in enumerate(names):
        met = [case.input[at] for case in problem.cases if at < len(case.input)]
        kinds = {type(value) for value in met}
        if len(met) < len(problem.cases) or not kinds or not kinds <= set(_TYPES):
            continue  # an argument that may be missing, or None
        words = [kind.__name__ for kind in _TYPES if kind in kinds]
        told = words[0] if len(words) == 1 else f"({', '.join(words)})"
        lines.append(f'assert isinstance({name}, {told}), "invalid inputs"')
        lines += [f'assert {rule}, "invalid inputs"' for rule in _rules(sandbox, problem, at, name, met, kinds)]
    return "".join(f"\n    {line}" for line in lines) + "\n" if lines else ""


def _parameters(source: str, fn_name: str) -> list[str]:
    tree = parsed(source)
    found: list[str] = []
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == fn_name:
            found = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return found


def _rules(sandbox: Sandbox, problem: Problem, at: int, name: str, met: Sequence[Any], kinds: set[type]) -> list[str]:
    def refused(change: Callable[[Any], Any]) -> bool:
        return _is_refused(sandbox, problem, at, change)

    if len(kinds) == 1 and kinds <= set(_SIZED):
        (kind,) = kinds
        return [f"len({name}) > 0"] if all(map(len, met)) and refused(lambda value: kind()) else []
    if kinds <= {int, float}:
        no_zero = all(value != 0 for value in met)
        no_negative = all(value >= 0 for value in met)
        zero = no_zero and refused(lambda value: type(value)(0))
        negative = no_negative and refused(lambda value: type(value)(-1))
        if negative:
            return [f"{name} > 0" if zero else f"{name} >= 0"]
        return [f"{name} != 0"] if zero else []
    return []


def _is_refused(sandbox: Sandbox, problem: Problem, at: int, change: Callable[[Any], Any]) -> bool:
    """Whether the reference fails on each of the first calls, with this argument changed."""
    changed = [[*case.input[:at], change(case.input[at]), *case.input[at + 1 :]] for case in problem.cases[:_PROBED]]
    answers = calls.each_answer(sandbox, problem.golds[0].source, problem.fn_name or "", changed, limits=_LIMITS)
    return all(answer.verdict is not None for answer in answers)
