"""Who is trusted: polls made by hand, no program runs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import UsageError
from codejury.testgen import agreement
from codejury.testgen.agreement import Camp, Failed, Poll, Refused, Trusted
from codejury.testgen.options import Quorum

FAILED = Failed(verdict="runtime_error", what="runtime_error: ended with exit code 1")


def poll(answers: Mapping[int, str | None]) -> Poll:
    """Gold -> its answer; None: it failed."""
    camps: dict[str, Camp] = {}
    for gold, answer in answers.items():
        if answer is not None:
            camps.setdefault(answer, Camp(answer=answer)).join(gold, gold / 10, gold * 10)
    return Poll(camps=list(camps.values()), failed={gold: FAILED for gold, each in answers.items() if each is None})


def of(text: str) -> Poll:
    """A letter a gold: its answer; - where it failed, a blank where it was not run."""
    return poll({at: None if each == "-" else each for at, each in enumerate(text) if each != " "})


def decided(text: str, quorum: str = "all", aside: tuple[int, ...] = ()) -> str:
    said = agreement.decide(of(text), total=len(text), aside=aside, quorum=Quorum.of(quorum))
    return said.reason if isinstance(said, Refused) else f"{said.answer}{''.join(map(str, said.golds))}"


@pytest.mark.parametrize(
    ("text", "quorum", "expected"),
    [
        ("a", "all", "a0"),
        ("aa", "all", "a01"),
        ("ab", "all", "golds disagree"),
        ("a-", "all", "golds fail"),
        ("--", "all", "golds fail"),
        ("-", "all", "golds fail"),
        ("aaa-", "all", "a012"),
        ("aa--", "all", "golds fail"),  # no more than half
        ("aa-", "all", "a01"),
        ("aaaab", "all", "golds disagree"),
        ("aaaab", "2", "a0123"),
        ("aabb", "2", "golds disagree"),  # a tie
        ("aabb-", "1", "golds disagree"),
        ("aaabb", "3", "a012"),
        ("aaabb", "4", "too few golds agree"),
        ("a-", "1", "a0"),
        ("baaa", "3", "a123"),
        ("aa", "first-last", "a01"),
        ("ab", "first-last", "golds disagree"),
        ("a-", "first-last", "golds fail"),
    ],
)
def test_decide(text: str, quorum: str, expected: str) -> None:
    assert decided(text, quorum) == expected


def test_those_set_aside_do_not_count() -> None:
    assert decided("aaaab", aside=(4,)) == "a0123"
    assert decided("ab", aside=(1,)) == "too few golds agree"
    assert decided("bbaa", aside=(0, 1)) == "a23"


def test_the_slowest_is_told() -> None:
    said = agreement.decide(of("aaab"), total=4, aside=(3,), quorum=Quorum())
    assert isinstance(said, Trusted)
    assert (said.cpu_s, said.memory_mb) == (0.2, 20)


def aside(texts: list[str], share: float = 0.2, quorum: str = "all") -> list[int]:
    polls = [of(text) for text in texts]
    return [each.gold for each in agreement.set_aside(polls, range(len(texts[0])), share, Quorum.of(quorum))]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["aaa"] * 10, []),
        (["aab"] * 10, [2]),
        (["aab"] * 2 + ["aaa"] * 8, []),  # as many as it may
        (["aab"] * 3 + ["aaa"] * 7, [2]),
        (["aa-"] * 3 + ["aaa"] * 7, [2]),
        (["aa-"] * 2 + ["aab"] * 2 + ["aaa"] * 6, []),  # each for itself
        (["ab"] * 10, []),  # nobody knows which
        (["aabb"] * 10, []),
        (["aabc"] * 10, []),
        (["aaabc"] * 10, [3, 4]),
        (["---"] * 10, [0, 1, 2]),
        (["ab-"] * 10, [2]),
    ],
)
def test_set_aside(texts: list[str], expected: list[int]) -> None:
    assert aside(texts) == expected


def test_klears_rule_sets_nobody_aside() -> None:
    assert aside(["a-"] * 10, quorum="first-last") == []


@given(st.lists(st.text("ab-", min_size=4, max_size=4), min_size=5, max_size=20), st.integers(0, 3), st.data())
def test_a_gold_that_is_not_run_further_changes_nothing(texts: list[str], gold: int, data: st.DataObject) -> None:
    """When a gold has failed too often, whether it still ran on the rest depends on who was quicker."""
    failing = [text[:gold] + "-" + text[gold + 1 :] for text in texts]
    most = int(0.2 * len(texts))
    left = data.draw(st.lists(st.sampled_from("ab- "), min_size=len(texts), max_size=len(texts)))
    partly = [
        text[:gold] + (each if at > most else "-") + text[gold + 1 :]
        for at, (text, each) in enumerate(zip(texts, left, strict=True))
    ]
    assert aside(failing) == aside(partly)


def test_a_poll_that_is_refused_says_nothing_against_anybody() -> None:
    refused = [Poll(camps=of("aab").camps, failed={}, reason="checker failed", detail="why")] * 10
    assert agreement.set_aside(refused, range(3), 0.2, Quorum()) == []
    said = agreement.decide(refused[0], total=3, aside=(), quorum=Quorum())
    assert said == Refused(reason="checker failed", detail="why")


@pytest.mark.parametrize(
    ("text", "count", "expected"), [("all", 3, [0, 1, 2]), ("first-last", 4, [0, 3]), ("2", 3, [0, 1, 2])]
)
def test_who_is_asked(text: str, count: int, expected: list[int]) -> None:
    assert agreement.asked(Quorum.of(text), count) == expected
    assert agreement.asked(Quorum.of("first-last"), 1) == [0]


@pytest.mark.parametrize("text", ["0", "-1", "most", "", "1.5", "last-first"])
def test_a_quorum_that_makes_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="quorum: expected all, first-last or a number"):
        Quorum.of(text)
