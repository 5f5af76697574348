"""Scheduling: submissions and their cases on all workers, verdicts in order.

Owns what runs when. Each submission is a trial; its cases are tasks. Tasks are started in the order of the trials, a
few more than there are workers, and only while somebody asks for the next judgement, so that an endless stream of
submissions costs no memory. What a trial says does not depend on how its tasks interleave: after an early stop it is
the cases up to the first failure, whatever else has ended meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from codejury.errors import CodejuryError, UsageError
from codejury.judging import calls, case, given
from codejury.judging.gate import Gate
from codejury.languages.execute import Sandbox
from codejury.model import CaseResult, Checker, Comparison, Judgement, Limits, Problem, Submission

_ANSWERED = 16  # problems whose golds have answered, kept at hand
_KEPT = 4096  # characters of an answer that a result holds, unless the caller wants more


class Jury:
    """A context manager. Safe from several threads at once.

    sandbox         one that is there already, which the jury does not close; else `workers` and `level` make one
    kept            characters of each answer that results hold; None: all
    run_only        cases without outputs are allowed, and met by whatever runs; else they are an error, for a program
                    would be accepted for nothing
    allow_shared_process   test code that reads the candidate's source may have it in its own process
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        workers: int | None = None,
        level: str = "auto",
        kept: int | None = _KEPT,
        run_only: bool = False,
        allow_shared_process: bool = False,
    ) -> None:
        self.sandbox = sandbox or Sandbox(workers=workers, level=level)
        self._is_own = sandbox is None
        self._kept = kept
        self._run_only = run_only
        self._allow_shared_process = allow_shared_process
        self._gate = Gate()
        self._asking = threading.Lock()
        self._answered: dict[tuple[str, str], Problem] = {}
        self._threads = ThreadPoolExecutor(self.sandbox.workers, thread_name_prefix="codejury-jury")

    def judge(
        self,
        source: str | bytes | Path | Submission,
        tests: Any,
        *,
        language: str | None = None,
        fn_name: str | None = None,
        checker: Checker | str | None = None,
        compare: str | Comparison = "default",
        limits: Limits | None = None,
        stop_on_first_failure: bool = False,
    ) -> Judgement:
        """One submission. `tests` is a Problem or anything that `given.problem` takes."""
        problem = given.problem(tests, fn_name=fn_name, checker=checker, compare=compare)
        submission = given.submission(source, language, self.sandbox.catalog)
        (judgement,) = self.judge_many(
            [(submission, problem)], limits=limits, stop_on_first_failure=stop_on_first_failure
        )
        return judgement

    def judge_many(
        self,
        work: Iterable[tuple[Submission, Problem]],
        *,
        limits: Limits | None = None,
        stop_on_first_failure: bool = False,
    ) -> Iterator[Judgement]:
        """Judgements in the order of the work. One that cannot be given raises at its place."""
        for said in self.judge_each(work, limits=limits, stop_on_first_failure=stop_on_first_failure):
            if isinstance(said, CodejuryError):
                raise said
            yield said

    def judge_each(
        self,
        work: Iterable[tuple[Submission, Problem]],
        *,
        limits: Limits | None = None,
        stop_on_first_failure: bool = False,
    ) -> Iterator[Judgement | CodejuryError]:
        """As `judge_many`, and what cannot be judged, for a reason of ours or of the caller's, is an error in its
        place: the others go on."""
        coming = iter(work)
        active: deque[_Trial] = deque()
        under_way: dict[Future[list[CaseResult]], _Trial] = {}
        most = 2 * self.sandbox.workers
        more = True
        try:
            while True:
                while len(under_way) < most:
                    trial = next((trial for trial in active if not trial.is_started), None)
                    if trial is not None:
                        under_way[self._threads.submit(trial.next_task())] = trial
                    elif more and len(active) <= most:
                        try:
                            active.append(self._trial(*next(coming), limits, stop_on_first_failure))
                        except StopIteration:
                            more = False
                    else:
                        break
                while active and active[0].is_over:
                    yield active.popleft().judgement()
                if under_way:
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        under_way.pop(future).take(future)
                elif not active and not more:
                    return
        finally:
            for future in under_way:
                future.cancel()

    async def judge_async(self, source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
        """`judge` as a coroutine."""
        import asyncio

        return await asyncio.to_thread(self.judge, source, tests, **options)

    def _trial(self, submission: Submission, problem: Problem, limits: Limits | None, stop: bool) -> _Trial:
        bounds = limits or problem.limits or Limits()

        try:
            problem = self._with_outputs(problem, bounds)
        except CodejuryError as error:
            return _Trial(problem, error=error)

        def one(index: int) -> list[CaseResult]:
            judge_one = case.judge_function if problem.kind == "function" else case.judge_program
            result = judge_one(
                self.sandbox,
                self._gate,
                submission,
                problem,
                index=index,
                limits=bounds,
                kept=self._kept,
                run_only=self._run_only,
            )
            return [result]

        def script() -> list[CaseResult]:
            results, trial.shared_process = case.judge_script(
                self.sandbox,
                self._gate,
                submission,
                problem,
                limits=bounds,
                allow_shared_process=self._allow_shared_process,
            )
            return results

        trial = _Trial(problem, one, script, stop=stop)
        return trial

    def _with_outputs(self, problem: Problem, limits: Limits) -> Problem:
        """Where a gold is to say what is expected, what it says; asked once a problem."""
        if problem.outputs != "gold":
            return problem
        if not problem.golds or problem.fn_name is None:
            raise UsageError(f"problem {problem.id!r}: expected a gold, whose answers its cases are to have")
        key = (problem.id, problem.golds[0].source)
        with self._asking:
            known = self._answered.get(key)
            if known is None or len(known.cases) != len(problem.cases):
                answers = calls.gold_answers(
                    self.sandbox,
                    problem.golds[0].source,
                    problem.fn_name,
                    [case.input for case in problem.cases],
                    limits=limits,
                    matches=problem.compare.oracle == "not_none",
                )
                for number, answer in enumerate(answers):
                    if answer.verdict is not None:
                        raise UsageError(f"problem {problem.id!r}: its gold fails on case {number}: {answer.message}")
                cases = tuple(
                    msgspec.structs.replace(case, output=answer.value)
                    for case, answer in zip(problem.cases, answers, strict=True)
                )
                known = self._answered[key] = msgspec.structs.replace(problem, cases=cases, outputs="given")
                while len(self._answered) > _ANSWERED:
                    self._answered.pop(next(iter(self._answered)))
        return msgspec.structs.replace(known, compare=problem.compare)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._is_own:
            self.sandbox.close()

    def __enter__(self) -> Jury:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Trial:
    """One submission under way. Its tasks run in threads of the jury's; everything else happens in the caller's."""

    def __init__(
        self,
        problem: Problem,
        one: Callable[[int], list[CaseResult]] | None = None,
        script: Callable[[], list[CaseResult]] | None = None,
        *,
        stop: bool = False,
        error: CodejuryError | None = None,
    ) -> None:
        self._problem = problem
        self._one = one
        self._script = script
        self._stop = stop
        self._next = 0
        self._total = len(problem.cases)
        self._results: dict[int, CaseResult] = {}
        self._first_failure = self._total
        self._compile_message: str | None = None
        self._error = error
        if not self._total and error is None:
            self._error = UsageError(f"problem {problem.id!r}: expected tests, found none")
        self._running = 0
        self.shared_process = False

    @property
    def is_started(self) -> bool:
        if self._error is not None or self._compile_message is not None or self._next >= self._total:
            return True
        return self._stop and self._next > self._first_failure

    @property
    def is_over(self) -> bool:
        return self.is_started and not self._running

    def next_task(self) -> Callable[[], list[CaseResult]]:
        self._running += 1
        index, self._next = self._next, self._next + 1
        assert self._one is not None
        assert self._script is not None
        if self._problem.kind == "script":
            self._next = self._total
            return self._script
        one = self._one
        return lambda: one(index)

    def take(self, done: Future[list[CaseResult]]) -> None:
        self._running -= 1
        try:
            results = done.result()
        except CodejuryError as error:  # of one trial: the others go on
            self._error = error
            return
        for result in results:
            if result.verdict == "compile_error":
                self._compile_message = result.message
            if result.verdict != "success":
                self._first_failure = min(self._first_failure, result.index)
            self._results[result.index] = result

    def judgement(self) -> Judgement | CodejuryError:
        if self._error is not None:
            return self._error
        if self._compile_message is not None:
            return Judgement(
                verdict="compile_error", cases=(), passed=0, total=self._total, compile_message=self._compile_message
            )
        end = self._first_failure + 1 if self._stop else self._total
        cases = tuple(self._results[index] for index in sorted(self._results) if index < end)
        return Judgement(
            verdict=next((result.verdict for result in cases if result.verdict != "success"), "success"),
            cases=cases,
            passed=sum(result.verdict == "success" for result in cases),
            total=max(self._total, len(cases)),
            cpu_s=max((result.cpu_s for result in cases), default=0.0),
            memory_mb=max((result.memory_mb for result in cases), default=0.0),
            shared_process=self.shared_process,
        )


# ── The one that needs no set-up ─────────────────────────────────────────────────────────────────────────────────────

_default: Jury | None = None
_default_pid = 0
_default_lock = threading.Lock()


def _shared() -> Jury:
    global _default, _default_pid
    with _default_lock:
        if _default is None or _default_pid != os.getpid():
            import atexit

            _default, _default_pid = Jury(), os.getpid()
            atexit.register(_default.close)
        return _default


def judge(source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
    """`Jury.judge` on a jury that is made at the first call and kept for the life of the process."""
    return _shared().judge(source, tests, **options)


async def judge_async(source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
    """`judge` as a coroutine."""
    return await _shared().judge_async(source, tests, **options)


def judge_many(work: Iterable[tuple[Submission, Problem]], **options: Any) -> Iterator[Judgement]:
    """`Jury.judge_many` on the same jury."""
    return _shared().judge_many(work, **options)
