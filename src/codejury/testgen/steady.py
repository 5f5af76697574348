"""A second run of a gold: an answer that changes is no answer.

Owns which run is made again. For each input one of the golds that agreed, in turn, runs once more. A forked interpreter
shares its hash seed with the runs before it, and so hides answers that follow the order of a set: so every tenth
second run, and each where a single gold stands behind the answer, is in a new interpreter; where one of those differs,
all inputs get one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codejury.testgen import outputs
from codejury.testgen.agreement import Trusted
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.options import Options
from codejury.testgen.outputs import Gold
from codejury.testgen.rows import Task

_FRESH_EVERY = 10


def unsteady(
    crew: Crew,
    turn: int,
    task: Task,
    golds: Sequence[Gold],
    agreed: Sequence[tuple[Input, Trusted]],
    options: Options,
) -> dict[int, str]:
    """The places in `agreed` whose answer did not come again, and what came."""
    by_number = {gold.number: gold for gold in golds}
    limits = outputs.limits_of(task, options)
    alike = outputs.same(task, options)

    def again(call: tuple[int, bool]) -> str:
        at, fresh = call
        each, trusted = agreed[at]
        gold = by_number[trusted.golds[at % len(trusted.golds)]]
        ran = outputs.run_gold(crew, task, gold, each, limits, fresh=fresh, step="steady")
        if ran.failed is not None:
            return f"gold {gold.number}, run again: {ran.failed.what}"
        return "" if alike(trusted.answer, ran.answer) else f"gold {gold.number} answers otherwise when run again"

    def found(calls: Iterable[tuple[int, bool]]) -> dict[int, str]:
        kept = list(calls)
        told = zip(kept, crew.each(turn, again, kept, weigh=len), strict=True)
        return {at: what for (at, _), what in told if what}

    def is_fresh(at: int) -> bool:
        return at % _FRESH_EVERY == 0 or len(agreed[at][1].golds) == 1

    first = found((at, is_fresh(at)) for at in range(len(agreed)))
    if any(is_fresh(at) for at in first):
        first |= found((at, True) for at in range(len(agreed)) if at not in first and not is_fresh(at))
    return first
