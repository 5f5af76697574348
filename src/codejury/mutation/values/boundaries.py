"""The edges of a place: zero, one, empty, all equal, sorted, very long, and the gold's own constants with their
neighbours. Finite, the most telling first. Owns the lattice of one place; how places are combined is in values.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, zip_longest
from typing import Any

from codejury.mutation.values import parts
from codejury.mutation.values.mined import Mined
from codejury.mutation.values.shapes import Shape, children, closed

_NONE = object()
_FEW_ELEMENTS = 14  # edges of an element that are tried within a series
ANYTHING: tuple[Any, ...] = (True, None, 1, 1.0, False, "", "1", [], 0, -1, 2.5, "a", [1], {}, {"a": 1}, (1,))
_LENGTHS = (101, 17, 31, 64, 127, 11, 23, 257, 509)  # a ramp, with a length early that few programs were tried with
_WORDS = ("é", "ß", "Ж中", "🙂")  # none that gets longer in lower case: few take that for an error


def edges(value: Any, shape: Shape, mined: Mined, *, long: int) -> Iterator[Any]:
    """Values for the place of `value`, of its kind or one that the gold allows. May repeat itself."""
    yield from _kinds(value, shape)
    kind = type(value)
    if kind is bool:
        yield not value
    elif kind is int:
        yield from _ints(shape, mined)
    elif kind is float:
        yield from _floats(shape, mined)
    elif kind is str:
        yield from _texts(value, shape, mined, long)
    elif parts.is_record(value) or shape.is_record(value):
        yield from _records(value, shape, mined, long)
    elif parts.is_series(value):
        yield from _series(value, shape, mined, long)


def _kinds(value: Any, shape: Shape) -> Iterator[Any]:
    if "None" in shape.allowed or "None" in shape.kinds:
        yield None
    if type(value) is int and "float" in shape.allowed and abs(value) < 2**53:
        yield from (float(value), value + 0.5, 1.0, 0.0, -value - 0.5, 0.1)
    if type(value) in (int, float) and "bool" in shape.allowed:
        yield from (True, False)
    if type(value) is float and "int" in shape.allowed and abs(value) < 1e15:
        yield from (int(value), 0, 1)
    for other in shape.met:
        if type(other) is not type(value):
            yield other
    if shape.takes_any:
        yield from ANYTHING


def _ints(shape: Shape, mined: Mined) -> Iterator[int]:
    low, high = min(shape.ints, default=0), max(shape.ints, default=0)
    near = [constant + by for constant in mined.ints[:12] for by in (0, 1, -1)]
    ranked = [near[at::3] for at in range(3)]
    small = (0, 1, -1, 2, 3, 4, 5, 7, 10, 6, 8, 9, 12)
    yield from _turns(
        small, chain(*ranked), (low - 1, high + 1, 10**6 + 3, high * 2, -high, 10**9 + 7, -low, high * 10 + 1)
    )
    yield from (11, 16, 25, 49, 97, 99, 100, 101, 121, 128, 255, 256, 1000, -2, -10, -100)
    yield from (999, 1024, 10**4, 65536, 10**5 + 1, 10**6)
    yield from (2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**18)


def _floats(shape: Shape, mined: Mined) -> Iterator[float]:
    low, high = min(shape.floats, default=0.0), max(shape.floats, default=0.0)
    yield from (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1.5, 0.1)
    yield from (float(constant) for constant in (*mined.floats[:8], *mined.ints[:8]) if abs(constant) < 2**53)
    yield from (
        high + 1,
        low - 1,
        -high,
        -low,
        2.5,
        0.99,
        1e-3,
        1e-6,
        100.0,
        99.99,
        1e6,
        123456.789,
        1e9,
        -1e9,
        2.0**53,
    )


def _texts(value: str, shape: Shape, mined: Mined, long: int) -> Iterator[str]:
    letters = shape.alphabet or "a"
    first, last = letters[0], letters[-1]
    yield from ("", first, last, first * 2)
    changed = (
        value[::-1], value.upper(), value.lower(), value.swapcase(), value + value, value + value[::-1], value[:1],
        value[1:], value[:-1], value.title(), "".join(sorted(value)), first * 5,
    )  # fmt: skip
    some = value or first
    ramp = ((some * (length // len(some) + 1))[:length] for length in _LENGTHS if length <= long)
    yield from _turns(changed, mined.texts[:16], ramp, (" ", "  ", f" {value} ", "a", "A", "Z", "0", "9", "1"))
    yield from (value.replace(" ", "  "), value.replace(" ", ""), f"{value} {value}", f"{value}\n", f"{value}\t{value}")
    yield from (first + last, last + first, first + last + first, f"{first} {last}", f"{value},{value}")
    yield from (f"{value}{mark}" for mark in "!.,?-_0Aa")
    yield from ("-1", "0.5", "123", "aA", "Aa", "aBc", "a b c", "a1b2", "!@#", "()", "_", "\n")
    yield from _WORDS
    yield from (f"{value}{word}" for word in _WORDS)
    yield from ((value or first) * (long // max(1, len(value))), first * long, (first + last) * (long // 2))


def _records(value: Any, shape: Shape, mined: Mined, long: int) -> Iterator[Any]:
    below = children(value, shape)
    items = [each for each, _ in below]

    def changed(at: int) -> Iterator[Any]:
        for edge in edges(*below[at], mined, long=long):
            yield from _closed(value, [*items[:at], edge, *items[at + 1 :]])

    fewer = [items[:-1], [*items, *items[-1:]], items[1:], items[:1]] if type(value) in (list, tuple) else []
    yield from _turns(*(changed(at) for at in range(len(below))), (m for each in fewer for m in _closed(value, each)))


def _series(value: Any, shape: Shape, mined: Mined, long: int) -> Iterator[Any]:
    items = parts.elements(value) or next((parts.elements(e) for e in shape.met if parts.is_series(e) and e), [])
    elem = shape.elem or Shape()
    yield from _closed(value, [])
    if not items:
        return
    like = items[0]
    small = list(islice(edges(like, elem, mined, long=min(long, 20)), _FEW_ELEMENTS))
    ordered = _ordered(items)
    negative = mapped(items, negated)
    whole = (
        items[:1], items[:2], [like] * 2, [like] * len(items), negative, ordered, ordered[::-1], items[::-1],
        items + items, items + items[:1], items[:1] + items, items[1:], items[:-1], items[-1:],
        items[1:] + items[:1],
        items + items[::-1], [like] * 3, items[:3], ordered + ordered[-1:], ordered[:1] * 2 + ordered,
    )  # fmt: skip
    singles = ([edge] for edge in small)
    within = (made for edge in small for made in ([edge, *items[1:]], [*items[:-1], edge], [*items, edge]))
    every = ([edge] * len(items) for edge in small)
    pairs = ([one, other] for one in small[:5] for other in small[:5])
    ramp = ((items * (length // len(items) + 1))[:length] for length in _LENGTHS if length <= long)
    for made in _turns(whole, singles, within, every, pairs, ramp):
        yield from _closed(value, made)
    repeat = max(1, long // len(items))
    yield from _closed(value, (items * repeat)[:long])
    yield from _closed(value, _ordered(items * repeat)[:long])
    if all(type(each) is int for each in items):
        yield from _closed(value, list(range(long)))
        yield from _closed(value, list(range(long, 0, -1)))


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Every number and text within, changed."""
    if type(value) in (list, tuple):
        return type(value)(mapped(each, change) for each in value)
    if type(value) is dict:
        return {key: mapped(each, change) for key, each in value.items()}
    return change(value)


def negated(value: Any) -> Any:
    return -value if type(value) in (int, float) else value


def _ordered(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return items[::-1]


def _closed(value: Any, items: list[Any]) -> Iterator[Any]:
    try:
        yield closed(value, items)
    except parts.CannotClose:
        return


def _turns(*sources: Iterable[Any]) -> Iterator[Any]:
    """One of each in turn."""
    for row in zip_longest(*sources, fillvalue=_NONE):
        yield from (each for each in row if each is not _NONE)
