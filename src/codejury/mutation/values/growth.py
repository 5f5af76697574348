"""A value of a place changed by one step, and new values for a place.

Owns series and records, and the choice of the part that is changed; numbers and texts are in scalars.py. A step keeps
the kind of what it changes, or takes another one that was met at the place or that the gold names for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codejury.mutation.values import parts, scalars
from codejury.mutation.values.boundaries import ANYTHING, mapped
from codejury.mutation.values.scalars import Ground
from codejury.mutation.values.shapes import Shape, children, closed

_OTHER_KIND = 0.12  # of the steps, where the gold allows another kind than seeds have
_DEEPEST = 12


def step(value: Any, shape: Shape, ground: Ground) -> Any:
    """One step. Where parts make no whole, the value is as before."""
    try:
        return _step(value, shape, ground, 0)
    except parts.CannotClose:
        return value


def _step(value: Any, shape: Shape, ground: Ground, depth: int) -> Any:
    rng = ground.rng
    if shape.allowed and rng.random() < _OTHER_KIND:
        return other_kind(value, shape, ground)
    if len(shape.kinds) > 1 and rng.random() < 0.15:
        return rng.choice(shape.met)
    if shape.takes_any and rng.random() < 0.3:
        return rng.choice(ANYTHING)
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return scalars.step_int(value, ground, shape.ints)
    if kind is float:
        return scalars.step_float(value, ground, shape.floats)
    if kind is str:
        return scalars.step_text(value, ground, shape.texts, shape.alphabet)
    if parts.is_record(value) or shape.is_record(value):
        below = children(value, shape)
        if not below:
            return value
        at = rng.randrange(len(below))
        items = [each for each, _ in below]
        if type(value) in (list, tuple) and rng.random() < 0.08:
            return closed(value, [*items[:at], *items[at + 1 :]] if rng.random() < 0.5 else [*items, items[at]])
        items[at] = _step(*below[at], ground, depth + 1)
        return closed(value, items)
    if parts.is_series(value):
        if rng.random() < 0.06:
            return mapped(value, _of_all(ground))
        return _series(value, shape, ground, depth)
    return rng.choice(shape.met) if shape.met else value


def other_kind(value: Any, shape: Shape, ground: Ground) -> Any:
    """The value as one of another kind that the gold names."""
    rng = ground.rng
    kind = rng.choice(sorted(shape.allowed))
    if kind == "None":
        return None
    if kind == "float" and type(value) is int and abs(value) < 2**53:
        return float(value) + rng.choice((0.0, 0.0, 0.5, 0.1, -0.5))
    if kind == "int" and type(value) is float and abs(value) < 1e15:
        return int(value)
    if kind == "bool" and type(value) in (int, float):
        return bool(value)
    if kind == "str" and type(value) in (int, float):
        return str(value)
    if kind in ("list", "tuple") and type(value) in (list, tuple):
        return list(value) if kind == "list" else tuple(value)
    return value


def _series(value: Any, shape: Shape, ground: Ground, depth: int) -> Any:
    rng = ground.rng
    items = parts.elements(value)
    elem = shape.elem or Shape()
    if not items:
        if not elem.met:
            return rng.choice(shape.met) if shape.met else value
        return parts.series(value, [make(elem, ground) for _ in range(rng.randint(1, 4))])
    at = rng.randrange(len(items))
    roll = rng.random()
    if roll < 0.34:
        items[at] = _step(items[at], elem, ground, depth + 1) if depth < _DEEPEST else items[at]
    elif roll < 0.42:
        del items[at]
    elif roll < 0.50:
        items.insert(rng.randint(0, len(items)), make(elem, ground))
    elif roll < 0.58:
        items.insert(rng.randint(0, len(items)), items[at])
    elif roll < 0.62:
        items[at] = make(elem, ground)
    elif roll < 0.67:
        other = rng.randrange(len(items))
        items[at], items[other] = items[other], items[at]
    elif roll < 0.72:
        items[at] = items[rng.randrange(len(items))]
    elif roll < 0.76:
        items = items[at:] if rng.random() < 0.5 else items[:at]
    elif roll < 0.79:
        rng.shuffle(items)
    elif roll < 0.82:
        items = items[::-1]
    elif roll < 0.85:
        items = _ordered(items, reverse=rng.random() < 0.4)
    elif roll < 0.87:
        items = [items[at]] * rng.randint(1, 5)
    elif roll < 0.89:
        items = items[at:] + items[:at]
    elif roll < 0.92:
        items = items + items[: rng.randint(1, len(items))]
    elif roll < 0.96:
        other_one = rng.choice(shape.met)
        if parts.is_series(other_one):
            more = parts.elements(other_one)
            items = [*items[:at], *more[rng.randint(0, len(more)) :]]
    elif roll < 0.99:
        items = [make(elem, ground) for _ in range(rng.choice((1, 2, 3, 5, 8, 13)))]
    else:
        items = items * (rng.randint(1, ground.long) // len(items) + 1)
    return parts.series(value, items[: max(ground.long, shape.longest)])


def _of_all(ground: Ground) -> Callable[[Any], Any]:
    """What is done to every number and text within."""
    rng = ground.rng
    by = rng.choice((-1, -1, 10, 2, 1000))
    more = rng.choice((0, 0, 1, -1, 7, -100))
    share = rng.choice((0.3, 0.5, 1.0))  # some texts in capitals among others that are not
    case = rng.choice((str.upper, str.lower, str.swapcase, str.title, str.strip))

    def change(value: Any) -> Any:
        if type(value) in (int, float):
            return value * by + more
        if type(value) is str:
            return case(value) if rng.random() < share else value
        return value

    return change


def _ordered(items: list[Any], reverse: bool) -> list[Any]:
    try:
        return sorted(items, reverse=reverse)
    except TypeError:
        return items[::-1]


def make(shape: Shape, ground: Ground) -> Any:
    """A new value for the place: one that was met, one changed, or, of simple kinds, one from nothing."""
    rng = ground.rng
    if not shape.met:
        return rng.choice(ground.ints or [0])
    value = rng.choice(shape.met)
    roll = rng.random()
    if roll < 0.35:
        return value
    if type(value) is int:
        return scalars.new_int(ground, shape.ints) if roll < 0.7 else scalars.step_int(value, ground, shape.ints)
    if type(value) is float:
        return scalars.new_float(ground, shape.floats)
    if type(value) is str:
        if roll < 0.7:
            return scalars.new_text(ground, shape.texts, shape.alphabet)
        return scalars.step_text(value, ground, shape.texts, shape.alphabet)
    return step(value, shape, ground)
