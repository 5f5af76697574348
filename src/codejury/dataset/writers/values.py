"""Arguments, results, tests and limits as rows spell them; the counterpart of `cases`.

JSON has no tuples, sets, complex numbers or bytes. A tuple is written as a list, which reading back shows; for the
others there is nothing near enough, and the problem is refused: a test with another value than the one meant is worse
than none. NaN and the infinities are written as Python's json has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from codejury.errors import UsageError
from codejury.model import Limits, Problem, TestCase

PUBLIC = ("public", "sample")  # groups of tests that everybody may see


class Inexpressible(UsageError):
    """A problem that a format has no form for; the message says why."""


def plain(value: Any) -> Any:
    """As JSON holds it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) and (isinstance(key, bool) or not isinstance(key, int)):
                raise Inexpressible(f"a dictionary with a key of type {type(key).__name__}, which JSON has no form for")
        return {key: plain(each) for key, each in value.items()}
    raise Inexpressible(f"a value of type {type(value).__name__}, which JSON has no form for")


def as_json(value: Any) -> str:
    try:
        return json.dumps(plain(value))
    except (ValueError, RecursionError) as error:  # a number of too many digits; too deep
        raise Inexpressible(f"a value that JSON does not hold: {error}") from None


def arguments_text(arguments: Any) -> str:
    """A call as text: a JSON argument a line."""
    return "\n".join(as_json(each) for each in arguments)


def refuse_scripts(problem: Problem) -> None:
    if problem.kind == "script":
        raise Inexpressible("tests that are code; the format has inputs and outputs")
    if problem.kind == "function" and not problem.fn_name:
        raise Inexpressible("function calls without the function's name")


def refuse_unknown_outputs(problem: Problem) -> None:
    """For formats in which a test has an answer."""
    if problem.outputs != "given" or (problem.kind == "stdin" and any(case.output is None for case in problem.cases)):
        raise Inexpressible("tests whose answers are not in the data; the format wants them: `codejury gen` makes them")


def split_public(cases: Sequence[TestCase]) -> tuple[list[TestCase], list[TestCase]]:
    """The public tests at the beginning, and the others. Order stays: a public one after others counts among those."""
    everything = list(cases)
    count = next((n for n, case in enumerate(everything) if case.group not in PUBLIC), len(everything))
    return everything[:count], everything[count:]


def paired(problem: Problem, cases: Iterable[TestCase], *, listed: bool) -> list[dict[str, Any]]:
    """[{"input", "output"}, …]; of function calls the arguments and the value, or with `listed` false their texts.
    The output is left out where it is not known."""
    rows = []
    for case in cases:
        if problem.kind == "stdin":
            rows.append({"input": case.input, "output": case.output})
            continue
        row = {"input": plain(case.input) if listed else arguments_text(case.input)}
        if problem.outputs == "given":
            row["output"] = plain(case.output) if listed else as_json(case.output)
        rows.append(row)
    return rows


def columns(problem: Problem, cases: Iterable[TestCase], *, listed: bool) -> dict[str, Any]:
    """The same as {"inputs", "outputs", "fn_name"?}."""
    rows = paired(problem, cases, listed=listed)
    tests: dict[str, Any] = {"inputs": [row["input"] for row in rows]}
    if problem.kind == "stdin" or problem.outputs == "given":
        tests["outputs"] = [row["output"] for row in rows]
    return tests | ({"fn_name": problem.fn_name} if problem.kind == "function" else {})


def limits_fields(limits: Limits | None, *, time: str, memory: str) -> dict[str, Any]:
    """Seconds and megabytes under these names, where the problem has limits."""
    if limits is None:
        return {}
    both = {time: limits.cpu_s, memory: limits.memory_mb}
    return {name: value for name, value in both.items() if value is not None}


def number_or_text(name: str) -> int | str:
    """An id as its data set has it: many count their problems."""
    return int(name) if name.isascii() and name.isdecimal() and len(name) < 16 and str(int(name)) == name else name
