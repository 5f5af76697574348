"""Spoilt outputs: never right by their words, the same each time, and each kind does what its name says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.mutation.outputs import HUGE, JUNK, KINDS, Spoilt, spoilt

OUTPUT = "YES\n3\n2 5 4\n0.5000\n"
OTHERS = ["NO\n", "YES\n1\n1\n0.25\n"]
INPUT = "6 10\n1 2 3 4 5 6\n"


def of_kind(kind: str, found: list[Spoilt]) -> list[Spoilt]:
    return [each for each in found if each.kind == kind]


def all_kinds(seeds: int = 8) -> list[Spoilt]:
    return [each for seed in range(seeds) for each in spoilt(OUTPUT, others=OTHERS, input=INPUT, seed=seed)]


def test_every_kind() -> None:
    found = all_kinds()
    assert {each.kind for each in found} == set(KINDS)
    assert {each.place for each in found} == {"", "the first line", "the lines between", "the last line"}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("empty", [[]]),
        ("one_word", [[JUNK]]),
        ("words", [[JUNK] * 6]),
        ("extra_word", [[*OUTPUT.split(), JUNK]]),
        ("missing_word", [OUTPUT.split()[:5]]),
        ("truncated", [OUTPUT.split()[:3]]),
        ("twice", [OUTPUT.split() * 2]),
        ("another_test", [text.split() for text in OTHERS]),
    ],
)
def test_what_they_are(kind: str, words: list[list[str]]) -> None:
    found = of_kind(kind, spoilt(OUTPUT, others=OTHERS, input=INPUT))
    assert sorted(each.text.split() for each in found) == sorted(words)


def test_steps_are_small_and_seen() -> None:
    moved = [each.text.split()[5] for each in of_kind("step", all_kinds(1))]
    assert sorted(map(float, moved)) == pytest.approx([0.501, 0.6])
    (large,) = (each for each in of_kind("step", spoilt("-2000.0\n")) if "1800" in each.text)
    assert large.text == "-1800.0000\n"


def test_out_of_range() -> None:
    found = all_kinds()
    assert all(str(HUGE) in each.text for each in of_kind("huge", found))
    wrapped = [set(each.text.split()) - set(OUTPUT.split()) for each in of_kind("wrapped", found)]
    assert {"-3", "-4", "-1", "-2"} & {word for words in wrapped for word in words}
    for each in of_kind("balanced", found):
        numbers = [int(word) for word in each.text.split()[2:5]]
        assert sum(numbers) == 11
        assert max(numbers) > 10**6
        assert min(numbers) < 0
    assert all(each.group == "range" for each in found if each.kind in ("huge", "negative", "wrapped", "balanced"))


def test_groups() -> None:
    never = {each.kind for each in all_kinds() if each.group == "never"}
    assert never == {
        "empty", "one_word", "words", "word", "letter", "superscript", "extra_word", "long_word", "nan", "inf",
    }  # fmt: skip


def test_nothing_to_spoil() -> None:
    assert [each.kind for each in spoilt(" \n")] == ["one_word"]
    assert {each.place for each in spoilt("7") if each.kind == "value"} == {"the only word"}
    places = {each.place for each in spoilt("1 2 3 4\n") if each.kind == "value"}
    assert places == {"the first word", "the words between", "the last word"}


_OUTPUTS = st.lists(
    st.lists(st.sampled_from(["YES", "no", "0", "-3", "12", "1.5", "1e300", "-0.0", "9" * 400, "²", "٣"]), max_size=5),
    max_size=5,
).map(lambda lines: "".join(" ".join(words) + "\n" for words in lines))


@settings(max_examples=60)
@given(_OUTPUTS | st.text(max_size=60), st.lists(_OUTPUTS, max_size=3), st.integers(0, 3))
def test_never_the_same_words(output: str, others: list[str], seed: int) -> None:
    found = spoilt(output, others=others, input="5 5 1 2 3\n", seed=seed)
    assert all(each.text.split() != output.split() for each in found)
    texts = [tuple(each.text.split()) for each in found]
    assert len(set(texts)) == len(texts)
    assert found == spoilt(output, others=others, input="5 5 1 2 3\n", seed=seed)
    assert all(each.kind in KINDS for each in found)
    assert found, "there is always something that cannot be right"
