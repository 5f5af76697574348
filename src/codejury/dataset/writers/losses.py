"""What of a problem is not the same after it was written and read back, by name.

    kind, outputs, fn_name, setup, statement, starter_code, id
    limits.cpu_s …, compare.by …, checker
    golds, golds.language, golds.files, golds.id
    cases.tuples (now lists), cases.group, cases.provenance
    extra.NAME; added.NAME for a field that the problem did not have

`VERDICTS` are those by which a submission may be judged otherwise than before. Tests whose inputs or answers are others
than before are no loss but a mistake: the problem is refused.

Absent and null are one, and so are no limits and the usual ones. What was empty before cannot be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from codejury.dataset.writers.values import Inexpressible
from codejury.model import Limits, Problem, TestCase

VERDICTS = ("kind", "outputs", "fn_name", "setup", "limits.", "compare.", "checker", "cases.tuples")
_TEXTS = ("id", "kind", "outputs", "fn_name", "setup", "statement", "starter_code")
_OF_THE_PLACE = ("directory", "time_limit_known")  # what a package's reader says of where it found it


def changes_verdicts(name: str) -> bool:
    return any(name == each or (each.endswith(".") and name.startswith(each)) for each in VERDICTS)


def losses(before: Problem, after: Problem, *, kept: frozenset[str] = frozenset()) -> list[str]:
    """The names, each once. `kept`: fields of `extra` that were written where the reader does not look."""
    found = [name for name in _TEXTS if getattr(before, name) != getattr(after, name) and getattr(before, name)]
    found += _fields("limits", before.limits or Limits(), after.limits or Limits())
    found += _compare(before, after)
    found += _checker(before, after)
    found += _golds(before, after)
    found += _cases(before, after)
    found += _extra(before, after, kept)
    return list(dict.fromkeys(found))


def _fields(part: str, before: msgspec.Struct, after: msgspec.Struct) -> list[str]:
    names = before.__struct_fields__
    return [f"{part}.{name}" for name in names if getattr(before, name) != getattr(after, name)]


def _compare(before: Problem, after: Problem) -> list[str]:
    found = _fields("compare", before.compare, after.compare) if before.checker is None or after.checker is None else []
    if "compare.unwrap" in found and not any(isinstance(c.output, list) and len(c.output) == 1 for c in before.cases):
        found.remove("compare.unwrap")  # nothing to unwrap
    return found


def _checker(before: Problem, after: Problem) -> list[str]:
    if before.checker == after.checker or before.checker is None:
        return []
    source = before.checker.source.encode("utf-8", "surrogatepass")
    if after.checker is not None and source in after.checker.files.values():
        return ["checker.form"]  # the same program, started by another
    return ["checker"]


def _golds(before: Problem, after: Problem) -> list[str]:
    if [gold.source for gold in before.golds] != [gold.source for gold in after.golds]:
        return ["golds"]
    both = list(zip(before.golds, after.golds, strict=True))
    names = ("language", "files", "id")
    return [f"golds.{name}" for name in names if any(_lost(getattr(b, name), getattr(a, name)) for b, a in both)]


def _lost(before: Any, after: Any) -> bool:
    return bool(before) and before != after


def _cases(before: Problem, after: Problem) -> Iterator[str]:
    if len(before.cases) != len(after.cases):
        raise Inexpressible(f"{len(before.cases)} tests, of which {len(after.cases)} are read back")
    # One after the other: a package's cases are read from disk as they are asked for.
    for number, (b, a) in enumerate(zip(before.cases, after.cases, strict=True), 1):
        yield from _values(b, a, number, outputs=before.outputs == after.outputs)
        if _lost(b.group, a.group):
            yield "cases.group"
        if _lost(b.provenance, a.provenance):
            yield "cases.provenance"


def _values(before: TestCase, after: TestCase, number: int, *, outputs: bool) -> Iterator[str]:
    for name in ("input", "output") if outputs else ("input",):
        b, a = getattr(before, name), getattr(after, name)
        if isinstance(b, str) and isinstance(a, str):
            if b != a:
                raise Inexpressible(f"test {number}: an {name} that is another one when it is read back")
        elif repr(b) != repr(a):  # by their texts: 1, 1.0 and True differ, NaN is itself
            if repr(_lists(b)) != repr(_lists(a)):
                raise Inexpressible(f"test {number}: an {name} that is another one when it is read back")
            yield "cases.tuples"


def _lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_lists(each) for each in value]
    return {key: _lists(each) for key, each in value.items()} if isinstance(value, dict) else value


def _extra(before: Problem, after: Problem, kept: frozenset[str]) -> Iterator[str]:
    old, new = _there(_elsewhere(before.extra)), _there(_elsewhere(after.extra))
    for name in sorted(old.keys() - kept):
        if old[name] != new.get(name) and repr(old[name]) != repr(new.get(name)):  # NaN is not equal to itself
            yield f"extra.{name}"
    yield from (f"added.{name}" for name in sorted(new.keys() - old.keys()) if name != "kattis")


def _elsewhere(extra: dict[str, Any]) -> dict[str, Any]:
    """Without where a package lay."""
    about = extra.get("kattis")
    if not isinstance(about, dict):
        return extra
    return {**extra, "kattis": {key: each for key, each in about.items() if key not in _OF_THE_PLACE}}


def _there(extra: dict[str, Any]) -> dict[str, Any]:
    """What is neither null nor empty."""
    return {name: _without_nulls(value) for name, value in extra.items() if value not in (None, "", [], {})}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, (list, tuple)) else value
