"""Python values as bytes, by a closed encoding: what a candidate returns is data, never code.

    value := tag payload          one byte, then what the table below says
    N T F E                       None, True, False, Ellipsis
    i I f j                       int of 8 bytes, longer int, float, complex
    s y Y                         str (UTF-8, lone surrogates too), bytes, bytearray
    l t e z d o c k q             list, tuple, set, frozenset, dict, OrderedDict, Counter, defaultdict, deque
    L                             list or tuple of ints or of floats only: one block of machine numbers
    m                             named tuple: its name, its fields, its elements
    g S                           range, slice
    D R                           Decimal, Fraction
    1 2 3 4                       date, time, datetime, timedelta
    n A                           scalar and array of the numeric library: type, shape, bytes
    =                             the n-th mutable container once more (only where `share` is set)
    H                             what the caller's `hook` made of an object that is none of these

Owns both directions. This one text serves outside, in the judge, and inside the sandbox, in its drivers: it imports
nothing of codejury. Invariants: `decode` takes bytes from an enemy, bounds all that it builds, and fails with
`BadValue` only; `encode` calls no method that the class of a value could have overridden.

A class made by the candidate that extends a builtin one (IntEnum, a str with its own __eq__, a dict with
__missing__) is sent as the value of the builtin: what it overrides has no say. Cycles are refused; what is shared is
repeated, or, with `share`, stays shared.

How values are compared lives in calls.py.
"""

from __future__ import annotations

import collections
import itertools
import struct
import sys
from array import array
from typing import Any

MAX_BYTES = 64 << 20
MAX_ITEMS = 4_000_000  # elements of all containers together
MAX_DEPTH = 400  # below what == and repr() of the interpreter can walk
MAX_INT_BYTES = 1 << 20
_MAX_SAME_HASH = 4_000_000  # pairs of keys with one hash: building a set is quadratic in those
DIGEST_BYTES = 32
_CHUNK = 1024  # elements of a large list that are digested at a time
_MAX_EXPONENT = 1_000_000
_MAX_FRACTION_BITS = 1 << 13  # reducing one is quadratic
# Spelled so that the compiled module does not hold the word: the sandbox takes a heavier interpreter where it sees it.
_NUMERIC = "".join(("num", "py"))


class BadValue(ValueError):
    """A value that has no encoding, or bytes that are none."""


class TooLarge(BadValue):
    """A value beyond the bounds, which may have a digest."""


class Large:
    """What is known of a value beyond the bounds: a digest of all of it. Two that are equal were made of equal values
    of equal types, elements of dicts in one order; nothing else can be said of them."""

    __slots__ = ("digest",)

    def __init__(self, digest: bytes) -> None:
        self.digest = digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Large) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Large({self.digest.hex()[:12]}...)"


class Array:
    """An array of the numeric library outside of it: type as in its `dtype.str`, shape, elements in C order."""

    __slots__ = ("dtype", "items", "shape")

    def __init__(self, dtype: str, shape: tuple[int, ...], items: list[Any]) -> None:
        self.dtype, self.shape, self.items = dtype, shape, items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self.shape == other.shape and self.items == other.items

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Array({self.dtype!r}, {self.shape!r}, {self.items!r})"

    def nested(self) -> Any:
        """As lists of lists, or the one element of an array without dimensions."""
        items: list[Any] = self.items
        for size in reversed(self.shape[1:]):
            items = [items[at : at + size] for at in range(0, len(items), size)] if size else items
        return items if self.shape else items[0]


_INT = struct.Struct("<cq").pack
_FLOAT = struct.Struct("<cd").pack
_COMPLEX = struct.Struct("<cdd").pack
_HEAD = struct.Struct("<cI").pack
_U32 = struct.Struct("<I").unpack_from
_I64 = struct.Struct("<q").unpack_from
_F64 = struct.Struct("<d").unpack_from
_TWO_F64 = struct.Struct("<dd").unpack_from

