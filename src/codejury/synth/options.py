"""What a caller may choose about synthesis. What decides a row's tests is here; how many at a time, and what may be
spent, is not: it changes nothing of what comes out."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.model import Limits
from codejury.testgen.options import GENERATOR_OUTPUT_MB, GOLD_OUTPUT_MB, Quorum

Only = Literal["generators", "checkers", "validators"]
WhenChecker = Literal[
    "auto",  # where the model says that several outputs are right, or the golds show it
    "always",
    "never",
]
Untrusted = Literal[
    "exact",  # outputs are compared, and the row says that its checker was refused
    "drop",  # the row gets no tests
]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """
    rounds       questions for one generator, checker or validator: the first, and repairs
    regular      inputs that a regular generator is asked for; 0: none is wanted
    corner       the same of a corner generator
    samples      generators of each kind that are begun independently
    checkers     when a problem gets a checker
    untrusted    what becomes of a problem that needs a checker and gets none that is trusted
    only         only these are written
    budget       inputs that mutation tries against programs that pass; 0: no hardening
    survivors    programs that still pass afterwards for which the model is asked
    mutants      wrong programs that generators are measured by
    generator    limits of a generator
    run          limits of a gold where its row says none
    """

    rounds: int = 3
    regular: int = 80
    corner: int = 20
    samples: int = 1
    checkers: WhenChecker = "auto"
    untrusted: Untrusted = "exact"
    only: Only | None = None
    budget: int = 128
    survivors: int = 2
    mutants: int = 20
    quorum: Quorum = Quorum()
    generator: Limits = Limits(cpu_s=20, memory_mb=2048, output_mb=GENERATOR_OUTPUT_MB)
    run: Limits = Limits(cpu_s=5, memory_mb=1024, output_mb=GOLD_OUTPUT_MB)

    def __post_init__(self) -> None:
        least = {"rounds": 1, "samples": 1, "regular": 0, "corner": 0, "budget": 0, "survivors": 0, "mutants": 0}
        for name, lowest in least.items():
            if getattr(self, name) < lowest:
                raise ValueError(f"{name}: expected a number from {lowest}, got {getattr(self, name)}")
        if not self.regular and not self.corner:
            raise ValueError("regular, corner: expected at least one of them to be more than 0")

    def wants(self, what: Only) -> bool:
        return self.only is None or self.only == what
