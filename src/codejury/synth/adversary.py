"""Generators against programs that are wrong and pass all tests, for what mutation of inputs does not reach.

Owns who is asked about. Survivors of `harden` come first as they stand there; each is shown to the model beside a gold,
and a generator counts when one of its tests rejects the program.
"""

from __future__ import annotations

from typing import Any

import msgspec

from codejury.model import Problem
from codejury.synth import generators
from codejury.synth.bench import Bench
from codejury.synth.dialogue import Dialogue
from codejury.synth.faults import Fault
from codejury.synth.generators import Written
from codejury.synth.trial import Trial
from codejury.testgen.kills import Program, first_kills

_WANTED = 10


class Attack(msgspec.Struct, frozen=True, kw_only=True):
    """On one survivor. `written` None: it still passes."""

    program: Program
    written: Written | None = None

    def account(self) -> dict[str, Any]:
        told: dict[str, Any] = {"program": self.program.submission.id, "killed": self.written is not None}
        return told | (self.written.origin if self.written is not None else {})


def survivors(bench: Bench, problem: Problem, programs: list[Program]) -> list[Program]:
    said = first_kills(bench.jury, problem, programs)
    return [program for program, tried in zip(programs, said, strict=True) if tried.survives]


def attack(dialogue: Dialogue, bench: Bench, program: Program, number: int) -> Attack:
    fields = generators.about(bench)
    question = dialogue.question(
        "adversarial_generator", wrong=program.submission.source, about=_about(program), count=str(_WANTED), **fields
    )

    def judge(trial: Trial) -> Fault | None:
        if bench.killed(trial.agreed, [program]):
            return None
        said = (
            f"The wrong program gives the right output for all {len(trial.agreed)} inputs of the script. "
            "Look again at where it differs from the correct solution, and make inputs that reach that place."
        )
        return Fault(kind="kills nobody", evidence=said)

    rounds = generators.write(
        dialogue, bench, question, stage=f"against survivor {number}", wanted=_WANTED, judge=judge
    )
    return Attack(program=program, written=rounds.best)


def _about(program: Program) -> str:
    if program.mutant is None:
        return ""
    mutant = program.mutant
    return f"line {mutant.line} differs from a correct solution: {mutant.before!r} became {mutant.after!r}"
