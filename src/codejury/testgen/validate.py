"""Input validators: does an input keep to what the statement promises?

Owns the three contracts. Agreement of golds says nothing about it: they may agree on what no submission has to handle.

    kind      is given                                      accepts        anything else drops the input
    klear     is_valid_input(input_str), a Python function  True           False, or it failed
    testlib   the input on stdin                            exit code 0    another code, or it failed
    kattis    the input on stdin                            exit code 42   another code, or it failed

Where a validator's row does not say its kind: a Python source that defines is_valid_input is klear's; one that
includes testlib.h is testlib's; one that says 42 is Kattis'; others are testlib's. Several validators must all accept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codejury.checkers import program
from codejury.checkers.program import CHECKER_LIMITS
from codejury.errors import CheckerError, UsageError
from codejury.judging import verdict
from codejury.languages.execute import Job
from codejury.model import Checker
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.rows import Task, Validator, ValidatorKind
from codejury.testgen.trouble import Drop, Drops, Reason, Trouble, ending

_FUNCTION = re.compile(r"^def\s+is_valid_input\s*\(", re.MULTILINE)
# The function alone, in the terms of a checker: that way it runs as one, and what it prints is no verdict.
_AS_CHECKER = (
    "\n\ndef is_valid_output(input_str, output_str, reference_output_str):\n    return is_valid_input(input_str)\n"
)


def kind_of(validator: Validator) -> ValidatorKind:
    if validator.kind is not None:
        return validator.kind
    if _FUNCTION.search(validator.source):
        return "klear"
    if "testlib.h" not in validator.source and re.search(r"\b42\b", validator.source):
        return "kattis"
    return "testlib"


def keep_valid(crew: Crew, turn: int, task: Task, found: Sequence[Input], drops: Drops) -> list[Input]:
    """The inputs that all validators of the row accept. Trouble where they accept none."""
    if not task.validators:
        return list(found)
    kept: list[Input] = []
    told = crew.each(turn, lambda each: _verdict(crew, task, each), found, weigh=lambda drop: 0)
    for each, drop in zip(found, told, strict=True):
        if drop is None:
            kept.append(each)
        else:
            drops.add(drop)
    if not kept:
        raise drops.trouble("validate", "the input validators accept no input")
    return kept


def accepts(crew: Crew, validators: Sequence[Validator], text: str) -> bool:
    """Whether all of them do. One that fails has not accepted."""
    return all(refusal(crew, validator, text) is None for validator in validators)


def _verdict(crew: Crew, task: Task, each: Input) -> Drop | None:
    text = each.value if isinstance(each.value, str) else str(each.value)
    for number, validator in enumerate(task.validators):
        said = refusal(crew, validator, text)
        if said is not None:
            reason, detail = said
            return Drop(
                step="validate",
                reason=reason,
                generator=each.generator,
                position=each.position,
                detail=f"validator {number}: {detail}",
                input=each.value,
            )
    return None


def refusal(crew: Crew, validator: Validator, text: str) -> tuple[Reason, str] | None:
    """Why this validator does not accept the text; None where it does."""
    kind = kind_of(validator)
    files = {name: content.encode() for name, content in validator.files.items()}
    try:
        if kind == "klear":
            checker = Checker(kind="klear", source=validator.source + _AS_CHECKER, language="python", files=files)
            try:
                result = crew.patiently(
                    "validate", lambda: program.check(crew.sandbox, checker, input=text, output="", expected="")
                )
            except CheckerError as error:
                return "validator failed", str(error).replace("checker", "validator")
            return None if result.accepted else ("invalid", result.message or "is_valid_input returned False")
        job = Job(
            source=validator.source,
            language=validator.language,
            stdin=text,
            args=validator.args,
            files=files,
            limits=CHECKER_LIMITS,
        )
        outcome = crew.patiently("validate", lambda: crew.sandbox.run_job(job))
    except UsageError as error:
        raise Trouble("validate", f"an input validator cannot be run: {error}") from None
    if outcome.exit_code == (42 if kind == "kattis" else 0) and outcome.status in ("ok", "runtime_error"):
        return None
    what, _, words = ending(outcome, CHECKER_LIMITS)
    said = words or verdict.ending(outcome.stdout)
    spoke = outcome.status == "runtime_error" and outcome.signal is None
    return ("invalid" if spoke else "validator failed"), f"{what}: {said}" if said else what
