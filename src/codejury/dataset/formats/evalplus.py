"""evalplus' own form of HumanEval+ and MBPP+: inputs, and a canonical solution that gives the outputs.

    {task_id: "HumanEval/0" | "Mbpp/2", prompt, entry_point, canonical_solution, base_input[], plus_input[],
     atol, contract}

Cases are function calls of the groups `base` and `plus`; their outputs are what the gold answers. `contract` goes to
`extra`; tolerance and, for some tasks, an oracle are in the comparison. What JSON could not hold of the arguments is
restored by the table in evalplus.toml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from codejury.dataset.fields import Fields
from codejury.model import Comparison, Problem, Submission, TestCase


def recognises(row: Mapping[str, Any]) -> bool:
    return "base_input" in row and "entry_point" in row


def read(row: Fields) -> Problem:
    problem_id = row.name("task_id")
    prompt, fn_name = row.text("prompt"), row.text("entry_point")
    gold = Submission(
        source=prompt + row.text("canonical_solution"),
        id=f"{problem_id}/canonical",
        language="python",
        label="success",
    )
    atol = row.value("atol") or 0
    if isinstance(atol, bool) or not isinstance(atol, (int, float)) or not 0 <= atol < 2**40:
        raise row.bad("atol", "a tolerance: a number from 0", atol)
    dataset, _, number = problem_id.partition("/")
    oracle = _table()["oracles"].get(dataset.lower(), {}).get(fn_name, "")
    words = _table()["arguments"].get(number, []) if dataset == "Mbpp" else []
    return Problem(
        id=problem_id,
        kind="function",
        cases=(*_cases(row, "base", words), *_cases(row, "plus", words)),
        outputs="gold",
        fn_name=fn_name,
        statement=prompt,
        starter_code=prompt,
        compare=Comparison(absolute=atol or None, oracle=oracle),
        golds=(gold,),
        extra={**row.rest(), "contract": row.text("contract", default="")},
    )


def converted(value: Any, word: str) -> Any:
    """A JSON value as the word of the table has it."""
    if word == "same":
        return value
    if word == "tuples":
        return tuple(converted(each, word) for each in value) if isinstance(value, list) else value
    if word in ("complex", "float"):
        kind = complex if word == "complex" else float
        return kind(value) if isinstance(value, (str, int, float)) else value
    if word == "set_or_dict":
        return (set(value) if value else {}) if isinstance(value, list) else value
    match = re.fullmatch(r"(tuple|list|dict)(?:\[(.+)\])?", word)
    assert match, word  # the table is ours
    outer, inner = match[1], match[2] or "same"
    if outer == "dict":
        return {key: converted(each, inner) for key, each in value.items()} if isinstance(value, dict) else value
    if not isinstance(value, list):
        return value
    return (tuple if outer == "tuple" else list)(converted(each, inner) for each in value)


def _cases(row: Fields, group: str, words: list[str]) -> list[TestCase]:
    name = f"{group}_input"
    value = row.value(name)
    if value == {}:  # Mbpp/793 has no more inputs than this
        value = []
    if value is None and group == "plus":
        value = []
    if not isinstance(value, list):
        raise row.bad(name, "a list of argument lists", value)
    cases = []
    for number, arguments in enumerate(value):
        if not isinstance(arguments, list):
            raise row.bad(f"{name}[{number}]", "a list of arguments", arguments)
        if words and len(arguments) == len(words):
            try:
                arguments = [converted(each, word) for each, word in zip(arguments, words, strict=True)]
            except (TypeError, ValueError, OverflowError, RecursionError) as error:
                raise row.bad(f"{name}[{number}]", f"arguments for {', '.join(words)}", str(error)) from None
        cases.append(TestCase(input=arguments, provenance=group, group=group))
    return cases


@cache
def _table() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(resources.files(__package__).joinpath("evalplus.toml").read_text(encoding="utf-8"))
