"""Shrinking: smaller, still interesting, of the same kinds, within the number of questions."""

from collections import OrderedDict
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.mutation.values import parts, shrink


@pytest.mark.parametrize(
    ("args", "interesting", "smallest"),
    [
        ([[5, 77, 3, 99, -4], "hello"], lambda a: sum(a[0]) > 100, [[2, 99], ""]),
        ([list(range(200))], lambda a: 137 in a[0], [[137]]),
        ([["x", "yy", "zzz"]], lambda a: any(len(each) == 3 for each in a[0]), [["aaa"]]),
        ([12345], lambda a: a[0] > 100, [101]),
        ([-12345], lambda a: a[0] < -100, [-101]),
        ([3.75], lambda a: a[0] > 2.5, [3.0]),
        ([True, (1, 2)], lambda a: len(a[1]) > 0, [False, (0,)]),
        ([{"k": 5, "l": 6}], lambda a: len(a[0]) == 1 or len(a[0]) == 2, [{"": 0}]),
        ([[[[1, 2]]]], lambda a: "1" in repr(a), [[1]]),
        (["(a+b)*(c"], lambda a: a[0].count("(") > a[0].count(")"), ["("]),
    ],
)
def test_to_the_smallest(args, interesting, smallest):
    assert shrink(args, interesting) == smallest


def test_questions_are_counted_and_never_repeated():
    asked = []

    def interesting(args):
        asked.append(parts.key(args))
        return len(args[0]) > 50

    shrink([list(range(300))], interesting, max_tries=25)
    assert len(asked) == 25
    assert len(set(asked)) == 25


def test_nothing_smaller_is_interesting():
    assert shrink([[3, 1], "b"], lambda args: False) == [[3, 1], "b"]


def test_kinds_stay():
    args = [OrderedDict(a=[1.5, 2.5]), Decimal("12.50"), b"abc", frozenset({1, 2})]
    found = shrink(args, lambda a: True)
    assert [type(each) for each in found] == [type(each) for each in args]
    assert found == [OrderedDict(), Decimal(0), b"", frozenset()]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30), st.integers(0, 500))
def test_what_comes_is_interesting_and_no_larger(items, bound):
    def interesting(args):
        return max(map(abs, args[0]), default=0) >= bound

    if interesting([items]):
        found = shrink([items], interesting)
        assert interesting(found)
        assert parts.size(found) <= parts.size([items])
        assert found == ([[]] if bound == 0 else [[bound]])