_FACTORIES: tuple[Any, ...] = (
    None, int, float, str, list, dict, set, tuple, bool, complex, bytes, frozenset,
)  # fmt: skip
# element type of an array -> code of the struct module; what is not here is refused
_ELEMENTS = {
    "|b1": "?", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I", "<i8": "q", "<u8": "Q",
    "<f2": "e", "<f4": "f", "<f8": "d", "<c8": "f", "<c16": "d",
}  # fmt: skip
_EXACT = frozenset({list, tuple, set, frozenset, dict, collections.deque, collections.Counter})
_MRO = vars(type)["__mro__"].__get__  # not what a metaclass says
_ONE_TYPE = ({int}, {float})


# ── Out ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def encode(value: Any, *, hook: Any = None, share: list[Any] | None = None, refuse: Any = None) -> bytes:
    """The value's bytes, or BadValue.

    hook     called with an object that has no encoding of its own: the bytes that stand for it, or None
    share    mutable containers in the order of their numbers, to which those met are added: one that is among them
             is sent as its number
    refuse   called with an object before a class of the candidate is taken for the builtin that it extends;
             True: it goes to `hook`
    """
    try:
        return _encode(value, hook, share, refuse)
    except BadValue:
        raise
    except (RuntimeError, struct.error, OverflowError, TypeError, ValueError, AttributeError) as error:
        # a container that changes while it is read, lengths that lie, types that are half made
        raise BadValue(f"{type(error).__name__}: {error}") from None


def _encode(value: Any, hook: Any, share: list[Any] | None, refuse: Any) -> bytes:
    out: list[bytes] = []
    put = out.append
    seen = {id(each): at for at, each in enumerate(share)} if share is not None else None
    path: set[int] = set()
    above: list[tuple[Any, Any]] = []  # iterators not at their end, each with the container that it was left for
    items, size, under_way = 1, 0, None
    here: Any = iter((value,))
    while True:
        for x in here:
            kind = type(x)
            if kind is int:
                if -0x8000000000000000 <= x <= 0x7FFFFFFFFFFFFFFF:
                    put(_INT(b"i", x))
                else:
                    raw = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
                    if len(raw) > MAX_INT_BYTES:
                        raise TooLarge(f"an int of more than {MAX_INT_BYTES} bytes")
                    size += len(raw)
                    put(_HEAD(b"I", len(raw)))
                    put(raw)
                continue
            if kind is str:
                raw = x.encode("utf-8", "surrogatepass")
                size += len(raw)
                put(_HEAD(b"s", len(raw)))
                put(raw)
                continue
            if kind is float:
                put(_FLOAT(b"f", x))
                continue
            if x is None:
                put(b"N")
                continue
            if x is True:
                put(b"T")
                continue
            if x is False:
                put(b"F")
                continue
            if seen is not None and id(x) in seen:
                put(_HEAD(b"=", seen[id(x)]))
                continue
            if kind not in _EXACT:
                leaf = _leaf(x, kind)
                if leaf is not None:
                    size += len(leaf)
                    put(leaf)
                    if seen is not None and share is not None and (kind is bytearray or leaf[:1] == b"A"):
                        seen[id(x)] = len(share)
                        share.append(x)
                    continue
                known = None
                if refuse is None or not refuse(x):
                    plain = _scalar(x, kind)
                    if plain is not None:
                        raw = _encode(plain, None, None, None)
                        size += len(raw)
                        put(raw)
                        continue
                    known = _container(x, kind)
                if known is None:
                    token = hook(x) if hook is not None else None
                    if token is None:
                        raise BadValue(f"a value of type {kind.__name__}")
                    put(_HEAD(b"H", len(token)))
                    put(token)
                    continue
                tag, count, children = known
            elif kind is list or kind is tuple:
                count = len(x)
                if count > 7 and (types := set(map(type, x))) in _ONE_TYPE:
                    try:
                        raw = array("q" if int in types else "d", x).tobytes()
                    except OverflowError:
                        pass
                    else:
                        size, items = size + len(raw), items + count
                        put(_HEAD(b"L", count))
                        put((b"l" if kind is list else b"t") + (b"q" if int in types else b"d"))
                        put(raw)
                        if kind is list and seen is not None and share is not None:
                            seen[id(x)] = len(share)
                            share.append(x)
                        if items > MAX_ITEMS or size > MAX_BYTES:
                            raise TooLarge(f"more than {MAX_ITEMS} elements or {MAX_BYTES} bytes")
                        continue
                tag, children = (b"l" if kind is list else b"t"), iter(x)
            elif kind is dict:
                count, tag, children = 2 * len(x), b"d", itertools.chain.from_iterable(x.items())
            elif kind is set or kind is frozenset:
                count, tag, children = len(x), (b"e" if kind is set else b"z"), iter(x)
            elif kind is collections.Counter:
                count, tag, children = 2 * dict.__len__(x), b"c", itertools.chain.from_iterable(dict.items(x))
            else:  # a deque
                count, tag, children = len(x) + 1, b"q", itertools.chain((x.maxlen,), x)
            items += count
            if items > MAX_ITEMS or size > MAX_BYTES:
                raise TooLarge(f"more than {MAX_ITEMS} elements or {MAX_BYTES} bytes")
            if id(x) in path:
                raise BadValue(f"a {kind.__name__} that contains itself")
            if len(above) >= MAX_DEPTH:
                raise BadValue(f"values nested more than {MAX_DEPTH} deep")
            put(_HEAD(tag, count))
            path.add(id(x))
            above.append((here, under_way))
            here, under_way = children, x
            break
        else:
            if not above:
                break
            done, (here, under_way) = under_way, above.pop()
            path.discard(id(done))
            if seen is not None and share is not None and type(done) not in (tuple, frozenset):
                seen[id(done)] = len(share)
                share.append(done)
    if size > MAX_BYTES:
        raise TooLarge(f"more than {MAX_BYTES} bytes")
    return b"".join(out)


