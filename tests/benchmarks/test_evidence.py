"""What test code and references show without being run."""

from __future__ import annotations

import pytest

from codejury.benchmarks import evidence


@pytest.mark.parametrize(
    ("test", "oracle", "absolute", "relative"),
    [
        ("assert f(1) == [1]", "", 0.0, 0.0),
        ("assert set(f(1)) == set([1])", "as_sets", 0.0, 0.0),
        ("assert sorted(f(1)) == sorted([1])", "any_order", 0.0, 0.0),
        ("assert [1] == f(set([1]))", "", 0.0, 0.0),
        ("import math\nassert math.isclose(f(1), 2.5, rel_tol=0.001)", "", 0.0, 0.001),
        ("assert isclose(f(1), 2.5, abs_tol=0.01)", "", 0.01, 0.0),
        ("assert abs(f(1) - 2.5) < 1e-6", "", 1e-6, 0.0),
        ("assert abs(f(1) - 2.5) <= 10 ** -3", "", 1e-3, 0.0),
        ("assert round(f(1), 2) == 2.5", "", 0.005, 0.0),
        ("assert abs(f(1)) < 1000", "", 0.0, 0.0),
        ("def check(candidate):\n    assert abs(candidate(1) - 2) < 0.1\n", "", 0.1, 0.0),
    ],
)
def test_what_an_assert_shows(test: str, oracle: str, absolute: float, relative: float) -> None:
    shown = evidence.shown([test], ("f", "candidate"))
    assert (shown.oracle, shown.relative) == (oracle, relative)
    assert shown.absolute == pytest.approx(absolute)


def test_one_assert_that_asks_for_the_order_is_enough() -> None:
    assert evidence.shown(["assert set(f(1)) == {1}", "assert f(2) == [1, 2]"], ("f",)).oracle == ""
    assert evidence.shown(["assert set(f(1)) == {1}", "assert sorted(f(2)) == [1, 2]"], ("f",)).oracle == "any_order"


@pytest.mark.parametrize(
    ("body", "is_set"),
    [
        ("return list(set(x))", True),
        ("return tuple(set(x) & set(x))", True),
        ("found = {each for each in x}\n    return list(found)", True),
        ("res = list(set(x).union(x))\n    return (res)", True),
        ("return sorted(set(x))", False),
        ("res = list(set(x))\n    res.sort()\n    return res", False),
        ("return list(x)", False),
        ("return set(x)", False),
        ("return len(list(set(x)))", False),
    ],
)
def test_answers_in_no_order(body: str, is_set: bool) -> None:
    assert evidence.answers_a_set(f"def f(x):\n    {body}\n", "f") is is_set


def test_the_function_that_tests_call() -> None:
    source = "def helper(x):\n    return x\n\ndef f(x):\n    return helper(x)\n"
    assert evidence.function_of(source, ["assert f(helper(1)) == 1", "assert f(2) == 2"]) == "f"
    assert evidence.function_of(source, ["assert len([1]) == 1"]) is None
    assert evidence.function_of("def f(:", ["assert f(1)"]) is None
