"""What went wrong with a row, in words that a person or a model can mend it by.

Owns the form of `error_info`, and how the dropped inputs of a row are told.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from codejury.judging import verdict
from codejury.model import Limits, Outcome

SHOWN = 600  # characters of an input, or of what a program printed
_LINE = 300  # of what a compiler says
_COMPLAINT = re.compile(r"\berror\b|Error:", re.IGNORECASE)

Step = Literal["inputs", "validate", "outputs", "agree", "steady"]

Reason = Literal[
    "generator failed",  # of a seeded generator, on one seed
    "no text",  # what the generator gave for an input is none
    "no arguments",  # of a function's row: what the generator gave is no list of arguments
    "duplicate",
    "invalid",  # an input validator rejects it
    "validator failed",
    "golds fail",  # too few golds answer it
    "golds disagree",
    "too few golds agree",
    "checker rejects",
    "checker failed",
    "flaky",  # two runs of one gold differ
    "too large",  # the row's tests would be larger than a row may be
]


class Trouble(Exception):
    """The row ends here, without tests."""

    def __init__(
        self,
        step: Step,
        what: str,
        *,
        generator: int | None = None,
        gold: int | None = None,
        input: Any = None,
        printed: str = "",
        traceback: str = "",
    ) -> None:
        super().__init__(what)
        self.step = step
        self.what = what
        self.generator = generator
        self.gold = gold
        self.input = input
        self.printed = printed
        self.traceback = traceback

    def told(self) -> str:
        """For `error_info`: a label a line; what a program printed comes last, as it may have many lines."""
        lines = [f"step: {self.step}", f"what: {self.what}"]
        if self.generator is not None:
            lines.append(f"generator: {self.generator}")
        if self.gold is not None:
            lines.append(f"gold: {self.gold}")
        if self.input is not None:
            lines.append(f"first failing input: {cut(self.input)}")
        if self.printed:
            lines.append(f"printed: {self.printed}")
        if self.traceback:
            lines.append(f"traceback:\n{self.traceback}")
        return "\n".join(lines)


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """One input that is not used. `position` in what its generator printed; `detail` for a person."""

    step: Step
    reason: Reason
    generator: int
    position: int
    detail: str = ""
    input: Any = None
    gold: int | None = None
    printed: str = ""
    traceback: str = ""


class Drops:
    """The dropped inputs of a row: all places, and the first of each reason in full."""

    def __init__(self) -> None:
        self._first: dict[str, Drop] = {}
        self._places: dict[str, list[tuple[int, int]]] = {}

    def add(self, drop: Drop) -> None:
        self._first.setdefault(drop.reason, drop)
        self._places.setdefault(drop.reason, []).append((drop.generator, drop.position))

    def first(self, reason: str) -> Drop | None:
        return self._first.get(reason)

    def counts(self) -> dict[str, int]:
        return {reason: len(places) for reason, places in self._places.items()}

    def as_json(self) -> list[dict[str, Any]]:
        return [
            {
                "step": first.step,
                "reason": reason,
                "count": len(self._places[reason]),
                "first": first.detail,
                "positions": [list(place) for place in self._places[reason]],
            }
            for reason, first in self._first.items()
        ]

    def trouble(self, step: Step, what: str) -> Trouble:
        """For a row that nothing is left of: the most frequent reason beside duplicates, and its first case."""
        told = {reason: len(places) for reason, places in self._places.items() if reason != "duplicate"}
        if not told:
            return Trouble(step, what)
        first = self._first[max(told, key=lambda reason: told[reason])]
        counted = ", ".join(f"{len(places)} {reason}" for reason, places in self._places.items())
        return Trouble(
            first.step,
            f"{what} ({counted}): {first.reason}: {first.detail}" if first.detail else f"{what} ({counted})",
            generator=first.generator,
            gold=first.gold,
            input=first.input,
            printed=first.printed,
            traceback=first.traceback,
        )


def cut(value: Any, size: int = SHOWN) -> str:
    """An input for a message: quoted, and of bounded size."""
    text = value if isinstance(value, str) else str(value)
    shown = ascii(text[:size])
    return shown if len(text) <= size else f"{shown}… ({len(text)} characters)"


def ending(outcome: Outcome, limits: Limits) -> tuple[str, str, str]:
    """Of a program that failed: what happened, what it printed, its traceback or last words."""
    said = verdict.words(outcome, limits)
    name = verdict.failure(outcome, limits) or outcome.status
    printed = outcome.stdout[: 4 * SHOWN].decode(errors="replace")
    words = verdict.ending(outcome.stderr)
    lines = said.splitlines()
    if (
        outcome.status == "compile_error"
    ):  # the first complaint: what comes before is where it stands, after it what follows
        text = outcome.stderr[: 64 << 10].decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if _COMPLAINT.search(line)][:1]
    what = f"{name}: {lines[0][:_LINE]}" if lines else name
    return what, cut(printed) if printed else "", words
