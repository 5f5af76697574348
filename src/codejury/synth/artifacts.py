"""Validators and checkers: written, tried on what they must accept and reject, repaired, and used only when trusted.

Owns the rounds. What earns trust is testgen/trust's; its evidence goes into the repair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from codejury.model import Checker, TestCase
from codejury.synth.bench import Bench
from codejury.synth.dialogue import Dialogue, Question, note, origin
from codejury.synth.generators import about, statement_of
from codejury.synth.trial import Trial
from codejury.testgen import trust
from codejury.testgen.rows import Validator
from codejury.testgen.trust import Trust

_MAIN = """

def main():
    import sys

    print(is_valid_output(*sys.argv[1:4]))


if __name__ == "__main__":
    main()
"""
_EVIDENCE = 2400


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """What came of all rounds. `code` None: none was trusted, and `why` says why the last one was not."""

    code: str | None = None
    origin: dict[str, Any] = {}
    why: str = ""
    rounds: int = 0

    def account(self) -> dict[str, Any]:
        told: dict[str, Any] = {"trusted": self.code is not None, "rounds": self.rounds}
        return told | (self.origin if self.code is not None else {"why": self.why})


def write_validator(dialogue: Dialogue, bench: Bench) -> Artifact:
    samples = [case.input for case in bench.public if isinstance(case.input, str) and case.input.strip()]
    if not samples:  # nothing could be said for one, so that none is asked for
        return Artifact(why="the row has no sample that a validator could be tried on")

    def judged(code: str) -> Trust:
        validators = [Validator(source=code, kind="klear")]
        return trust.validator_trust(bench.crew.sandbox, validators, samples, statement=statement_of(bench))

    def repair(code: str, evidence: str) -> Question:
        return dialogue.question("input_validator_repair", validator=code, evidence=evidence, **about(bench))

    first = dialogue.question("input_validator", **about(bench))
    return _rounds(dialogue, bench, first, stage="validator", judged=judged, repair=repair)


def needs_checker(dialogue: Dialogue, bench: Bench, *, evidence: str = "") -> bool:
    """The model's word, where it has one; without, outputs are compared."""
    stage = "decision after the golds disagreed" if evidence else "decision"
    question = dialogue.question("checker_decision", statement=statement_of(bench), evidence=evidence)
    return bool(dialogue.decide(question, stage=stage))


def write_checker(dialogue: Dialogue, bench: Bench, trials: list[Trial]) -> Artifact:
    """`trials`: generators with what the golds answer to their inputs."""
    cases, outputs = _tests_of(bench, trials)
    if not cases:
        return Artifact(why="there is no test to try a checker on")
    fields = about(bench)
    shown = next((str(case.output) for case in bench.public if case.output), "")
    if shown:
        fields["output"] = shown

    def judged(code: str) -> Trust:
        checker = Checker(kind="klear", source=with_main(code), language="python")
        return trust.checker_trust(bench.crew.sandbox, checker, cases, outputs, statement=statement_of(bench))

    def repair(code: str, evidence: str) -> Question:
        return dialogue.question("checker_repair", checker=code, evidence=evidence, **fields)

    def review(code: str) -> Question:
        return dialogue.question("checker_review", checker=code, **fields)

    first = dialogue.question("checker", **fields)
    made = _rounds(dialogue, bench, first, stage="checker", judged=judged, repair=repair, review=review)
    return msgspec.structs.replace(made, code=with_main(made.code)) if made.code is not None else made


def _rounds(
    dialogue: Dialogue,
    bench: Bench,
    first: Question,
    *,
    stage: str,
    judged: Callable[[str], Trust],
    repair: Callable[[str, str], Question],
    review: Callable[[str], Question] | None = None,
) -> Artifact:
    """The first that is trusted. One that is refused is repaired with the evidence. With `review` the first is looked
    through by the model before; where that made it worse, the one before it counts."""
    question = first
    why = ""
    refused: set[str] = set()
    for round in range(1, bench.options.rounds + 1):
        said = dialogue.ask(question, stage=stage, round=round)
        if said.code is None:
            why = said.detail
            question = dialogue.again(said, said.detail)
            continue
        drafts = [said]
        if review is not None and round == 1:
            looked = dialogue.ask(review(said.code), stage=f"{stage} review", round=round)
            if looked.code is not None and looked.code != said.code:
                note(said.step, told="changed by the review")
                drafts.insert(0, looked)
        for draft in drafts:
            assert draft.code is not None
            found = judged(draft.code)
            told = f"accepts {found.accepts}, rejects {found.rejects}, asked {found.runs} times"
            if found.trusted:
                note(draft.step, told=f"trusted: {told}")
                return Artifact(code=draft.code, origin=origin(draft.step), rounds=round)
            evidence = found.evidence(_EVIDENCE)
            note(draft.step, fault="not trusted", evidence=evidence, told=told)
            if draft is drafts[0]:
                why = "; ".join(found.reasons)
                is_as_before = draft.code in refused
                question = dialogue.afresh(first, evidence) if is_as_before else repair(draft.code, evidence)
            refused.add(draft.code)
    return Artifact(why=why, rounds=bench.options.rounds)


def _tests_of(bench: Bench, trials: list[Trial]) -> tuple[list[TestCase], list[list[str | None]]]:
    """Tests to try a checker on, and what each gold answers to them: the samples first, then generated inputs."""
    answers: dict[str, dict[int, str]] = {}
    cases: list[TestCase] = []
    for trial in trials:
        for each, poll in zip(trial.inputs, trial.polls, strict=True):
            if not poll.camps or each.value in answers:
                continue
            camp = max(poll.camps, key=lambda camp: len(camp.golds))
            answers[each.value] = {gold: str(other.answer) for other in poll.camps for gold in other.golds}
            cases.append(TestCase(input=each.value, output=str(camp.answer)))
    picked = trust.chosen(cases)
    golds = range(len(bench.task.golds))
    outputs = [[answers[case.input].get(gold) for case in picked] for gold in golds]
    return picked, [each for each in outputs if any(text is not None for text in each)]


def with_main(code: str) -> str:
    """By Klear's contract a checker is a script as well."""
    return code if "__main__" in code else code.rstrip("\n") + "\n" + _MAIN
