"""Texts of inferred formats: they keep the format, come once, reach the bounds, and kill what they are made to kill."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.mutation.inputs import Mismatch, Texts, infer

FORMATS = {
    "numbers": ["3\n1 5 2\n", "5\n9 8 1 1 4\n"],
    "cases": ["2\n3\n1 2 3\n1\n7\n", "1\n2\n5 5\n"],
    "tree": ["4\n1 2\n2 3\n3 4\n", "5\n1 2\n1 3\n3 4\n3 5\n"],
    "graph": ["4 3\n1 2\n2 3\n3 4\n", "5 6\n1 2\n1 3\n2 3\n3 4\n4 5\n1 5\n"],
    "grid": ["3 4\n..#.\n.S..\n..E#\n", "2 2\nS.\n.E\n"],
    "queries": ["5\npush 3\npush 4\npop\ntop\npush 1\n", "3\npush 2\ntop\npop\n"],
    "permutation": ["5\n3 1 2 5 4\n", "4\n4 3 2 1\n"],
    "sorted": ["5\n1 4 6 7 9\n", "4\n2 3 8 11\n"],
    "string": ["5\nabcde\n", "3\nxyz\n"],
    "parents": ["5\n1 1 2 3\n", "4\n1 2 3\n"],
    "until": ["3\n1 2 3\n2\n5 5\n0\n", "1\n4\n0\n"],
    "floats": ["3\n1.50\n2.25\n3.00\n", "1\n0.50\n"],
    "names": ["myndband.mp4\n", "model.blend\n", "data.tar.gz\n"],
    "own counts": ["2\n3 1 2 3\n1 9\n", "1\n2 4 4\n"],
    "tokens": ["a b\nc\n\nd e f\n", "x\n"],
    "mixed": ["9 + 7\n", '"abc" + "def"\n', "0x1234 + 0xabcd\n"],
}


def texts(name: str, number: int, **options: int) -> list[str]:
    samples = FORMATS[name]
    return list(itertools.islice(Texts(infer(samples), samples, **options).mixed(), number))


@pytest.mark.parametrize("name", FORMATS)
def test_texts_keep_the_format_and_come_once(name: str) -> None:
    format = infer(FORMATS[name])
    made = texts(name, 150, max_bytes=2000)
    assert len(made) == 150
    assert len(set(made)) == 150
    assert not set(made) & set(FORMATS[name])
    assert all(len(text) <= 2000 for text in made)
    refused = [text for text in made if not format.accepts(text)]
    assert not refused


@pytest.mark.parametrize("name", FORMATS)
def test_a_seed_gives_the_same_texts_again_and_another_gives_others(name: str) -> None:
    assert texts(name, 60, max_bytes=1000) == texts(name, 60, max_bytes=1000)
    assert texts(name, 60, max_bytes=1000) != texts(name, 60, max_bytes=1000, seed=1)


STATED = "\\section*{Input}\nTwo integers $a$ and $b$ ($-10^9 \\le a \\le b \\le 10^9$).\n\\section*{Output}\nOne."


def test_boundaries_have_every_end_of_every_number() -> None:
    samples = ["1 3\n", "-1 1\n"]
    format = infer(samples, statement=STATED)
    pairs = {tuple(map(int, text.split())) for text in Texts(format, samples).boundaries()}
    most = 10**9
    assert {(-most, -most), (-most, most), (most, most), (-most + 1, most - 1), (0, 0)} <= pairs
    assert {a for a, _ in pairs} >= {-1, 0, 1, most - 1}
    assert all(a <= b for a, b in pairs)


def test_small_cases_are_exhaustive_where_they_can_be_counted() -> None:
    samples = ["1 3\n", "-1 1\n"]
    format = infer(samples, statement=STATED)
    small = set(itertools.islice(Texts(format, samples).small(), 400)) | set(samples)
    assert {f"{a} {b}\n" for a in range(-5, 6) for b in range(a, 6)} <= small


def test_small_words_are_exhaustive_too() -> None:
    samples = ["CPCC\n", "PPPPCCCC\n"]
    format = infer(samples, statement="\\section*{Input}\nA string $s$ ($3 \\leq |s| \\leq 500$).")
    small = set(itertools.islice(Texts(format, samples).small(), 60)) | set(samples)
    assert {"".join(word) + "\n" for length in (3, 4) for word in itertools.product("CP", repeat=length)} <= small


def test_the_ramp_reaches_the_stated_size_in_several_structures() -> None:
    samples = ["3\n1 5 2\n", "5\n9 8 1 1 4\n"]
    said = "\\section*{Input}\nAn integer $n$ ($1 \\le n \\le 5000$), then $n$ integers $a_i$ ($1 \\le a_i \\le 10^9$)."
    format = infer(samples, statement=said)
    largest = [text for text in Texts(format, samples).ramp() if text.startswith("5000\n")]
    rows = [list(map(int, text.split()[1:])) for text in largest]
    assert all(len(row) == 5000 for row in rows)
    assert any(row == sorted(row) and len(set(row)) > 100 for row in rows)
    assert any(row == sorted(row, reverse=True) and len(set(row)) > 100 for row in rows)
    assert any(len(set(row)) == 1 for row in rows)
    assert any(set(row) == {10**9} for row in rows)
    assert any(len(set(row)) == 2 for row in rows)


def test_the_ramp_stays_below_the_size_that_is_allowed() -> None:
    samples = ["3 4\n..#.\n.S..\n..E#\n", "2 2\nS.\n.E\n"]
    said = "\\section*{Input}\nTwo integers $n$ and $m$ ($1 \\le n, m \\le 1000$), then $n$ lines of $m$ letters."
    made = list(Texts(infer(samples, statement=said), samples, max_bytes=5000).ramp())
    assert 1000 < max(map(len, made)) <= 5000


def test_a_nought_that_no_sample_shows_is_rare() -> None:
    stated = "\\section*{Input}\nFour lines, each with an integer $m$ ($0 \\le m \\le 10^8$).\n\\section*{Output}\nOne."
    shares = []
    for samples in (["5\n50\n1000\n7\n", "3\n9\n9\n12\n"], ["5\n0\n1000\n7\n", "3\n9\n9\n12\n"]):
        made = list(itertools.islice(Texts(infer(samples, statement=stated), samples).mixed(), 400))
        shares.append(sum("0" in text.split() for text in made) / len(made))
    unseen, seen = shares
    assert 0.05 < unseen < 0.15, "there, as the bounds allow it, and not in most"
    assert seen > 0.25


def test_trees_come_as_chains_and_stars() -> None:
    samples = FORMATS["tree"]
    said = "\\section*{Input}\nA tree: the number $n$ ($1 \\le n \\le 64$) of vertices, then $n-1$ edges.\n"
    degrees = []
    for text in Texts(infer(samples, statement=said), samples).ramp():
        numbers = list(map(int, text.split()))
        if numbers[0] == 64:
            degrees.append(max(numbers[1:].count(vertex) for vertex in range(1, 65)))
    assert 2 in degrees  # a chain
    assert 63 in degrees  # a star


def test_the_neighbours_of_a_text_differ_by_little() -> None:
    samples = FORMATS["numbers"]
    format = infer(samples)
    near = list(Texts(format, samples).near("4\n1 2 3 4\n"))
    assert "4\n1 2 3 5\n" in near
    assert "4\n1 2 2 4\n" in near
    assert "3\n1 2 3\n" in near
    assert all(format.accepts(text) for text in near)
    with pytest.raises(Mismatch):
        list(Texts(format, samples).near("4\n1 2 3\n"))


def test_where_there_is_nothing_more_the_methods_end() -> None:
    samples = ["1\nbeef\n", "2\nchicken\nbeef\n"]
    said = "\\section*{Input}\n$n$ ($1 \\le n \\le 2$), then $n$ different words, \\texttt{beef} or \\texttt{chicken}."
    made = list(Texts(infer(samples, statement=said.replace("different", "distinct")), samples).mixed())
    assert sorted(made) == ["1\nchicken\n", "2\nbeef\nchicken\n"]


def test_places_that_the_statement_keeps_apart_are_apart() -> None:
    samples = ["4 5\n1 1 3 4\n", "1000 1000\n500 500 500 502\n"]
    said = (
        "\\section*{Input}\nIntegers $N$ and $M$ ($1\\leq N, M \\leq 10^9$), then $x_1$, $y_1$, $x_2$ and $y_2$ "
        "($0\\leq x_1, x_2 < N$, $0\\leq y_1, y_2 < M$). The points will be different.\n"
    )
    made = itertools.islice(Texts(infer(samples, statement=said), samples).mixed(), 150)
    points = [list(map(int, text.split())) for text in made]
    assert all(p[2:4] != p[4:6] and p[2] < p[0] and p[4] < p[0] and p[3] < p[1] and p[5] < p[1] for p in points)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("numbers", lambda t: max(map(int, t.split()[1:])), lambda t: max(map(int, t.split()[1:-1]), default=0)),
        ("numbers", lambda t: len(set(t.split()[1:])), lambda t: int(t.split()[0])),
        ("string", lambda t: t.split()[1] == t.split()[1][::-1], lambda t: t.split()[1][0] == t.split()[1][-1]),
        ("grid", lambda t: t.count("#"), lambda t: t.count("#", 0, 40)),
    ],
    ids=["the last element forgotten", "duplicates forgotten", "only the ends compared", "a fixed-size buffer"],
)
def test_usual_mistakes_are_found(name: str, right: object, wrong: object) -> None:
    assert callable(right)
    assert callable(wrong)
    assert any(right(text) != wrong(text) for text in texts(name, 100, max_bytes=2000))


@settings(max_examples=10)
@given(st.lists(st.text(alphabet="012 -.\nab#", min_size=1, max_size=40), min_size=1, max_size=2), st.integers(0, 5))
def test_any_format_gives_texts_that_it_accepts(samples: list[str], seed: int) -> None:
    usable = [sample for sample in samples if sample.strip()]
    if not usable:
        return
    format = infer(usable)
    made = list(itertools.islice(Texts(format, usable, seed=seed, max_bytes=300).mixed(), 20))
    assert len(set(made)) == len(made)
    assert all(format.accepts(text) and len(text.encode()) <= 300 for text in made)