def digest(value: Any) -> bytes:
    """Of a value of builtin types alone, however large, at the speed of C and in little memory; or BadValue. Where
    `encode` ends, for who needs to know no more than whether two values are the same: one can be sent of any size."""
    import hashlib
    import marshal

    made = hashlib.blake2b(digest_size=DIGEST_BYTES)
    kind = type(value)
    try:
        if kind is list or kind is tuple:
            made.update(_HEAD(b"l" if kind is list else b"t", min(len(value), 0xFFFFFFFF)))
            for at in range(0, len(value), _CHUNK):
                # The second version: later ones write an object that they have met as a number, by its references.
                made.update(marshal.dumps(list(value[at : at + _CHUNK]), 2))
        else:
            made.update(marshal.dumps(value, 2))
    except (ValueError, MemoryError, RecursionError) as error:
        raise BadValue(f"a large value of other than builtin types: {error}") from None
    return made.digest()


def _leaf(x: Any, kind: type) -> bytes | None:
    """Values without children of their own, by exact type; the others are None."""
    if kind is bytes or kind is bytearray:
        return _HEAD(b"y" if kind is bytes else b"Y", len(x)) + bytes(x)
    if kind is complex:
        return _COMPLEX(b"j", x.real, x.imag)
    if x is ...:
        return b"E"
    if kind is range:
        return b"g" + b"".join(map(encode, (x.start, x.stop, x.step)))
    if kind is slice:
        return b"S" + b"".join(map(encode, (x.start, x.stop, x.step)))
    name = kind.__name__
    # Their modules are only looked at: a value of a module that nobody imported cannot be here.
    if name == "Decimal" and (decimal := sys.modules.get("decimal")) is not None and kind is decimal.Decimal:
        raw = str(x).encode("ascii")
        return _HEAD(b"D", len(raw)) + raw
    if name == "Fraction" and (fractions := sys.modules.get("fractions")) is not None and kind is fractions.Fraction:
        return b"R" + encode(x.numerator) + encode(x.denominator)
    if name in ("date", "time", "datetime", "timedelta") and (times := sys.modules.get("datetime")) is not None:
        return _time(x, kind, times)
    if kind is Array:
        return _array_out(x.dtype, x.shape, _packed(x))
    numeric = sys.modules.get(_NUMERIC)
    if numeric is not None:
        if kind is getattr(numeric, "ndarray", None):
            return _array_out(*_parts(x))
        if issubclass(kind, getattr(numeric, "generic", ())):
            dtype, _, raw = _parts(numeric.asarray(x))
            return _HEAD(b"n", len(dtype)) + dtype.encode("ascii") + _HEAD(b"y", len(raw)) + raw
    return None


