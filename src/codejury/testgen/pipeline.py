"""One row through all steps: from its programs to its tests, or to the reason why it has none.

Owns the order of the steps, what is counted at each, and what a test says of where it comes from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from codejury.testgen import agreement, inputs, outputs, rows, special, steady, validate
from codejury.testgen.agreement import Poll, Refused, SetAside, Trusted
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.options import ROW_BYTES, Options
from codejury.testgen.rows import Task
from codejury.testgen.trouble import Drop, Drops, Step, Trouble, cut

_LEAST_LIMIT_S = 0.1  # below, it is the start of a program that would be timed


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a row. `row` is to be written; `tests` how many it has; `drops` by reason."""

    row: dict[str, Any]
    tests: int
    error_info: str | None
    drops: dict[str, int]
    set_aside: int


def make(crew: Crew, task: Task, options: Options, *, turn: int = 0) -> Made:
    """Whatever the row's programs do ends in a row. InternalError where we failed ourselves: then there is none."""
    drops = Drops()
    aside: list[SetAside] = []
    tests: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    error_info: str | None = None
    time_limit: float | None = None
    try:
        agreed = _agreed(crew, turn, task, options, drops, aside)
        tests = [test_of(task, each, trusted) for each, trusted in agreed]
        told = [_provenance(each, trusted) for each, trusted in agreed]
        if options.calibrate:
            slowest = max(trusted.cpu_s for _, trusted in agreed)
            time_limit = max(_LEAST_LIMIT_S, math.ceil(slowest * 2 * 1000) / 1000)
    except Trouble as trouble:
        error_info = _with_those_set_aside(trouble.told(), aside)
    for reason, count in drops.counts().items():
        crew.tally.add(f"dropped: {reason}", count)
    crew.tally.add("tests", len(tests))
    crew.tally.add("golds set aside", len(aside))
    provenance = None if options.plain else _account(told, drops, aside, options)
    return Made(
        row=rows.written(task, tests, error_info=error_info, time_limit=time_limit, provenance=provenance),
        tests=len(tests),
        error_info=error_info,
        drops=drops.counts(),
        set_aside=len(aside),
    )


def _agreed(
    crew: Crew, turn: int, task: Task, options: Options, drops: Drops, aside: list[SetAside]
) -> list[tuple[Input, Trusted]]:
    _uses_checker(task, options, len(agreement.asked(options.quorum, len(task.golds))))
    return agreed_on(crew, turn, task, inputs.make(crew, turn, task, options, drops), options, drops, aside)


def agreed_on(
    crew: Crew,
    turn: int,
    task: Task,
    found: Sequence[Input],
    options: Options,
    drops: Drops,
    aside: list[SetAside],
) -> list[tuple[Input, Trusted]]:
    """Of these inputs those that are tests, with their answers. Trouble where none is."""
    chosen = agreement.asked(options.quorum, len(task.golds))
    uses_checker = _uses_checker(task, options, len(chosen))
    crew.tally.add("distinct", len(found))
    found = validate.keep_valid(crew, turn, task, found, drops)
    crew.tally.add("valid", len(found))
    golds = outputs.golds_of(crew, task, chosen)
    polls = outputs.polls(crew, turn, task, golds, found, options)
    if uses_checker:
        polls = special.put_before(crew, turn, special.checker_of(crew, task), task, found, polls)
    held = _held(found, polls)
    aside += agreement.set_aside(held, chosen, options.set_aside, options.quorum)
    agreed = _decided(list(zip(found, held, strict=True)), len(chosen), aside, options, drops, uses_checker)
    crew.tally.add("agreed", len(agreed))
    if not uses_checker and options.quorum.rule != "first-last":
        agreed = _steady(crew, turn, task, golds, agreed, options, drops)
    return agreed


def _uses_checker(task: Task, options: Options, golds: int) -> bool:
    if options.checker == "ignored" or (options.checker == "where_given" and not task.checkers):
        return False
    if not task.checkers:
        raise Trouble("agree", "the row has no checker, and special-judge-gen validates with one")
    if options.checker == "demanded" and golds < 2:
        what = "the row has a single solution: a checker validates one gold's answer beside that of another"
        raise Trouble("agree", what)
    return True


