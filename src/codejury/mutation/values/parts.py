"""Values taken apart and put together again.

    list tuple deque set frozenset                 a series of elements
    dict OrderedDict Counter defaultdict           a series of (key, value)
    named tuple complex Decimal Fraction range     a record of fields, each of a kind of its own
    slice date time datetime timedelta bytes Array
    None bool int float str Ellipsis, all others   whole

Owns the kinds, the two directions, and what makes two values the same: `key` tells 1, 1.0 and True apart, and does not
depend on the order in which a set happens to give its elements. Whoever changes values changes parts: type, factory,
time zone and length limit of the whole come from the value that was opened.
"""

from __future__ import annotations

import datetime
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from codejury.judging import values
from codejury.judging.values import Array, BadValue

_SERIES: tuple[type, ...] = (list, tuple, deque, set, frozenset)
_MAPS: tuple[type, ...] = (dict, OrderedDict, Counter, defaultdict)
_SETS: tuple[type, ...] = (set, frozenset)
_MICROSECONDS = 86_400_000_000
_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class CannotClose(ValueError):
    """Parts that make no value of this kind: a date after the last one, an element that has no hash."""


def kind_of(value: Any) -> str:
    """The name of the value's type, where it is one that is opened or changed; else `other`."""
    kind = type(value)
    if kind in (bool, int, float, str) or kind in _SERIES or kind in _MAPS or is_record(value):
        return kind.__name__
    return "None" if value is None else "other"


def is_series(value: Any) -> bool:
    return type(value) in _SERIES or type(value) in _MAPS


def is_map(value: Any) -> bool:
    return type(value) in _MAPS


def is_set(value: Any) -> bool:
    return type(value) in _SETS


def is_record(value: Any) -> bool:
    kind = type(value)
    if isinstance(value, tuple):
        return kind is not tuple and hasattr(kind, "_fields")
    if kind is Decimal:
        return bool(value.is_finite())
    return kind in _FIELDS


def elements(value: Any) -> list[Any]:
    """Of a series, in an order that is the same in every process."""
    if is_map(value):
        return list(value.items())
    if is_set(value):
        return sorted(value, key=key)
    return list(value)


def series(like: Any, items: Sequence[Any]) -> Any:
    """A series of the same kind. Of pairs with one key, the last stays where the first stood."""
    try:
        if isinstance(like, defaultdict):
            return defaultdict(like.default_factory, items)
        if isinstance(like, Counter):
            return Counter(dict(items))
        if isinstance(like, deque):
            return deque(items, like.maxlen)
        return type(like)(items)
    except _FAULTS as error:
        raise CannotClose(str(error)) from None


def fields(value: Any) -> list[Any]:
    """Of a record."""
    if isinstance(value, tuple):
        return list(value)
    taken: list[Any] = _FIELDS[type(value)][0](value)
    return taken


def record(like: Any, parts: Sequence[Any]) -> Any:
    """A record of the same kind."""
    try:
        if isinstance(like, tuple):
            return type(like)(*parts)
        return _FIELDS[type(like)][1](like, *parts)
    except _FAULTS as error:
        raise CannotClose(str(error)) from None


def _decimal(like: Decimal, coefficient: int, exponent: int) -> Decimal:
    if abs(exponent) > 400:
        raise CannotClose("an exponent beyond all use")
    return Decimal(coefficient).scaleb(exponent)


def _decimal_fields(value: Decimal) -> list[Any]:
    sign, digits, exponent = value.as_tuple()
    coefficient = int("".join(map(str, digits)) or "0")
    return [-coefficient if sign else coefficient, exponent]


def _clock(value: Any) -> int:
    return int(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)


def _clock_parts(at: int) -> tuple[int, int, int, int]:
    seconds, micro = divmod(at % _MICROSECONDS, 1_000_000)
    return seconds // 3600, seconds // 60 % 60, seconds % 60, micro


