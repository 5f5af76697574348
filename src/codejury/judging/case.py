"""One case of a program that reads standard input and writes standard output.

Owns the step from an answer to its verdict: by comparison, or by a checker, which is a program of its own.
"""

from __future__ import annotations

from codejury.checkers import compare, program
from codejury.judging import clock, verdict
from codejury.judging.gate import Gate
from codejury.languages.execute import Job, Sandbox
from codejury.model import CaseResult, Limits, Outcome, Problem, Submission, TestCase


def judge_case(
    box: Sandbox,
    gate: Gate,
    submission: Submission,
    problem: Problem,
    *,
    index: int,
    limits: Limits,
    kept: int | None,
) -> CaseResult:
    """`kept`: how many characters of the answer the result is to hold; None: all."""
    case: TestCase = problem.cases[index]
    job = Job(
        source=submission.source,
        language=submission.language,
        stdin=case.input,
        files=submission.files,
        limits=clock.widened(limits),
    )
    outcome = clock.measured(lambda: box.run_job(job), gate, limits, lambda outcome: outcome)
    failed = verdict.failure(outcome, limits)
    answer = outcome.stdout.decode(errors="surrogateescape")
    if failed is not None:
        return _result(index, case, outcome, failed, verdict.words(outcome, limits), answer, kept)
    if problem.checker is not None:
        with gate.together():
            checked = program.check(box, problem.checker, input=case.input, output=answer, expected=case.output or "")
        return _result(
            index, case, outcome, "success" if checked.accepted else "wrong_answer", checked.message, answer, kept
        )
    if case.output is None:
        return _result(index, case, outcome, "success", "", answer, kept)
    difference = compare.compare(case.output, answer, problem.compare)
    return _result(
        index, case, outcome, "success" if difference is None else "wrong_answer", str(difference or ""), answer, kept
    )


def _result(
    index: int,
    case: TestCase,
    outcome: Outcome,
    said: verdict.Verdict,
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
