"""Values grown from seeds: types, facts, edges, no duplicates, the same in every process."""

import json
import math
import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.judging import values as encoding
from codejury.judging.values import Array
from codejury.mutation.values import Values, mined, parts

Point = namedtuple("Point", "x y")

EVERY_KIND = [
    None, True, 3, 2.5, 1 + 2j, "text", b"bytes", bytearray(b"more"), [1, 2], (1, "a"), {1, 2}, frozenset("ab"),
    {"a": 1}, OrderedDict(a=1), Counter("aab"), defaultdict(list, a=[1]), deque([1, 2], 4), Point(1, 2), range(3),
    slice(1, 5, 2), Decimal("1.25"), Fraction(1, 3), date(2024, 2, 29), time(12, 30), datetime(2024, 2, 29, 1, 2, 3),
    timedelta(days=1, seconds=5), Array("<i8", (2, 2), [1, 2, 3, 4]), ...,
]  # fmt: skip


def grown(values: Values, number: int = 300) -> list[list]:
    return list(islice(values.grow(), number))


def fits(value, like) -> bool:
    if isinstance(value, (list, tuple)):
        return type(value) is type(like) and all(fits(each, like[0]) for each in value)
    return type(value) is type(like)


@pytest.mark.parametrize("value", EVERY_KIND, ids=lambda value: type(value).__name__)
def test_every_kind_the_judge_knows_stays_its_kind(value):
    values = Values([[value, 10], [value, -20]])
    made = [*islice(values.boundaries(), 100), *grown(values, 60)]
    assert len(made) > 60
    for args in made:
        assert type(args[0]) is type(value)
        encoding.encode(args)
    if not (value is None or value is ... or isinstance(value, Array)):
        assert len({parts.key(args[0]) for args in made}) > 1


@pytest.mark.parametrize("value", [value for value in EVERY_KIND if parts.is_record(value) or parts.is_series(value)],
                         ids=lambda value: type(value).__name__)  # fmt: skip
def test_opened_and_closed_again_is_the_same(value):
    if parts.is_record(value):
        again = parts.record(value, parts.fields(value))
    else:
        again = parts.series(value, parts.elements(value))
    assert type(again) is type(value)
    assert parts.key(again) == parts.key(value)
    if isinstance(value, defaultdict):
        assert again.default_factory is value.default_factory
    if isinstance(value, deque):
        assert again.maxlen == value.maxlen


def test_parts_that_make_no_value_are_refused():
    with pytest.raises(parts.CannotClose):
        parts.record(date(2024, 1, 1), [0])
    with pytest.raises(parts.CannotClose):
        parts.series({1}, [[1]])
    with pytest.raises(parts.CannotClose):
        parts.record(Fraction(1, 2), [1, 0])


def test_keys_tell_types_apart_and_not_the_order_of_sets():
    kinds = [1, 1.0, True, "1", b"1", [1], (1,), {1}, frozenset({1}), -0.0, 0.0]
    assert len({parts.key(value) for value in kinds}) == len(kinds)
    many = [f"word{number}" for number in range(50)]
    backwards = many[::-1]
    assert parts.key(set(many)) == parts.key(set(backwards))
    assert parts.key([{"a", "b"}, [1]]) != parts.key([{"a", "b"}, (1,)])
    assert parts.key({"a": {1}}) != parts.key({"a": {2}})


def test_nested_kinds_are_kept():
    seeds = [[[["a", "b"], ["c"]], (1, 2)], [[["x"], ["yy", "z"]], (3,)]]
    values = Values(seeds)
    for args in [*values.boundaries(), *grown(values)]:
        assert fits(args[0], [["a"]])
        assert fits(args[1], (1,))


def test_nothing_comes_twice():
    seeds = [[[1, 2], 1], [[3], 1]]
    values = Values(seeds)
    made = [*values.boundaries(), *grown(values, 500), *values.near([[1, 2], 1])]
    keys = [parts.key(args) for args in made]
    assert len(set(keys)) == len(keys)
    assert not {parts.key(seed) for seed in seeds} & set(keys)