def _time(x: Any, kind: type, times: Any) -> bytes | None:
    if kind is times.timedelta:
        return b"4" + b"".join(map(encode, (x.days, x.seconds, x.microseconds)))
    if kind is times.date:
        return b"1" + encode(x.toordinal())
    if kind is not times.time and kind is not times.datetime:
        return None
    fields = [x.hour, x.minute, x.second, x.microsecond, x.fold]
    away = x.utcoffset()
    fields.append(None if away is None else (away.days * 86400 + away.seconds) * 1_000_000 + away.microseconds)
    if kind is times.datetime:
        fields.insert(0, x.toordinal())
    elif away is None and x.tzinfo is not None:
        raise BadValue("a time whose zone has no fixed distance from UTC")
    return (b"3" if kind is times.datetime else b"2") + b"".join(map(encode, fields))


def _parts(x: Any) -> tuple[str, tuple[int, ...], bytes]:
    dtype = x.dtype
    if dtype.kind in "SU":
        name = dtype.str.replace(">", "<")
    else:
        if dtype.str == "<f16":
            dtype = "<f8"
        name = getattr(dtype, "str", dtype).replace(">", "<")
        if name not in _ELEMENTS:
            raise BadValue(f"an array of {dtype}")
    return name, tuple(map(int, x.shape)), x.astype(name, copy=False).tobytes()


def _array_out(dtype: str, shape: tuple[int, ...], raw: bytes) -> bytes:
    head = _HEAD(b"A", len(dtype)) + dtype.encode("ascii")
    return head + _HEAD(b"A", len(shape))[1:] + b"".join(map(encode, shape)) + _HEAD(b"y", len(raw)) + raw


def _packed(x: Array) -> bytes:
    if x.dtype[1:2] == "U":
        return b"".join(
            item.encode("utf-32-le", "surrogatepass").ljust(4 * int(x.dtype[2:]), b"\0") for item in x.items
        )
    if x.dtype[1:2] == "S":
        return b"".join(item.ljust(int(x.dtype[2:]), b"\0") for item in x.items)
    flat = [part for item in x.items for part in (item.real, item.imag)] if x.dtype[1:2] == "c" else x.items
    return struct.pack(f"<{len(flat)}{_ELEMENTS[x.dtype]}", *flat)


def _scalar(x: Any, kind: type) -> Any:
    """The builtin number or text below a class that extends it; only methods of the builtin are called."""
    for base in _MRO(kind):
        if base is int:
            return int.__int__(x)
        if base is str:
            return str.__str__(x)
        if base is float:
            return float.__float__(x)
        if base is complex:
            return complex.__pos__(x)
        if base is bytes or base is bytearray:
            return base.__getitem__(x, slice(None))
    return None


def _container(x: Any, kind: type) -> tuple[bytes, int, Any] | None:
    """Tag, count and children of the builtin container that the object is below its own class."""
    for base in _MRO(kind):
        if base is tuple:
            fields = _fields(kind)
            count = tuple.__len__(x)
            if fields is not None and len(fields) == count:
                return b"m", count + 2, itertools.chain((str(kind.__name__), fields), tuple.__iter__(x))
            return b"t", count, tuple.__iter__(x)
        if base is list:
            return b"l", list.__len__(x), list.__iter__(x)
        if base is set or base is frozenset:
            return (b"e" if base is set else b"z"), base.__len__(x), base.__iter__(x)
        if base is collections.deque:
            maxlen = collections.deque.maxlen.__get__(x)
            return b"q", base.__len__(x) + 1, itertools.chain((maxlen,), base.__iter__(x))
        if base is collections.OrderedDict:
            flat = itertools.chain.from_iterable((key, dict.__getitem__(x, key)) for key in base.__iter__(x))
            return b"o", 2 * dict.__len__(x), flat
        if base is collections.defaultdict:
            factory = vars(collections.defaultdict)["default_factory"].__get__(x)
            number = next((at for at, each in enumerate(_FACTORIES) if each is factory), 0)
            flat = itertools.chain.from_iterable(dict.items(x))
            return b"k", 2 * dict.__len__(x) + 1, itertools.chain((number,), flat)
        if base is collections.Counter:
            return b"c", 2 * dict.__len__(x), itertools.chain.from_iterable(dict.items(x))
        if base is dict:
            return b"d", 2 * dict.__len__(x), itertools.chain.from_iterable(dict.items(x))
    return None


