"""codejury.checkers.compare: what is the same answer, and what is said where it is not."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury import UsageError
from codejury.checkers.compare import Difference, compare
from codejury.model import Comparison

ALL = ("default", "exact", "tokens", "floats", "unordered")


def same(expected: str, got: str, by: Any = "default", **how: Any) -> bool:
    return compare(expected, got, Comparison(by=by, **how)) is None


# --- what is the same ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("1 2\n3\n", "1 2\n3"),
        ("1 2\n3\n", "1 2 \t\n3\n\n\n"),
        ("1 2\n3\n", "1 2\r\n3\r\n"),
        ("", "\n \n\t\n"),
        ("a\n\nb", "a\n   \nb\n"),
        ("\n\n", ""),
    ],
)
def test_default_ignores_white_space_at_the_ends(expected: str, got: str) -> None:
    assert same(expected, got)
    assert same(got, expected)
    assert not same(expected, got, "exact")


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("1 2", "1  2"),
        ("1 2", " 1 2"),
        ("a\nb", "a\n\nb"),
        ("a", "\na"),
        ("a\nb", "a b"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a", "A"),
        ("a", "a\u00a0"),  # a no-break space is no white space
        ("a", "a\x1c"),  # nor is what only Unicode calls so
        ("a\nb", "a\rb"),
        ("a\nb", "a\u2028b"),
        ("1", "1.0"),
    ],
)
def test_default_counts_everything_else(expected: str, got: str) -> None:
    assert not same(expected, got)
    assert not same(got, expected)


def test_exact_counts_every_character() -> None:
    assert same("a \r\n", "a \r\n", "exact")
    assert not same("a\n", "a", "exact")
    assert not same("a\n", "a\r\n", "exact")


def test_tokens_ignore_all_layout() -> None:
    assert same("1 2\n3", "\t1\r\n\v2\f 3\n\n", "tokens")
    assert not same("1 2 3", "12 3", "tokens")
    assert not same("1 2 3", "1 2", "tokens")
    assert not same("1 2", "1 2 3", "tokens")
    assert not same("1 2", "1\u00a02", "tokens")
    assert not same("1", "1.0", "tokens")


def test_unordered_lines_are_a_multiset() -> None:
    assert same("a\nb\nb\n", "b \nb\r\na", "unordered")
    assert same("a\n\nb", "b\na\n\n\n", "unordered")
    assert not same("a\nb\nb", "a\na\nb", "unordered")
    assert not same("a\nb", "a", "unordered")
    assert not same("a", "a\nb", "unordered")
    assert not same("a b", "b a", "unordered")


@pytest.mark.parametrize("by", ALL)
def test_case_counts_unless_it_is_to_be_ignored(by: str) -> None:
    assert not same("Yes\nÄ ẞ", "YES\nä ss", by)
    assert same("Yes\nÄ ẞ", "YES\nä ss", by, ignore_case=True)
    assert not same("Yes", "No", by, ignore_case=True)


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("0.333333333", "0.33333333"),
        ("0.3333334", "0.3333333"),
        ("1000000000", "1000000999"),  # a millionth of it is 1000
        ("5", "5.0"),
        ("5.", "5"),
        (".5", "0.5"),
        ("+5", "5"),
        ("-0", "0"),
        ("-0.0000001", "0"),
        ("1e3", "1000"),
        ("1E+3", "1e3"),
        ("nan", "NaN"),
        ("-nan", "nan"),
        ("inf", "Infinity"),
        ("-INF", "-inf"),
        ("1e400", "10e399"),
        ("1e999999999999999", "10e999999999999998"),
        ("1e" + "0" * 100_000 + "1", "10"),
        ("1" * 1000, "1" * 1000 + ".0"),
        ("x=1", "x=1"),
        ("1e-999999999999999", "0"),
        ("area 2.50000001", "area 2.5"),
    ],
)
def test_near_numbers_are_equal(expected: str, got: str) -> None:
    assert same(expected, got, "floats")
    assert same(got, expected, "floats")


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("0.33334", "0.33333"),
        ("1000000", "1000002"),
        ("1e400", "2e400"),  # both beyond binary floats
        ("1e400", "inf"),
        ("inf", "-inf"),
        ("nan", "0"),
        ("nan", "inf"),
        ("1", "x"),
        ("16", "0x10"),
        ("0x10", "0x010"),
        ("1000", "1_000"),
        ("1_000", "1000.0"),
        ("1.5", "1,5"),
        ("1", "١"),
        ("1e5", "1e"),
        ("1", "1e"),
        (".", "0"),
        ("", "0"),
        ("1", "1 1"),
        ("1", "--1"),
        ("1e9999999999999999", "1e99999999999999999"),  # beyond 15 digits an exponent is text
        ("2" + "0" * 999, "1" + "0" * 999),
    ],
)
def test_other_numbers_are_not(expected: str, got: str) -> None:
    assert not same(expected, got, "floats")
    assert not same(got, expected, "floats")


def test_tolerances_are_the_ones_given() -> None:
    assert same("100", "101", "floats", absolute=1)
    assert not same("100", "101.0001", "floats", absolute=1)
    assert not same("1000000", "1000001.5", "floats", absolute=1)  # the other one is 0 then
    assert same("100", "101", "floats", relative=0.01)
    assert not same("100", "101.0001", "floats", relative=0.01)
    assert same("100", "101", "floats", absolute=0.5, relative=0.01)  # either is enough
    assert not same("0", "0.001", "floats", relative=0.5)
    assert same("101", "100", "floats", relative=0.01)
    assert not same("100", "101.01", "floats", relative=0.01)  # a share of what was expected


def test_a_bound_is_the_decimal_that_was_written() -> None:
    """In binary floats 1.000001 - 1 is more than 1e-6, and 0.3 - 0.2 less than 0.1."""
    assert same("1", "1.000001", "floats", absolute=1e-6)
    assert same("0.2", "0.3", "floats", absolute=0.1)
    assert not same("0.2", "0.30000000000000000000000001", "floats", absolute=0.1)


def test_both_tolerances_zero_are_decimals_compared_exactly() -> None:
    exactly = {"absolute": 0, "relative": 0}
    assert same("1.0 0.10 1e2 -0", "1 .1 100 0.000", "floats", **exactly)
    assert not same("0.1", "0.1000000000000000055511151231257827", "floats", **exactly)
    assert not same("9007199254740993", "9007199254740992", "floats", **exactly)
    assert not same("1" * 1000, "1" * 999 + "2", "floats", **exactly)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_tolerance_that_is_none_is_the_callers_mistake(value: float) -> None:
    with pytest.raises(UsageError, match=r"compare\.absolute"):
        compare("1", "2", Comparison(by="floats", absolute=value))


def test_an_unknown_way_to_compare_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match=r"compare\.by: expected default, exact.*'fuzzy'"):
        compare("1", "2", Comparison(by="fuzzy"))  # type: ignore[arg-type]


# --- what is said ----------------------------------------------------------------------------------------------------


def said(expected: str, got: str, by: Any = "default", **how: Any) -> str:
    difference = compare(expected, got, Comparison(by=by, **how))
    assert difference is not None
    return str(difference)


def test_a_difference_says_where_and_what() -> None:
    assert said("1 2\n3 4\n", "1 2\n3 5\n") == "line 2, column 3: expected '3 4', got '3 5'"
    assert said("a\nb\nc", "a\n") == "line 2: expected 'b', got nothing more (the answer ends after line 1)"
    assert said("a", "") == "line 1: expected 'a', got nothing more (the answer is empty)"
    assert (
        said("a", "a\nb") == "line 2: expected the end of the answer, got 'b' (the expected answer ends after line 1)"
    )
    assert said("a\r\nb", "a\nb", "exact") == "line 1, column 2: expected 'a\\r\\n', got 'a\\n'"
    assert said("a", "a ", "exact") == "line 1, column 2: expected the end of the answer, got 'a '"
    assert said("1 2\n3", "1\n2 4", "tokens") == "token 3 (line 2, column 3): expected '3', got '4'"
    assert said("1 2", "1\n", "tokens") == (
        "token 2 (line 1, column 2): expected '2', got nothing more (the answer has 1 token)"
    )
    assert said("1", "1 2", "tokens").endswith("got '2' (the expected answer has 1 token)")
    assert said("0.5", "0.6", "floats") == (
        "token 1 (line 1, column 1): expected '0.5', got '0.6' (off by 0.1, 0.2 of it; allowed 1e-06 or 1e-06 of it)"
    )
    assert said("0.5", "half", "floats").endswith("(not a number)")
    assert said("a\nb\nb", "b\na\na", "unordered") == (
        "line 2: expected 'a', got 'a' (in any order: expected once, came twice)"
    )
    assert said("a\nb", "b", "unordered") == "expected 'a', got none (in any order: expected once, came never)"
    assert said("b", "b\na", "unordered") == (
        "line 2: expected no such line, got 'a' (in any order: expected never, came once)"
    )


def test_a_difference_is_cut_around_the_spot() -> None:
    line = "x" * 5000
    difference = compare(line + "a" + line, line + "b" + line)
    assert difference is not None
    assert (difference.line, difference.column) == (1, 5001)
    assert difference.got == "…" + "x" * 30 + "b" + "x" * 49 + "…"
    assert len(str(difference)) < 300


def test_a_difference_far_behind_has_its_place() -> None:
    lines = [str(number) for number in range(300_000)]
    expected = "\n".join(lines)
    lines[277_777] = "oops"
    got = "\r\n".join(lines)  # so that nothing of it can be skipped as equal
    assert said(expected, got) == "line 277778, column 1: expected '277777', got 'oops'"
    assert said(expected, got, "tokens") == "token 277778 (line 277778, column 1): expected '277777', got 'oops'"


def test_case_is_shown_as_it_came() -> None:
    assert said("Straße A", "STRASSE B", ignore_case=True) == ("line 1, column 9: expected 'Straße A', got 'STRASSE B'")


# --- properties ------------------------------------------------------------------------------------------------------

# Texts in which everything that matters here turns up often.
words = st.sampled_from(["1", "1.0", "1e0", "-0", "0", "2", "1.0000001", "nan", "NaN", "inf", "1e400", "9" * 50])
oddities = st.sampled_from(["0x1", "1_0", "e", ".", "+", "a", "A", "ß", "SS", "\u00a0", "\x1c", "\x85", "\ud800"])
spaces = st.sampled_from([" ", "\t", "\n", "\n\n", "\r\n", "\r", "\v"])
pieces = words | oddities | spaces
texts = st.lists(pieces, max_size=12).map("".join)
hows = st.builds(
    Comparison,
    by=st.sampled_from(ALL),
    ignore_case=st.booleans(),
    absolute=st.sampled_from([None, 0.0, 1e-6, 0.5]),
    relative=st.sampled_from([None, 0.0, 1e-6, 0.5]),
)


def reference(expected: str, got: str, how: Comparison) -> bool:
    """The same by the shortest way, without a thought to speed."""
    if how.ignore_case:
        expected, got = expected.casefold(), got.casefold()
    if how.by == "exact":
        return expected == got
    if how.by in ("default", "unordered"):
        first, second = ([line.rstrip(" \t\n\v\f\r") for line in text.split("\n")] for text in (expected, got))
        if how.by == "unordered":
            return sorted(filter(None, first)) == sorted(filter(None, second))
        for lines in (first, second):
            while lines and not lines[-1]:
                lines.pop()
        return first == second
    first, second = ([token for token in re.split("[ \t\n\v\f\r]+", text) if token] for text in (expected, got))
    if how.by == "tokens":
        return first == second
    return len(first) == len(second) and all(near(one, other, how) for one, other in zip(first, second, strict=True))


def near(expected: str, got: str, how: Comparison) -> bool:
    if expected == got:
        return True
    special = {"nan": "nan", "+nan": "nan", "-nan": "nan"}
    for word in ("inf", "infinity"):
        special |= {word: "inf", f"+{word}": "inf", f"-{word}": "-inf"}
    if expected.lower() in special or got.lower() in special:
        return special.get(expected.lower(), 1) == special.get(got.lower(), 2)
    number = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
    if not (re.fullmatch(number, expected) and re.fullmatch(number, got)):
        return False
    one, other = Fraction(expected.rstrip(".")), Fraction(got.rstrip("."))
    absolute, relative = how.absolute, how.relative
    if absolute is None and relative is None:
        absolute = relative = 1e-6
    off = abs(one - other)
    return off <= Fraction(str(absolute or 0)) or off <= Fraction(str(relative or 0)) * abs(one)


@given(texts, texts, hows)
def test_the_fast_way_agrees_with_the_short_way(expected: str, got: str, how: Comparison) -> None:
    assert (compare(expected, got, how) is None) == reference(expected, got, how)


@given(texts, texts, st.lists(pieces, max_size=6).map("".join), hows)
def test_a_common_beginning_changes_nothing(expected: str, got: str, before: str, how: Comparison) -> None:
    assert (compare(before + expected, before + got, how) is None) == reference(before + expected, before + got, how)


@given(st.text(), hows)
def test_a_text_is_its_own_answer(text: str, how: Comparison) -> None:
    assert compare(text, text, how) is None
    assert compare(text, text[:1] + text[1:], how) is None


@given(texts, texts, hows)
def test_all_but_a_relative_tolerance_is_symmetric(first: str, second: str, how: Comparison) -> None:
    if how.by == "floats":
        how = Comparison(by="floats", ignore_case=how.ignore_case, absolute=how.absolute or 0.0, relative=0.0)
    assert (compare(first, second, how) is None) == (compare(second, first, how) is None)


@given(st.text(alphabet=st.characters()), st.text(alphabet=st.characters()), hows)
def test_no_text_raises_and_every_difference_can_be_said(expected: str, got: str, how: Comparison) -> None:
    difference = compare(expected, got, how)
    if difference is not None:
        assert isinstance(difference, Difference)
        assert str(difference).encode()  # even where the text has lone surrogates
        assert len(str(difference)) < 2000


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_a_float_in_any_notation_is_itself(value: float) -> None:
    for notation in (f"{value!r}", f"{value:+.17e}", f"{value:.17G}"):
        assert same(repr(value), notation, "floats", relative=1e-15)


# --- texts made to take long: a step that is quadratic would meet the time-out of the tests ---------------------------

LONG = 4_000_000


@pytest.mark.parametrize("ignore_case", [False, True])
@pytest.mark.parametrize("by", ALL)
@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("a" * LONG, "a" * LONG + "b"),
        ("a" + " " * LONG + "b", "a" + " " * LONG + "c"),
        (" " * LONG, "\t" * LONG + "x"),
        ("\n" * LONG + "b", "\n" * LONG),
        ("\r" * LONG + "b", "\r" * LONG + "a"),
        ("a " * (LONG // 2), "a\n" * (LONG // 2) + "b"),
        ("1" * LONG, "1" * LONG + "x"),
        ("1" * LONG + ".5", "1" * LONG + ".6"),
        ("1e" + "9" * LONG, "1e" + "9" * LONG + "9"),
        ("ß" * LONG, "SS" * LONG + "x"),
    ],
    ids=["line", "gap", "spaces", "newlines", "returns", "tokens", "digits", "decimals", "exponent", "folding"],
)
def test_time_is_linear(expected: str, got: str, by: str, ignore_case: bool) -> None:
    how = Comparison(by=by, ignore_case=ignore_case)  # type: ignore[arg-type]
    difference = compare(expected, got, how)
    near = by == "floats" and ".5" in expected  # 0.1 of a number of four million digits
    assert (difference is None) == near
    assert len(str(difference)) < 1000


def test_many_numbers_that_are_near() -> None:
    expected = " ".join(f"{number / 7:.9f}" for number in range(200_000))
    got = "\n".join(f"{number / 7:.8f}" for number in range(200_000))
    assert same(expected, got, "floats")
    assert not same(expected, got[:-1] + "x", "floats")
