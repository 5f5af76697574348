"""What is weak in tests: each check finds what it is for, and stays silent where there is nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import codejury
from codejury.dataset import read_problems
from codejury.model import Checker, Comparison, Limits, Problem, TestCase
from codejury.mutation.inputs.bounds import Bound, bounds_of, first_line_names
from codejury.testgen.lint import CHECKS, Linted, junk_for, lint


def problem(*pairs: tuple[Any, Any], **fields: Any) -> Problem:
    return Problem(id="p", cases=tuple(TestCase(input=i, output=o) for i, o in pairs), **fields)


def sums(count: int = 12) -> list[tuple[str, str]]:
    return [(f"{n} {n * n + 1}\n", f"{n + n * n + 1}\n") for n in range(count)]


def found(linted: Linted) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for finding in linted.findings:
        said.setdefault(finding.check, []).append(finding.message)
    return said


def test_good_tests_give_no_findings() -> None:
    linted = lint(problem(*sums(), statement="Add a and b (0 <= a <= 11, 1 <= b <= 122)."))
    assert linted.findings == ()
    assert (linted.tests, linted.distinct, linted.bounds) == (12, 12, 2)


# --- how many, and how many times ------------------------------------------------------------------------------------


def test_no_tests_few_tests_and_failed_rows() -> None:
    assert found(lint(problem())) == {"no_tests": ["no tests"]}
    assert list(found(lint(problem(*sums(9))))) == ["few_tests"]
    assert found(lint(problem(*sums(9)), min_tests=9)) == {}
    failed = found(lint(problem(extra={"error_info": "generator 0: crashed"})))
    assert failed["failed"] == ["error_info: generator 0: crashed"]


def test_duplicates_are_counted_whatever_white_space_ends_them() -> None:
    linted = lint(problem(*sums(), ("3 10", "13"), ("3 10\n\n", "13\n"), ("4 17\n", "21\n")))
    (finding,) = linted.findings
    assert finding.check == "duplicates"
    assert finding.message.startswith("3 of 15 tests are identical, and 1 more inputs")
    assert (finding.tests, finding.count, linted.distinct) == ((13, 14, 15), 3, 12)


def test_one_input_with_two_answers_is_a_contradiction_unless_a_checker_decides() -> None:
    pairs = [*sums(), ("3 10\n", "12\n")]
    assert found(lint(problem(*pairs)))["contradiction"] == ["1 tests have another answer for an input seen before"]
    checker = Checker(kind="klear", source="")
    assert "contradiction" not in found(lint(problem(*pairs, checker=checker)))
    assert "contradiction" not in found(lint(problem(*sums(), ("3 10\n", "13"))))


def test_tests_without_an_answer_are_listed() -> None:
    (finding,) = lint(problem(*sums(), ("50 60\n", None))).findings
    assert (finding.check, finding.tests) == ("no_output", (13,))


# --- fields ----------------------------------------------------------------------------------------------------------


def test_a_field_that_never_varies_is_named_by_line_and_place() -> None:
    pairs = [(f"{n} 7\nx {n}\n", f"{n}\n") for n in range(12)]
    assert found(lint(problem(*pairs)))["constant_field"] == [
        "line 1, field 2 is always 7 in 12 distinct tests",
        "line 2, field 1 is always x in 12 distinct tests",
    ]


def test_duplicates_do_not_make_a_field_constant_nor_hide_that_it_is() -> None:
    pairs = [("1 7", "a")] * 50 + [(f"{n} 7", str(n)) for n in range(2, 8)]
    assert found(lint(problem(*pairs)))["constant_field"] == ["line 1, field 2 is always 7 in 7 distinct tests"]
    assert "constant_field" not in found(lint(problem(*pairs, ("9 8", "9"))))


def test_a_field_of_few_tests_says_nothing() -> None:
    pairs = [(f"{n}\n" + ("5\n" if n < 4 else ""), f"{n}") for n in range(12)]
    assert "constant_field" not in found(lint(problem(*pairs)))


def test_an_argument_that_never_varies() -> None:
    long = list(range(100))
    calls = [([n, [1, 2], [*long, n]], n) for n in range(12)]
    said = found(lint(problem(*calls, kind="function", fn_name="f")))
    assert said["constant_field"] == ["argument 2 is always [1, 2] in 12 distinct tests"]


# --- answers ---------------------------------------------------------------------------------------------------------


def test_one_answer_everywhere() -> None:
    pairs = [(f"{n} {n}", "YES\n") for n in range(12)]
    assert found(lint(problem(*pairs)))["one_output"] == ["every test has the answer YES"]


@pytest.mark.parametrize(
    "statement", ['Print "Yes" or "No".', "Output YES if so, and NO otherwise.", "Print `yes`/`no`."]
)
def test_one_of_two_answers(statement: str) -> None:
    pairs = [(f"{n} {n}", "yes\n" * (n + 1)) for n in range(12)]
    said = found(lint(problem(*pairs, statement=statement)))["one_output"]
    assert said == ["the statement has the answers yes and no; no test has no"]
    assert "one_output" not in found(lint(problem(*pairs, ("x", "No"), statement=statement)))


def test_minus_one_that_no_test_has() -> None:
    statement = "Print the answer, or print $-1$ if there is none. Here 10^-1 is 0.1."
    assert found(lint(problem(*sums(), statement=statement)))["one_output"] == [
        "the statement has the answer -1; no test has it"
    ]
    assert "one_output" not in found(lint(problem(*sums(), ("1", "-1"), statement=statement)))


def test_function_values_true_everywhere() -> None:
    calls = [([n], True) for n in range(12)]
    assert found(lint(problem(*calls, kind="function", fn_name="f")))["one_output"] == [
        "every test has the answer True"
    ]


def test_outputs_that_the_gold_gives_are_not_looked_at() -> None:
    calls = [([n], None) for n in range(12)]
    assert found(lint(problem(*calls, kind="function", fn_name="f", outputs="gold"))) == {}


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 <= n <= 2*10^5", [Bound("n", 1, 200_000)]),
        ("1 ≤ N ≤ 4 000", [Bound("N", 1, 4000)]),
        ("$1 \\le n, m \\leq 2 \\cdot 10^{5}$", [Bound("n", 1, 200_000), Bound("m", 1, 200_000)]),
        ("$$$-10^9 \\leqslant a_i \\leqslant 10^9$$$", [Bound("a_i", -(10**9), 10**9)]),
        ("1 &le; k &lt; 10<sup>3</sup>", [Bound("k", 1, 999)]),
        ("0 < x < 100", [Bound("x", 1, 99)]),
        ("1 ≤ K ≤ N ≤ 10⁵", [Bound("K", 1, 10**5), Bound("N", 1, 10**5)]),
        ("1 <= nums.length <= 1e5", [Bound("nums.length", 1, 10**5)]),
        ("`1 <= nums[i] <= 2**31 - 1`", [Bound("nums[i]", 1, 2**31 - 1)]),
        ("1 ≤ |s| ≤ 1,000,000", [Bound("|s|", 1, 10**6)]),
        ("(1 ≤ t ≤ 10^4) and (2≤n≤3)", [Bound("t", 1, 10**4), Bound("n", 2, 3)]),
        ("3 ≤ L ≤ H and 3 ≤ L ≤ W", []),
        ("1 ≤ i <j ≤ P", []),
        ("10 lines, and a < b", []),
        ("5 <= n <= 5", []),
        ("1 <= n <= 9^9^9", [Bound("n", 1, 9**9)]),
        ("1 <= n <= 7^99999", [Bound("n", 1, 7)]),
        ("1 <= n <= " + "9" * 5000, [Bound("n", 1, int("9" * 40))]),
    ],
)
def test_bounds_in_the_ways_that_statements_write_them(text: str, expected: list[Bound]) -> None:
    assert bounds_of(f"Some text. {text}\nMore of it.") == expected


@given(st.text(alphabet="1 9<=≤^*-+,nN_|[].$\\le{}e\n", max_size=300))
def test_no_statement_breaks_the_reading(text: str) -> None:
    for bound in bounds_of(text):
        assert bound.low < bound.high
    first_line_names(text)


def test_a_long_statement_is_read_in_no_time() -> None:
    assert bounds_of("1 <= " + "n, " * 60_000) == []
    assert bounds_of("1 <= n" * 30_000) == []
    assert first_line_names("first line integers " + "a, " * 60_000) == tuple("a" * 10)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("On the first line, the integers H, W, L, P are written.", ("H", "W", "L", "P")),
        ("The first line contains two integers $n$ and $m$ ($1 \\le n, m \\le 9$)", ("n", "m")),
        ("The first line of each test case contains an integer n. The first line contains an integer t", ("t",)),
        ("The first line holds a word.", ()),
    ],
)
def test_what_stands_on_the_first_line(text: str, names: tuple[str, ...]) -> None:
    assert first_line_names(text) == names


STATEMENT = "The first line contains two integers n and k. The second has n numbers a_i. 1 <= n <= 1000, 1 <= k <= 50, "


def test_named_fields_are_held_against_their_own_limits() -> None:
    pairs = [(f"{n} {n % 50 + 1}\n1 1000 {n}", str(n)) for n in range(30, 46)]
    assert found(lint(problem(*pairs, statement=STATEMENT)))["far_from_limits"] == [
        "n is at most 45, the limit is 1000",
        "n is at least 30, the limit is 1",
        "k is at least 31, the limit is 1",
    ]
    assert "far_from_limits" not in found(lint(problem(*pairs, ("1 1", "x"), ("950 50", "y"), statement=STATEMENT)))


def test_other_names_by_any_number_near_the_limit() -> None:
    statement = "The list has n numbers. 1 <= n <= 10, 0 <= a_i <= 10^9."
    small = [(f"10\n{n} {n + 5}\n", str(n)) for n in range(12)]
    assert found(lint(problem(*small, statement=statement)))["far_from_limits"] == [
        "no number is near 1000000000, the limit of a_i"
    ]
    assert "far_from_limits" not in found(lint(problem(*small, ("10\n999999999", "x"), statement=statement)))


def test_lengths_of_arguments() -> None:
    statement = "1 <= nums.length <= 100, 1 <= nums[i] <= 500"
    calls = [([[500] * n], n) for n in range(1, 14)]
    fields: dict[str, Any] = {"kind": "function", "fn_name": "f", "statement": statement}
    assert found(lint(problem(*calls, **fields)))["far_from_limits"] == [
        "no number is near 100, the limit of nums.length"
    ]
    assert "far_from_limits" not in found(lint(problem(*calls, ([[1] * 95], 0), **fields)))


# --- golds and checkers ----------------------------------------------------------------------------------------------


def test_golds_that_come_close_to_the_time_limit() -> None:
    times = [{"cpu_s": 0.1 * n} for n in range(11)]
    slow = problem(*sums(), limits=Limits(cpu_s=1.0), extra={"test_provenance": {"tests": times}})
    (finding,) = lint(slow).findings  # the first of the 12 tests is public, and has no provenance
    assert (finding.check, finding.tests) == ("slow_golds", (10, 11, 12))
    assert finding.message == "a gold takes up to 1 s of 1 s"
    for odd in (3, "x", [1] * 50, [{"cpu_s": True}], [{"cpu_s": "9"}], [None]):
        assert lint(problem(*sums(), extra={"test_provenance": {"tests": odd}})).findings == ()
        assert lint(problem(*sums(), extra={"test_provenance": odd})).findings == ()


@pytest.fixture(scope="module")
def box() -> Iterator[codejury.Sandbox]:
    with codejury.Sandbox(workers=2) as sandbox:
        yield sandbox


def klear(body: str) -> Checker:
    return Checker(kind="klear", source=f"def is_valid_output(given, got, expected):\n    {body}\n", language="python")


def test_a_checker_that_compares_is_left_alone(box: codejury.Sandbox) -> None:
    checked = problem(*sums(), checker=klear("return got.split() == expected.split()"))
    assert lint(checked, sandbox=box).findings == ()


@pytest.mark.parametrize(
    ("body", "accepted"),
    [
        ("return True", 5),
        ("return got.split()[:1] == expected.split()[:1]", 1),
        ("return not any(a != b for a, b in zip(got.split(), expected.split()))", 2),
        (
            "return len(got.split()) == 1 and 'j' not in got and not abs(float(got) - float(expected)) > 1e-6",
            1,
        ),
    ],
    ids=["everything", "what begins well", "nothing at all", "nan"],
)
def test_a_checker_that_accepts_junk(box: codejury.Sandbox, body: str, accepted: int) -> None:
    said = found(lint(problem(*sums(), checker=klear(body)), sandbox=box))
    assert len(said["checker_accepts_junk"]) == accepted


def test_a_checker_that_rejects_the_answer_or_crashes(box: codejury.Sandbox) -> None:
    said = found(lint(problem(*sums(), checker=klear("return False")), sandbox=box))
    assert list(said) == ["checker_rejects"]
    said = found(lint(problem(*sums(), checker=klear("return int(got) == int(expected)")), sandbox=box))
    assert set(said) == {"checker_fails"}
    assert any("nothing at all" in message for message in said["checker_fails"])


def test_a_checker_that_cannot_be_run_here_is_told(box: codejury.Sandbox) -> None:
    odd = Checker(kind="testlib", source="whatever", language="no-such-language")
    assert "checker_fails" in found(lint(problem(*sums(), checker=odd), sandbox=box))


def test_a_hostile_checker_does_not_get_out(box: codejury.Sandbox, tmp_path: Path) -> None:
    body = f"open({str(tmp_path / 'out')!r}, 'w').write('x'); return True"
    lint(problem(*sums(), checker=klear(body)), sandbox=box)
    assert not (tmp_path / "out").exists()


def test_junk_is_never_the_expected_answer() -> None:
    for expected in ("3\n", "", "YES", "1.5 2\n3", "zq~junk"):
        for name, junk in junk_for(expected):
            assert junk.split() != expected.split() or expected == "zq~junk", name


# --- all of it -------------------------------------------------------------------------------------------------------


def test_every_check_has_a_test() -> None:
    text = Path(__file__).read_text()
    assert [check for check in CHECKS if text.count(f'"{check}"') < 1] == []


@pytest.fixture(scope="session")
def klear_data(root: Path) -> Path:
    folder = Path(os.environ.get("CODEJURY_SHARED") or root.parent / "shared") / "data" / "klear"
    if not folder.is_dir():
        pytest.skip("no real data: neither `shared` beside the repository nor CODEJURY_SHARED has data/klear")
    return folder


def test_the_published_sample(klear_data: Path) -> None:
    (sample,) = read_problems(klear_data / "sample_with_generated_testcases.jsonl")
    linted = lint(sample)
    said = found(linted)
    assert said["duplicates"] == ["82 of 100 tests are identical; 19 of 100 are distinct"]
    assert said["constant_field"] == ["line 1, field 3 (L) is always 3 in 19 distinct tests"]
    assert "P is at most 927, the limit is 100000" in said["far_from_limits"]


def test_the_published_sample_with_a_checker(klear_data: Path, box: codejury.Sandbox) -> None:
    (sample,) = read_problems(klear_data / "spj_sample_with_special_testcases.jsonl")
    linted = lint(sample, sandbox=box)
    assert (linted.tests, linted.distinct, linted.findings) == (100, 100, ())


def test_a_comparison_by_oracle_may_have_several_values() -> None:
    calls = [([n], n) for n in range(12)] + [([3], 4)]
    plain: dict[str, Any] = {"kind": "function", "fn_name": "f"}
    assert "contradiction" in found(lint(problem(*calls, **plain)))
    assert "contradiction" not in found(lint(problem(*calls, compare=Comparison(oracle="as_sets"), **plain)))
