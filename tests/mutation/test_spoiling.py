"""Nearly valid inputs: each breaks what it is said to break, and nothing that is valid is among them."""

from __future__ import annotations

import pytest

from codejury.mutation.inputs import infer
from codejury.mutation.inputs.bounds import bounds_of
from codejury.mutation.inputs.spoiling import KINDS, SpoiltInput, spoilt

STATEMENT = (
    "Input\nThe first line has an integer $n$ ($1 \\le n \\le 9$). The second line has $n$ integers $a_i$ "
    "($0 \\le a_i \\le 50$).\n"
)
SAMPLES = ["3\n5 0 7\n", "1\n50\n", "5\n1 2 3 4 5\n", "2\n40 30\n"]


def is_valid(text: str) -> bool:
    lines = text.split("\n")
    words = lines[1].split(" ") if len(lines) == 3 and not lines[2] else []
    if not words or not all(word.isdecimal() for word in [lines[0], *words]):
        return False
    return 1 <= int(lines[0]) <= 9 and len(words) == int(lines[0]) and all(int(word) <= 50 for word in words)


def made(text: str, seed: int = 0) -> list[SpoiltInput]:
    return spoilt(text, infer(SAMPLES, statement=STATEMENT), bounds=bounds_of(STATEMENT), seed=seed)


@pytest.mark.parametrize("text", SAMPLES)
def test_none_is_valid(text: str) -> None:
    assert is_valid(text)
    for seed in range(10):
        assert [each for each in made(text, seed) if is_valid(each.text)] == []


def test_every_kind() -> None:
    found = [each for text in SAMPLES for seed in range(10) for each in made(text, seed)]
    assert {each.kind for each in found} == set(KINDS)
    assert made(SAMPLES[0], 4) == made(SAMPLES[0], 4)


def test_bounds() -> None:
    """A count beyond its bound comes with as many as it says; another number stands where a right one was."""
    found = {(each.kind, each.detail): each.text for each in made(SAMPLES[0]) if each.group == "bounds"}
    assert {"n = 10", "a = -1", "a = 51"} <= {detail for _, detail in found}
    first, second, _ = found[("above", "n = 10")].split("\n")
    assert first == "10"
    assert len(second.split()) == 10
    assert sorted(found[("above", "a = 51")].split()) != sorted(SAMPLES[0].split())


def test_bounds_that_nobody_states_are_left_alone() -> None:
    found = spoilt(SAMPLES[0], infer(SAMPLES))
    assert {each.group for each in found} == {"never", "count"}


def test_free_text() -> None:
    """What may follow is not known: nothing behind the end is wrong for sure."""
    samples = ["one line of words\n", "another, with 12 and more  blanks\n", "x\n"]
    assert [each.kind for each in spoilt(samples[1], infer(samples))] == ["empty"]


def test_a_text_of_another_format() -> None:
    assert [each.kind for each in spoilt("a b c\n", infer(SAMPLES))] == ["empty"]