def _held(found: list[Input], polls: Iterator[Poll]) -> list[Poll]:
    """All polls, with their answers for as long as the row has room for them."""
    held: list[Poll] = []
    size = 0
    for each, poll in zip(found, polls, strict=True):
        size += _size(each.value) + (_size(poll.camps[0].answer) if poll.camps else 0)
        if size > ROW_BYTES:
            detail = f"a row holds at most {ROW_BYTES} bytes"
            poll = Poll(camps=[], failed=poll.failed, reason="too large", detail=detail)
        held.append(poll)
    return held


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str) else len(json.dumps(value))


def _decided(
    held: list[tuple[Input, Poll]],
    total: int,
    aside: list[SetAside],
    options: Options,
    drops: Drops,
    uses_checker: bool,
) -> list[tuple[Input, Trusted]]:
    without = {each.gold for each in aside}
    agreed = []
    for each, poll in held:
        decision = agreement.decide(poll, total=total, aside=without, quorum=options.quorum)
        if isinstance(decision, Trusted):
            agreed.append((each, decision))
            continue
        if uses_checker and decision.reason == "golds disagree":
            decision = Refused(reason="checker rejects", detail=decision.detail)
        drops.add(_drop("agree", each, decision, poll))
    if not agreed:
        raise _no_agreement(held, aside, drops)
    return agreed


def _no_agreement(held: list[tuple[Input, Poll]], aside: list[SetAside], drops: Drops) -> Trouble:
    if not aside:
        return drops.trouble("agree", "the golds agree on no input")
    first = aside[0]
    each = held[first.position][0] if first.position is not None else None
    return Trouble(
        "outputs",
        f"too few golds are left: {len(aside)} set aside; gold {first.gold} {first.why}",
        generator=each.generator if each else None,
        gold=first.gold,
        input=each.value if each else None,
        printed=first.printed,
        traceback=first.traceback,
    )


def _steady(
    crew: Crew,
    turn: int,
    task: Task,
    golds: list[outputs.Gold],
    agreed: list[tuple[Input, Trusted]],
    options: Options,
    drops: Drops,
) -> list[tuple[Input, Trusted]]:
    flaky = steady.unsteady(crew, turn, task, golds, agreed, options)
    for at, what in sorted(flaky.items()):
        drops.add(_drop("steady", agreed[at][0], Refused(reason="flaky", detail=what)))
    kept = [each for at, each in enumerate(agreed) if at not in flaky]
    if not kept:
        raise drops.trouble("steady", "no answer came again when a gold was run a second time")
    return kept


def _drop(step: Step, each: Input, refused: Refused, poll: Poll | None = None) -> Drop:
    failed = next(iter(sorted(poll.failed.items())), None) if poll and refused.reason == "golds fail" else None
    return Drop(
        step="outputs" if failed else step,
        reason=refused.reason,
        generator=each.generator,
        position=each.position,
        detail=refused.detail,
        input=each.value,
        gold=failed[0] if failed else None,
        printed=failed[1].printed if failed else "",
        traceback=failed[1].traceback if failed else "",
    )


# ── What is written ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_of(task: Task, each: Input, trusted: Trusted) -> dict[str, Any]:
    """A function's answer is a text where its arguments are one: as dataset/cases.py reads it back."""
    as_text = task.fn_name is not None and isinstance(each.value, str)
    return {"input": each.value, "output": json.dumps(trusted.answer) if as_text else trusted.answer}


def _provenance(each: Input, trusted: Trusted) -> dict[str, Any]:
    return {
        "generator": each.generator,
        "position": each.position,
        "golds": trusted.golds,
        "cpu_s": round(trusted.cpu_s, 4),
        "memory_mb": round(trusted.memory_mb, 2),
    }


def _account(told: list[dict[str, Any]], drops: Drops, aside: list[SetAside], options: Options) -> dict[str, Any]:
    """Of the row's tests, in their order; of what was dropped; of the golds that were not asked."""
    return {
        "style": options.style,
        "quorum": str(options.quorum),
        "tests": told,
        "dropped": drops.as_json(),
        "set_aside": [{"gold": each.gold, "why": each.why} for each in aside],
    }


def _with_those_set_aside(told: str, aside: list[SetAside]) -> str:
    if not aside:
        return told
    return told + "\nset aside: " + "; ".join(f"gold {each.gold} {cut(each.why)}" for each in aside)
