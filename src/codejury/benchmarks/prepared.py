"""A task, ready to judge samples by: a problem for each subset of its tests, with outputs and limits.

Owns the limits. Where the gold says what is expected, it is asked once a task, and what it says is kept for later runs
(expected.py); a call may take `gold_factor` times what the gold takes for the slowest one of the subset, and at least
`call_s`. A problem that comes with outputs and limits of its own keeps these.
Where limits are assumed, the gold is run as soon as a program meets one (`within_reach`).
"""

from __future__ import annotations

import msgspec

from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.expected import Expected
from codejury.errors import CodejuryError, HostOverloaded, UsageError
from codejury.judging.calls import gold_answers
from codejury.judging.case import GOLD_SECONDS
from codejury.judging.jury import Jury
from codejury.model import Limits, Problem

_GOLD_S = 60.0  # CPU seconds for one call of a gold
_ASSUMED = "limits_assumed"  # key of `extra`
_ASLEEP_S = 2.0  # beyond the limit, on the clock, for those who do not use the core


def prepared(
    jury: Jury, benchmark: Benchmark, problem: Problem, *, peer: Strict | None = None
) -> dict[Subset, Problem]:
    """The subsets that the task has tests of; of evalplus' data one that is empty too, which everybody passes.
    UsageError where the gold fails."""
    if problem.kind == "stdin":
        return _programs(benchmark, problem)
    problem = msgspec.structs.replace(problem, cases=tuple(problem.cases))
    gold_s = [0.0] * len(problem.cases)
    least_s = benchmark.script_s
    if problem.kind == "function":
        least_s = peer.call_s if peer is not None and peer.call_s is not None else benchmark.call_s
        problem, gold_s = _answered(jury, benchmark, problem)
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
            seconds = max(least_s, benchmark.gold_factor * max((gold_s[at] for at in places), default=0.0))
            found[subset] = msgspec.structs.replace(
                problem,
                cases=tuple(problem.cases[at] for at in places),
                limits=_own(problem) or _limits(benchmark, seconds, sleeps=problem.kind == "script"),
                extra={**problem.extra, GOLD_SECONDS: [gold_s[at] for at in places]},
            )
    if not any(each.cases for each in found.values()):
        raise UsageError(f"task {problem.id!r}: expected tests of {benchmark.name}, found none")
    return found


def _programs(benchmark: Benchmark, problem: Problem) -> dict[Subset, Problem]:
    """Programs that read standard input. Cases stay where they are: a package's are files."""
    if not len(problem.cases):
        raise UsageError(f"task {problem.id!r}: expected tests of {benchmark.name}, found none")
    if problem.limits is None:
        problem = msgspec.structs.replace(
            problem, limits=_limits(benchmark, benchmark.call_s), extra={**problem.extra, _ASSUMED: True}
        )
    if benchmark.takes_all:
        return {"base": problem}
    found: dict[Subset, Problem] = {}
    for subset in SUBSETS:
        cases = tuple(case for case in problem.cases if benchmark.subset_of(case.group) == subset)
        if cases:
            found[subset] = msgspec.structs.replace(problem, cases=cases)
    if not found:
        raise UsageError(f"task {problem.id!r}: expected tests of {benchmark.name}, found none")
    return found


def _own(problem: Problem) -> Limits | None:
    """Those of the problem, where nothing is known of its gold that would say better."""
    return problem.limits if problem.kind == "function" else None


def is_assumed(subset: Problem) -> bool:
    """Its limits are nobody's who knew what a right program takes."""
    if subset.kind == "stdin":
        of_package = subset.extra.get("kattis")
        unknown = isinstance(of_package, dict) and of_package.get("time_limit_known") is False
        return unknown or _ASSUMED in subset.extra
    return subset.kind == "script"


def within_reach(jury: Jury, benchmark: Benchmark, subset: Problem) -> Problem:
    """A subset with limits that its gold keeps: `gold_factor` times what that takes, where it is more. UsageError where
    the gold fails however long it may take: nobody could be judged by it. To be asked when a program has met a bound
    that is assumed; mostly nobody does, and running every gold would double the work."""
    golds = subset.golds
    gold = next((each for each in golds if each.language == benchmark.language), golds[0])
    sleeps = subset.kind == "script"
    (said,) = jury.judge_each([(gold, subset)], limits=_limits(benchmark, _GOLD_S, sleeps=sleeps))
    if isinstance(said, CodejuryError):
        raise said
    if said.verdict == "time_limit_exceeded" and said.cpu_s < 0.9 * _GOLD_S:
        raise HostOverloaded(f"task {subset.id!r}: its own solution got {said.cpu_s:.1f} s of a core, and no verdict")
    if not said.accepted:
        message = next((result.message for result in said.cases if result.verdict != "success"), said.verdict)
        raise UsageError(f"task {subset.id!r}: its own solution fails its tests: {message}")
    before = subset.limits.cpu_s if subset.limits is not None and subset.limits.cpu_s is not None else 0.0
    seconds = benchmark.gold_factor * said.cpu_s
    if seconds <= before:
        return subset
    return msgspec.structs.replace(subset, limits=_limits(benchmark, seconds, sleeps=sleeps))


def _limits(benchmark: Benchmark, seconds: float, *, sleeps: bool = False) -> Limits:
    """`sleeps`: one of two processes sleeps while the other waits for a core, so that its clock says little on a busy
    machine; then the judge's own, wide one holds."""
    wall_s = None if sleeps else seconds + _ASLEEP_S
    return Limits(cpu_s=seconds, wall_s=wall_s, memory_mb=benchmark.memory_mb)


def _answered(jury: Jury, benchmark: Benchmark, problem: Problem) -> tuple[Problem, list[float]]:
    """The problem with what its gold answers; and the CPU seconds that it took for each case."""
    wanted = tuple(case for case in problem.cases if benchmark.subset_of(case.group) is not None)
    problem = msgspec.structs.replace(problem, cases=wanted)
    if problem.outputs == "given":
        return problem, [0.0] * len(wanted)
    if problem.outputs == "unknown" or not problem.golds or problem.fn_name is None:
        raise UsageError(f"task {problem.id!r}: expected a canonical solution, to say what the tests expect")
    inputs = [case.input for case in wanted]
    matches = problem.compare.oracle == "not_none"
    source = problem.golds[0].source
    kept = Expected(source, problem.fn_name, inputs, how=f"{matches} {benchmark.memory_mb}")
    answers = kept.known()
    if answers is None:
        limits = _limits(benchmark, _GOLD_S)
        # In an interpreter of its own: what hangs on the hash seed is not to agree with a fork of the same one by luck.
        answers = gold_answers(
            jury.sandbox, source, problem.fn_name, inputs, limits=limits, matches=matches, fresh=True, large=True
        )
        for number, answer in enumerate(answers):
            if answer.verdict is not None:
                raise UsageError(
                    f"task {problem.id!r}: its canonical solution fails on test {number}: {answer.message}"
                )
        kept.keep(answers)
    cases = tuple(
        msgspec.structs.replace(case, output=answer.value) for case, answer in zip(wanted, answers, strict=True)
    )
    problem = msgspec.structs.replace(problem, cases=cases, outputs="given", limits=None)
    return problem, [answer.cpu_s for answer in answers]