def _fields(kind: type) -> tuple[str, ...] | None:
    fields = kind.__dict__.get("_fields")
    if type(fields) is tuple and all(type(each) is str for each in fields):
        return fields
    return None


# ── In ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

_CONTAINERS = frozenset(b"ltezdockqm")
_FAULTS = (
    ArithmeticError, AttributeError, IndexError, KeyError, MemoryError, OverflowError, RecursionError, TypeError,
    UnicodeError, ValueError, struct.error,
)  # fmt: skip


def decode(data: bytes, *, rich: bool = False, hook: Any = None, share: list[Any] | None = None) -> Any:
    """The one value that the bytes are, or BadValue.

    rich     named tuples and arrays as such, the latter by importing the numeric library; else tuples, plain numbers
             and `Array`
    hook     called with the bytes of an `H`; without it there must be none
    share    mutable containers by their numbers, to which those built are added; without it there must be no `=`
    """
    try:
        value, end = _decode(data, 0, rich, hook, share)
    except BadValue:
        raise
    except _FAULTS as error:
        raise BadValue(f"not an encoded value: {type(error).__name__}: {error}") from None
    if end != len(data):
        raise BadValue(f"{len(data) - end} bytes after the value")
    return value


def _decode(data: bytes, at: int, rich: bool, hook: Any, share: list[Any] | None) -> tuple[Any, int]:
    if len(data) > 2 * MAX_BYTES:
        raise BadValue(f"more than {2 * MAX_BYTES} bytes")
    items_left = MAX_ITEMS
    above: list[tuple[list[Any], int, int]] = []
    here: list[Any] = []
    need, kind = 1, 0
    while True:
        while len(here) == need:
            if not above:
                return here[0], at
            value = _build(kind, here, rich)
            if share is not None and type(value) not in (tuple, frozenset) and kind not in b"mtz":
                share.append(value)
            here, need, kind = above.pop()
            here.append(value)
        tag = data[at]
        at += 1
        if tag == 105:  # i
            here.append(_I64(data, at)[0])
            at += 8
        elif tag == 115:  # s
            raw, at = _block(data, at)
            here.append(raw.decode("utf-8", "surrogatepass"))
        elif tag == 102:  # f
            here.append(_F64(data, at)[0])
            at += 8
        elif tag == 78:
            here.append(None)
        elif tag == 84:
            here.append(True)
        elif tag == 70:
            here.append(False)
        elif tag in _CONTAINERS:
            (count,) = _U32(data, at)
            at += 4
            items_left -= count
            if items_left < 0 or count > len(data) - at:
                raise BadValue(f"a container of {count} elements")
            if len(above) >= MAX_DEPTH:
                raise BadValue(f"values nested more than {MAX_DEPTH} deep")
            above.append((here, need, kind))
            here, need, kind = [], count, tag
        elif tag == 76:  # L
            (count,) = _U32(data, at)
            holder, code = data[at + 4 : at + 5], data[at + 5 : at + 6]
            at += 6
            items_left -= count
            if (
                items_left < 0
                or count > (len(data) - at) // 8
                or holder not in (b"l", b"t")
                or code not in (b"q", b"d")
            ):
                raise BadValue(f"a block of {count} numbers")
            block = array(code.decode(), data[at : at + 8 * count]).tolist()
            at += 8 * count
            if holder == b"t":
                here.append(tuple(block))
            else:
                here.append(block)
                if share is not None:
                    share.append(block)
        elif tag == 61 and share is not None:  # =
            (number,) = _U32(data, at)
            at += 4
            here.append(share[number])
        elif tag == 72 and hook is not None:  # H
            raw, at = _block(data, at)
            here.append(hook(raw))
        else:
            value, at = _rare(tag, data, at, rich)
            here.append(value)
            if share is not None and tag in b"YA":
                share.append(value)


def _block(data: bytes, at: int) -> tuple[bytes, int]:
    (size,) = _U32(data, at)
    end = at + 4 + size
    if end > len(data):
        raise BadValue("cut off")
    return data[at + 4 : end], end


