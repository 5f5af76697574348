"""A problem's questions to the model, and what was in the replies.

Owns the turns about form: an answer that was cut off is asked to go on, one without usable code is told why and asked
again. What the code is worth is others' to say; they write it into the step.

    prompt ─► reply ─► code
                ├─ cut off ─► go_on ─► joined, at most twice
                └─ no code, or the same in circles ─► Said(code=None), and `again` makes the next question of it
                   the same code as before ─► `afresh`, without that code

Invariant: `steps` are the questions in the order in which a run without interruption asks them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from codejury.llm.prompts import Prompts, Rendered, shortened
from codejury.llm.replies import code_of, decision_of, joined, without_circle
from codejury.llm.store import Source
from codejury.synth.asking import Asker

_GO_ONS = 2
_AGAIN = 1000  # more samples than anybody begins with
_SAID_CHARS = 6000  # of an answer that is repeated to the model
_EVIDENCE_CHARS = 4000  # that a step keeps


class Step(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One question.

    stage      for what: validator, decision, generator regular, checker, against NAME, …
    round      which try, from 1
    prompt, version   which prompt, of which version
    request    the digest of the exchange
    source     live, recorded, scripted
    fault      what was wrong with the answer, in a word or two; "": nothing
    evidence   the same in full, as the model was told
    told       what came of it, for a person
    """

    stage: str
    round: int
    prompt: str
    version: str
    request: str
    source: Source
    sample: int = 0
    fault: str = ""
    evidence: str = ""
    told: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be asked. `prompt` is read for what the answer must be; `name`, `version` are the record's."""

    messages: tuple[dict[str, str], ...]
    answers: str  # the prompt that says what the answer must be
    name: str
    version: str
    first: tuple[dict[str, str], ...] = ()  # of a turn that follows others: the question that they began with
    bold: bool = False  # the model said the same twice, and is to say something else


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said. `code` None: `trouble` says why."""

    question: Question
    text: str
    step: Step
    code: str | None = None
    trouble: str = ""
    detail: str = ""


class Dialogue:
    """Of one problem."""

    def __init__(self, asker: Asker, prompts: Prompts, problem: str) -> None:
        self._asker = asker
        self._prompts = prompts
        self._problem = problem
        self._asked: list[tuple[int, tuple[dict[str, str], ...]]] = []
        self.steps: list[Step] = []

    def question(self, name: str, **fields: str) -> Question:
        return _question(self._prompts.render(name, **fields), answers=name)

    def again(self, said: Said, what: str) -> Question:
        """The same question once more, after an answer that cannot be used. Earlier ones are left out: a conversation
        must not outgrow what the model takes in."""
        more = self._prompts.render("again", problem_found=what)
        before = {
            "role": "assistant",
            "content": shortened(without_circle(said.text), _SAID_CHARS).strip() or "(nothing)",
        }
        first = said.question.first or said.question.messages
        return Question(
            messages=(*first, before, *more.messages),
            answers=said.question.answers,
            name=more.prompt,
            version=more.version,
            first=first,
        )

    def afresh(self, question: Question, what: str) -> Question:
        """A question as at first, after an answer that was given twice. That answer is left out: who sees it gives it
        a third time. Its fault is told in the same turn, as servers want turns to alternate."""
        more = self._prompts.render("afresh", problem_found=what)
        *before, last = question.messages
        added = "\n\n".join(message["content"] for message in (last, *more.messages))
        return Question(
            messages=(*before, {**last, "content": added}),
            answers=question.answers,
            name=more.prompt,
            version=more.version,
            bold=True,
        )

    def ask(self, question: Question, *, stage: str, round: int, sample: int = 0) -> Said:
        """For code."""
        wanted = self._prompts.get(question.answers)
        step, text, finish = self._turn(question, stage=stage, round=round, sample=sample)
        for turn in range(_GO_ONS + 1):
            found = code_of(text, language="python", wants=wanted.wants, prints=wanted.prints, finish_reason=finish)
            if not found.is_cut or turn == _GO_ONS:
                break
            step.fault = "cut off"
            asked = self._prompts.render("go_on")
            before = {"role": "assistant", "content": text.strip() or "(nothing)"}
            more = Question(
                messages=(*question.messages, before, *asked.messages),
                answers=question.answers,
                name=asked.prompt,
                version=asked.version,
            )
            step, rest, finish = self._turn(more, stage=stage, round=round, sample=sample)
            text = joined(text, rest)
        said = Said(
            question=question, text=text, step=step, code=found.code, trouble=found.why_none, detail=found.detail
        )
        if found.code is None:
            note(step, fault=f"format: {found.why_none}", evidence=found.detail)
        return said

    def decide(self, question: Question, *, stage: str, round: int = 1) -> bool | None:
        """For yes or no. None where neither was said."""
        step, text, _ = self._turn(question, stage=stage, round=round, sample=0)
        decision = decision_of(text)
        note(step, told="neither yes nor no" if decision is None else ("no", "yes")[decision])
        return decision

    def _turn(self, question: Question, *, stage: str, round: int, sample: int) -> tuple[Step, str, str]:
        # The same words again, after the same mistake: another answer is wanted, not the one that the store has.
        asked = (sample, question.messages)
        before = self._asked.count(asked)
        self._asked.append(asked)
        digest, exchange = self._asker.ask(
            self._problem, question.messages, sample=sample + _AGAIN * before, bold=question.bold
        )
        step = Step(
            stage=stage,
            round=round,
            prompt=question.name,
            version=question.version,
            request=digest,
            source=exchange.source,
            sample=sample,
        )
        self.steps.append(step)
        return step, exchange.text, exchange.finish_reason


def note(step: Step, *, fault: str = "", evidence: str = "", told: str = "") -> None:
    step.fault = fault
    step.evidence = shortened(evidence, _EVIDENCE_CHARS)
    step.told = told


def origin(step: Step, **more: Any) -> dict[str, Any]:
    """Where something that the model wrote comes from, for the record."""
    return {
        "prompt": step.prompt,
        "version": step.version,
        "request": step.request,
        "round": step.round,
        "sample": step.sample,
        "source": step.source,
        **more,
    }


def _question(rendered: Rendered, *, answers: str) -> Question:
    return Question(messages=rendered.messages, answers=answers, name=rendered.prompt, version=rendered.version)
