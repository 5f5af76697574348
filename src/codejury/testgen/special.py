"""Golds before a checker: where several answers are right, a program says which.

Owns who is held against whom. A gold's answer counts as right when the checker accepts it beside another gold's
answer; a gold is never checked against itself. One answer is the reference: all others are checked against it, and it
against one of those. Where most golds do not stand the test beside the first reference, the next gold's answer is the
reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from codejury.checkers import program
from codejury.errors import CheckerError, UsageError
from codejury.languages.detect import detect
from codejury.model import Checker
from codejury.testgen.agreement import Camp, Poll
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.rows import Task
from codejury.testgen.trouble import Trouble


def checker_of(crew: Crew, task: Task) -> Checker:
    """The row's last one, as Klear has it. One in Python has Klear's contract, others testlib's."""
    source = task.checkers[-1]
    if "def is_valid_output" in source:
        return Checker(kind="klear", source=source, language="python")
    try:
        language = detect(source, None, crew.sandbox.catalog).name
    except UsageError as error:
        raise Trouble("agree", f"the checker cannot be run: {error}") from None
    return Checker(kind="klear" if language == "python" else "testlib", source=source, language=language)


def put_before(
    crew: Crew, turn: int, checker: Checker, task: Task, found: list[Input], polls: Iterator[Poll]
) -> Iterator[Poll]:
    """Polls by the same answer -> polls by what the checker accepts."""

    def one(pair: tuple[Input, Poll]) -> Poll:
        try:
            return _Case(crew, checker, task, pair[0], pair[1]).poll()
        except CheckerError as error:
            return msgspec.structs.replace(pair[1], reason="checker failed", detail=str(error))
        except UsageError as error:
            raise Trouble("agree", f"the checker cannot be run: {error}") from None

    yield from crew.each(turn, one, zip(found, polls, strict=False), ahead=2)


class _Case:
    """One input before the checker. Golds with the same answer are one party: what holds for one holds for all."""

    def __init__(self, crew: Crew, checker: Checker, task: Task, each: Input, poll: Poll) -> None:
        self._crew = crew
        self._checker = checker
        self._task = task
        self._input = _as_text(task, each.value)
        self._poll = poll
        self._texts = [_as_text(task, camp.answer) for camp in poll.camps]

    def poll(self) -> Poll:
        camps = self._poll.camps
        answered = sum(len(camp.golds) for camp in camps)
        if answered < 2:  # nobody to be held against
            return self._poll
        for reference in range(len(camps)):
            accepted = self._accepted_beside(reference)
            if 2 * sum(len(camps[each].golds) for each in accepted) > answered:
                return msgspec.structs.replace(self._poll, camps=self._united(accepted))
        detail = "it rejects the answer on which all golds agree" if len(camps) == 1 else "it rejects most golds"
        return msgspec.structs.replace(self._poll, reason="checker rejects", detail=detail)

    def _accepted_beside(self, reference: int) -> list[int]:
        """The camps that stand the test beside this one, itself among them; none where it does not."""
        camps = self._poll.camps
        several = len(camps[reference].golds) > 1
        others = [
            each for each in range(len(camps)) if each != reference and self._accepts(output=each, expected=reference)
        ]
        witness = reference if several else next(iter(others), None)
        if witness is None or not self._accepts(output=reference, expected=witness):
            return []
        return sorted([reference, *others])

    def _accepts(self, *, output: int, expected: int) -> bool:
        result = self._crew.patiently(
            "agree",
            lambda: program.check(
                self._crew.sandbox,
                self._checker,
                input=self._input,
                output=self._texts[output],
                expected=self._texts[expected],
            ),
        )
        return result.accepted

    def _united(self, accepted: list[int]) -> list[Camp]:
        camps = self._poll.camps
        united = Camp(answer=camps[accepted[0]].answer)
        for gold, camp in sorted((gold, camps[each]) for each in accepted for gold in camps[each].golds):
            united.join(gold, *camp.cost[gold])
            united.answers[gold] = camp.answer
        return [united, *(camp for at, camp in enumerate(camps) if at not in accepted)]


def _as_text(task: Task, value: Any) -> str:
    """What a checker is given: texts as they are; a function's values as JSON, its arguments one a line."""
    if task.fn_name is None or isinstance(value, str):
        return str(value)
    return json.dumps(value)
