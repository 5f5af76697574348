"""The closed encoding of values: what goes in comes out, and what an enemy sends is refused by one error.

What the drivers do with it is tested in test_calls.py and test_scripts.py.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import decimal
import enum
import math
import random
import struct
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.judging import values
from codejury.judging.values import Array, BadValue, decode, encode

numpy = pytest.importorskip("numpy")


def same(left: Any, right: Any) -> bool:
    """Equal, of the same types all the way down, in the same order; NaN is itself, and -0.0 is not 0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return struct.pack("<d", left) == struct.pack("<d", right) or (math.isnan(left) and math.isnan(right))
    if isinstance(left, complex):
        return same(left.real, right.real) and same(left.imag, right.imag)
    if isinstance(left, dict):
        extra = (getattr(left, "default_factory", 0), getattr(right, "default_factory", 0))
        return extra[0] is extra[1] and same(list(left.items()), list(right.items()))
    if isinstance(left, collections.deque):
        return left.maxlen == right.maxlen and same(list(left), list(right))
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (set, frozenset)):
        unmatched = list(right)
        for each in left:
            at = next((at for at, other in enumerate(unmatched) if same(each, other)), None)
            if at is None:
                return False
            del unmatched[at]
        return not unmatched
    if isinstance(left, decimal.Decimal):
        return str(left) == str(right)
    return bool(left == right)


zones = st.none() | st.integers(-1439, 1439).map(lambda m: datetime.timezone(datetime.timedelta(minutes=m)))
hashable_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**400), 2**400)
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters())
    | st.text(st.characters(categories=["Cs"]))
    | st.binary()
    | st.decimals().filter(lambda value: not value.is_snan())  # has no hash
    | st.fractions()
    | st.dates()
    | st.times(timezones=zones)
    | st.datetimes(timezones=zones)
    | st.timedeltas()
    | st.just(...)
    | st.builds(range, st.integers(), st.integers(), st.integers().filter(bool))
)
hashables = st.recursive(
    hashable_leaves,
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
    max_leaves=8,
)
factories = st.sampled_from([None, int, float, str, list, dict, set, tuple, bool])
leaves = (
    hashable_leaves
    | st.binary().map(bytearray)
    | st.lists(st.integers(-(2**64), 2**64), min_size=7, max_size=20)
    | st.lists(st.floats(), min_size=7, max_size=20).map(tuple)
    | st.builds(slice, st.integers(), st.none() | st.integers(), st.none())
)
everything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.sets(hashables, max_size=5)
        | st.frozensets(hashables, max_size=5)
        | st.dictionaries(hashables, inner, max_size=5)
        | st.dictionaries(hashables, inner, max_size=5).map(collections.OrderedDict)
        | st.builds(collections.defaultdict, factories, st.dictionaries(hashables, inner, max_size=5))
        | st.dictionaries(hashables, st.integers(), max_size=5).map(collections.Counter)
        | st.builds(collections.deque, st.lists(inner, max_size=5), st.sampled_from([None, 5, 9]))
    ),
    max_leaves=20,
)


@given(everything)
@settings(max_examples=120, deadline=None)
def test_what_goes_in_comes_out(value: Any) -> None:
    assert same(decode(encode(value)), value)


@given(everything)
@settings(max_examples=60, deadline=None)
def test_what_goes_in_shared_comes_out_too(value: Any) -> None:
    assert same(decode(encode([value, value], share=[]), share=[]), [value, value])


@given(everything, st.data())
@settings(max_examples=200, deadline=None)
def test_bytes_that_were_tampered_with_are_a_value_or_refused(value: Any, data: st.DataObject) -> None:
    raw = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        how = data.draw(st.sampled_from(["flip", "cut", "insert", "repeat"]))
        if how == "flip":
            raw[at] = data.draw(st.integers(0, 255))
        elif how == "cut" and len(raw) > 1:
            del raw[at:]
        elif how == "insert":
            raw[at:at] = data.draw(
                st.sampled_from([b"l\xff\xff\xff\x7f", b"=\0\0\0\0", b"H\0\0\0\0", b"A", b"n", b"m", b"R"])
            )
        raw = raw or bytearray(b"N")
    for rich in (False, True):
        with contextlib.suppress(BadValue):
            decode(bytes(raw), rich=rich, share=[] if rich else None)


def test_random_bytes_are_refused_or_a_value() -> None:
    chance = random.Random(3)
    tags = b"NTFEiIfjsyYltezdockqmLgSDR1234nA=H"
    for _ in range(30_000):
        raw = bytes([chance.choice(tags)]) + chance.randbytes(chance.randrange(40)).replace(b"\xff", b"\0")
        for rich in (False, True):
            with contextlib.suppress(BadValue):
                decode(raw, rich=rich)