def _moment(like: datetime.datetime, day: int, at: int) -> datetime.datetime:
    date = datetime.date.fromordinal(day)
    return datetime.datetime(date.year, date.month, date.day, *_clock_parts(at), like.tzinfo, fold=like.fold)


def _array(like: Array, items: list[Any]) -> Array:
    if len(items) != len(like.items):
        raise CannotClose("an array keeps its shape")
    made = Array(like.dtype, like.shape, items)
    values.encode(made)
    return made


# kind -> value to fields, and fields to a value like another
_FIELDS: dict[type, tuple[Any, Any]] = {
    complex: (lambda v: [v.real, v.imag], lambda _, real, imag: complex(real, imag)),
    Decimal: (_decimal_fields, _decimal),
    Fraction: (lambda v: [v.numerator, v.denominator], lambda _, n, d: Fraction(n, d)),
    range: (lambda v: [v.start, v.stop, v.step], lambda _, *parts: range(*parts)),
    slice: (lambda v: [v.start, v.stop, v.step], lambda _, *parts: slice(*parts)),
    bytes: (lambda v: [v.decode("latin-1")], lambda _, text: text.encode("latin-1")),
    bytearray: (lambda v: [v.decode("latin-1")], lambda _, text: bytearray(text.encode("latin-1"))),
    datetime.date: (lambda v: [v.toordinal()], lambda _, day: datetime.date.fromordinal(day)),
    datetime.time: (
        lambda v: [_clock(v)],
        lambda like, at: datetime.time(*_clock_parts(at), like.tzinfo, fold=like.fold),
    ),
    datetime.datetime: (lambda v: [v.toordinal(), _clock(v)], _moment),
    datetime.timedelta: (
        lambda v: [v.days, v.seconds, v.microseconds],
        lambda _, days, seconds, micro: datetime.timedelta(days, seconds, micro),
    ),
    Array: (lambda v: [v.items], _array),
}


def key(value: Any) -> bytes:
    """Equal for values that no program could tell apart; BadValue where the closed encoding has no word for it."""
    return values.encode(_settled(value) if _holds_set(value) else value)


def _holds_set(value: Any) -> bool:
    if is_set(value):
        return True
    if is_map(value):
        return any(_holds_set(k) or _holds_set(v) for k, v in value.items())
    return isinstance(value, (list, tuple, deque)) and any(map(_holds_set, value))


def _settled(value: Any) -> Any:
    if is_set(value):
        return ("a " + type(value).__name__, sorted(map(key, value)))
    if is_map(value):
        return (type(value).__name__, [(_settled(k), _settled(v)) for k, v in value.items()])
    if isinstance(value, (list, deque)):
        return [type(value).__name__, *map(_settled, value)]
    if isinstance(value, tuple):
        return tuple(map(_settled, value))
    return value


def size(value: Any) -> int:
    """Elements, characters and digits of the whole."""
    total, todo = 0, [value]
    while todo:
        each = todo.pop()
        if isinstance(each, str):
            total += 1 + len(each)
        elif isinstance(each, int):
            total += 1 + each.bit_length() // 64
        elif is_map(each):
            total += 1
            todo += [*each.keys(), *each.values()]
        elif is_series(each):
            total += 1
            todo += each
        elif is_record(each):
            total += 1
            todo += fields(each)
        else:
            total += 1
    return total


def largest(value: Any) -> int:
    """The greatest magnitude of any int within; what loops may be bounded by."""
    most, todo = 0, [value]
    while todo:
        each = todo.pop()
        if isinstance(each, int):
            most = max(most, abs(each))
        elif isinstance(each, float):
            most = max(most, int(min(abs(each), 1e18)) if each == each else 0)
        elif is_map(each):
            todo += [*each.keys(), *each.values()]
        elif is_series(each):
            todo += each
        elif is_record(each):
            todo += fields(each)
    return most


def encodes(value: Any) -> bool:
    try:
        values.encode(value)
    except BadValue:
        return False
    return True
