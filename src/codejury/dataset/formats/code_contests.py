"""CodeContests.

    {name, description, public_tests | private_tests | generated_tests: {input[], output[]},
     solutions: {language[], solution[]}, incorrect_solutions, time_limit: {seconds, nanos} | null,
     memory_limit_bytes}

Cases are of the groups `public`, `private` and `generated`. Golds are its `solutions`; what was wrong stays in `extra`,
and `submissions` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from codejury.dataset.cases import cases_of
from codejury.dataset.fields import Fields
from codejury.dataset.formats.golds import golds_of
from codejury.model import Limits, Problem, TestCase

_GROUPS = ("public", "private", "generated")
_LANGUAGES = (None, "python2", "cpp", "python", "java")


def recognises(row: Mapping[str, Any]) -> bool:
    return any(isinstance(row.get(f"{group}_tests"), (dict, str)) for group in _GROUPS)


def read(row: Fields) -> Problem:
    problem_id = row.name("name", "id", "task_id")
    cases: list[TestCase] = []
    for group in _GROUPS:
        if row.data(f"{group}_tests"):
            field = f"{group}_tests"
            cases += cases_of(row.data(field), where=row.where, field=field, group=group).cases
    if not any(row.has(f"{group}_tests") for group in _GROUPS):
        raise row.bad("public_tests", "tests: public, private or generated")
    return Problem(
        id=problem_id,
        cases=tuple(cases),
        statement=row.text("description", "question", default=""),
        limits=_limits(row),
        golds=_golds(row, problem_id),
        extra=row.rest(),
    )


def _golds(row: Fields, problem_id: str) -> tuple[Any, ...]:
    value = row.data("solutions")
    if value is None:
        return ()
    if not isinstance(value, dict):
        return golds_of(row.texts("solutions"), problem_id)
    both = row.inner("solutions")
    golds = golds_of(both.texts("solution"), problem_id)
    languages = both.items("language", default=(None,) * len(golds))
    if len(languages) != len(golds):
        raise both.bad("language", f"one for each of {len(golds)} solutions", languages)
    return tuple(
        msgspec.structs.replace(gold, language=_LANGUAGES[number])
        if isinstance(number, int) and 0 <= number < len(_LANGUAGES)
        else gold
        for gold, number in zip(golds, languages, strict=True)
    )


def _limits(row: Fields) -> Limits | None:
    """None where the row says neither; zero is its word for `not known`."""
    usual = Limits()
    seconds, memory = row.data("time_limit"), row.value("memory_limit_bytes")
    cpu_s: float | None = None
    if isinstance(seconds, dict):
        parts = [seconds.get("seconds") or 0, seconds.get("nanos") or 0]
        if not all(isinstance(part, (int, float)) and 0 <= part < 2**40 for part in parts):
            raise row.bad("time_limit", "seconds and nanos: numbers", seconds)
        cpu_s = parts[0] + parts[1] / 1e9
    elif seconds is not None:
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < 2**40:
            raise row.bad("time_limit", "seconds and nanos, or a number of seconds", seconds)
        cpu_s = float(seconds)
    if memory is not None and (
        isinstance(memory, bool) or not isinstance(memory, (int, float)) or not 0 <= memory < 2**50
    ):
        raise row.bad("memory_limit_bytes", "a number of bytes", memory)
    if not cpu_s and not memory:
        return None
    return Limits(cpu_s=cpu_s or usual.cpu_s, memory_mb=memory / 2**20 if memory else usual.memory_mb)
