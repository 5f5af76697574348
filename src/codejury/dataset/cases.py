"""Tests in the shapes that rows carry them in -> kind, function name, cases.

    {"inputs": […], "outputs": […], "fn_name"?}            APPS, TACO, code_contests, PRIME, verl, Klear io files
    {"input": […], "output": […]}                          the same, other words; not lists: a single case
    {"assert_case": […]}                                   verl: scripts
    {"functional": source}                                 rllm's LeetCode: a script
    [{"input", "output", "testtype"?, "metadata"?}, …]     LiveCodeBench, PRIME, rllm, open-r1 (`type`, `fn_name`)
    [{"input": {"stdin"}, "output": {"stdout"}}, …]        SandboxFusion's common_oj
    [input, …]                                             inputs alone

each also as JSON or as a Python literal in a text. Two encodings of a call exist. As a list: the arguments, and the
value; APPS wraps many a value in a list of one, and which is meant nobody can tell, so `Comparison.unwrap` accepts
both. As text: a JSON argument a line, and the value as JSON. The input's type says which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from codejury.dataset.fields import Fields
from codejury.dataset.rows import BadRow, data_of, shown
from codejury.model import Comparison, Kind, TestCase

_FUNCTION = ("functional", "function", "function_call", "call-based")
_PLAIN = {"input", "output"}
_STDIN = ("stdin", "stdin_stdout", "standard_input", "")


class _Pair(NamedTuple):
    """One case as it stands in the row; `known` when it has an output, be that null (a function may return None)."""

    input_name: str
    output_name: str
    given: Any
    expected: Any
    known: bool


class Tests(msgspec.Struct, frozen=True, kw_only=True):
    """What a problem is tested by. `outputs_known` is False where there are inputs alone."""

    kind: Kind
    cases: tuple[TestCase, ...]
    fn_name: str | None = None
    compare: Comparison = Comparison()
    outputs_known: bool = True

    @property
    def outputs(self) -> Literal["given", "unknown"]:
        """For `Problem.outputs`."""
        return "given" if self.outputs_known or self.kind != "function" else "unknown"


def cases_of(
    value: object, *, where: str, field: str = "", fn_name: str | None = None, provenance: str = "", group: str = ""
) -> Tests:
    """Tests in any of the shapes above. `fn_name` is the row's, where it has one beside the tests."""
    if isinstance(value, str):
        value = data_of(value, where=where, field=field)
    if isinstance(value, dict):
        found = _of_dict(Fields(value, where, field=field), fn_name)
    elif isinstance(value, (list, tuple)):
        found = _of_list(list(value), fn_name, where, field)
    else:
        raise BadRow(where, field, "tests: a list of cases, or an object with inputs and outputs", shown(value))
    if provenance or group:
        cases = tuple(msgspec.structs.replace(case, provenance=provenance, group=group) for case in found.cases)
        return msgspec.structs.replace(found, cases=cases)
    return found


def scripts_of(sources: Sequence[str], *, fn_name: str | None = None, group: str = "") -> Tests:
    return Tests(kind="script", cases=tuple(TestCase(input=s, group=group) for s in sources), fn_name=fn_name)


def _of_dict(row: Fields, fn_name: str | None) -> Tests:
    fn_name = _function_name(row.value("fn_name"), row, "fn_name") or fn_name
    if row.has("assert_case"):
        asserts = row.value("assert_case")
        return scripts_of([asserts] if isinstance(asserts, str) else row.texts("assert_case"))
    if row.has("functional"):
        return scripts_of([row.text("functional")], fn_name=fn_name)
    if not row.has("inputs") and not isinstance(row.value("input"), (list, tuple)):
        return _of_list([row.row], fn_name, row.where, row.field)
    inputs = row.items("inputs", "input")
    known = row.has("outputs") or row.has("output")
    outputs = row.items("outputs", "output") if known else [None] * len(inputs)
    if len(inputs) != len(outputs):
        raise row.bad("outputs", f"as many outputs as inputs ({len(inputs)})", outputs)
    both = enumerate(zip(inputs, outputs, strict=True))
    return _of_pairs([_Pair(f".inputs[{n}]", f".outputs[{n}]", i, o, known) for n, (i, o) in both], fn_name, row)


