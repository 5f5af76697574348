"""evalplus' own form of HumanEval+ and MBPP+: inputs, and a canonical solution that gives the outputs.

    {task_id: "HumanEval/0" | "Mbpp/2", prompt, entry_point, canonical_solution, base_input[], plus_input[],
     atol, contract, arguments?[], oracle?}

Cases are function calls of the groups `base` and `plus`; their outputs are what the gold answers. `contract` goes to
`extra`; tolerance and, for some tasks, an oracle are in the comparison. What JSON could not hold of the arguments is
restored by the words in `arguments`, or by the table in evalplus.toml, which explains them; so is the oracle's name.
Both fields are codejury's own, for tasks that the table does not know; evalplus passes over them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from codejury.dataset.fields import Fields
from codejury.model import Comparison, Problem, Submission, TestCase

_NESTED = re.compile(r"(tuple|list|dict)(?:\[(.+)\])?")
_WORDS = ("same", "tuples", "complex", "float", "set", "set_or_dict")
_DEEPEST = 8


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
    oracle = row.text("oracle", default="") or _table()["oracles"].get(dataset.lower(), {}).get(fn_name, "")
    words = _words(row) if row.has("arguments") else _table()["arguments"].get(number, []) if dataset == "Mbpp" else []
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


def _words(row: Fields) -> list[str]:
    words = row.texts("arguments")
    for number, word in enumerate(words):
        inner = word
        for _ in range(_DEEPEST):
            nested = _NESTED.fullmatch(inner)
            if nested is not None:
                inner = nested[2] or "same"
        if inner not in _WORDS:
            raise row.bad(f"arguments[{number}]", "a word for arguments, as evalplus.toml explains them", word)
    return words


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
    if word == "set":
        return set(value) if isinstance(value, list) else value
    match = _NESTED.fullmatch(word)
    assert match, word  # the table is ours, and the words of a row have been looked at
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
