"""Two runs over the same tasks: which tasks flipped, and whether chance alone would flip them so.

Owns McNemar's test, exact and mid-p, and the interval of the difference of the means. With several samples a task its
rates are compared: it was gained where the second run passes more of its samples, which is the same for one sample, and
the test is then the sign test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from codejury.errors import UsageError

_Z = 1.959963984540054  # 95 %


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The second run against the first.

    first, second      means over the tasks that both have
    difference         second - first; low, high: its 95 % interval, None for a single task
    gained, lost       tasks that the second passes more of, and less of
    exact, mid_p       two-sided p-values: how often runs of equal strength would differ as much
    only_first, only_second   tasks that the other run does not have, left out of all that is above
    """

    tasks: int
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    exact: float
    mid_p: float
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()


def mcnemar_exact(gained: int, lost: int) -> float:
    """Two-sided: tasks that flipped are throws of a fair coin, if the runs are equally strong."""
    total, fewer = gained + lost, min(gained, lost)
    tail: int = sum(math.comb(total, n) for n in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**total))


def mcnemar_mid_p(gained: int, lost: int) -> float:
    """The same, with half the weight of what was seen: nearer to the level that it claims, as the exact one is too
    careful."""
    total, fewer = gained + lost, min(gained, lost)
    twice: int = 2 * sum(math.comb(total, n) for n in range(fewer + 1)) - math.comb(total, fewer)
    return min(1.0, float(twice / 2**total))


def paired(first: Mapping[str, float], second: Mapping[str, float]) -> Paired:
    """Rates of tasks, from 0 to 1, by their ids."""
    both = [task for task in first if task in second]
    if not both:
        raise UsageError("runs to compare: expected tasks that both have, found none")
    differences = [second[task] - first[task] for task in both]
    mean = math.fsum(differences) / len(both)
    half = None
    if len(both) > 1:
        variance = math.fsum((each - mean) ** 2 for each in differences) / (len(both) - 1)
        half = _Z * math.sqrt(variance / len(both))
    gained = tuple(task for task in both if second[task] > first[task])
    lost = tuple(task for task in both if second[task] < first[task])
    return Paired(
        tasks=len(both),
        first=math.fsum(first[task] for task in both) / len(both),
        second=math.fsum(second[task] for task in both) / len(both),
        difference=mean,
        low=None if half is None else max(-1.0, mean - half),
        high=None if half is None else min(1.0, mean + half),
        gained=gained,
        lost=lost,
        exact=mcnemar_exact(len(gained), len(lost)),
        mid_p=mcnemar_mid_p(len(gained), len(lost)),
        only_first=tuple(task for task in first if task not in second),
        only_second=tuple(task for task in second if task not in first),
    )
