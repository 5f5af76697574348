"""What a caller may choose about making tests.

Owns the words and their checks; what they do is the steps'.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from codejury import settings
from codejury.errors import UsageError
from codejury.model import Comparison, Limits

Style = Literal["list", "seeded"]
UseOfChecker = Literal[
    "where_given",  # a row that has one is validated with it
    "demanded",  # a row without one fails
    "ignored",
]

GENERATOR_OUTPUT_MB = 128  # inputs of a row, all of them
GOLD_OUTPUT_MB = 16
ROW_BYTES = 256 << 20  # inputs and outputs of a row that are kept; what comes after is dropped


class Quorum(msgspec.Struct, frozen=True):
    """How many golds must agree before an output is trusted.

    all          every gold that runs, more than half of those in force, and two where there are two
    N            at least N golds, and more than give any other answer
    first-last   the first and the last gold, as Klear has it; nobody else is asked
    """

    rule: Literal["all", "count", "first-last"] = "all"
    count: int = 0

    @classmethod
    def of(cls, text: str) -> Quorum:
        if text in ("all", "first-last"):
            return cls(text)  # type: ignore[arg-type]
        if re.fullmatch(r"[1-9][0-9]{0,3}", text):
            return cls("count", int(text))
        raise UsageError(f"quorum: expected all, first-last or a number from 1, got {text!r}")

    def __str__(self) -> str:
        return str(self.count) if self.rule == "count" else self.rule


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what a row's tests are.

    gen_index        which generator of a row; None: all of them, one after another
    style            list: a generator prints a list of texts, as Python or as JSON; seeded: it is called with a seed as
                     its argument, and what it prints is one input
    seeds            how many seeds, from 1
    generator        limits of a generator
    run              limits of a gold where its row says none
    set_aside        share of the inputs on which a gold may fail, or stand against most others, and still be asked
    calibrate        the row's time limit becomes twice the time of the slowest gold
    plain            no field about where tests come from
    """

    gen_index: int | None = 0
    style: Style = "list"
    seeds: int = 100
    quorum: Quorum = Quorum()
    checker: UseOfChecker = "where_given"
    compare: Comparison = Comparison()
    generator: Limits = Limits(cpu_s=30, memory_mb=10240, output_mb=GENERATOR_OUTPUT_MB)
    run: Limits = Limits(cpu_s=5, memory_mb=1024, output_mb=GOLD_OUTPUT_MB)
    set_aside: float = 0.2
    calibrate: bool = False
    plain: bool = False

    def __post_init__(self) -> None:
        if self.gen_index is not None and self.gen_index < 0:
            raise ValueError(f"gen_index: expected a number from 0, or all, got {self.gen_index}")
        if not 1 <= self.seeds <= 1_000_000:
            raise ValueError(f"seeds: expected a number from 1 to 1000000, got {self.seeds}")
        if not 0 <= self.set_aside < 1:
            raise ValueError(f"set_aside: expected a share from 0 to less than 1, got {self.set_aside}")


def limits(
    *, tl_gen: float | None, tl_run: float | None, ml_gen: float | None, ml_run: float | None
) -> tuple[Limits, Limits]:
    """Of generators and of golds; None: as the settings have it."""
    known = settings.load()
    try:
        return (
            Limits(cpu_s=tl_gen or known.tl_gen, memory_mb=ml_gen or known.ml_gen, output_mb=GENERATOR_OUTPUT_MB),
            Limits(cpu_s=tl_run or known.tl_run, memory_mb=ml_run or known.ml_run, output_mb=GOLD_OUTPUT_MB),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
