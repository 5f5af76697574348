"""codejury's own row: a Problem as JSON, field by field, what is at its default left out.

    {"codejury": 1, id, kind, cases: [{input, output, provenance, group}…], fn_name, setup, statement, starter_code,
     limits: {…}, compare: {…}, checker: {…}, golds: [{…}], extra: {…}}

Values that JSON lacks are objects with one key that starts with "$":

    {"$tuple": […]}  {"$set": […]}  {"$frozenset": […]}  {"$complex": [re, im]}  {"$bytes": base64}
    {"$float": "nan" | "inf" | "-inf"}  {"$dict": [[key, value], …]}   a dictionary with keys other than plain texts
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from codejury.dataset.fields import Fields
from codejury.dataset.rows import BadRow
from codejury.errors import UsageError
from codejury.model import Problem, TestCase

VERSION = 1
_SEQUENCES: dict[str, type[Any]] = {"$tuple": tuple, "$set": set, "$frozenset": frozenset}


def recognises(row: Mapping[str, Any]) -> bool:
    return "codejury" in row


def read(row: Fields) -> Problem:
    version = row.value("codejury")
    if version != VERSION or isinstance(version, bool):
        raise row.bad("codejury", f"version {VERSION} of the format", version)
    fields = dict(row.row)
    del fields["codejury"]
    try:
        cases = [
            {**case, **{name: _decoded(case[name]) for name in ("input", "output") if name in case}}
            for case in row.items("cases", default=())
        ]
        fields["extra"] = _decoded(fields.get("extra", {}))
        known = tuple(msgspec.convert(case, TestCase) for case in cases)
        problem = msgspec.convert({**fields, "cases": ()}, Problem)
    except msgspec.ValidationError as error:
        raise BadRow(row.where, "", "a problem in codejury's own form", str(error)) from None
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise BadRow(row.where, "cases", "cases with encoded values", str(error)) from None
    unknown = fields.keys() - set(Problem.__struct_fields__)
    if unknown:
        raise BadRow(row.where, min(unknown), "a field of Problem; others go into `extra`")
    return msgspec.structs.replace(problem, cases=known)


def row_of(problem: Problem) -> dict[str, Any]:
    """The row that `read` makes the same problem of. Cases that are read as they are asked for are all read."""
    row: dict[str, Any] = {"codejury": VERSION}
    usual = Problem()
    for name in problem.__struct_fields__:
        value = getattr(problem, name)
        if name == "cases":
            row[name] = [_case_row(case) for case in value]
        elif name == "extra":
            row[name] = _encoded(value)
        elif value != getattr(usual, name):
            row[name] = _without_defaults(value)
    return row


def _case_row(case: TestCase) -> dict[str, Any]:
    row = {"input": _encoded(case.input), "output": _encoded(case.output)}
    return row | {name: getattr(case, name) for name in ("provenance", "group") if getattr(case, name)}


def _without_defaults(value: Any) -> Any:
    """Structs as plain data; bytes in base64."""
    return msgspec.to_builtins(value)


def _encoded(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, list):
        return [_encoded(each) for each in value]
    for tag, kind in _SEQUENCES.items():
        if type(value) is kind:
            # A set has no order, but a file that is written twice should be the same twice.
            ordered = value if kind is tuple else sorted(value, key=repr)
            return {tag: [_encoded(each) for each in ordered]}
    if isinstance(value, complex):
        return {"$complex": [_encoded(value.real), _encoded(value.imag)]}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: _encoded(each) for key, each in value.items()}
        return {"$dict": [[_encoded(key), _encoded(each)] for key, each in value.items()]}
    raise UsageError(f"a value of type {type(value).__name__} has no form in codejury's own rows")


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, held),) = value.items()
        if tag in (*_SEQUENCES, "$complex", "$dict") and not isinstance(held, list):
            raise ValueError(f"{tag}: expected a list")
        if tag in _SEQUENCES:
            return _SEQUENCES[tag](_decoded(each) for each in held)
        if tag == "$complex":
            real, imaginary = held
            return complex(_decoded(real), _decoded(imaginary))
        if tag == "$bytes":
            return base64.b64decode(held, validate=True)
        if tag == "$float":
            return float(held)
        if tag == "$dict":
            return {_decoded(key): _decoded(each) for key, each in held}
    if any(isinstance(key, str) and key.startswith("$") for key in value):
        raise ValueError(f"unknown encoding {sorted(map(str, value))[0][:20]!r}")
    return {key: _decoded(each) for key, each in value.items()}
