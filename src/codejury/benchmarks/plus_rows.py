"""A strengthened task as a row, in the two forms that people have for it.

    script     MBPP+: {task_id, code, prompt, test_imports[], test_list[], test}, `test` a script with all inputs, what
               is expected of each, and a loop over them. Where the task has an entry point (HumanEval):
               {task_id, prompt, entry_point, canonical_solution, test}, `test` the same as check(candidate)
    evalplus   {task_id, prompt, entry_point, canonical_solution, base_input[], plus_input[], atol, contract,
               arguments?, oracle?} (dataset/formats/evalplus.py)

Owns the texts of the scripts, and which tests a form can hold. A test whose values the form has no spelling for is left
out and counted; where that is one of the task's own, the task has no such row (Inexpressible). Pure: nothing is run.
"""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from codejury.dataset.formats.evalplus import converted
from codejury.dataset.writers import evalplus
from codejury.dataset.writers.values import Inexpressible, number_or_text
from codejury.model import Problem, TestCase

Form = Literal["script", "evalplus"]
FORMS: tuple[Form, ...] = ("script", "evalplus")

_LONGEST = 20_000  # characters of a test: who reads a row reads all of it
_NAMES = frozenset({"inputs", "results", "alike", "i", "args", "expected", "got"})

# What is compared how is the same as in judging/calls.py, for plain data.
_ALIKE = """\
from math import inf, nan


def alike(got, expected):
    numbers = (int, float, complex)
    if isinstance(expected, numbers) and isinstance(got, numbers):
        if got == expected or (got != got and expected != expected):
            return True
        absolute = {absolute!r} or (1e-6 if isinstance(expected, float) else 0)
        return absolute > 0 and abs(got - expected) <= absolute + {relative!r} * abs(expected)
    if isinstance(expected, (list, tuple)):
        return type(got) is type(expected) and len(got) == len(expected) and all(map(alike, got, expected))
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(alike(got[key], value) for key, value in expected.items())
        )
    return got == expected
"""
_ORACLES = {
    "": "alike(got, expected)",
    "as_sets": "set(got) == set(expected)",
    "any_order": "sorted(got, key=repr) == sorted(expected, key=repr)",
    "not_none": "(got not in (None, False)) == (expected not in (None, False))",
}


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """`left_out`: tests for which this form has no spelling."""

    row: dict[str, Any]
    tests: int
    left_out: int = 0


def id_of(problem: Problem, form: Form) -> int | str:
    """As the form has it: evalplus' name for a task of MBPP is Mbpp/2."""
    if form == "evalplus" and problem.id.isdecimal():
        return f"Mbpp/{problem.id}"
    return number_or_text(problem.id)


def row_of(form: Form, origin: Problem, made: Problem, *, contract: str) -> Written:
    """`origin`: the task as it was read; `made`: with calls of the groups base and plus, and what is expected."""
    return (_script_row if form == "script" else _evalplus_row)(origin, made, contract)


# ── Scripts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _script_row(origin: Problem, made: Problem, contract: str) -> Written:
    spelled = []
    for case in made.cases:
        try:
            pair = spelling(case.input), spelling(case.output)
        except Inexpressible:
            continue
        if sum(map(len, pair)) <= _LONGEST:
            spelled.append(pair)
    left_out = len(made.cases) - len(spelled)
    row = _task(origin)
    if spelled:
        row["test"] = script(made, spelled, is_check="entry_point" in row)
    elif "test" not in row:
        raise Inexpressible("no test whose values have a spelling in Python")
    if contract:
        row["contract"] = contract
    return Written(row=row, tests=len(spelled), left_out=left_out)


def unchanged(origin: Problem) -> Written:
    """A task with its own tests alone, for those whose values no script can hold."""
    row = _task(origin)
    if "test" not in row:
        row["test"] = "\n".join(str(case.input) for case in origin.cases if case.group != "plus") + "\n"
    return Written(row=row, tests=len(origin.cases))


def _task(origin: Problem) -> dict[str, Any]:
    """The fields beside the new tests; a task of MBPP keeps its own."""
    gold = origin.golds[0].source
    row: dict[str, Any] = {"task_id": id_of(origin, "script")}
    if origin.fn_name is not None:  # HumanEval's, or evalplus'
        prompt = origin.starter_code if gold.startswith(origin.starter_code) else ""
        row |= {
            "prompt": prompt or origin.statement,
            "entry_point": origin.fn_name,
            "canonical_solution": gold.removeprefix(prompt),
        }
        return row | ({"test": origin.cases[0].input} if origin.kind == "script" else {})
    setup = origin.setup
    only_imports = all(line.startswith(("import ", "from ")) for line in setup.splitlines() if line.strip())
    row |= {
        "code": gold,
        "prompt": origin.statement,
        "test_imports": setup.splitlines() if only_imports else [],
        "test_list": [case.input for case in origin.cases if case.group == "base"],
    }
    if not only_imports:
        row["test_setup_code"] = setup
    if more := [case.input for case in origin.cases if case.group == "challenge"]:
        row["challenge_test_list"] = more
    return {**{name: each for name, each in origin.extra.items() if name not in row and name != "contract"}, **row}