def test_a_finite_world_comes_to_its_end():
    assert list(Values([[True]]).grow()) == [[False]]
    assert list(Values([]).grow()) == []
    assert list(Values([[]]).boundaries()) == []
    assert list(Values([[]]).grow()) == []


SCRIPT = """
import json, sys
from itertools import islice
from codejury.mutation.values import Values
seeds = [[{"b", "a", "c"}, {"k": 1, "l": 2}, "one two"], [{"d"}, {"m": 3}, "three"]]
values = Values(seeds, source="def f(s, d, t):\\n    return len(s) > 7", fn_name="f", seed=int(sys.argv[1]))
made = [*values.boundaries(), *islice(values.grow(), 200), *values.near(seeds[0])]
values.accept(made[3]); values.reject(made[4]); values.reject(made[-1], too_slow=True)
made += islice(values.grow(), 200)
print(json.dumps([[sorted(a), list(b.items()), c] for a, b, c in made]))
"""


def test_single_characters_do_not_run_out():
    values = Values([["A"], ["R"]], source="def f(k):\n    return ord(k)", breaking=0)
    made = [args[0] for args in islice(values.grow(), 400)]
    assert len(set(made)) == 400
    assert sum(len(text) == 1 for text in made) >= 200


def test_the_same_in_every_process_and_other_by_another_seed():
    def run(hash_seed: str, seed: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, seed], capture_output=True, text=True, env={"PYTHONHASHSEED": hash_seed}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run("1", "0")
    assert first == run("2", "0")
    assert len(json.loads(first)) > 400
    assert first != run("1", "5")


def test_edges_are_among_the_boundaries():
    values = Values([[5, "word", [4, 9, 2]], [7, "other", [3]]])
    made = list(values.boundaries())
    ints, texts, lists = ({repr(args[at]) for args in made} for at in range(3))
    for edge in (0, 1, -1, 2**31, -(2**31), 2**63):
        assert repr(edge) in ints
    for text in ("", "WORD", "drow", "wordé", "word🙂"):
        assert repr(text) in texts
    for each in ([], [4], [4, 4], [2, 4, 9], [9, 4, 2], [2, 9, 4], [4, 4, 4], [4, 9, 2, 4, 9, 2]):
        assert repr(each) in lists
    assert max(len(args[1]) for args in made) >= 100
    assert max(len(args[2]) for args in made) >= 100


def test_one_argument_at_a_time_and_then_pairs():
    base = [5, 70]
    made = list(Values([base, base], source="def f(a, b): return a").boundaries())
    changed = [sum(one != other for one, other in zip(args, base, strict=True)) for args in made]
    single = [args for args, number in zip(made, changed, strict=True) if number == 1]
    assert [0, 70] in single
    assert [5, 0] in single
    assert [70, 70] in made
    assert [0, 0] in made
    assert changed[0] == 1
    assert changed[-1] == 2


def test_constants_of_the_gold_and_their_neighbours_are_used():
    source = 'def f(n, s):\n    "doc 99"\n    return n > 4711 or s == "magic"'
    values = Values([[5, "a"], [6, "b"]], source=source, fn_name="f")
    made = [*values.boundaries(), *grown(values, 500)]
    assert {4710, 4711, 4712} <= {args[0] for args in made}
    assert "magic" in {args[1] for args in made}
    assert values.mined.ints == (4711,)


def share(made: list[list], holds) -> float:
    return sum(map(holds, made)) / len(made)


