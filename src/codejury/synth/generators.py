"""Rounds of writing and repairing a generator; the best of all rounds survives.

Owns which prompt answers which fault, and when it is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from codejury.synth.bench import Bench
from codejury.synth.dialogue import Dialogue, Question, Said, note, origin
from codejury.synth.faults import Fault
from codejury.synth.trial import Trial, steady, try_generator

_OUTPUTS = ("invalid input", "golds fail", "golds disagree")


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A generator that gives tests, and where it comes from."""

    trial: Trial
    origin: dict[str, Any]


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """What came of all rounds: the best generator, if any gives tests; the faults, one a round ("" for none)."""

    best: Written | None = None
    faults: list[str] = []
    last: Fault | None = None
    codes: list[tuple[str, dict[str, Any]]] = []  # of all rounds, each with where it comes from


def write(
    dialogue: Dialogue,
    bench: Bench,
    first: Question,
    *,
    stage: str,
    wanted: int,
    sample: int = 0,
    judge: Callable[[Trial], Fault | None] | None = None,
    settles: Callable[[Fault], bool] | None = None,
) -> Rounds:
    """
    judge     what is demanded of tests, in the place of what is demanded otherwise; without it they do not count
    settles   called with the first disagreement of golds; True: it is no fault of the generator, no further round
    """
    question = first
    best: Written | None = None
    found: list[str] = []
    codes: list[tuple[str, dict[str, Any]]] = []
    fault: Fault | None = None
    for round in range(1, bench.options.rounds + 1):
        said = dialogue.ask(question, stage=stage, round=round, sample=sample)
        if said.code is None:
            fault = Fault(kind="format", evidence=said.detail)
            found.append(fault.kind)
            question = dialogue.again(said, said.detail)
            continue
        trial = try_generator(bench, steady(said.code), wanted=wanted)
        fault = judge(trial) if judge is not None and trial.agreed else trial.fault
        note(
            said.step,
            fault=fault.kind if fault else "",
            evidence=fault.told() if fault else "",
            told=trial.told(),
        )
        found.append(fault.kind if fault else "")
        is_as_before = any(code == trial.code for code, _ in codes)
        codes.append((trial.code, origin(said.step, stage=stage)))
        counts = trial.kept if judge is None else fault is None
        if counts and (best is None or trial.worth > best.trial.worth):
            best = _written(trial, codes[-1][1])
        if fault is None or (settles is not None and fault.kind == "golds disagree" and settles(fault)):
            break
        question = dialogue.afresh(first, fault.told()) if is_as_before else repair(dialogue, bench, said, fault)
    return Rounds(best=best, faults=found, last=fault, codes=codes)


def tried_again(bench: Bench, rounds: Rounds, *, wanted: int) -> Rounds:
    """The same generators on another bench; the best of them."""
    tried = [(try_generator(bench, code, wanted=wanted), where) for code, where in rounds.codes]
    useful = [_written(trial, where) for trial, where in tried if trial.kept]
    best = max(useful, key=lambda written: written.trial.worth, default=None)
    last = tried[-1][0].fault if tried else rounds.last
    return msgspec.structs.replace(rounds, best=best, last=last)


def _written(trial: Trial, where: dict[str, Any]) -> Written:
    return Written(trial=trial, origin={**where, "tests": trial.kept, "killed": trial.killed})


def repair(dialogue: Dialogue, bench: Bench, said: Said, fault: Fault) -> Question:
    """The next question, with the evidence."""
    assert said.code is not None
    if bench.task.fn_name is not None or fault.kind == "kills nobody":
        return dialogue.again(said, fault.told())
    fields = about(bench)
    if fault.kind in _OUTPUTS and fault.input is not None:
        return dialogue.question(
            "generator_repair_outputs",
            generator=said.code,
            input=fault.input.strip("\n") or "(an empty input)",
            reason=fault.evidence,
            **fields,
        )
    return dialogue.question(
        "generator_repair_error", generator=said.code, error=fault.evidence, printed=fault.printed, **fields
    )


def about(bench: Bench) -> dict[str, str]:
    """What every prompt about a program is told of the problem."""
    task = bench.task
    limits = []
    if task.cpu_s is not None:
        limits.append(f"{task.cpu_s:g} seconds")
    if task.memory_mb is not None:
        limits.append(f"{task.memory_mb:g} MB")
    sample = next((str(case.input) for case in bench.public if str(case.input).strip()), "")
    return {
        "statement": statement_of(bench),
        "limits": ", ".join(limits),
        "sample": sample,
        "gold": bench.shown_gold,
    }


def statement_of(bench: Bench) -> str:
    text = bench.task.row.get("question")
    return (
        text
        if isinstance(text, str) and text.strip()
        else "(The statement is missing. The solution shows what is read.)"
    )


def first_question(dialogue: Dialogue, bench: Bench, *, kind: str, wanted: int) -> Question:
    """kind: regular or corner."""
    if bench.task.fn_name is None:
        return dialogue.question(f"{kind}_generator", count=str(wanted), **about(bench))
    examples = "\n".join(f"{case.input!r}" for case in bench.public[:5])
    count = f"{wanted} ordinary" if kind == "regular" else f"{wanted} extreme"
    return dialogue.question(
        "function_seeds",
        statement=statement_of(bench),
        function=bench.task.fn_name,
        gold=bench.shown_gold,
        examples=examples,
        count=count,
    )
