"""Who agrees with whom, who is set aside, and which answers are trusted.

Owns the rules. No program runs here, and nothing depends on the order in which answers came in.

    Poll        for one input: camps of golds with the same answer, and the golds that failed
    set_aside   golds that failed on too many inputs; then, among the others, those that stood against a majority
                too often
    decide      a poll, without those set aside -> the answer that is trusted, or why none is
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from codejury.model import Verdict
from codejury.testgen.options import Quorum
from codejury.testgen.trouble import Reason


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A gold's run without an answer."""

    verdict: Verdict
    what: str
    printed: str = ""
    traceback: str = ""


class Camp:
    """Golds with one answer. `answers` where theirs differ and a checker takes each of them for right."""

    __slots__ = ("answer", "answers", "cost")

    def __init__(self, *, answer: Any) -> None:
        self.answer = answer
        self.answers: dict[int, Any] = {}
        self.cost: dict[int, tuple[float, float]] = {}  # gold -> CPU seconds, megabytes

    def join(self, gold: int, cpu_s: float, memory_mb: float) -> None:
        self.cost[gold] = cpu_s, memory_mb

    @property
    def golds(self) -> list[int]:
        return list(self.cost)

    def answer_of(self, gold: int) -> Any:
        return self.answers.get(gold, self.answer)


class Poll(msgspec.Struct, frozen=True, kw_only=True):
    """For one input. `reason`, `detail`: why it is dropped whatever the golds say (a checker that failed); then it says
    nothing of who stands against whom."""

    camps: list[Camp]
    failed: dict[int, Failed]
    reason: Reason | None = None
    detail: str = ""


class SetAside(msgspec.Struct, frozen=True, kw_only=True):
    """A gold that is not asked any more."""

    gold: int
    why: str
    printed: str = ""
    traceback: str = ""
    position: int | None = None  # of the input that shows it first


class Trusted(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, the golds that stand behind it, and what the slowest of them took."""

    answer: Any
    golds: list[int]
    cpu_s: float
    memory_mb: float


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    reason: Reason
    detail: str = ""


def asked(quorum: Quorum, count: int) -> list[int]:
    """The golds that are run, out of `count`."""
    if quorum.rule == "first-last":
        return [0] if count == 1 else [0, count - 1]
    return list(range(count))


def set_aside(polls: Sequence[Poll], golds: Iterable[int], share: float, quorum: Quorum) -> list[SetAside]:
    """Golds that fail, or stand against more than half of those who answered, on more than `share` of the inputs."""
    if quorum.rule == "first-last":
        return []
    most = share * len(polls)
    aside: list[SetAside] = []
    for gold in golds:
        places = [at for at, poll in enumerate(polls) if gold in poll.failed]
        if len(places) > most:
            first = polls[places[0]].failed[gold]
            # How often is not said: it is not run any further once this is sure.
            why = f"{'cannot be run' if first.verdict == 'compile_error' else 'fails'}: {first.what}"
            aside.append(
                SetAside(gold=gold, why=why, printed=first.printed, traceback=first.traceback, position=places[0])
            )
    failing = {each.gold for each in aside}
    for gold in golds:
        if gold in failing:
            continue
        places = [at for at, poll in enumerate(polls) if _stands_against_most(poll, gold, failing)]
        if len(places) > most:
            why = f"stands against more than half of the golds on {len(places)} of {len(polls)} inputs"
            aside.append(SetAside(gold=gold, why=why, position=places[0]))
    return sorted(aside, key=lambda each: each.gold)


def _stands_against_most(poll: Poll, gold: int, without: Collection[int]) -> bool:
    if poll.reason is not None:
        return False
    sizes = [(camp, len(_members(camp, without))) for camp in poll.camps]
    answered = sum(size for _, size in sizes)
    ran = any(gold in camp.cost for camp in poll.camps)
    return ran and any(2 * size > answered and gold not in camp.cost for camp, size in sizes)


def _members(camp: Camp, without: Collection[int]) -> list[int]:
    return [gold for gold in camp.golds if gold not in without]


def decide(poll: Poll, *, total: int, aside: Collection[int], quorum: Quorum) -> Trusted | Refused:
    """`total`: golds that were asked, those set aside among them."""
    if poll.reason is not None:
        return Refused(reason=poll.reason, detail=poll.detail)
    members = sorted(
        ((camp, golds) for camp in poll.camps if (golds := _members(camp, aside))), key=lambda each: -len(each[1])
    )
    if not members:
        return Refused(reason="golds fail", detail=_first_failure(poll, aside))
    camp, golds = members[0]
    in_force = total - len(aside)
    if quorum.rule == "count":
        enough = len(golds) >= quorum.count
        united = len(members) == 1 or len(golds) > len(members[1][1])
    else:
        enough = len(golds) >= min(2, total) and 2 * len(golds) > in_force
        united = len(members) == 1
    if not united:
        return Refused(reason="golds disagree", detail=_parties([each for _, each in members]))
    if not enough:
        wanted = f"{quorum.count} are wanted" if quorum.rule == "count" else f"there are {in_force} in force"
        failure = _first_failure(poll, aside)
        detail = f"{_listed(golds)} alone, where {wanted}" + (f"; {failure}" if failure else "")
        return Refused(reason="golds fail" if failure else "too few golds agree", detail=detail)
    cost = [camp.cost[gold] for gold in golds]
    return Trusted(
        answer=camp.answer_of(golds[0]),
        golds=golds,
        cpu_s=max(cpu_s for cpu_s, _ in cost),
        memory_mb=max(memory_mb for _, memory_mb in cost),
    )


def _first_failure(poll: Poll, aside: Collection[int]) -> str:
    failed = [gold for gold in sorted(poll.failed) if gold not in aside] or sorted(poll.failed)
    return f"gold {failed[0]}: {poll.failed[failed[0]].what}" if failed else ""


def _parties(groups: Sequence[Sequence[int]]) -> str:
    return " against ".join(_listed(group) for group in groups[:4]) + (" and more" if len(groups) > 4 else "")


def _listed(golds: Sequence[int]) -> str:
    return ("gold " if len(golds) == 1 else "golds ") + ", ".join(str(gold) for gold in golds)