@pytest.mark.parametrize(
    ("seeds", "holds"),
    [
        pytest.param([[[1, 2, 3], [4, 5, 6]], [[7], [8]], [[1, 2], [0, 0]]],
                     lambda a: len(a[0]) == len(a[1]), id="equal lengths"),
        pytest.param([[["+"], [1, 2]], [["-", "*"], [1, 2, 3]]], lambda a: len(a[1]) == len(a[0]) + 1, id="one more"),
        pytest.param([[[5, 6, 7], 3], [[1], 1], [[2, 2], 1]], lambda a: 1 <= a[1] <= len(a[0]), id="within"),
        pytest.param([[[5, 6, 7], 0], [[1], 0], [[2, 2], 1]], lambda a: 0 <= a[1] < len(a[0]), id="index"),
        pytest.param([[3, [5, 6, 7]], [1, [4]], [2, [2, 9]]], lambda a: a[0] == len(a[1]), id="length of"),
        pytest.param([[[1, 2, 7]], [[3, 4, 4, 9]], [[5]]], lambda a: a[0] == sorted(a[0]), id="ascending"),
        pytest.param([[[9, 2, 1]], [[4, 3, 0]]], lambda a: a[0] == sorted(a[0], reverse=True), id="descending"),
        pytest.param([[[9, 2, 1]], [[4, 7, 0, 5, 6]]], lambda a: len(set(a[0])) == len(a[0]), id="distinct"),
        pytest.param([[[3, 1, 2]], [[1, 2, 3, 4]], [[1]]],
                     lambda a: sorted(a[0]) == list(range(1, len(a[0]) + 1)), id="permutation"),
        pytest.param([[[1], -5], [[2, 3], 9]], lambda a: len(a[0]) > 0, id="not empty"),
        pytest.param([[[[1, 2], [3, 4]]], [[[1, 2, 3], [3, 4, 5]]]],
                     lambda a: len({len(row) for row in a[0]}) <= 1, id="rows"),
        pytest.param([[3], [17]], lambda a: a[0] > 0, id="positive"),
        pytest.param([["abba"], ["abab"], ["bbbba"]], lambda a: set(a[0]) <= set("ab"), id="alphabet"),
        pytest.param([["02-28-2024"], ["3-1-1999"]],
                     lambda a: [part.isdigit() for part in a[0].split("-")] == [True] * 3, id="form"),
        pytest.param([["x", "box"], ["bo", "box"], ["a", "cat"]], lambda a: a[0] in a[1], id="member"),
        pytest.param([["listen", "silent"], ["ab", "ba"]], lambda a: sorted(a[0]) == sorted(a[1]), id="anagrams"),
        pytest.param([[1, 4], [5, 9], [2, 2]], lambda a: a[0] <= a[1], id="at most"),
    ],
)  # fmt: skip
def test_what_holds_in_all_seeds_is_mostly_kept_and_sometimes_broken(seeds, holds):
    assert share(grown(Values(seeds, breaking=0), 100), holds) == 1
    mostly = share(grown(Values(seeds, breaking=0.2), 300), holds)
    assert 0.6 < mostly < 1


def test_words_that_the_gold_knows_are_kept():
    source = 'def f(s):\n    return {"zero": 0, "one": 1, "two": 2, "three": 3}[s]'
    seeds = [["zero one"], ["two"], [""], ["three three one"]]
    made = grown(Values(seeds, source=source, fn_name="f", breaking=0), 60)
    assert all(set(args[0].split()) <= {"zero", "one", "two", "three"} for args in made)
    assert len(made) == 60


def test_facts_that_are_rules_are_kept_and_those_that_are_not_are_dropped():
    def learned(is_valid, breaking: float) -> tuple[float, float]:
        values = Values([[3], [17]], breaking=breaking)
        made = []
        for args in islice(values.grow(), 400):
            made.append(args)
            (values.accept if is_valid(args) else values.reject)(args)
        return share(made[:100], lambda a: a[0] > 0), share(made[-200:], lambda a: a[0] > 0)

    assert learned(lambda args: args[0] > 0, 0.2)[1] == 1
    first, last = learned(lambda args: True, 0.05)
    assert last < first


def test_what_is_too_slow_bounds_what_comes_after():
    values = Values([[100, "a"], [7, "b"]])
    values.reject([10**9, "a"], too_slow=True)
    assert max(args[0] for args in grown(values)) <= math.isqrt(10**9)
    values.reject([5000, "a"], too_slow=True)
    assert max(args[0] for args in grown(values)) <= 2500
    for _ in range(20):
        values.reject([200, "a"], too_slow=True)
    assert values.max_int == 100  # never below the seeds
    long = Values([[[1, 2]], [[3]]])
    long.reject([[1] * 100], too_slow=True)
    assert max(parts.size(args) for args in grown(long)) <= 51


def test_sizes_are_bounded():
    values = Values([["ab", [1]], ["c", [2, 3]]], max_size=30, max_int=1000)
    for args in [*values.boundaries(), *grown(values)]:
        assert parts.size(args) <= 30
        assert parts.largest(args) <= 1000