# --- numbers and texts -----------------------------------------------------------------------------------------------


BIG = [2**63, -(2**63) - 1, 2**63 - 1, -(2**63), 10**5000, -(10**5000), 0, -1]


@pytest.mark.parametrize("value", BIG, ids=lambda value: f"{value.bit_length()} bits")
def test_ints_of_any_size(value: int) -> None:
    assert same(decode(encode(value)), value)


def test_an_int_beyond_the_bound_is_refused_on_both_sides() -> None:
    with pytest.raises(BadValue, match="an int of more than"):
        encode(1 << (8 * values.MAX_INT_BYTES))
    raw = bytes(values.MAX_INT_BYTES + 1)
    with pytest.raises(BadValue, match="an int of"):
        decode(b"I" + struct.pack("<I", len(raw)) + raw)


# --- classes that extend builtin ones --------------------------------------------------------------------------------


class Colour(enum.IntEnum):
    RED = 1


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __int__(self) -> int:
        return 99

    __index__ = __int__
    __hash__ = None  # type: ignore[assignment]


class LyingStr(str):
    def __str__(self) -> str:
        return "lie"

    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        return b"lie"


class LyingList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([9])

    def __len__(self) -> int:
        return 1


class LyingDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [(9, 9)]

    def __len__(self) -> int:
        return 1


class LyingClass:
    @property
    def __class__(self) -> Any:
        return int

    def __index__(self) -> int:
        return 1


class Point(NamedTuple):
    x: int
    y: int


class Missing(collections.defaultdict):  # type: ignore[type-arg]
    def __missing__(self, key: object) -> int:
        return 1


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Colour.RED, 1),
        (LyingInt(5), 5),
        (LyingStr("truth"), "truth"),
        (LyingList([1, 2, 3]), [1, 2, 3]),
        (LyingDict({1: 2, 3: 4}), {1: 2, 3: 4}),
        (Point(1, 2), (1, 2)),
        (type("F", (float,), {"__float__": lambda self: 1.0})(2.5), 2.5),
        (type("T", (tuple,), {"__len__": lambda self: 0})((1, [2])), (1, [2])),
        (type("B", (bytes,), {"__getitem__": lambda self, at: 0})(b"ab"), b"ab"),
        (type("S", (set,), {"__iter__": lambda self: iter(())})({1, 2}), {1, 2}),
    ],
)
def test_a_class_that_extends_a_builtin_one_is_sent_as_that(value: Any, plain: Any) -> None:
    assert same(decode(encode(value)), plain)
    assert same(decode(encode([value])), [plain])


def test_default_factories_that_are_not_builtin_are_left_out() -> None:
    got = decode(encode(Missing(lambda: 5, {1: 2})))
    assert same(got, collections.defaultdict(None, {1: 2}))


def test_named_tuples_keep_their_names_where_asked_for() -> None:
    got = decode(encode([Point(1, 2)]), rich=True)[0]
    assert (got, got.x, got.y, type(got).__name__) == ((1, 2), 1, 2, "Point")


def test_named_tuples_of_names_that_are_code_are_refused() -> None:
    def named(name: Any, fields: Any) -> bytes:
        parts = [encode(name), encode(fields), encode(1)]
        return b"m" + struct.pack("<I", 3) + b"".join(parts)

    assert decode(named("Good", ("x",)), rich=True).x == 1
    for name, fields in [
        ("__import__('os')", ("x",)),
        ("Good", ("x=print()",)),
        ("Good", (5,)),
        ("Good", ()),
        (5, ("x",)),
    ]:
        with pytest.raises(BadValue):
            decode(named(name, fields), rich=True)


@pytest.mark.parametrize(
    "value",
    [object(), LyingClass(), len, int, (x for x in ()), {1: 2}.keys(), Colour, memoryview(b"")],
    ids=lambda value: type(value).__qualname__,
)
def test_what_is_no_data_is_refused_by_name(value: Any) -> None:
    with pytest.raises(BadValue, match="a value of type " + type(value).__name__):
        encode([value])


# --- containers ------------------------------------------------------------------------------------------------------


def test_a_cycle_is_refused() -> None:
    ring: list[Any] = []
    ring.append([ring])
    with pytest.raises(BadValue, match="a list that contains itself"):
        encode(ring)
    table: dict[int, Any] = {}
    table[1] = (table,)
    with pytest.raises(BadValue, match="a dict that contains itself"):
        encode(table, share=[])


