"""Shrinking under the format: what comes out is smaller, still interesting, and an input like any other."""

from __future__ import annotations

from codejury.mutation.inputs import infer, shrink

NUMBERS = ["3\n1 5 2\n", "5\n9 8 1 1 4\n"]


def test_elements_go_and_the_count_follows() -> None:
    format = infer(NUMBERS)
    text = "8\n3 1 9 4 7 2 8 6\n"
    assert shrink(text, format, lambda t: "9" in t.split()[1:]) == "1\n9\n"


def test_numbers_go_down_as_far_as_it_stays_interesting() -> None:
    format = infer(NUMBERS)
    small = shrink("4\n17 3 18 2\n", format, lambda t: sum(map(int, t.split()[1:])) >= 20)
    assert format.accepts(small)
    assert sum(map(int, small.split()[1:])) >= 20
    assert len(small.split()) <= 3


def test_cases_lines_and_words_go() -> None:
    format = infer(["2\n3\nabc\nde\nf\n1\nxyz\n", "1\n2\nhello\nyou\n"])
    small = shrink("2\n3\nabc\nqde\nf\n2\nxyz\naq\n", format, lambda t: t.count("q") >= 1)
    assert small == "1\n1\nq\n"


def test_a_tree_stays_a_tree() -> None:
    format = infer(["4\n1 2\n2 3\n3 4\n", "5\n1 2\n1 3\n3 4\n3 5\n"])

    def has_a_vertex_of_three(text: str) -> bool:
        numbers = text.split()[1:]
        return any(numbers.count(each) >= 3 for each in numbers)

    text = "8\n1 2\n2 3\n2 4\n4 5\n5 6\n6 7\n7 8\n"
    small = shrink(text, format, has_a_vertex_of_three)
    assert has_a_vertex_of_three(small)
    assert format.accepts(small)
    assert len(small) < len(text)


def test_tries_are_counted() -> None:
    format = infer(NUMBERS)
    calls = []

    def never(text: str) -> bool:
        calls.append(text)
        return False

    text = "10\n" + " ".join(map(str, range(1, 11))) + "\n"
    assert shrink(text, format, never, max_tries=7) == text
    assert len(calls) == 7
    assert len(set(calls)) == 7


def test_what_does_not_have_the_format_comes_back_as_it_is() -> None:
    assert shrink("2\n1\n", infer(NUMBERS), lambda t: True) == "2\n1\n"


def test_every_candidate_keeps_the_format() -> None:
    format = infer(["5\n3 1 2 5 4\n", "4\n4 3 2 1\n"])
    seen = []

    def look(text: str) -> bool:
        seen.append(text)
        return len(text.split()) > 3

    small = shrink("5\n5 4 3 2 1\n", format, look)
    assert small.split()[0] == "3"
    assert all(format.accepts(text) for text in seen)
