"""What seeds have in common, place by place: kinds, values met, lengths.

    argument ─ Shape ┬ elem              the elements of a series, all alike
                     └ fields[0], [1] …  the fields of a record, each for itself

A list or tuple that always has the same few elements of different kinds is a record too: ["Maths", 97]. The elements of
a mapping are records of key and value. Owns the tree and the walk along it; what seeds keep to is facts.py's.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from codejury.mutation.values import parts
from codejury.mutation.values.mined import Mined

_KEPT = 80  # different values met at a place
_MOST_FIELDS = 6
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits)


class Shape:
    """One place in the arguments. `allowed` are kinds that the gold names for it beside those met."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.allowed: frozenset[str] = frozenset()
        self.met: list[Any] = []
        self.count = 0
        self.lengths: dict[str, list[int]] = {}
        self.elem: Shape | None = None
        self.facts: list[Any] = []
        self._places: dict[str, list[Shape]] = {}
        self._keys: set[bytes] = set()

    def observe(self, value: Any) -> None:
        kind = parts.kind_of(value)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.count += 1
        key = parts.key(value)
        if key not in self._keys and len(self.met) < _KEPT:
            self._keys.add(key)
            self.met.append(value)
        if parts.is_record(value):
            self._observe_fields(kind, parts.fields(value))
        elif parts.is_series(value):
            items = parts.elements(value)
            self.lengths.setdefault(kind, []).append(len(items))
            self.elem = self.elem or Shape()
            for item in items:
                self.elem.observe(item)
            if type(value) in (list, tuple) and len(items) <= _MOST_FIELDS:
                self._observe_fields(kind, items)
        elif isinstance(value, str):
            self.lengths.setdefault(kind, []).append(len(value))

    def _observe_fields(self, kind: str, items: Sequence[Any]) -> None:
        places = self._places.setdefault(kind, [Shape() for _ in items])
        while len(places) < len(items):
            places.append(Shape())
        for place, item in zip(places, items, strict=False):
            place.observe(item)

    def is_record(self, value: Any) -> bool:
        if parts.is_record(value):
            return True
        if type(value) not in (list, tuple):
            return False
        return len(value) == self.fixed.get(type(value).__name__, -1)

    def fields(self, value: Any) -> list[Shape]:
        """Of a record; fields that no seed had are as empty as those of nothing."""
        places = self._places.get(parts.kind_of(value), [])
        needed = len(parts.fields(value)) if parts.is_record(value) else len(value)
        return [*places[:needed], *(Shape() for _ in range(needed - len(places)))]

    @property
    def takes_any(self) -> bool:
        """Values of any kind: the gold says so, or seeds show it."""
        return "any" in self.allowed or len(self.kinds) >= 4

    def below(self) -> list[Shape]:
        """Of elements and fields."""
        return [*([self.elem] if self.elem else []), *(place for each in self._places.values() for place in each)]

    @cached_property
    def fixed(self) -> dict[str, int]:
        """Kinds of series that are records here, with their number of fields."""
        found = {}
        for kind in ("list", "tuple"):
            lengths, places = self.lengths.get(kind, []), self._places.get(kind, [])
            if len(lengths) < 2 or len(set(lengths)) != 1 or not 2 <= lengths[0] <= _MOST_FIELDS:
                continue
            if len({frozenset(place.kinds) for place in places}) > 1 and all(len(p.kinds) == 1 for p in places):
                found[kind] = lengths[0]
        return found

    @cached_property
    def ints(self) -> list[int]:
        return [value for value in self.met if type(value) is int]

    @cached_property
    def floats(self) -> list[float]:
        return [value for value in self.met if type(value) is float]

    @cached_property
    def texts(self) -> list[str]:
        return [value for value in self.met if type(value) is str]

    @cached_property
    def alphabet(self) -> str:
        """Characters that texts are made of here: of letters and digits whole classes, unless few characters make
        much text."""
        met = "".join(dict.fromkeys("".join(self.texts)))
        if len(met) <= 4 and sum(map(len, self.texts)) >= 12:
            return met
        whole = "".join(each for each in _CLASSES if any(c in each for c in met))
        return whole + "".join(c for c in met if c not in whole)

    @property
    def longest(self) -> int:
        return max((max(each) for each in self.lengths.values() if each), default=0)


def shapes_of(seeds: Sequence[Sequence[Any]], mined: Mined) -> list[Shape]:
    """One for each argument, told apart by number; seeds may have different numbers of them."""
    found = [Shape() for _ in range(max(map(len, seeds), default=0))]
    for args in seeds:
        for shape, value in zip(found, args, strict=False):
            shape.observe(value)
    for number, shape in enumerate(found):
        _allow(shape, number, 0, mined)
    return found


def _allow(shape: Shape, number: int, depth: int, mined: Mined) -> None:
    shape.allowed = mined.kinds.get((number, depth), frozenset())
    if shape.elem is not None:
        _allow(shape.elem, number, depth + 1, mined)


def children(value: Any, shape: Shape) -> list[tuple[Any, Shape]]:
    """The parts of a value, each with its shape; none of a whole one."""
    if shape.is_record(value):
        opened = parts.fields(value) if parts.is_record(value) else list(value)
        return list(zip(opened, shape.fields(value), strict=True))
    if parts.is_series(value):
        elem = shape.elem or Shape()
        return [(each, elem) for each in parts.elements(value)]
    return []


def closed(value: Any, items: Sequence[Any]) -> Any:
    """A value like the one that was opened, of these parts."""
    return parts.record(value, items) if parts.is_record(value) else parts.series(value, items)


def fits(value: Any, shape: Shape) -> bool:
    """Whether all kinds within were met at their places, or are named for them."""
    for each, place in walk(value, shape):
        kind = parts.kind_of(each)
        if kind not in place.kinds and kind not in place.allowed:
            return False
    return True


def walk(value: Any, shape: Shape) -> Iterator[tuple[Any, Shape]]:
    """The value and all below it."""
    todo = [(value, shape)]
    while todo:
        each = todo.pop()
        yield each
        todo += children(*each)
