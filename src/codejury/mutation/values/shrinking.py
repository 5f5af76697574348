"""Delta debugging of values: the smallest arguments that are still interesting.

Owns what is smaller: fewer elements and characters in ever smaller pieces, a part in the place of the whole where it is
of the same kind, numbers nearer to zero, plainer characters. Kinds stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from codejury.judging.values import BadValue
from codejury.mutation.values import parts


def shrink(args: Sequence[Any], is_interesting: Callable[[list[Any]], bool], *, max_tries: int = 2000) -> list[Any]:
    """Arguments of which none of the steps known here leads to smaller ones that are interesting, or the best found
    in `max_tries` questions. The arguments themselves are taken to be interesting."""
    best = list(args)
    asked = {parts.key(best)}
    tries = 0
    progress = True
    while progress and tries < max_tries:
        progress = False
        for at in range(len(best)):
            again = True
            while again and tries < max_tries:
                again = False
                for value in smaller(best[at]):
                    trial = [*best[:at], value, *best[at + 1 :]]
                    try:
                        key = parts.key(trial)
                    except BadValue:
                        continue
                    if key in asked:
                        continue
                    if tries >= max_tries:
                        break
                    asked.add(key)
                    tries += 1
                    if is_interesting(trial):
                        best, again, progress = trial, True, True
                        break
    return best


def smaller(value: Any) -> Iterator[Any]:
    """Simpler values of the same kind, the boldest first."""
    kind = type(value)
    if kind is bool:
        if value:
            yield False
    elif kind is int:
        yield from _smaller_int(value)
    elif kind is float:
        yield from _smaller_float(value)
    elif kind is str:
        yield from _pieces(value)
        for at, character in enumerate(value):
            for plain in "a0 ":
                if character != plain and (plain, character) not in (("0", "a"), (" ", "a"), (" ", "0")):
                    yield value[:at] + plain + value[at + 1 :]
    elif parts.is_series(value):
        yield from _smaller_series(value)
    elif parts.is_record(value):
        items = parts.fields(value)
        yield from _each_smaller(items, lambda made: parts.record(value, made))


def _smaller_int(value: int) -> Iterator[int]:
    if value == 0:
        return
    yield 0
    if value < 0:
        yield -value
    step = abs(value) // 2
    sign = -1 if value < 0 else 1
    while step:
        yield value - sign * step
        step //= 2


def _smaller_float(value: float) -> Iterator[float]:
    if value == 0.0 or value != value or abs(value) == float("inf"):
        return
    yield 0.0
    if value < 0:
        yield -value
    whole = float(int(value))
    if whole != value:
        yield whole
        for places in (1, 2, 4):
            if round(value, places) != value:
                yield round(value, places)
    elif abs(value) < 2**53:
        yield from map(float, _smaller_int(int(value)))


def _pieces(value: Any) -> Iterator[Any]:
    """With a piece left out: half of it, a quarter, ... one."""
    length = len(value)
    if length:
        yield value[:0]
    size = (length + 1) // 2
    while size and length > 1:
        for start in range(0, length, size):
            yield value[:start] + value[start + size :]
        size = size // 2


def _smaller_series(value: Any) -> Iterator[Any]:
    items = parts.elements(value)
    for piece in _pieces(items):
        yield from _closed(value, piece)
    for item in items:
        if type(item) is type(value):
            yield item  # one level less
    if type(value) in (list, tuple):
        try:
            ordered = sorted(items)
        except TypeError:
            ordered = items
        if list(map(parts.key, ordered)) != list(map(parts.key, items)):
            yield from _closed(value, ordered)
    yield from _each_smaller(items, lambda made: parts.series(value, made))


def _each_smaller(items: list[Any], close: Callable[[list[Any]], Any]) -> Iterator[Any]:
    for at, item in enumerate(items):
        for less in smaller(item):
            try:
                yield close([*items[:at], less, *items[at + 1 :]])
            except parts.CannotClose:
                continue


def _closed(value: Any, items: list[Any]) -> Iterator[Any]:
    try:
        yield parts.series(value, items)
    except parts.CannotClose:
        return