def test_what_is_shared_is_repeated_or_stays_shared() -> None:
    row = [1, {}]
    grid = [row, row]
    apart = decode(encode(grid))
    assert apart == grid
    assert apart[0] is not apart[1]
    sent: list[Any] = []
    got: list[Any] = []
    together = decode(encode(grid, share=sent), share=got)
    assert together == grid
    assert together[0] is together[1]
    assert [type(each) for each in sent] == [type(each) for each in got]
    assert sent[0] is row[1]
    assert sent[-1] is grid


def test_a_container_known_to_both_sides_is_sent_as_its_number() -> None:
    mine, theirs = [1, 2], [1, 2]
    got = decode(encode((mine, [mine]), share=[mine]), share=[theirs])
    assert got[0] is theirs
    assert got[1][0] is theirs


def test_references_are_refused_where_nothing_is_shared() -> None:
    raw = encode([[1], [2]], share=[])
    assert decode(raw) == [[1], [2]]
    row: list[int] = []
    with pytest.raises(BadValue, match="unknown tag"):
        decode(encode([row, row], share=[]))


def test_deep_nesting_is_refused_without_recursion() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadValue, match="nested more than"):
        encode(deep)
    with pytest.raises(BadValue, match="nested more than"):
        decode(b"l\1\0\0\0" * 100_000 + b"N")
    while deep:  # the interpreter itself would recurse to free it
        deep = deep.pop()


def test_shared_references_that_unfold_without_end_are_refused() -> None:
    bomb: list[Any] = [0] * 8
    for _ in range(30):
        bomb = [bomb, bomb]
    with pytest.raises(BadValue, match="more than"):
        encode(bomb)


@pytest.mark.parametrize("head", [b"l", b"t", b"e", b"d", b"q", b"L", b"s", b"y", b"I", b"A", b"D"])
def test_a_size_that_is_not_there_costs_nothing(head: bytes) -> None:
    with pytest.raises(BadValue):
        decode(head + b"\xff\xff\xff\xff" + b"ld" + b"N" * 64)


@pytest.mark.parametrize("multiple", [2**61 - 1, (2**61 - 1) * 2**40])
def test_keys_made_to_collide_are_refused(multiple: int) -> None:
    keys = [multiple * k for k in range(1, 50_000)]
    assert len(set(map(hash, keys))) == 1
    body = b"".join(map(encode, keys))
    with pytest.raises(BadValue, match="same hash"):
        decode(b"e" + struct.pack("<I", len(keys)) + body)
    pairs = b"".join(encode(key) + b"N" for key in keys)
    with pytest.raises(BadValue, match="same hash"):
        decode(b"d" + struct.pack("<I", 2 * len(keys)) + pairs)


def test_keys_that_collide_by_nature_are_fine() -> None:
    value = {(-1 - (n & 1), -1 - (n >> 1 & 1), -1 - (n >> 2 & 1), n >> 3) for n in range(4000)}
    assert len(set(map(hash, value))) < len(value)
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    "raw",
    [
        b"e\2\0\0\0" + encode(1) + encode(True),
        b"d\4\0\0\0" + encode(1) + b"N" + encode(1.0) + b"N",
        b"d\1\0\0\0N",
        b"e\1\0\0\0l\0\0\0\0",
        b"k\1\0\0\0" + encode(99),
        b"k\0\0\0\0",
        b"q\2\0\0\0" + encode(0) + b"N",
        b"NN",
        b"",
        b"D\3\0\0\0abc",
        b"D\x0a\0\0\0001e99999999",
        b"R" + encode(1) + encode(0),
        b"R" + encode(3**8000) + encode(2**8000),
        b"g" + encode(1) + encode(1) + encode(0),
        b"1" + encode(-5),
        b"H\0\0\0\0",
    ],
)
def test_what_is_no_value_is_refused(raw: bytes) -> None:
    with pytest.raises(BadValue):
        decode(raw)


# --- arrays ----------------------------------------------------------------------------------------------------------

ARRAYS = [
    numpy.arange(6).reshape(2, 3),
    numpy.array([1.5, numpy.nan, -0.0]),
    numpy.array([[True, False]]),
    numpy.array([1 + 2j]),
    numpy.array(["a", "bcd"]),
    numpy.array([b"a", b"bc"]),
    numpy.zeros((0, 3)),
    numpy.array(7),
    numpy.arange(3, dtype=">i4"),
    numpy.arange(12, dtype="u1").reshape(3, 4).T,
    numpy.float16([0.5]),
]


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: f"{value.dtype.str}{value.shape}")
def test_arrays_come_back_as_arrays_or_plain(value: Any) -> None:
    rich = decode(encode(value), rich=True)
    assert rich.dtype == value.dtype.newbyteorder("=")
    assert rich.shape == value.shape
    assert numpy.array_equal(rich, value, equal_nan=value.dtype.kind == "f")
    plain = decode(encode(value))
    assert isinstance(plain, Array)
    assert plain.shape == value.shape
    assert repr(plain.items) == repr(value.flatten().tolist())
    assert repr(decode(encode(plain)).items) == repr(plain.items)
    if value.size:
        assert repr(plain.nested()) == repr(value.tolist())