def test_near_is_around():
    values = Values([[[1, 2, 3, 4, 5, 6], "hello world"], [[9], "x"]])
    made = list(values.near([[1, 2, 3, 4, 5, 6], "hello world"], most=60))
    assert len(made) == 60
    for args in made:
        assert (args[0] == [1, 2, 3, 4, 5, 6]) + (args[1] == "hello world") >= 1


def test_seeds_are_not_changed():
    seeds = [[[3, 1, 2], {"a": [1]}]]
    values = Values(seeds)
    list(values.boundaries())
    grown(values)
    assert seeds == [[[3, 1, 2], {"a": [1]}]]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=2), below, max_size=3)
    | st.tuples(below, below),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(plain, min_size=2, max_size=2), min_size=1, max_size=4), st.integers(0, 100))
def test_any_seeds_give_inputs_that_can_be_sent(seeds, seed):
    values = Values(seeds, seed=seed)
    made = [*islice(values.boundaries(), 40), *grown(values, 20), *values.near(seeds[0], most=10)]
    for args in made:
        assert len(args) == 2
        encoding.decode(encoding.encode(args))
    assert len({parts.key(args) for args in made}) == len(made)


# ── What is read in a source ─────────────────────────────────────────────────────────────────────────────────────────


def test_kinds_by_annotation_and_by_asserts():
    source = "from typing import List, Optional\ndef f(a: List[float], b: 'int | None', c: Optional[str], d): pass\n"
    contract = "\n    assert isinstance(d, (int, float))\n    assert all(type(x) == str for y in d for x in y)\n"
    found = mined.mine(source, "f", contract).kinds
    assert found[0, 0] == {"list"}
    assert found[0, 1] == {"float"}
    assert found[1, 0] == {"int", "None"}
    assert found[2, 0] == {"str", "None"}
    assert found[3, 0] == {"int", "float"}
    assert found[3, 2] == {"str"}


def test_another_kind_that_the_contract_names_comes_too():
    source, contract = "def f(n):\n    return n", "\n    assert isinstance(n, (int, float))\n"
    values = Values([[3], [4]], source=source, fn_name="f", contract=contract)
    made = [*values.boundaries(), *grown(values)]
    assert {type(args[0]) for args in made} == {int, float}
    assert {type(args[0]) for args in grown(Values([[3], [4]], source=source, fn_name="f"))} == {int}


def test_a_gold_that_asks_for_types_gets_several():
    source = "def f(a):\n    return sum(isinstance(each, list) for each in a)\n"
    values = Values([[[[1], [2]]], [[[3]]]], source=source, fn_name="f")
    made = [*values.boundaries(), *grown(values, 100)]
    assert len({type(each) for args in made for each in args[0]}) > 4
    plain = Values([[[[1], [2]]], [[[3]]]], source="def f(a):\n    return len(a)\n", fn_name="f")
    assert {type(each) for args in grown(plain, 100) for each in args[0]} == {list}


def test_a_contract_goes_to_the_head_of_the_last_function_of_the_name():
    source = "def f(x):\n    return 1\n\ndef f(x):\n    '''doc'''\n    return 2\n"
    joined = mined.with_contract(source, "f", "\n\tassert x > 0\n\tassert x < 9\n")
    space = {}
    exec(joined, space)  # of ours
    assert space["f"](1) == 2
    for bad in (0, 9):
        with pytest.raises(AssertionError):
            space["f"](bad)
    assert mined.with_contract("def f(:", "f", "assert x") is None
    assert mined.with_contract(source, "f", "assert (") is None
    assert mined.with_contract(source, "g", "assert x") is None
    assert mined.with_contract(source, "f", "assert x > 0") is not None  # not indented


def test_no_source_is_executed(tmp_path):
    trap = tmp_path / "ran"
    source = f"open({str(trap)!r}, 'w')\ndef f(x=open({str(trap)!r}, 'w')): return x"
    assert mined.mine(source, "f", f"\n    assert open({str(trap)!r}, 'w')\n").texts
    assert mined.mine("def f(:", "f") == mined.Mined()
    assert not trap.exists()
