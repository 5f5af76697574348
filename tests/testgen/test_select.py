"""The choice among tests: by what they reject, never by length."""

from __future__ import annotations

import itertools
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury import Problem, TestCase
from codejury.testgen.order import Order
from codejury.testgen.select import choose, classes, kill_order

Kills = list[frozenset[int]]


def problem(*cases: tuple[str, str]) -> Problem:
    return Problem(id="p", cases=tuple(TestCase(input=text, output=answer) for text, answer in cases))


def numbered(count: int) -> Problem:
    return problem(*((f"{n:04}", "same answer for all") for n in range(count)))


def kills(*sets: str) -> Kills:
    return [frozenset(map(int, some)) for some in sets]


def test_the_fewest_where_greed_takes_more() -> None:
    """Greed takes the four first, and then needs two more; two tests are enough. The largest stays in any case."""
    found = kills("0123", "024", "135", "4", "5")
    apart = problem(*((f"{n:04}", "the same") for n in range(5)), ("x" * 100, "the same"))
    assert choose(apart, [*found, frozenset()], most=6, fill=False) == [1, 2, 5]


def test_in_kill_order_the_first_few_reject_most() -> None:
    """Test 2 rejects as many as test 1, but none that test 0 has not rejected already."""
    assert kill_order(kills("0123", "45", "01", "")) == [0, 1, 2, 3]
    assert kill_order(kills("", "01", "0123", "45")) == [2, 3, 1, 0]
    assert kill_order([]) == []


def test_ties_go_to_the_smaller() -> None:
    suite = problem(
        ("long " * 20, "1 2 3 4 5 6 7 8 9"), ("short", "1 2 3 4 5 6 7 8 9"), ("middle sized", "9 8 7 6 5 4 3 2 1")
    )
    assert choose(suite, kills("", "0", "0"), most=2, fill=False) == [0, 1]


def test_ties_go_to_the_faster() -> None:
    suite = problem(
        ("x" * 50, "an answer of many words"), ("aa", "an answer of many words"), ("bb", "an answer of many words")
    )
    assert choose(suite, kills("", "0", "0"), most=3, fill=False, cpu_s=[0, 2, 0.15]) == [0, 2]
    for noise in (0.001, 0.0011, 0.09):  # what differs by chance decides nothing
        assert choose(suite, kills("", "0", "0"), most=3, fill=False, cpu_s=[0, noise, 0.001]) == [0, 1]


def test_a_test_of_each_class_and_the_largest_stay() -> None:
    suite = problem(("1", "YES"), ("2", "YES"), ("3", "NO"), ("4" * 50, "YES"), ("5", "-1"))
    kept = choose(suite, kills("01", "0", "", "", ""), most=5, fill=False)
    assert {suite.cases[at].output for at in kept} == {"YES", "NO", "-1"}
    assert 3 in kept
    assert 0 in kept


def test_numbers_are_told_by_their_signs() -> None:
    found = classes(problem(*((str(n), str(n - 10)) for n in range(30)), ("x", "none at all, or several words")))
    assert [len(places) for places in found] == [10, 1, 19, 1]


def test_public_tests_stay() -> None:
    """They belong to the statement."""
    suite = numbered(4)
    cases = [msgspec.structs.replace(case, group="public" if at == 1 else "") for at, case in enumerate(suite.cases)]
    suite = msgspec.structs.replace(suite, cases=tuple(cases))
    for most in (1, 2, 3):
        kept = choose(suite, kills("01", "", "0", "1"), most=most)
        assert 1 in kept
        assert len(kept) == most
    assert 0 in choose(suite, kills("01", "", "0", "1"), most=2)


def test_where_there_is_little_room_it_goes_to_what_rejects() -> None:
    suite = problem(("1", "YES"), ("2", "NO"), ("3", "-1"), ("4" * 50, "YES"))
    assert choose(suite, kills("", "01", "", ""), most=1) == [1]
    assert choose(suite, kills("0", "", "1", ""), most=2) == [0, 2]
    assert choose(suite, kills("0", "", "1", ""), most=3) == [0, 2, 3]
    assert choose(suite, kills("0", "", "1", ""), most=4) == [0, 1, 2, 3]


def test_no_more_than_allowed() -> None:
    found = [frozenset({n}) for n in range(40)]
    assert len(choose(numbered(40), found, most=20)) == 20


def test_room_is_filled_with_what_rejects_again() -> None:
    """Two tests reject the rare program; with room for one more, the second of them comes in, not a further one for the
    program that three reject."""
    suite = problem(("x" * 90, "the only answer there is"), *((str(n), "the only answer there is") for n in range(5)))
    found = kills("", "1", "1", "0", "0", "0")
    kept = choose(suite, found, most=5)
    assert sum(at in kept for at in (1, 2)) == 2


def test_room_is_filled_with_what_rejects_other_programs_together() -> None:
    """All programs are rejected twice by what is kept first. The last test rejects a few of them that no other test
    rejects together: whatever it does, the others do not."""
    suite = problem(*((f"{n:04}", "the only answer of all") for n in range(24)), ("x" * 90, "the only answer of all"))
    found = [frozenset(range(6)) if n % 2 else frozenset(range(6, 12)) for n in range(23)] + kills("06", "012345")
    assert 23 in choose(suite, found, most=6)


def test_room_goes_to_the_smallest_first() -> None:
    """It rejects nothing here: mutants are seldom wrong where there is next to nothing."""
    suite = problem(*((f"{n:04}", "the only answer there is") for n in range(30)), ("0", "the only answer there is"))
    found = [frozenset({n % 3}) for n in range(30)] + [frozenset()]
    assert 30 in choose(suite, found, most=6)
    assert 30 not in choose(suite, found, most=6, fill=False)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_against_all_subsets(seed: int) -> None:
    """Small suites: nothing smaller rejects as much."""
    draw = random.Random(seed)
    tests, programs = draw.randint(1, 8), draw.randint(1, 8)
    found = [frozenset(n for n in range(programs) if draw.random() < 0.35) for _ in range(tests)]
    suite = problem(
        *((f"{n:03}", "one answer for all of them") for n in range(tests)), ("y" * 60, "one answer for all of them")
    )
    kept = choose(suite, [*found, frozenset()], most=99, fill=False)
    wanted = frozenset().union(*found)
    assert frozenset().union(*(found[at] for at in kept if at < tests)) == wanted
    smallest = next(
        size
        for size in range(tests + 1)
        if any(
            frozenset().union(*(found[at] for at in some)) == wanted
            for some in itertools.combinations(range(tests), size)
        )
    )
    assert len([at for at in kept if at < tests]) == smallest
    assert kept == choose(suite, [*found, frozenset()], most=99, fill=False)


@pytest.mark.parametrize("most", [1, 3, 20])
def test_many_programs_and_tests(most: int) -> None:
    draw = random.Random(most)
    found = [frozenset(draw.sample(range(300), draw.randint(0, 60))) for _ in range(200)]
    kept = choose(numbered(200), found, most=most)
    assert len(kept) == most
    assert len(set(kept)) == most


def test_the_strongest_first() -> None:
    order = Order(3)
    assert list(order.places()) == [0, 1, 2]
    order.killed(2)
    assert list(order.places()) == [2, 0, 1]
    order.killed(1)
    order.killed(1)
    assert list(order.places()) == [1, 2, 0]
    order.add(1)
    assert list(order.places()) == [1, 2, 0, 3]