@pytest.mark.parametrize(
    "value", [numpy.float64(1.5), numpy.int32(-7), numpy.bool_(True), numpy.str_("x"), numpy.complex64(1j)]
)
def test_scalars_come_back_as_scalars_or_plain(value: Any) -> None:
    assert type(decode(encode([value]), rich=True)[0]) is type(value)
    assert decode(encode([value]), rich=True)[0] == value
    assert same(decode(encode([value]))[0], value.item())


@pytest.mark.parametrize(
    "value", [numpy.array([object()]), numpy.array(["2020-01-01"], dtype="M8[D]"), numpy.zeros(2, "i4,f4")]
)
def test_arrays_of_objects_and_the_like_are_refused(value: Any) -> None:
    with pytest.raises(BadValue, match="an array of"):
        encode(value)


@pytest.mark.parametrize("name", [b"|O", b"<O8", b"<i16", b"<U99999999999", b"O", b"<M8[s]", b"i4,f4", b"<U", b"|V8"])
@pytest.mark.parametrize("rich", [False, True])
def test_element_types_that_are_no_numbers_or_texts_are_refused(name: bytes, rich: bool) -> None:
    raw = b"A" + struct.pack("<I", len(name)) + name + struct.pack("<I", 1) + encode(1) + b"y\x08\0\0\0" + bytes(8)
    with pytest.raises(BadValue):
        decode(raw, rich=rich)


@pytest.mark.parametrize("shape", [(2**40, 0), (2**62, 4), (3,), (-1,), (1,) * 40])
@pytest.mark.parametrize("rich", [False, True])
def test_shapes_that_do_not_fit_are_refused(shape: tuple[int, ...], rich: bool) -> None:
    head = b"A" + struct.pack("<I", 3) + b"<i8" + struct.pack("<I", len(shape)) + b"".join(map(encode, shape))
    with pytest.raises(BadValue):
        decode(head + b"y\0\0\0\0", rich=rich)


# --- objects that are no data ----------------------------------------------------------------------------------------


def test_objects_go_through_the_hook() -> None:
    known: list[Any] = []

    def out(value: Any) -> bytes:
        known.append(value)
        return str(len(known) - 1).encode()

    thing = object()
    raw = encode({"a": [thing, 1]}, hook=out)
    assert decode(raw, hook=lambda token: known[int(token)]) == {"a": [thing, 1]}


def test_refused_classes_go_to_the_hook_before_their_base() -> None:
    raw = encode([Colour.RED, 1], hook=lambda _: b"x", refuse=lambda value: isinstance(value, enum.Enum))
    assert decode(raw, hook=lambda token: token) == [b"x", 1]


def test_a_container_that_changes_while_it_is_read_is_refused() -> None:
    table: dict[Any, Any] = {}
    table[0] = 0
    for key in range(1, 4):
        table[key] = object()

    def grow(value: Any) -> bytes:
        table[object()] = 1
        return b""

    with pytest.raises(BadValue, match="changed size"):
        encode(table, hook=grow)


# --- values beyond the bounds ----------------------------------------------------------------------------------------


def test_what_is_too_large_to_be_sent_says_so() -> None:
    for value in ([0] * (values.MAX_ITEMS + 1), [[0]] * (values.MAX_ITEMS + 1), "x" * (values.MAX_BYTES + 1)):
        with pytest.raises(values.TooLarge):
            encode(value)


def test_a_digest_is_of_the_value_and_not_of_its_objects() -> None:
    word = "".join(["a", "b"])
    shared, apart = [word] * 3000, ["".join(["a", "b"]) for _ in range(3000)]
    assert values.digest(shared) == values.digest(apart)
    assert values.digest([(1, 2.5, "é", None)] * 2000) == values.digest([(1, 2.5, "é", None) for _ in range(2000)])


def test_a_digest_tells_values_types_and_lengths_apart() -> None:
    start = [[1, 2]] * 1500
    others = [start[:-1], [*start[:-1], [1, 3]], [*start[:-1], (1, 2)], tuple(start), [*start, []], [[1, 2.0]] * 1500]
    digests = [values.digest(each) for each in (start, *others)]
    assert len(set(digests)) == len(digests)


def test_a_digest_is_of_builtin_types_alone() -> None:
    class Liar(list):  # type: ignore[type-arg]
        pass

    with pytest.raises(BadValue, match="other than builtin types"):
        values.digest([Liar([1])])
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(BadValue, match="other than builtin types"):
        values.digest(endless)
