"""What can be wrong with a generator, and how the model is told.

Owns the classes and the words. Evidence holds nothing that differs between two runs (no times, no addresses), because
the next question is made of it, and a resumed run must ask the same.

    class             it                                                        goes to
    format            gave no code, or printed no list                          again; generator_repair_error
    crash             failed                                                    generator_repair_error
    time, memory, output   met a limit                                          generator_repair_error
    unsteady          prints other inputs when it is run again                  generator_repair_error
    invalid input     made inputs that the validator rejects                    generator_repair_outputs
    golds fail        made inputs on which golds fail                           generator_repair_outputs
    golds disagree    made inputs on which golds differ, or the checker rejects them   generator_repair_outputs
    too few, too many made another number of inputs than was asked for          generator_repair_error
    all alike         made the same again and again, or inputs with one answer  generator_repair_error
    kills nobody      was to show that a program is wrong, and does not         again
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from codejury.judging import verdict
from codejury.model import Limits, Outcome

Kind = Literal[
    "format",
    "crash",
    "time",
    "memory",
    "output",
    "unsteady",
    "invalid input",
    "golds fail",
    "golds disagree",
    "too few",
    "too many",
    "all alike",
    "kills nobody",
]

_PRINTED_CHARS = 500
_OF_VERDICT: dict[str, Kind] = {
    "time_limit_exceeded": "time",
    "memory_limit_exceeded": "memory",
    "output_limit_exceeded": "output",
}
_MEASURED = (
    (re.compile(r"used [0-9.]+ s of CPU time; the limit is"), "used more CPU time than the limit of"),
    (re.compile(r"still running after [0-9.]+ s on the clock, with [0-9.]+ s of CPU time"), "did not come to an end"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x…"),
)


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """
    evidence   for the model: what happened
    input      the input that shows it
    printed    the start of what the generator printed
    """

    kind: Kind
    evidence: str
    input: str | None = None
    printed: str = ""

    def told(self) -> str:
        """All of it, for the record."""
        parts = [self.evidence]
        if self.input is not None:
            parts.append(f"input:\n{self.input}")
        if self.printed:
            parts.append(f"printed:\n{self.printed}")
        return "\n".join(parts)


def of_run(outcome: Outcome, limits: Limits) -> Fault | None:
    """Of a generator's run; None: it ended well."""
    name = verdict.failure(outcome, limits)
    if name is None:
        return None
    kind = _OF_VERDICT.get(name, "crash")
    said = {
        "time": f"The script took more than {limits.cpu_s:g} seconds and was stopped.",
        "memory": f"The script used more than {limits.memory_mb:g} MB of memory and was stopped.",
        "output": f"The script printed more than {limits.output_mb:g} MB and was stopped.",
    }.get(kind) or _crash(outcome, limits)
    return Fault(kind=kind, evidence=said, printed=start_of(outcome.stdout))


def _crash(outcome: Outcome, limits: Limits) -> str:
    """Where many processes end at once, what they say comes in any order, and the reason is enough."""
    said = steadied(verdict.words(outcome, limits))
    if outcome.status == "process_limit_exceeded":
        return f"The script {said.splitlines()[0]}. It must not start processes or threads."
    return said


def start_of(raw: bytes) -> str:
    text = raw[: 4 * _PRINTED_CHARS].decode(errors="replace")
    return text if len(text) <= _PRINTED_CHARS else f"{text[:_PRINTED_CHARS]}…"


def steadied(text: str) -> str:
    """Without what was measured."""
    for pattern, words in _MEASURED:
        text = pattern.sub(words, text)
    return text
