"""The verdict on a checker or validator: whether it is trusted, the figures, and the trials that speak against it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

import msgspec

SHARE = 0.95  # of what is surely wrong, that must be rejected
MAX_CASES = 20
MAX_RUNS = 600
CASE_CHARACTERS = 200_000  # of input and output; larger ones cost time and teach nothing
SPOILT_CHARACTERS = 20_000  # of what is spoilt, where there are some as small as that
_MISSES = 200
_OF_A_KIND = 2  # trials of one kind that evidence tells

Said = Literal["accepted", "rejected", "failed"]
_T = TypeVar("_T")


class Share(msgspec.Struct, frozen=True):
    count: int = 0
    total: int = 0

    @property
    def value(self) -> float:
        return self.count / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.count} of {self.total}"


class Miss(msgspec.Struct, frozen=True, kw_only=True):
    """One trial in which it said what it must not.

    case     the number of the test, from 0; None for what belongs to none
    kind     gold, or how the text was spoilt
    what     the same in words
    """

    case: int | None
    kind: str
    what: str
    wanted: Literal["accepted", "rejected"]
    said: Said
    message: str = ""
    input: str = ""
    output: str | None = None  # None: an input was the question
    reference: str | None = None


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whether it is trusted.

    reasons   why not, a sentence each; none where it is
    accepts   of what it must accept
    rejects   of what it must reject
    loose     rejected, of what may be right or wrong
    wrong_programs   of which it rejects some output, of those that were given
    kinds     rejected, by the way of spoiling, of what it must reject
    runs      how often it was asked
    misses    the trials that speak against it, shortest first within a kind
    """

    trusted: bool
    reasons: tuple[str, ...] = ()
    accepts: Share = Share()
    rejects: Share = Share()
    loose: Share = Share()
    wrong_programs: Share = Share()
    kinds: dict[str, Share] = {}
    runs: int = 0
    misses: tuple[Miss, ...] = ()

    def evidence(self, max_characters: int = 2400) -> str:
        """For a prompt that asks for a repair: the reasons, then trials, one of each kind first. "" where it is
        trusted."""
        if self.trusted:
            return ""
        text = "\n".join(f"- {reason}" for reason in self.reasons)
        text = _middle_cut(text, max_characters // 2)
        for miss in _one_of_each_first(self.misses):
            more = "\n\n" + _told(miss)
            if len(text) + len(more) > max_characters:
                continue
            text += more
        return text


def _told(miss: Miss, shown: int = 300) -> str:
    lines = [f"Case: {miss.what}."]
    lines.append(f"input:\n{_middle_cut(miss.input, shown)}")
    if miss.output is not None:
        lines.append(f"output:\n{_middle_cut(miss.output, shown) or '(nothing)'}")
    if miss.reference is not None and miss.reference != miss.output:
        lines.append(f"reference output:\n{_middle_cut(miss.reference, shown)}")
    said = "it failed" if miss.said == "failed" else f"it was {miss.said}"
    words = f" ({_middle_cut(miss.message, shown)})" if miss.message else ""
    lines.append(f"must be {miss.wanted}, but {said}{words}")
    return "\n".join(lines)


def _middle_cut(text: str, most: int) -> str:
    text = text.strip("\n")
    if len(text) <= most:
        return text
    half = (most - 5) // 2
    return f"{text[:half]} ... {text[-half:]}"


def _one_of_each_first(misses: Iterable[Miss]) -> list[Miss]:
    by_kind: dict[tuple[str, str], list[Miss]] = {}
    for miss in misses:
        by_kind.setdefault((miss.kind, miss.said), []).append(miss)
    rounds = itertools.islice(itertools.zip_longest(*by_kind.values()), _OF_A_KIND)
    return [miss for each in rounds for miss in each if miss is not None]


def share_of(said: Sequence[bool]) -> Share:
    return Share(sum(said), len(said))


def in_order(misses: Iterable[Miss]) -> tuple[Miss, ...]:
    """What was to be accepted first, then failures, then the others; the shortest first."""
    ordered = sorted(misses, key=lambda miss: (miss.wanted == "rejected", miss.said != "failed", _length(miss)))
    return tuple(ordered[:_MISSES])


def _length(miss: Miss) -> int:
    return len(miss.input) + len(miss.output or "")


def spread(things: Sequence[_T], count: int) -> list[_T]:
    """So many of them, the first and the last among them."""
    if len(things) <= count:
        return list(things)
    return [things[at * (len(things) - 1) // max(1, count - 1)] for at in range(count)]


def handy(sizes: Sequence[int]) -> list[int]:
    """The places of those that are worth spoiling: small ones, or the three smallest."""
    small = [at for at, size in enumerate(sizes) if size <= SPOILT_CHARACTERS]
    return small if len(small) >= 3 else sorted(sorted(range(len(sizes)), key=lambda at: sizes[at])[:3])


def together(trusts: Sequence[Trust]) -> Trust:
    """One verdict of several on the same program: trusted where all are."""
    kinds: dict[str, Share] = {}
    for trust in trusts:
        for kind, share in trust.kinds.items():
            kinds[kind] = _sum([kinds.get(kind, Share()), share])
    return Trust(
        trusted=all(trust.trusted for trust in trusts),
        reasons=tuple(dict.fromkeys(reason for trust in trusts for reason in trust.reasons)),
        accepts=_sum([trust.accepts for trust in trusts]),
        rejects=_sum([trust.rejects for trust in trusts]),
        loose=_sum([trust.loose for trust in trusts]),
        wrong_programs=_sum([trust.wrong_programs for trust in trusts]),
        kinds=dict(sorted(kinds.items())),
        runs=sum(trust.runs for trust in trusts),
        misses=in_order(miss for trust in trusts for miss in trust.misses),
    )


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(share.count for share in shares), sum(share.total for share in shares))
