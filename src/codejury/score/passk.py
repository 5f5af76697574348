"""pass@k: how likely it is that one of k samples of a task passes, as a mean over tasks.

Owns the unbiased estimate (of n samples of a task c pass: 1 - C(n-c, k) / C(n, k)), the means and their intervals. A
sample that could not be judged is no sample here: who counts leaves it out of n.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from codejury.score.rates import wilson

KS = (1, 10, 100)


class Tally(msgspec.Struct, frozen=True):
    """Of one task: `correct` out of `samples`."""

    samples: int
    correct: int

    def __post_init__(self) -> None:
        if not 0 <= self.correct <= self.samples:
            raise ValueError(f"Tally: expected from 0 to {self.samples} correct samples, got {self.correct}")


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """pass@k of several tasks.

    value       mean over tasks (macro)
    low, high   95 %; other tasks of the same kind would have given another mean
    """

    k: int
    value: float
    low: float
    high: float
    tasks: int


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Of one task. As a product, since the binomials of 200 samples are beyond a float."""
    if k < 1 or samples < k:
        raise ValueError(f"pass@k: expected at least k = {k} samples and k from 1, got {samples}")
    if samples - correct < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / n for n in range(samples - correct + 1, samples + 1))


def estimate(tallies: Iterable[Tally], k: int) -> Estimate | None:
    """None where a task has fewer than k samples, or there is no task: a mean over some of them is of other tasks."""
    given = list(tallies)
    if not given or any(tally.samples < k for tally in given):
        return None
    values = [pass_at_k(tally.samples, tally.correct, k) for tally in given]
    mean = math.fsum(values) / len(values)
    low, high = _interval(values, mean, sum(tally.samples for tally in given))
    return Estimate(k=k, value=mean, low=low, high=high, tasks=len(values))


def estimates(tallies: Iterable[Tally], ks: Iterable[int] = KS) -> list[Estimate]:
    """For each k that there are samples for."""
    given = list(tallies)
    return [found for k in ks if (found := estimate(given, k)) is not None]


def micro(tallies: Iterable[Tally]) -> float | None:
    """Samples that pass out of all samples, whatever their tasks; None where there is none."""
    given = list(tallies)
    samples = sum(tally.samples for tally in given)
    return sum(tally.correct for tally in given) / samples if samples else None


def _interval(values: list[float], mean: float, samples: int) -> tuple[float, float]:
    """Wilson's, for as many tries as would spread this much if each passed or failed. With one sample a task that is
    the number of tasks. It is never more than the number of samples: few tasks may agree by chance."""
    count = len(values)
    spread = math.fsum((value - mean) ** 2 for value in values) / count
    whole = mean * (1 - mean)
    if whole <= 0:  # all passed or none: nothing says that samples of one task are independent
        tries: float = count
    else:
        tries = min(samples, count * whole / spread) if spread > 0 else samples
    low, high = wilson(mean * tries, tries) or (0.0, 1.0)
    return min(low, mean), max(high, mean)