def _numbers(count: int, data: bytes, at: int, *, or_none: bool = False) -> tuple[list[Any], int]:
    found: list[Any] = []
    for _ in range(count):
        tag = data[at]
        if tag == 105:
            found.append(_I64(data, at + 1)[0])
            at += 9
        elif tag == 73:
            value, at = _rare(tag, data, at + 1, False)
            found.append(value)
        elif tag == 78 and or_none:
            found.append(None)
            at += 1
        else:
            raise BadValue("expected an int")
    return found, at


def _rare(tag: int, data: bytes, at: int, rich: bool) -> tuple[Any, int]:
    if tag == 69:
        return ..., at
    if tag == 73:  # I
        raw, at = _block(data, at)
        if len(raw) > MAX_INT_BYTES:
            raise BadValue(f"an int of {len(raw)} bytes")
        return int.from_bytes(raw, "little", signed=True), at
    if tag == 106:  # j
        return complex(*_TWO_F64(data, at)), at + 16
    if tag == 121:
        return _block(data, at)
    if tag == 89:  # Y
        raw, at = _block(data, at)
        return bytearray(raw), at
    if tag == 103:  # g
        numbers, at = _numbers(3, data, at)
        return range(*numbers), at
    if tag == 83:  # S
        numbers, at = _numbers(3, data, at, or_none=True)
        return slice(*numbers), at
    if tag == 68:  # D
        return _decimal(*_block(data, at))
    if tag == 82:  # R
        import fractions

        numbers, at = _numbers(2, data, at)
        if max(map(int.bit_length, numbers)) > _MAX_FRACTION_BITS:
            raise BadValue("a Fraction of numbers that are too long")
        return fractions.Fraction(*numbers), at
    if tag in b"1234":
        return _moment(tag, data, at)
    if tag == 110:  # n
        name, at = _block(data, at)
        if data[at] != 121:
            raise BadValue("a scalar without bytes")
        raw, at = _block(data, at + 1)
        return _array_in(name.decode("ascii"), (), raw, rich)[()] if rich else _plain(name, (), raw).items[0], at
    if tag == 65:  # A
        name, at = _block(data, at)
        (count,) = _U32(data, at)
        if count > 32:
            raise BadValue(f"an array of {count} dimensions")
        numbers, at = _numbers(count, data, at + 4)
        shape = tuple(numbers)
        if any(size < 0 for size in shape):
            raise BadValue(f"an array of shape {shape}")
        if data[at] != 121:
            raise BadValue("an array without bytes")
        raw, at = _block(data, at + 1)
        return (_array_in(name.decode("ascii"), shape, raw, rich) if rich else _plain(name, shape, raw)), at
    raise BadValue(f"unknown tag {tag}")


def _decimal(raw: bytes, at: int) -> tuple[Any, int]:
    import decimal

    if len(raw) > MAX_INT_BYTES:
        raise BadValue("a Decimal that is too long")
    value = decimal.Decimal(raw.decode("ascii"))
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > _MAX_EXPONENT:
        raise BadValue("a Decimal that is too large")
    return value, at


def _moment(tag: int, data: bytes, at: int) -> tuple[Any, int]:
    import datetime

    if tag == 52:
        numbers, at = _numbers(3, data, at)
        return datetime.timedelta(*numbers), at
    if tag == 49:
        numbers, at = _numbers(1, data, at)
        return datetime.date.fromordinal(*numbers), at
    day = None
    if tag == 51:
        (ordinal,), at = _numbers(1, data, at)
        day = datetime.date.fromordinal(ordinal)
    (hour, minute, second, micros, fold), at = _numbers(5, data, at)
    (away,), at = _numbers(1, data, at, or_none=True)
    zone = None if away is None else datetime.timezone(datetime.timedelta(microseconds=away))
    moment = datetime.time(hour, minute, second, micros, zone, fold=fold)
    return (moment if day is None else datetime.datetime.combine(day, moment)), at


def _checked_dtype(name: str, shape: tuple[int, ...], raw: bytes) -> int:
    """How many elements; BadValue where type, shape and bytes do not go together."""
    count = 1
    for size in shape:
        count *= size
    if name in _ELEMENTS:
        width = 1 if name == "|b1" else int(name[2:])
    elif name[:2] in ("<U", "|S") and name[2:].isdecimal() and name[2:].isascii() and len(name) < 12:
        width = int(name[2:]) * (4 if name[1] == "U" else 1)
    else:
        raise BadValue(f"an array of {name!r}")
    if count > MAX_ITEMS or any(size > MAX_ITEMS for size in shape) or count * width != len(raw):
        raise BadValue(f"an array of shape {shape} in {len(raw)} bytes")
    if name == "|b1" and raw.translate(None, b"\0\1"):
        raise BadValue("booleans that are neither 0 nor 1")
    return count


