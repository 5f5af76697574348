"""When a program was too slow: the judge's reading of the time limit.

Owns the margin. A program may use a tenth more than its limit before it is stopped, so that the judge sees how near it
came; who ends within a tenth of the limit, on either side, is run again with nobody beside it, and that run counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from codejury.judging.gate import Gate
from codejury.model import Limits, Outcome

_MARGIN = 0.1


class _Timed(Protocol):
    @property
    def cpu_s(self) -> float: ...


_Ran = TypeVar("_Ran", bound=_Timed)


def widened(limits: Limits) -> Limits:
    """What the sandbox is told."""
    if limits.cpu_s is None:
        return limits
    return msgspec.structs.replace(limits, cpu_s=limits.cpu_s * (1 + _MARGIN), wall_s=limits.effective_wall_s)


def too_slow(outcome: Outcome, limits: Limits) -> bool:
    if outcome.status in ("time_limit_exceeded", "wall_limit_exceeded"):
        return True
    return limits.cpu_s is not None and outcome.cpu_s > limits.cpu_s


def is_near(cpu_s: float, limits: Limits) -> bool:
    return limits.cpu_s is not None and abs(cpu_s - limits.cpu_s) <= _MARGIN * limits.cpu_s


def measured(run: Callable[[], _Ran], gate: Gate, limits: Limits) -> _Ran:
    """`run` under the widened limits, once, or twice where it was near."""
    with gate.together():
        ran = run()
    return again(ran, run, gate, limits)


def again(ran: _Ran, run: Callable[[], _Ran], gate: Gate, limits: Limits) -> _Ran:
    """What came of a run that had others beside it; of another, alone, where it was near."""
    if not is_near(ran.cpu_s, limits):
        return ran
    with gate.alone():
        return run()
