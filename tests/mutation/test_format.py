"""What is inferred of formats, from samples that were written for it, with statements and without."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.mutation.inputs import Mismatch, infer
from codejury.mutation.inputs.statement import read


@pytest.mark.parametrize(
    ("samples", "accepted", "refused"),
    [
        pytest.param(
            ["3\n1 5 2\n", "5\n9 8 1 1 4\n"],
            ["1\n7\n", "2\n7 7\n"],
            ["2\n7\n", "2\n7 7 7\n", "x\n7\n", "2\n7 7\n\n"],
            id="n, then n numbers",
        ),
        pytest.param(
            ["2\n3\n1 2 3\n1\n7\n", "1\n2\n5 5\n"],
            ["1\n1\n1\n", "3\n1\n1\n1\n2\n2\n3 3\n"],
            ["2\n1\n1\n", "1\n2\n1\n"],
            id="test cases",
        ),
        pytest.param(
            ["2\n2 3\n1 2 3\n4 5 6\n1 1\n9\n"], ["1\n1 2\n3 4\n"], ["1\n2 1\n3 4\n"], id="matrices, one sample"
        ),
        pytest.param(
            ["3 4\n..#.\n.S..\n..E#\n", "2 2\nS.\n.E\n"],
            ["1 3\nSE.\n"],
            ["1 3\nS..\n", "1 2\nSE.\n", "1 3\nSEx\n"],
            id="a grid with a start and an end",
        ),
        pytest.param(
            ["4\n1 2\n2 3\n3 4\n", "5\n1 2\n1 3\n3 4\n3 5\n"],
            ["3\n3 1\n2 3\n"],
            ["3\n1 2\n1 2\n", "3\n1 2\n2 4\n", "4\n1 2\n2 3\n1 3\n"],
            id="a tree",
        ),
        pytest.param(
            ["4 3\n1 2\n2 3\n3 4\n", "5 6\n1 2\n1 3\n2 3\n3 4\n4 5\n1 5\n"],
            ["3 2\n3 1\n2 3\n"],
            ["3 1\n1 1\n", "3 2\n1 2\n2 1\n", "3 1\n1 4\n"],
            id="a graph without loops and double edges",
        ),
        pytest.param(
            ["2\n3 2\n1 2\n2 3\n4 3\n1 2\n1 3\n1 4\n"], ["1\n2 1\n2 1\n"], ["1\n2 1\n3 1\n"], id="test cases of graphs"
        ),
        pytest.param(
            ["5\npush 3\npush 4\npop\ntop\npush 1\n", "3\npush 2\ntop\npop\n"],
            ["2\ntop\npush 3\n"],
            ["1\npush\n", "1\npop 3\n", "1\nadd 3\n", "1\npop \n"],
            id="queries by their first word",
        ),
        pytest.param(
            ["3\n1 2 3\n2\n5 5\n0\n", "1\n4\n0\n"],
            ["0\n", "1\n1\n1\n2\n0\n"],
            ["1\n1\n", "2\n1\n0\n"],
            id="cases up to a zero",
        ),
        pytest.param(["1 2\n3 4\n0 0\n", "5 5\n0 0\n"], ["1 1\n0 0\n"], ["1 1\n"], id="up to two zeros"),
        pytest.param(["1 2\n3 4\n5 6\n", "7 8\n"], ["1 1\n2 2\n"], ["1 1 1\n"], id="lines up to the end"),
        pytest.param(
            ["5\n3 1 2 5 4\n", "4\n4 3 2 1\n"], ["3\n2 3 1\n"], ["3\n1 1 2\n", "3\n1 2 4\n"], id="a permutation"
        ),
        pytest.param(["5\n1 4 6 7 9\n", "4\n2 3 8 11\n"], ["2\n3 3\n"], ["2\n4 3\n"], id="sorted numbers"),
        pytest.param(["5\nabcde\n", "3\nxyz\n"], ["2\nzz\n"], ["2\nz\n", "2\nz1\n"], id="a string and its length"),
        pytest.param(["5\n1 1 2 3\n", "4\n1 2 3\n"], ["3\n1 1\n"], ["3\n2 1\n", "3\n1 1 1\n"], id="parents"),
        pytest.param(
            ["2\n3 2\n1 2 3 4 5\n", "3\n1 1 2\n9 8 7 6\n"], ["2\n1 1\n5 6\n"], ["2\n1 1\n5 6 7\n"], id="a sum of counts"
        ),
        pytest.param(
            ["2\n3 1 2 3\n1 9\n", "1\n2 4 4\n"], ["1\n1 1\n"], ["1\n2 1\n"], id="lines that begin with their own count"
        ),
        pytest.param(["3\n1.50\n2.25\n3.00\n", "1\n0.50\n"], ["1\n1.00\n"], ["1\n1.0\n", "1\n1\n"], id="two decimals"),
        pytest.param(
            ["4\n1 3\n2 5\n7 9\n4 8\n", "2\n1 2\n5 9\n"], ["1\n1 2\n"], ["1\n2 1\n", "1\n1 1\n"], id="ends of ranges"
        ),
        pytest.param(
            ["5 3\n1 2 3 4 5\n1 3\n2 2\n1 5\n", "4 2\n5 1 1 9\n2 4\n1 1\n"],
            ["2 1\n1 1\n2 2\n"],
            ["2 1\n1 1\n1 3\n", "2 1\n1 1\n2 1\n"],
            id="numbers, then queries by place",
        ),
        pytest.param(["a b\nc\n\nd e f\n", "x\n"], ["a\n", "a b\n\nc\n"], ["a  b\n"], id="nothing but tokens"),
        pytest.param(["2\n\n1 2\n3 4\n\n5 6\n7 8\n"], ["1\n\n1 2\n"], ["1\n1 2\n"], id="empty lines between cases"),
        pytest.param(["a  b\n c\n"], ["a  b\n c\n", "x  y\n z\n"], ["a b\n"], id="spaces that mean something"),
    ],
)
def test_structure_from_samples(samples: list[str], accepted: list[str], refused: list[str]) -> None:
    format = infer(samples)
    for text in [*samples, *accepted]:
        assert format.accepts(text), (text, format.describe())
    for text in refused:
        assert not format.accepts(text), (text, format.describe())


STATEMENT = r"""
\section*{Input}
The first line contains two integers $N$ and $T$ ($1 \le N \le 6$, $1 \leq T \leq 10^5$).
Each of the following $N$ lines contains $p_i$ and $c_i$ ($1 \leq p_i, c_i \leq T$).
\section*{Output}
Print an integer $x$ ($1 \le x \le 7$).
\section*{Scoring}
Group 1: $T \leq 10$.
"""


def test_bounds_of_a_statement_are_tied_to_fields_by_their_order() -> None:
    format = infer(["2 100\n3 3\n50 10\n", "1 100000\n1 1000\n"], statement=STATEMENT)
    assert format.accepts("6 1\n" + "1 1\n" * 6)
    assert format.accepts("1 100000\n100000 1\n")
    assert not format.accepts("7 1\n" + "1 1\n" * 7)
    assert not format.accepts("1 100001\n1 1\n")
    assert not format.accepts("1 5\n6 1\n")
    assert "N: int 1..6" in format.describe()
    assert format.bound_by_statement


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(["3\n1 -2 3\n", "1\n-5\n", "4\n1 2 3 4\n"], id="none is larger than its place"),
        pytest.param(["3\n1 3 2\n", "4\n2 1 4 3\n"], id="each from 1 to n once"),
    ],
)
@pytest.mark.parametrize("stated", ["-1000 ≤ a_i ≤ 1000", "0 ≤ a_i ≤ 1000"])
def test_what_samples_have_by_chance_does_not_overrule_a_stated_bound(samples: list[str], stated: str) -> None:
    if stated.startswith("0"):
        samples = [text.replace("-5", "1").replace("-", "") for text in samples]
    format = infer(samples, statement=f"The first line has n, the second n integers a_i. 1 ≤ n ≤ 200, {stated}.")
    assert format.accepts("2\n1000 1000\n")
    assert not format.accepts("2\n1000 1001\n")


def test_where_places_are_meant_the_bound_of_the_count_is_theirs() -> None:
    statement = "The first line has n, the second n integers p_i. 1 ≤ n ≤ 200, 1 ≤ p_i ≤ 200."
    format = infer(["3\n1 3 2\n", "4\n2 1 4 3\n"], statement=statement)
    assert not format.accepts("2\n1 1\n")


def test_names_in_another_language_are_names_all_the_same() -> None:
    statement = (
        "\\section*{Inntak}\nInntak inniheldur tvær línur. Fyrri línan inniheldur eina jákvæða heiltölu $n$ þar sem "
        "$n \\leq 10^{10}$. Seinni línan inniheldur tvær heiltölur $i$ og $j$, þar sem $1 \\leq i,j \\leq n$.\n"
        "\\section*{Úttak}\nEin tala $n \\leq 3$."
    )
    format = infer(["100\n2 5\n", "50\n2 4\n"], statement=statement)
    assert format.accepts("10000000000\n1 10000000000\n")
    assert not format.accepts("10000000001\n1 1\n")
    assert not format.accepts("5\n1 6\n")


@pytest.mark.parametrize(
    ("sentence", "samples", "accepted", "refused"),
    [
        (
            "two integers $L$ and $R$ ($1 \\le L \\le R \\le 10^{18}$)",
            ["1 127\n", "74 74\n"],
            "5 1000000000000000000\n",
            "6 5\n",
        ),
        ("The values are always between $1$ and $100$", ["4\n", "7\n"], "100\n", "101\n"),
        ("a string $s$ ($3 \\leq |s| \\leq 500$)", ["CPCC\n", "PPPPCC\n"], "C" * 500 + "\n", "CC\n"),
        ("Both $X$ are divisible by 25 and $25 \\le X \\le 1000$", ["100\n", "225\n"], "1000\n", "101\n"),
        ("The word is at most $20$ letters, lower case", ["akrein\n", "bolli\n"], "z" * 20 + "\n", "z" * 21 + "\n"),
        (
            "$n+1$ integers with absolute values bounded by 1000, degree $n$",
            ["1\n1 0\n", "2\n3 1 7\n"],
            "1\n-1000 1000\n",
            "1\n1\n",
        ),
        (
            "the number $n$ ($1 \\le n \\le 9$), then $n^2$ lines of a bit",
            ["2\n0\n1\n1\n0\n"],
            "1\n0\n",
            "3\n0\n1\n1\n0\n",
        ),
    ],
)
def test_what_sentences_say(sentence: str, samples: list[str], accepted: str, refused: str) -> None:
    format = infer(
        samples, statement=f"\\section*{{Input}}\nThe input has {sentence}.\n\\section*{{Output}}\nA number."
    )
    assert format.accepts(accepted), format.describe()
    assert not format.accepts(refused), format.describe()


def test_a_count_that_the_samples_never_vary_is_believed_where_the_statement_counts() -> None:
    said = "\\section*{Input}\nThe first line has $N$ ($1 \\le N \\le 100$), the next line $N$ integers.\n"
    assert infer(["2\n7 8\n"], statement=said).accepts("3\n1 2 3\n")


@pytest.mark.parametrize(
    ("names", "samples", "empty"),
    [
        pytest.param("n", ["2\n5 6\n", "3\n7 8 9\n"], "0\n\n", id="numbers"),
        pytest.param("n", ["2\nab\n", "3\nabc\n"], "0\n\n", id="a word"),
        pytest.param("n, m", ["2 2\n5 6 7 8\n", "3 1\n7 8 9\n", "1 2\n1 1\n"], "0 4\n\n", id="a product"),
    ],
)
def test_a_blank_line_is_made_only_where_a_sample_has_one(names: str, samples: list[str], empty: str) -> None:
    """Whether the line is there when its count is 0, no statement says."""
    statement = f"## Input\nThe first line has ${names}$, where $0 \\leq {names} \\leq 10$."
    assert not infer(samples, statement=statement).accepts(empty)
    assert infer([*samples, empty], statement=statement).accepts(empty)


def test_a_count_of_lines_may_be_zero_as_the_statement_says() -> None:
    statement = "## Input\nThe first line has $n$, $0 \\leq n \\leq 10$. Each of the next $n$ lines has a number."
    assert infer(["2\n5\n6\n", "3\n7\n8\n9\n"], statement=statement).accepts("0\n")


def test_values_outside_of_the_stated_bounds_in_a_sample_do_not_break_it() -> None:
    format = infer(
        ["5\n01000\n00000\n00100\n00100\n00001\n"], statement="\\section*{Input}\nA number $N$ ($7 \\le N \\le 15$)."
    )
    assert format.accepts("15\n" + ("0" * 15 + "\n") * 15)


def test_words_of_a_vocabulary_stay_in_it() -> None:
    said = "The meat is \\texttt{beef} or \\texttt{chicken}."
    format = infer(["1\nbeef\n", "2\nchicken\nbeef\n"], statement=said)
    assert format.accepts("1\nchicken\n")
    assert not format.accepts("1\nfish\n")


def test_words_with_punctuation_keep_their_shape() -> None:
    format = infer(["myndband.mp4\n", "model.blend\n", "data.tar.gz\n"])
    assert format.accepts("x.html\n")
    assert not format.accepts("nodot\n")
    assert not format.accepts("model!blend\n")


def test_spaces_at_line_ends_are_passed_over_only_where_samples_have_them() -> None:
    assert infer(["2 \n1 2\n", "3\n1 2 3\n"]).accepts("1  \n1\n")
    assert not infer(["2\n1 2\n", "3\n1 2 3\n"]).accepts("1 \n1\n")


def test_a_text_without_a_last_newline() -> None:
    format = infer(["3\n1 5 2", "1\n9"])
    assert format.render(format.parse("2\n1 2")) == "2\n1 2"


def test_parse_and_render_are_each_others_reverse() -> None:
    text = "2\n3\n1 2 3\n1\n7\n"
    format = infer([text, "1\n2\n5 5\n"])
    assert format.render(format.parse(text)) == text
    with pytest.raises(Mismatch):
        format.parse("2\n3\n1 2 3\n")


def test_describe_says_what_governs_what() -> None:
    said = infer(["4\n1 2\n2 3\n3 4\n", "5\n1 2\n1 3\n3 4\n3 5\n"]).describe()
    assert "f1 - 1 ×" in said
    assert "edges of a tree on f1 vertices from 1" in said


def test_the_same_samples_give_the_same_format() -> None:
    samples = ["4 3\n1 2\n2 3\n3 4\n", "5 6\n1 2\n1 3\n2 3\n3 4\n4 5\n1 5\n"]
    assert infer(samples, statement=STATEMENT) == infer(samples, statement=STATEMENT)


# --- hostile samples and statements ----------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [[], [""], ["  \n"], ["x" * 2_000_000]])
def test_without_a_usable_sample_there_is_no_format(samples: list[str]) -> None:
    with pytest.raises(UsageError, match="samples"):
        infer(samples)


@settings(max_examples=40)
@given(st.lists(st.text(alphabet="01 2-.\nab#", min_size=1, max_size=60), min_size=1, max_size=3))
def test_any_samples_get_a_format_that_accepts_them(samples: list[str]) -> None:
    usable = [sample for sample in samples if sample.strip()]
    if not usable:
        return
    format = infer(usable)
    for sample in usable:
        assert format.accepts(sample), (samples, format.describe())


@settings(max_examples=40)
@given(st.text(alphabet="$\\{}[]()|_^≤<,.- \n0129nmisection*Input lines", max_size=300))
def test_no_statement_breaks_the_reading(text: str) -> None:
    read(text)
    infer(["3\n1 2 3\n"], statement="Input\n" + text)


@pytest.mark.timeout(120)  # quadratic work would hang
@pytest.mark.parametrize(
    "sample",
    [
        "9 " * 20_000 + "\n",
        "1\n" * 20_000,
        "\n" * 5_000 + "1\n",
        "2\n1 2\n" * 900,
        "999999999999999999 999999999999999999\n" * 50,
        " " * 50_000 + "\n",
        "9" * 100_000 + "\n",
        "a1" * 30_000 + "\n",
        "\n".join(" ".join(str(each) for each in range(1, 9)) for _ in range(500)) + "\n",
    ],
    ids=["tokens", "lines", "empty lines", "cases", "products", "spaces", "digits", "letters", "matrix"],
)
def test_large_and_odd_samples_end(sample: str) -> None:
    if sample.strip():
        assert infer([sample, sample[: len(sample) // 2] + "\n"]).accepts(sample)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "statement",
    [
        "$n$ " * 20_000,
        "between " * 20_000,
        "1 " * 50_000,
        "$" * 90_000,
        "at most " * 10_000,
        "-" * 90_000 + "Input",
        "x \n" * 30_000,
    ],
)
def test_large_and_odd_statements_end(statement: str) -> None:
    assert infer(["3\n1 2 3\n"], statement=statement).accepts("2\n1 1\n")
