"""LiveCodeBench.

    {question_id, question_content, starter_code, platform, difficulty, contest_date,
     public_test_cases: JSON, private_test_cases: JSON | base64(zlib(pickle(JSON))), metadata: {func_name?}}
    a test: {input, output, testtype: "stdin" | "functional"}

Nothing is ever unpickled. A pickle of one text is a few bytes before the text and after it; that form is read here, and
any other is refused, so there is no instruction left that could call, import or allocate anything. The text is as long
as it says and lies in the data, and the data is inflated up to a bound.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import Tests, cases_of
from codejury.dataset.fields import Fields
from codejury.dataset.rows import BadRow, data_of, json_of
from codejury.model import Limits, Problem

MAX_TESTS_BYTES = 512 << 20
_TIME_LIMIT_S = 6.0  # of LiveCodeBench, for each test

# The pickle instructions that a lone text is made of -> bytes of their argument, or of its length.
_SKIPPED = {0x80: 1, 0x95: 8, 0x94: 0, ord("q"): 1, ord("r"): 4}  # PROTO, FRAME, MEMOIZE, BINPUT, LONG_BINPUT
_TEXT = {0x8C: 1, ord("X"): 4, 0x8D: 8}  # SHORT_BINUNICODE, BINUNICODE, BINUNICODE8
_BYTES = {ord("C"): 1, ord("B"): 4, 0x8E: 8}  # SHORT_BINBYTES, BINBYTES, BINBYTES8
_LINE_TEXT, _LINE_SKIPPED = ord("V"), ord("p")  # UNICODE, PUT: up to the end of the line
_STOP = ord(".")


def recognises(row: Mapping[str, Any]) -> bool:
    return "public_test_cases" in row or "private_test_cases" in row


def read(row: Fields) -> Problem:
    if not recognises(row.row):
        raise row.bad("public_test_cases", "tests, public or private")
    fn_name = None
    if row.has("metadata"):
        fn_name = Fields(row.data("metadata"), row.where, field="metadata").text("func_name", default="") or None
    tests = [
        _tests(value, row, name, fn_name)
        for name in ("public_test_cases", "private_test_cases")
        if (value := _decoded(row, name)) is not None
    ]
    kinds = {each.kind for each in tests if each.cases}
    if len(kinds) > 1:
        raise row.bad("private_test_cases", "tests of the same kind as the public ones", "tests of another kind")
    kind = kinds.pop() if kinds else "stdin"
    of_kind = [each for each in tests if each.kind == kind]
    return Problem(
        id=row.name("question_id"),
        kind=kind,
        cases=tuple(case for each in of_kind for case in each.cases),
        fn_name=next((each.fn_name for each in of_kind if each.fn_name), None),
        statement=row.text("question_content", default=""),
        starter_code=row.text("starter_code", default=""),
        limits=row.limits() or Limits(cpu_s=_TIME_LIMIT_S),
        compare=of_kind[0].compare if of_kind else Problem().compare,
        extra=row.rest(),
    )


def _tests(value: object, row: Fields, name: str, fn_name: str | None) -> Tests:
    """The function's name counts for tests that say `functional` alone: rows of both kinds have the same metadata."""
    functional = isinstance(value, list) and any(
        isinstance(t, dict) and t.get("testtype") == "functional" for t in value
    )
    group = name.removesuffix("_test_cases")
    return cases_of(value, where=row.where, field=name, fn_name=fn_name if functional else None, group=group)


def _decoded(row: Fields, name: str) -> Any:
    value = row.value(name)
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    if value.lstrip()[:1] in ("[", "{"):
        return data_of(value, where=row.where, field=name)
    text = unpacked(value, where=row.where, field=name)
    return json_of(text, where=row.where, field=name)


def unpacked(text: str, *, where: str, field: str, limit_bytes: int = MAX_TESTS_BYTES) -> str:
    """The text in base64(zlib(pickle(text)))."""
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadRow(where, field, "JSON, or base64 of compressed tests", "neither") from None
    machine = zlib.decompressobj()
    try:
        raw = machine.decompress(packed, limit_bytes + 1)
    except zlib.error as error:
        raise BadRow(where, field, "tests compressed with zlib", str(error)) from None
    if len(raw) > limit_bytes:
        raise BadRow(where, field, f"tests of at most {limit_bytes} bytes", "more")
    if not machine.eof:
        raise BadRow(where, field, "tests compressed with zlib", "data that is cut off")
    return pickled_text(raw, where=where, field=field)


def pickled_text(raw: bytes, *, where: str, field: str) -> str:
    """The text that a pickle of one text, or of its bytes, holds. Any other pickle is refused."""

    def refused(got: str) -> BadRow:
        return BadRow(where, field, "a pickle that holds one text and nothing else", got)

    found: str | None = None
    at = 0
    while at < len(raw):
        code = raw[at]
        at += 1
        if code == _STOP:
            if found is None or at != len(raw):
                raise refused("one that ends elsewhere")
            return found
        if code in _SKIPPED:
            at += _SKIPPED[code]
            continue
        if code in (_LINE_SKIPPED, _LINE_TEXT):
            end = raw.find(b"\n", at)
            value, at, encoding = raw[at:end], end + 1, "raw-unicode-escape"
            if end < 0:
                raise refused("one that is cut off")
            if code == _LINE_SKIPPED:
                continue
        elif code in _TEXT or code in _BYTES:
            width = (_TEXT | _BYTES)[code]
            size = int.from_bytes(raw[at : at + width], "little")
            at += width
            value, at, encoding = raw[at : at + size], at + size, "utf-8"
            if len(value) != size:
                raise refused("one that is cut off")
        else:
            raise refused(f"the instruction {bytes([code])!r}")
        if found is not None:
            raise refused("one with several values")
        try:
            found = value.decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict")
        except UnicodeDecodeError as error:
            raise refused(str(error)) from None
    raise refused("one that is cut off")
