"""What stands for the tests of a completion -> a Problem: by value in any shape that data sets have, or by reference.

Owns the order of the guesses, and the choice of few tests among many.

    a Problem                                          as it is
    an id, or {"custom_id": id} and nothing else       looked up in the index that the caller gave
    a text: JSON, a Python literal                     decoded, then as below
            compressed tests of LiveCodeBench          unpacked
            test code                                  a script
    an object: a row of any format, or tests alone     dataset.problems, dataset.cases
    a list: cases, pairs, asserts                      the same
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from codejury.dataset.formats.livecodebench import unpacked
from codejury.dataset.rows import BadRow, data_of, json_of
from codejury.errors import UsageError
from codejury.judging import given
from codejury.model import Problem

_WHERE = "ground truth"
_ID_CHARS = 1000  # no id is longer; a text that is, is the tests themselves
_PACKED = re.compile(r"[A-Za-z0-9+/=\s]{16,}")
_NAMES = ("custom_id", "problem_id", "id")


def problem_of(truth: Any, index: Mapping[str, Problem] | None) -> Problem:
    """BadRow, or another UsageError, where it is nothing that could be judged by."""
    found = truth if isinstance(truth, Problem) else _referred(truth, index) or _by_value(truth)
    if not found.cases:
        raise UsageError(f"{_WHERE}: problem {found.id!r}: expected tests, found none")
    weights = found.extra.get("weights")
    if weights is not None and not (
        isinstance(weights, list)
        and len(weights) == len(found.cases)
        and all(isinstance(each, (int, float)) and not isinstance(each, bool) and each >= 0 for each in weights)
    ):
        raise UsageError(f"{_WHERE}: weights: expected a number from 0 for each of {len(found.cases)} tests")
    return found


def _referred(truth: Any, index: Mapping[str, Problem] | None) -> Problem | None:
    name = truth
    if isinstance(truth, Mapping) and len(truth) == 1:
        name = next((truth[key] for key in _NAMES if key in truth), None)
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        return None
    if isinstance(name, str) and len(name) > _ID_CHARS:
        return None
    found = None if index is None else index.get(str(name))
    if found is None and not isinstance(truth, str):
        where = "there is no index: give one as `tests`" if index is None else "the index has no such problem"
        raise UsageError(f"{_WHERE}: {name!r} is an id, and {where}")
    return found


def _by_value(truth: Any) -> Problem:
    if isinstance(truth, bytes):
        truth = truth.decode("utf-8", "replace")
    if isinstance(truth, str):
        truth = _decoded(truth)
    if isinstance(truth, Problem):
        return truth
    if not isinstance(truth, (str, Mapping, list, tuple)) and not hasattr(truth, "tolist"):
        raise UsageError(f"{_WHERE}: expected tests or the id of some, got a {type(truth).__name__}")
    return given.problem(truth if isinstance(truth, str) else _plain(truth, top=True))


def _decoded(text: str) -> Any:
    """The data in the text, or the text itself where it is test code."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        return data_of(stripped, where=_WHERE)
    try:
        return given.problem(text)
    except BadRow:
        if not _PACKED.fullmatch(text):
            raise UsageError(
                f"{_WHERE}: expected tests as JSON, test code, or an id that is in the index; got {text[:60]!r}"
            ) from None
    return json_of(unpacked(stripped, where=_WHERE, field="tests"), where=_WHERE)


def _plain(value: Any, *, top: bool = False) -> Any:
    """Arrow's lists come as arrays; and it gives every row the fields of all rows: those that a row lacks are None."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if not (top and each is None)}
    if isinstance(value, list):
        return value if _is_plain(value) else [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value


def _is_plain(values: list[Any]) -> bool:
    """Texts and numbers alone, as long lists mostly are."""
    return all(type(each) in (str, int, float, bool) for each in values)


# ── Few of many ──────────────────────────────────────────────────────────────────────────────────────────────────────


def order_of(problem: Problem) -> list[int]:
    """The places of the tests, those that reject most first, as the row tells: `kill_order`, or what `codejury select`
    wrote into it. Where it tells nothing, evenly over all of them: the order in which they were made mostly goes from
    small to large, and no length is a reason to take one before another."""
    told = problem.extra.get("test_provenance")
    selected = told.get("selected") if isinstance(told, Mapping) else None
    order = problem.extra.get("kill_order")
    total = len(problem.cases)
    if order is None and isinstance(selected, Mapping):
        order = selected.get("kill_order")
    if order is None:
        return _spread(total)
    if not isinstance(order, list) or not all(type(at) is int and 0 <= at < total for at in order):
        raise UsageError(f"{_WHERE}: kill_order: expected places of tests, from 0 to {total - 1}")
    return list(dict.fromkeys([*order, *range(total)]))


def capped(problem: Problem, most: int | None) -> tuple[Problem, Sequence[int]]:
    """With at most so many tests, the strongest first; and where each stood before."""
    places: Sequence[int] = range(len(problem.cases))
    if most is None or len(problem.cases) <= most:
        return problem, places
    places = order_of(problem)[:most]
    extra = problem.extra
    if "weights" in extra:
        extra = {**extra, "weights": [extra["weights"][at] for at in places]}
    return msgspec.structs.replace(problem, cases=tuple(problem.cases[at] for at in places), extra=extra), places


def _spread(total: int) -> list[int]:
    """Both ends, the middle, the middles of the halves, and so on."""
    order = [0, total - 1]
    widths = [(0, total - 1)]
    while widths:
        halves = []
        for low, high in widths:
            if high - low > 1:
                middle = (low + high) // 2
                order.append(middle)
                halves += [(low, middle), (middle, high)]
        widths = halves
    return list(dict.fromkeys(order))