def _array_in(name: str, shape: tuple[int, ...], raw: bytes, rich: bool) -> Any:
    _checked_dtype(name, shape, raw)
    numeric: Any = __import__(_NUMERIC)
    if name[1] == "U":
        raw.decode("utf-32-le", "surrogatepass")  # code points that are none
    if not raw:
        return numeric.zeros(shape, name)
    return numeric.frombuffer(raw, name).reshape(shape).copy()


def _plain(name_raw: bytes, shape: tuple[int, ...], raw: bytes) -> Array:
    name = name_raw.decode("ascii")
    count = _checked_dtype(name, shape, raw)
    items: list[Any]
    if name[1] in "US":
        width = len(raw) // count if count else 0
        cut = [raw[at : at + width] for at in range(0, len(raw), width)] if width else [b""] * count
        if name[1] == "U":
            items = [each.decode("utf-32-le", "surrogatepass").rstrip("\0") for each in cut]
        else:
            items = [each.rstrip(b"\0") for each in cut]
    else:
        items = list(struct.unpack(f"<{len(raw) // struct.calcsize(_ELEMENTS[name])}{_ELEMENTS[name]}", raw))
        if name[1] == "c":
            items = [complex(*pair) for pair in zip(items[::2], items[1::2], strict=True)]
    return Array(name, shape, items)


def _check_hashes(keys: list[Any]) -> None:
    """Keys that share a hash make a set quadratic; ints (and tuples of them) with one hash are easy to find."""
    if len(keys) < 64:
        return
    same = collections.Counter(map(hash, keys))
    if len(same) == len(keys):
        return
    if sum(count * count for count in same.values() if count > 1) > _MAX_SAME_HASH:
        raise BadValue("too many keys with the same hash")


def _pairs(kind: type, items: list[Any]) -> Any:
    if len(items) % 2:
        raise BadValue("a key without its value")
    keys = items[::2]
    _check_hashes(keys)
    made: Any = dict(zip(keys, items[1::2], strict=True))
    if len(made) != len(keys):
        raise BadValue("a key twice")
    return made if kind is dict else kind(made)


_named: dict[tuple[str, tuple[str, ...]], Any] = {}


def _build(kind: int, items: list[Any], rich: bool) -> Any:
    if kind == 108:
        return items
    if kind == 116:
        return tuple(items)
    if kind == 100:
        return _pairs(dict, items)
    if kind in b"ez":
        _check_hashes(items)
        made: Any = set(items) if kind == 101 else frozenset(items)
        if len(made) != len(items):
            raise BadValue("an element twice")
        return made
    if kind == 111:
        return _pairs(collections.OrderedDict, items)
    if kind == 99:
        return _pairs(collections.Counter, items)
    if kind == 107:  # k
        if not items or type(items[0]) is not int or not 0 <= items[0] < len(_FACTORIES):
            raise BadValue("a defaultdict without a factory")
        plain = _pairs(dict, items[1:])
        return collections.defaultdict(_FACTORIES[items[0]], plain)
    if kind == 113:  # q
        if not items or not (items[0] is None or (type(items[0]) is int and len(items) - 1 <= items[0] < 2**31)):
            raise BadValue("a deque without its length")
        return collections.deque(items[1:], items[0])
    # m
    if len(items) < 2 or type(items[0]) is not str or type(items[1]) is not tuple or len(items[1]) != len(items) - 2:
        raise BadValue("a named tuple without its names")
    if not rich:
        return tuple(items[2:])
    name = (items[0], items[1])
    if name not in _named:
        if len(_named) >= 256 or len(items[0]) > 200 or any(type(f) is not str or len(f) > 200 for f in items[1]):
            raise BadValue("too many kinds of named tuples")
        _named[name] = collections.namedtuple(items[0], items[1])  # refuses what is no identifier
    return _named[name](*items[2:])
