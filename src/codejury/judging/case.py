"""One case of a problem: of a program that reads standard input, or of a function that is called.

Owns the step from an answer to its verdict: by comparison, or by a checker, which is a program of its own. What a
function answered is compared in calls.py.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import msgspec

from codejury.checkers import compare
from codejury.checkers.program import check
from codejury.errors import UsageError
from codejury.judging import calls, clock, scripts, verdict
from codejury.judging.gate import Gate
from codejury.languages.execute import Job, Ready, Sandbox
from codejury.model import CaseResult, Limits, Outcome, Problem, Submission, TestCase, Verdict

GOLD_SECONDS = "gold_seconds"  # key of a problem's `extra`: what its gold took for each case, in CPU seconds


def ready(box: Sandbox, submission: Submission, limits: Limits) -> Ready:
    """The program for all of its cases; compiled when the first one runs."""
    return box.ready(
        Job(
            source=submission.source,
            language=submission.language,
            files=submission.files,
            limits=clock.widened(limits),
        )
    )


def judge_programs(
    box: Sandbox,
    gate: Gate,
    program: Ready,
    problem: Problem,
    *,
    indices: Sequence[int],
    limits: Limits,
    kept: int | None,
    run_only: bool,
) -> list[CaseResult]:
    """The first of these cases, one at least: one that is not short is the last. `kept`: how many characters of an
    answer its result is to hold; None: all. `run_only`: where the output is not known, it is enough to run."""
    for index in indices:
        output = problem.cases[index].output
        if output is not None and not isinstance(output, str):
            raise UsageError(f"problem {problem.id!r}, case {index}: expected a text as output, got {output!r:.60}")
        if output is None and problem.checker is None and not run_only:
            raise UsageError(f"problem {problem.id!r}, case {index}: expected an output to judge by, or a checker")
    with gate.together():
        outcomes = program.run_row([problem.cases[index].input for index in indices])
    results = []
    for index, ran in zip(indices, outcomes, strict=False):
        case = problem.cases[index]
        outcome = clock.again(ran, functools.partial(program.run, case.input), gate, limits)
        results.append(_judged(box, gate, problem, index, case, outcome, limits, kept))
    return results


def _judged(
    box: Sandbox,
    gate: Gate,
    problem: Problem,
    index: int,
    case: TestCase,
    outcome: Outcome,
    limits: Limits,
    kept: int | None,
) -> CaseResult:
    failed = verdict.failure(outcome, limits)
    answer = outcome.stdout.decode(errors="surrogateescape")
    if failed is not None:
        return _result(index, case, outcome, failed, verdict.words(outcome, limits), answer, kept)
    if problem.checker is not None:
        with gate.together():
            checked = check(box, problem.checker, input=case.input, output=answer, expected=case.output or "")
        return _result(
            index, case, outcome, "success" if checked.accepted else "wrong_answer", checked.message, answer, kept
        )
    if case.output is None:
        return _result(index, case, outcome, "success", "", answer, kept)
    difference = compare.compare(case.output, answer, problem.compare)
    return _result(
        index, case, outcome, "success" if difference is None else "wrong_answer", str(difference or ""), answer, kept
    )


def judge_function(
    box: Sandbox,
    gate: Gate,
    submission: Submission,
    problem: Problem,
    *,
    index: int,
    limits: Limits,
    kept: int | None,
    run_only: bool,
) -> CaseResult:
    if problem.outputs == "unknown" and not run_only:
        raise UsageError(f"problem {problem.id!r}: expected outputs to judge by, found inputs alone")
    if problem.fn_name is None:
        raise UsageError(f"problem {problem.id!r}: expected fn_name, the function to call")
    if submission.language is not None and box.catalog.get(submission.language).name != "python":
        raise UsageError(f"submission {submission.id!r}: expected Python for calls of {problem.fn_name}()")
    fn_name = problem.fn_name

    def call() -> CaseResult:
        return calls.judge_call(
            box,
            submission.source,
            fn_name,
            problem.cases[index],
            index=index,
            comparison=problem.compare,
            is_known=problem.outputs != "unknown",
            limits=clock.widened(limits),
            files=submission.files,
            starter_code=problem.starter_code,
        )

    result = clock.measured(call, gate, limits)
    if limits.cpu_s is not None and result.cpu_s > limits.cpu_s and result.verdict != "memory_limit_exceeded":
        words = f"used {result.cpu_s:.2f} s of CPU time; the limit is {limits.cpu_s:g} s"
        return msgspec.structs.replace(result, verdict="time_limit_exceeded", message=words)
    return result


def judge_together(
    box: Sandbox,
    gate: Gate,
    submission: Submission,
    problem: Problem,
    *,
    limits: Limits,
    kept: int | None,
    alone: bool = True,
) -> list[CaseResult]:
    """Of calls that were made many to a process, the right ones up to the first that is not, or about which there is
    any doubt: its process did not end well, or took longer than one call may. Without `alone`, the first wrong one is
    the last result."""
    cases = problem.cases
    other = submission.language is not None and box.catalog.get(submission.language).name != "python"
    if problem.outputs == "unknown" or problem.fn_name is None or other:
        return []
    results: list[CaseResult] = []
    most = len(cases)
    while len(results) < len(cases):
        count = min(most, _group(problem, len(results), limits))
        group = cases[len(results) : len(results) + count]
        call = calls.call_of(
            box,
            submission.source,
            problem.fn_name,
            *(each.input for each in group),
            limits=limits,
            files=submission.files,
            starter_code=problem.starter_code,
            in_place=[each.output is not None for each in group],
            matches=problem.compare.oracle == "not_none",
        )
        with gate.together():
            outcome = box.run_job(call.job)
        late = outcome.status in ("time_limit_exceeded", "wall_limit_exceeded")
        if not outcome.ok and not late:
            break
        if outcome.ok and limits.cpu_s is not None and outcome.cpu_s > limits.cpu_s:
            most = len(group) // 2
            if not most:
                break
            continue
        # Stopped on the way: the calls that were answered took no longer than one may, all of them together.
        answers = calls.answers_of(outcome, call, until_cut=late)
        if not answers or len(answers) > len(group) or (not late and len(answers) != len(group)):
            break
        used: dict[str, Any] = {"cpu_s": outcome.cpu_s, "wall_s": outcome.wall_s, "memory_mb": outcome.memory_mb}
        for each, answer in zip(group, answers, strict=False):
            verdict, message = answer.verdict, answer.message
            if verdict is None:
                differs = calls.compare_values(each.output, answer.value, problem.compare, args=each.input)
                if differs is not None:
                    verdict, message = "wrong_answer", str(differs)
            if verdict is not None:
                if not alone:
                    failed = CaseResult(index=len(results), verdict=verdict, message=message, exit_code=0, **used)
                    results.append(failed)
                return results
            shown = calls.shown(answer.value) if kept != 0 else ""
            results.append(
                CaseResult(
                    index=len(results), verdict="success", output=shown, provenance=each.provenance, exit_code=0, **used
                )
            )
    return results


def _group(problem: Problem, start: int, limits: Limits) -> int:
    """How many cases, from one on, share a process: as many as the gold does in half the time of one call, where it is
    known how long it takes. All of them in the time of one means each of them in it."""
    seconds = problem.extra.get(GOLD_SECONDS)
    left = len(problem.cases) - start
    if not isinstance(seconds, list) or limits.cpu_s is None:
        return left
    used = 0.0
    for number, each in enumerate(seconds[start:]):
        used += each
        if used > limits.cpu_s / 2:
            return max(number, 1)
    return left


def judge_script(
    box: Sandbox,
    gate: Gate,
    submission: Submission,
    problem: Problem,
    *,
    limits: Limits,
    allow_shared_process: bool,
) -> tuple[list[CaseResult], bool]:
    """All cases, which share a process; and whether the candidate was in it too."""
    if submission.language is not None and box.catalog.get(submission.language).name != "python":
        raise UsageError(f"submission {submission.id!r}: expected Python, the language of the test script")

    def test() -> scripts.ScriptResult:
        return scripts.judge_script(
            box,
            submission.source,
            [case.input for case in problem.cases],
            setup=problem.setup,
            fn_name=problem.fn_name,
            limits=clock.widened(limits),
            files=submission.files,
            allow_shared_process=allow_shared_process,
        )

    said = clock.measured(test, gate, limits)
    verdict, message = said.verdict, said.message
    if limits.cpu_s is not None and said.cpu_s > limits.cpu_s and verdict != "memory_limit_exceeded":
        verdict, message = (
            "time_limit_exceeded",
            f"used {said.cpu_s:.2f} s of CPU time; the limit is {limits.cpu_s:g} s",
        )
    used: dict[str, Any] = {"cpu_s": said.cpu_s, "wall_s": said.wall_s, "memory_mb": said.memory_mb}
    results = [
        CaseResult(index=index, verdict=part.verdict, message=part.message, provenance=part.name, **used)
        for index, part in enumerate(said.parts)
    ]
    if all(result.verdict == "success" for result in results) and verdict != "success":
        # not an assert's fault: a limit, or an end before its time
        results.append(CaseResult(index=len(results), verdict=verdict, message=message, **used))
    return results, said.shared_process


def _result(
    index: int,
    case: TestCase,
    outcome: Outcome,
    said: Verdict,
    message: str,
    answer: str,
    kept: int | None,
) -> CaseResult:
    return CaseResult(
        index=index,
        verdict=said,
        message=message,
        output=answer if kept is None else answer[:kept],
        cpu_s=outcome.cpu_s,
        wall_s=outcome.wall_s,
        memory_mb=outcome.memory_mb,
        exit_code=outcome.exit_code,
        provenance=case.provenance,
    )