def _of_list(rows: list[Any], fn_name: str | None, where: str, field: str) -> Tests:
    if rows and not any(isinstance(row, dict) for row in rows):
        whole = Fields({}, where, field=field)
        return _of_pairs([_Pair(f"[{n}]", "", row, None, False) for n, row in enumerate(rows)], fn_name, whole)
    if fn_name is None and all(_is_plain(row) for row in rows):
        return Tests(kind="stdin", cases=tuple(TestCase(input=row["input"], output=row["output"]) for row in rows))
    pairs = []
    kinds: set[Kind] = set()
    for number, row in enumerate(rows):
        case = Fields(row, where, field=f"{field}[{number}]")
        if "input" not in case.row:
            raise case.bad("input", "an input")
        kind, named = _case_kind(case)
        kinds.add(kind or ("function" if named or fn_name else "stdin"))
        if named and fn_name and named != fn_name:
            raise case.bad("fn_name", f"one function for all cases ({fn_name})", named)
        fn_name = fn_name or named
        given, expected, known = case.value("input"), case.value("output"), "output" in case.row
        pairs.append(_Pair(f"[{number}].input", f"[{number}].output", given, expected, known))
    if len(kinds) > 1:
        raise BadRow(where, field, "cases of one kind", "both standard input and function calls")
    if kinds == {"function"} and not fn_name:
        raise BadRow(where, field, "the name of the function to call: fn_name, or metadata.func_name", "none")
    return _of_pairs(pairs, fn_name if kinds == {"function"} else None, Fields({}, where, field=field))


def _is_plain(row: object) -> bool:
    """Two texts and nothing else, as nearly all cases are: a reward looks at a hundred of them within a millisecond."""
    return (
        isinstance(row, dict)
        and row.keys() == _PLAIN
        and isinstance(row["input"], str)
        and isinstance(row["output"], str)
    )


def _case_kind(case: Fields) -> tuple[Kind | None, str | None]:
    word = case.value("testtype", "type")
    named = _function_name(case.value("fn_name"), case, "fn_name")
    if case.has("metadata"):
        inner = case.inner("metadata")
        named = named or _function_name(inner.value("func_name", "fn_name"), inner, "func_name")
    if word in _FUNCTION:
        return "function", named
    if word is None:
        return None, named
    if word in _STDIN:
        return "stdin", named
    raise case.bad("testtype", f"one of {', '.join(word for word in (*_FUNCTION, *_STDIN) if word)}", word)


def _function_name(value: object, row: Fields, name: str) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise row.bad(name, "the name of a function", value)
    return value


def _of_pairs(pairs: list[_Pair], fn_name: str | None, row: Fields) -> Tests:
    known = all(pair.known for pair in pairs)
    if fn_name is None:
        texts = ((_stream(p.given, row, p.input_name, "stdin"), _answer(p, row)) for p in pairs)
        cases = tuple(TestCase(input=given, output=expected) for given, expected in texts)
        return Tests(kind="stdin", cases=cases, outputs_known=known)
    calls = (_call(pair, row) for pair in pairs)
    cases = tuple(TestCase(input=arguments, output=value) for arguments, value in calls)
    compare = Comparison(tuple_is_list=True, unwrap=any(not isinstance(pair.given, str) for pair in pairs))
    return Tests(kind="function", cases=cases, fn_name=fn_name, compare=compare, outputs_known=known)


def _answer(pair: _Pair, row: Fields) -> str | None:
    return None if pair.expected is None else _stream(pair.expected, row, pair.output_name, "stdout")


def _stream(value: object, row: Fields, name: str, part: str) -> str:
    """What goes through a stream: text, its lines as a list (APPS), or as {"stdin": …} (common_oj)."""
    if isinstance(value, dict):
        return Fields(value, row.where, field=f"{row.field}{name}").text(part)
    if isinstance(value, (list, tuple)) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise BadRow(row.where, f"{row.field}{name}", "text, or a list of lines", shown(value))
    return value


def _call(pair: _Pair, row: Fields) -> tuple[list[Any], Any]:
    given, expected = pair.given, pair.expected
    field = f"{row.field}{pair.input_name}"
    if isinstance(given, str):
        # Split at line feeds alone: a JSON text may hold the other ends of line that Python knows.
        lines = [line for line in given.split("\n") if line.strip()]
        return [data_of(line, where=row.where, field=field) for line in lines], _value(expected, row)
    if not isinstance(given, (list, tuple)):
        raise BadRow(row.where, field, "a list of arguments, or a JSON argument a line", shown(given))
    arguments = list(given)
    if len(arguments) == 1:
        arguments = [_whole_keys(arguments[0])]
    if isinstance(expected, list) and len(expected) == 1:
        return arguments, [_whole_keys(expected[0])]
    return arguments, _whole_keys(expected)


def _value(text: object, row: Fields) -> Any:
    """A result as text: JSON, a Python literal, or else the text itself."""
    if not isinstance(text, str):
        return text
    try:
        return data_of(text, where=row.where)
    except BadRow:
        return text


def _whole_keys(value: object) -> Any:
    """JSON made texts of a dictionary's whole numbers; APPS and TACO mean the numbers."""
    if not isinstance(value, dict) or not value:
        return value
    if not all(isinstance(key, str) and len(key) < 40 and _is_whole(key) for key in value):
        return value
    return {int(key): each for key, each in value.items()}


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()
