"""A task, ready to judge samples by: a problem for each subset of its tests, with outputs and limits.

Owns the limits. Where the gold says what is expected, it is asked once a task; a call may take `gold_factor` times what
the gold takes for the slowest one of the subset, and at least `call_s`. The gold's times are looked at only where all
its calls together took long enough to matter.
"""

from __future__ import annotations

import time
from typing import Any

import msgspec

from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.recorded import seconds_of
from codejury.errors import CodejuryError, UsageError
from codejury.judging.calls import gold_answers
from codejury.judging.jury import Jury
from codejury.model import Limits, Problem, TestCase

_GOLD_S = 60.0  # CPU seconds for one call of a gold
_ASLEEP_S = 2.0  # beyond the limit, on the clock, for those who do not use the core


def prepared(
    jury: Jury, benchmark: Benchmark, problem: Problem, *, peer: Strict | None = None
) -> dict[Subset, Problem]:
    """The subsets that the task has tests of; of evalplus' data one that is empty too, which everybody passes.
    UsageError where the gold fails."""
    problem = msgspec.structs.replace(problem, cases=tuple(problem.cases))
    seconds = [benchmark.script_s] * len(problem.cases)
    if problem.kind == "function":
        problem, seconds = _answered(jury, benchmark, problem)
    if peer is not None:
        compare = msgspec.structs.replace(problem.compare, same_type=peer.same_type)
        if compare.oracle in peer.without:
            compare = msgspec.structs.replace(compare, oracle="")
        problem = msgspec.structs.replace(problem, compare=compare)
    found: dict[Subset, Problem] = {}
    for subset in SUBSETS:
        if peer is not None and subset in peer.leave_out:
            continue
        places = [at for at, case in enumerate(problem.cases) if benchmark.subset_of(case.group) == subset]
        if places or (problem.kind == "function" and getattr(benchmark, subset)):
            found[subset] = msgspec.structs.replace(
                problem,
                cases=tuple(problem.cases[at] for at in places),
                limits=_limits(benchmark, max((seconds[at] for at in places), default=benchmark.call_s)),
            )
    if not any(each.cases for each in found.values()):
        raise UsageError(f"task {problem.id!r}: expected tests of {benchmark.name}, found none")
    return found


def _limits(benchmark: Benchmark, seconds: float) -> Limits:
    return Limits(cpu_s=seconds, wall_s=seconds + _ASLEEP_S, memory_mb=benchmark.memory_mb)


def _answered(jury: Jury, benchmark: Benchmark, problem: Problem) -> tuple[Problem, list[float]]:
    """The problem with what its gold answers; and the limit of each case."""
    wanted = tuple(case for case in problem.cases if benchmark.subset_of(case.group) is not None)
    problem = msgspec.structs.replace(problem, cases=wanted)
    if problem.outputs == "given":
        return problem, [benchmark.call_s] * len(wanted)
    if not problem.golds or problem.fn_name is None:
        raise UsageError(f"task {problem.id!r}: expected a canonical solution, to say what the tests expect")
    limits = _limits(benchmark, _GOLD_S)
    options: dict[str, Any] = {"limits": limits, "matches": problem.compare.oracle == "not_none"}
    inputs = [case.input for case in wanted]
    began = time.monotonic()
    answers = gold_answers(jury.sandbox, problem.golds[0].source, problem.fn_name, inputs, **options)
    took_s = time.monotonic() - began
    cases: list[TestCase] = []
    for number, (case, answer) in enumerate(zip(wanted, answers, strict=True)):
        if answer.verdict is not None:
            raise UsageError(f"task {problem.id!r}: its canonical solution fails on test {number}: {answer.message}")
        cases.append(msgspec.structs.replace(case, output=answer.value))
    problem = msgspec.structs.replace(problem, cases=tuple(cases), outputs="given")
    if benchmark.gold_factor * took_s <= benchmark.call_s:
        return problem, [benchmark.call_s] * len(cases)
    return problem, _timed(jury, benchmark, problem, limits)


def _timed(jury: Jury, benchmark: Benchmark, problem: Problem, limits: Limits) -> list[float]:
    inputs = [case.input for case in problem.cases]
    gold, most_s = problem.golds[0], len(inputs) * _GOLD_S
    seconds = seconds_of(jury.sandbox, gold.source, problem.fn_name or "", inputs, most_s=most_s)
    if len(seconds) == len(inputs):
        return [max(benchmark.call_s, benchmark.gold_factor * each) for each in seconds]
    (said,) = jury.judge_each([(gold, problem)], limits=limits)
    if isinstance(said, CodejuryError):
        raise said
    used = {result.index: result.cpu_s for result in said.cases}
    return [max(benchmark.call_s, benchmark.gold_factor * used.get(at, 0.0)) for at in range(len(problem.cases))]
