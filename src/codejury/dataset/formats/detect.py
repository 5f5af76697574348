"""Which format a row is in, told from its fields alone.

Order matters: the first format that recognises a row has it, so the ones with the more telling fields come first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from codejury.dataset.fields import Fields
from codejury.dataset.formats import (
    apps,
    code_contests,
    evalplus,
    humaneval,
    klear,
    livecodebench,
    mbpp,
    native,
    plain,
    testlist,
    verl,
)
from codejury.dataset.rows import BadRow
from codejury.errors import UsageError
from codejury.model import Problem


class Format(NamedTuple):
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Fields], Problem]


ROW_FORMATS: dict[str, Format] = {
    "codejury": Format(native.recognises, native.read),
    "klear": Format(klear.recognises, klear.read),
    "livecodebench": Format(livecodebench.recognises, livecodebench.read),
    "code_contests": Format(code_contests.recognises, code_contests.read),
    "verl": Format(verl.recognises, verl.read),
    "evalplus": Format(evalplus.recognises, evalplus.read),
    "mbpp": Format(mbpp.recognises, mbpp.read),
    "humaneval": Format(humaneval.recognises, humaneval.read),
    "apps": Format(apps.recognises, apps.read),
    "testlist": Format(testlist.recognises, testlist.read),
    "plain": Format(plain.recognises, plain.read),
}


def format_of(row: Mapping[str, Any], *, where: str) -> str:
    for name, each in ROW_FORMATS.items():
        if each.recognises(row):
            return name
    fields = ", ".join(sorted(str(name)[:30] for name in row)[:12])
    raise BadRow(where, "", f"a row in one of the formats {', '.join(ROW_FORMATS)}", f"the fields {fields or '(none)'}")


def format_named(name: str) -> Format:
    if name not in ROW_FORMATS:
        raise UsageError(f"format: expected one of {', '.join(ROW_FORMATS)}, kattis; got {name!r}")
    return ROW_FORMATS[name]