def script(problem: Problem, spelled: Sequence[tuple[str, str]], *, is_check: bool = False) -> str:
    """Test code that any harness runs after the candidate's; `spelled`: arguments and expected value of each test."""
    if problem.fn_name in _NAMES and not is_check:
        raise Inexpressible(f"a function named {problem.fn_name!r}, a name that the script needs")
    how = problem.compare
    if how.oracle not in _ORACLES:
        raise Inexpressible(f"answers that are compared by the rule {how.oracle!r}, which scripts do not have")
    relative = 1e-7 if how.relative is None else how.relative
    lines = [
        _ALIKE.format(absolute=how.absolute or 0, relative=relative),
        "",
        "inputs = [",
        *(f"    {args}," for args, _ in spelled),
        "]",
        "results = [",
        *(f"    {expected}," for _, expected in spelled),
        "]",
    ]
    name = "candidate" if is_check else problem.fn_name
    loop = [
        "for i, (args, expected) in enumerate(zip(inputs, results)):",
        f"    got = {name}(*args)",
        f'    assert {_ORACLES[how.oracle]}, f"test {{i}}: expected {{expected!r:.200}}, got {{got!r:.200}}"',
    ]
    if is_check:
        loop = ["", "", "def check(candidate):", *(f"    {line}" for line in loop)]
    return "\n".join([*lines, *loop]) + "\n"


def spelling(value: Any, depth: int = 0) -> str:
    """A value as Python text, with inf and nan by these names. Inexpressible where there is none."""
    if depth > 50:
        raise Inexpressible("a value that is nested too deeply")
    if value is None or type(value) in (bool, str, bytes):
        return repr(value)
    if type(value) is int:
        if value.bit_length() > 10_000:  # Python itself refuses to write or read much longer ones
            raise Inexpressible("a number of too many digits")
        return repr(value)
    if type(value) is float:
        return repr(value)
    if type(value) is complex and math.isfinite(value.real) and math.isfinite(value.imag):
        return repr(value)
    if type(value) in (list, tuple):
        inner = ", ".join(spelling(each, depth + 1) for each in value)
        return f"[{inner}]" if type(value) is list else f"({inner},)" if len(value) == 1 else f"({inner})"
    if type(value) in (set, frozenset):
        inner = ", ".join(sorted(spelling(each, depth + 1) for each in value))
        text = f"{{{inner}}}" if value else "set()"
        return text if type(value) is set else f"frozenset({text if value else ''})"
    if type(value) in (dict, Counter, OrderedDict, defaultdict):
        pairs = (f"{spelling(key, depth + 1)}: {spelling(each, depth + 1)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    raise Inexpressible(f"a {type(value).__name__}, which has no spelling")


# ── evalplus ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _evalplus_row(origin: Problem, made: Problem, contract: str) -> Written:
    base = [case for case in made.cases if case.group == "base"]
    # The task's own tests say what arguments are; where one is always empty there, all tests do.
    tried = [_words_for(base), _words_for(made.cases)]
    found = [(words, [case for case in made.cases if _comes_back(case, words)]) for words in tried]
    words, kept = max(found, key=lambda each: (sum(case.group == "base" for case in each[1]), len(each[1])))
    if sum(case.group == "base" for case in kept) < len(base):
        raise Inexpressible("a test of its own with arguments that JSON cannot hold")
    absolute = made.compare.absolute or 0.0
    if made.compare.relative:  # the form has no such field: as if for the smallest of the task's own answers
        sizes = [abs(case.output) for case in made.cases if case.group == "base" and _is_real(case.output)]
        absolute = max(absolute, made.compare.relative * min(sizes, default=0.0))
    told = msgspec.structs.replace(
        made,
        id=str(id_of(origin, "evalplus")),
        cases=tuple(kept),
        compare=msgspec.structs.replace(made.compare, absolute=absolute or None),
        statement=_statement(origin),
        extra={"contract": contract},
    )
    row = evalplus.write(told)
    if any(word != "same" for word in words):
        row["arguments"] = words
    if made.compare.oracle:
        row["oracle"] = made.compare.oracle
    return Written(row=row, tests=len(kept), left_out=len(made.cases) - len(kept))


def _statement(origin: Problem) -> str:
    """MBPP's says nothing of the function's name and arguments: its first assert shows them."""
    if origin.fn_name is not None or not origin.cases:
        return origin.statement
    return f"{origin.statement.strip()}\n{str(origin.cases[0].input).strip()}"


def _words_for(cases: Sequence[TestCase]) -> list[str]:
    arity = max((len(case.input) for case in cases), default=0)
    return [word_of([case.input[at] for case in cases if at < len(case.input)]) for at in range(arity)]


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and value != 0


def word_of(values: Sequence[Any], depth: int = 0) -> str:
    """What turns lists back into these values, in the words of evalplus.toml."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {complex} or kinds == {set}:
        return "complex" if kinds == {complex} else "set"
    series = kinds & {list, tuple}
    if depth < 4 and len(series) == 1:
        inner = word_of([each for value in values if type(value) in series for each in value], depth + 1)
        if series == {tuple}:
            return "tuple" if inner == "same" else f"tuple[{inner}]"
        return "same" if inner == "same" else f"list[{inner}]"
    if depth < 4 and kinds == {dict}:
        inner = word_of([each for value in values if isinstance(value, dict) for each in value.values()], depth + 1)
        return "same" if inner == "same" else f"dict[{inner}]"
    return "same"


def _comes_back(case: TestCase, words: Sequence[str]) -> bool:
    """Whether a reader has the same arguments again."""
    try:
        text = json.dumps(evalplus.write_arguments(case.input), allow_nan=False)
        if len(text) > _LONGEST:
            return False
        back = [converted(each, word) for each, word in zip(json.loads(text), words, strict=False)]
    except (ValueError, TypeError, OverflowError, RecursionError, Inexpressible):
        return False
    return spelled_alike(back, case.input)


def spelled_alike(one: Any, other: Any) -> bool:
    """The same down to the types: 1, 1.0 and True differ."""
    try:
        return spelling(one) == spelling(other)
    except Inexpressible:
        return False
