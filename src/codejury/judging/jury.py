"""Scheduling: submissions and their cases on all workers, verdicts in order.

Owns what runs when. Each submission is a trial; its cases are tasks. A call of `judge_each` is a session: its trials in
order, as many as keep all workers busy and no more, so that an endless stream of submissions costs no memory. Where a
slow one is the next to be told, those after it go on, and their judgements wait, so many and no more (`_BEHIND`). The
jury's threads take the next task themselves, from one session after the other; who asks is woken when a trial is over
or another is wanted, not for each case. What a trial says does not depend on how its tasks interleave: after an early
stop it is the cases up to the first failure, whatever else has ended meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from codejury.errors import CodejuryError, UsageError
from codejury.judging import calls, case, given
from codejury.judging.gate import Gate
from codejury.judging.results import Memo, Results
from codejury.languages.execute import Sandbox
from codejury.model import CaseResult, Checker, Comparison, Judgement, Limits, Problem, Submission, TestCase
from codejury.sandbox.pool import ROW_BYTES, Task

_ANSWERED = 16  # problems whose golds have answered, kept at hand
_IDLE_S = 30  # after which a thread with nothing to do goes home: a jury that nobody closed is not kept for ever
_QUICK_S = 0.02
_ROW = 8  # quick cases that are judged together
_BEHIND = 64  # judgements for each thread that wait for one before them
_LOOK_UP_S = 0.5  # a signal that comes just before a wait is not seen before its end
_KEPT = 4096  # characters of an answer that a result holds, unless the caller wants more


class Jury:
    """A context manager. Safe from several threads at once.

    sandbox         one that is there already, which the jury does not close; else `workers` and `level` make one
    kept            characters of each answer that results hold; None: all
    run_only        cases without outputs are allowed, and met by whatever runs; else they are an error, for a program
                    would be accepted for nothing
    results         cases of programs and functions whose results it holds are not run again; the jury does not close it
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
        results: Results | None = None,
        allow_shared_process: bool = False,
    ) -> None:
        self.sandbox = sandbox or Sandbox(workers=workers, level=level)
        self._is_own = sandbox is None
        self._kept = kept
        self._run_only = run_only
        self._results = results
        self._allow_shared_process = allow_shared_process
        self._gate = Gate()
        self._asking = threading.Lock()
        self._answered: dict[tuple[str, str], tuple[Sequence[TestCase], Problem]] = {}
        self._lock = threading.Lock()  # of all that follows, sessions and trials included
        self._sessions: deque[_Session] = deque()
        self._work_there = threading.Condition(self._lock)
        self._threads = 0
        self._closed = False

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
        stop_on_time_limit: bool = False,
        together: bool = False,
        alone: bool = True,
        task: Task | None = None,
    ) -> Iterator[Judgement | CodejuryError]:
        """As `judge_many`, and what cannot be judged, for a reason of ours or of the caller's, is an error in its
        place: the others go on. `stop_on_time_limit`: of a submission that runs out of time, only the cases up to the
        first on which it does: who loops for ever mostly does so on every case. `together`: calls of a function that
        come to right answers in one process, all of them in the time of one, are not made again one by one; those that
        do not are. What a program keeps from call to call it has then. Without `alone`, a call that comes to a wrong
        answer in that process has failed. `task`: whoever gives it up ends what runs, and
        what has not been judged by then is an error."""
        options = (limits, stop_on_first_failure, stop_on_time_limit, together, alone)
        for _, said in self._session(work, options, task or Task(), in_order=True):
            yield said

    def judge_as_done(
        self,
        work: Iterable[tuple[Submission, Problem]],
        *,
        limits: Limits | None = None,
        stop_on_first_failure: bool = False,
        together: bool = False,
        alone: bool = True,
    ) -> Iterator[tuple[int, Judgement | CodejuryError]]:
        """As `judge_each`, each with its place in `work`, as soon as it is there."""
        options = (limits, stop_on_first_failure, False, together, alone)
        return self._session(work, options, Task(), in_order=False)

    def _session(
        self, work: Iterable[tuple[Submission, Problem]], options: tuple[Any, ...], task: Task, *, in_order: bool
    ) -> Iterator[tuple[int, Judgement | CodejuryError]]:
        coming = iter(work)
        callers = self.sandbox.callers
        session = _Session(self._lock, ahead=2 * callers, behind=_BEHIND * callers, task=task, in_order=in_order)
        more = True
        self._open(session)
        try:
            while True:
                while more and session.wants_more():
                    try:
                        trial = self._trial(*next(coming), *options)
                    except StopIteration:
                        more = False
                        break
                    with self._lock:
                        trial.is_quick = session.is_quick
                        session.add(trial)
                        self._work_there.notify(trial.tasks_left)
                with self._lock:
                    while not (self._closed or session.has_news or (session.is_low if more else session.is_empty)):
                        session.news.wait(_LOOK_UP_S)
                    if self._closed:
                        raise UsageError("this jury is closed")
                    if session.is_empty and not more:
                        return
                    over = session.take()
                if over is not None:
                    yield over[0], over[1].judgement()
        finally:
            with self._lock:
                self._sessions.remove(session)

    def _open(self, session: _Session) -> None:
        with self._lock:
            if self._closed:
                raise UsageError("this jury is closed")
            self._sessions.append(session)
            # No more than that: while one of them takes a result in, its worker makes the next run ready, and each
            # that only waits for a place costs two changes of thread a run.
            while self._threads < self.sandbox.callers:
                self._threads += 1
                threading.Thread(target=self._serve, name="codejury-jury", daemon=True).start()

    def _serve(self) -> None:
        """The life of a thread."""
        with self._lock:
            while not self._closed:
                found = self._next()
                if found is None:
                    if self._work_there.wait(_IDLE_S) or self._sessions:
                        continue
                    break
                session, trial = found
                indices, task = trial.next_task(session.beside(trial) if trial.goes_in_rows else 0)
                self._lock.release()
                results: list[CaseResult] | BaseException
                try:
                    results = self.sandbox.run_for(session.task, task)
                except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
                    results = error
                finally:
                    self._lock.acquire()
                if trial.take(results, indices):
                    self._work_there.notify(trial.tasks_left)
                session.is_quick = trial.is_quick
                if trial.is_over:
                    session.put_by(trial)
                if session.has_news or session.is_low:
                    session.news.notify()
                del found, session, trial, task, results
            self._threads -= 1

    def _next(self) -> tuple[_Session, _Trial] | None:
        for session in self._sessions:
            trial = session.next_trial()
            if trial is None:
                continue
            if len(self._sessions) > 1:  # the next thread looks at the other ones first
                self._sessions.remove(session)
                self._sessions.append(session)
            return session, trial
        return None

    async def judge_async(self, source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
        """`judge` as a coroutine."""
        import asyncio

        return await asyncio.to_thread(self.judge, source, tests, **options)

    def _trial(
        self,
        submission: Submission,
        problem: Problem,
        limits: Limits | None,
        stop: bool,
        in_time: bool,
        together: bool,
        alone: bool,
    ) -> _Trial:
        bounds = limits or problem.limits or Limits()

        try:
            problem = self._with_outputs(problem, bounds)
        except CodejuryError as error:
            return _Trial(problem, error=error)

        ready = case.ready(self.sandbox, submission, bounds)

        options: dict[str, Any] = {"limits": bounds, "kept": self._kept, "run_only": self._run_only}
        memo = self.memo(submission, problem, **options)

        def some(indices: Sequence[int]) -> list[CaseResult]:
            known = [result for index in indices if (result := memo.get(index)) is not None]
            if known:
                there = {result.index for result in known}
                indices = [index for index in indices if index not in there]
                if not indices:
                    return known
            if problem.kind == "function":
                new = [
                    case.judge_function(self.sandbox, self._gate, submission, problem, index=index, **options)
                    for index in indices
                ]
            else:
                new = case.judge_programs(self.sandbox, self._gate, ready, problem, indices=indices, **options)
            for result in new:
                memo.put(result.index, result)
            return known + new if known else new

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

        def first() -> list[CaseResult]:
            return case.judge_together(
                self.sandbox, self._gate, submission, problem, limits=bounds, kept=self._kept, alone=alone
            )

        at_once = together and problem.kind == "function" and len(problem.cases) > 1 and memo.get(0) is None
        trial = _Trial(
            problem, some, script, first if at_once else None, stop=stop, in_time=in_time, abreast=self.sandbox.workers
        )
        return trial

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all that has run so far, and of what need not run because its result was known: how much work
        it was, however busy the machine is."""
        return self.sandbox.cpu_s + (self._results.saved_s if self._results is not None else 0.0)

    def memo(self, submission: Submission, problem: Problem, **options: Any) -> Memo:
        """What is known of this program's cases, for who runs them in a way of his own. `options`: all else that the
        results depend on."""
        return Memo(self._results, self.sandbox, submission, problem, options)

    def _with_outputs(self, problem: Problem, limits: Limits) -> Problem:
        """Where a gold is to say what is expected, what it says; asked once a problem."""
        if problem.outputs != "gold":
            return problem
        if not problem.golds or problem.fn_name is None:
            raise UsageError(f"problem {problem.id!r}: expected a gold, whose answers its cases are to have")
        key = (problem.id, problem.golds[0].source)
        with self._asking:
            asked, known = self._answered.get(key, ((), None))
            if known is None or (asked is not problem.cases and asked != problem.cases):
                answers = calls.gold_answers(
                    self.sandbox,
                    problem.golds[0].source,
                    problem.fn_name,
                    [case.input for case in problem.cases],
                    limits=limits,
                    matches=problem.compare.oracle == "not_none",
                    large=True,
                )
                for number, answer in enumerate(answers):
                    if answer.verdict is not None:
                        raise UsageError(f"problem {problem.id!r}: its gold fails on case {number}: {answer.message}")
                cases = tuple(
                    msgspec.structs.replace(case, output=answer.value)
                    for case, answer in zip(problem.cases, answers, strict=True)
                )
                known = msgspec.structs.replace(problem, cases=cases, outputs="given")
                self._answered[key] = (problem.cases, known)
                while len(self._answered) > _ANSWERED:
                    self._answered.pop(next(iter(self._answered)))
        return msgspec.structs.replace(known, compare=problem.compare)

    def close(self) -> None:
        """Who still waits for a judgement gets an error."""
        with self._lock:
            self._closed = True
            self._work_there.notify_all()
            for session in self._sessions:
                session.news.notify()
        if self._is_own:
            self.sandbox.close()

    def __enter__(self) -> Jury:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Session:
    """What one caller of `judge_each` has under way. Guarded by the jury's lock.

    ahead   turns not yet begun that there should be, so that no thread has to wait for the caller
    behind  trials that may be over and wait for one before them
    task    to be given up by whoever does not want the rest
    is_quick   the last program that ran: what is expected of one that has not run yet
    """

    def __init__(self, lock: threading.Lock, *, ahead: int, behind: int, task: Task, in_order: bool) -> None:
        self.task = task
        self.is_quick = False
        self._lock = lock
        self._ahead = ahead
        self._behind = behind
        self._in_order = in_order
        self._added = self._next = 0  # the trials so far; the one that the caller wants next
        self._over: dict[int, _Trial] = {}
        self.news = threading.Condition(lock)  # for the caller
        self.trials: deque[_Trial] = deque()  # under way, in order

    def add(self, trial: _Trial) -> None:
        trial.place = self._added
        self._added += 1
        if trial.is_over:
            self._over[trial.place] = trial
        else:
            self.trials.append(trial)

    def put_by(self, trial: _Trial) -> None:
        """One that is over, until the caller takes it."""
        self.trials.remove(trial)
        trial.let_go()
        self._over[trial.place] = trial

    def take(self) -> tuple[int, _Trial] | None:
        if not self.has_news:
            return None
        place = self._next if self._in_order else next(iter(self._over))
        self._next = place + 1
        return place, self._over.pop(place)

    def wants_more(self) -> bool:
        with self._lock:
            return self.is_low

    @property
    def is_low(self) -> bool:
        if len(self.trials) > 2 * self._ahead or len(self._over) >= self._behind:
            return False
        left = 0
        for trial in reversed(self.trials):
            left += trial.turns_sure
            if left >= self._ahead:
                return False
        return True

    def beside(self, trial: _Trial) -> int:
        """Tasks that others than this trial have to be begun; of more than are enough for long rows, so many."""
        found, enough = 0, _ROW * self._ahead
        for each in self.trials:
            found += 0 if each is trial else each.tasks_sure
            if found >= enough:
                break
        return found

    @property
    def has_news(self) -> bool:
        return self._next in self._over if self._in_order else bool(self._over)

    @property
    def is_empty(self) -> bool:
        return not self.trials and not self._over

    def next_trial(self) -> _Trial | None:
        """The first in order; but before a case is judged that may not be asked for, one that surely is."""
        unsure = None
        for trial in self.trials:
            if trial.tasks_sure:
                return trial
            if unsure is None and trial.tasks_left:
                unsure = trial
        return unsure


class _Trial:
    """One submission under way. Guarded by the jury's lock, until it is over."""

    def __init__(
        self,
        problem: Problem,
        some: Callable[[Sequence[int]], list[CaseResult]] | None = None,
        script: Callable[[], list[CaseResult]] | None = None,
        first: Callable[[], list[CaseResult]] | None = None,
        *,
        stop: bool = False,
        in_time: bool = False,
        abreast: int = 1,
        error: CodejuryError | None = None,
    ) -> None:
        """`stop`: at the first failure; `in_time`: at the first case that runs out of time. `first`: comes before all
        others, and is worth as many cases, from the first on, as it gives results of. `abreast`: tasks at a time."""
        self._problem = problem
        self._some = some
        self._abreast = abreast
        self.is_quick = False  # or thought so, while it has not run
        self._has_run = False
        self._script = script
        self._first = first
        self._first_runs = False
        self._stop = stop
        self._in_time = in_time
        self._next = 0
        self._again: list[int] = []  # begun in a row that ended before them
        self._total = len(problem.cases)
        self._results: dict[int, CaseResult] = {}
        # The cases before it count, however many more have been judged. Cases are begun in order: those before the
        # first of a kind are all judged in the end, so it does not depend on who was faster.
        self._end = self._total + 1
        self._compile_message: str | None = None
        self._error: BaseException | None = error
        if not self._total and error is None:
            self._error = UsageError(f"problem {problem.id!r}: expected tests, found none")
        self._running = 0
        self.shared_process = False
        self.place = 0

    @property
    def tasks_left(self) -> int:
        """To be begun."""
        if self._error is not None or self._compile_message is not None or self._first_runs:
            return 0
        if self._first is not None:
            return 1
        if self._problem.kind == "script":
            return int(self._next < self._total)
        end = self._end if self._end < self._total else self._total
        return len(self._again) + (end - self._next if end > self._next else 0)

    @property
    def tasks_sure(self) -> int:
        """Of these, the ones that are wanted whatever comes of those under way."""
        if self._stop:
            return int(not self._running and self.tasks_left > 0)
        return self.tasks_left

    @property
    def turns_sure(self) -> int:
        """How many times a thread comes for them, at least."""
        return -(-self.tasks_sure // _ROW) if self.goes_in_rows else self.tasks_sure

    @property
    def is_over(self) -> bool:
        return not self._running and not self.tasks_left

    def next_task(self, beside: int) -> tuple[Sequence[int], Callable[[], list[CaseResult]]]:
        """The cases that are asked for, where it is cases, and what gives the first of them, or all. `beside`: tasks of
        other trials that are there to be done, too."""
        self._running += 1
        if self._first is not None:
            first, self._first, self._first_runs = self._first, None, True
            return (), first
        assert self._some is not None
        assert self._script is not None
        if self._problem.kind == "script":
            self._next = self._total
            return (), self._script
        some, count = self._some, self._row(beside)
        indices: Sequence[int]
        if self._again:
            indices = self._fitting(self._again[:count])
            self._again = self._again[len(indices) :]
        else:
            indices = self._fitting(range(self._next, self._next + count))
            self._next += len(indices)
        return indices, lambda: some(indices)

    @property
    def goes_in_rows(self) -> bool:
        """Not where somebody may want no more after one of them, nor where a checker takes the time that it takes."""
        if not self.is_quick or self._stop or self._in_time:
            return False
        return self._problem.kind == "stdin" and self._problem.checker is None

    def _row(self, beside: int) -> int:
        """How many cases in one task. Short ones cost less together; nobody is to be idle while another has many: one
        that has not run yet may turn out slow, so its row is its own share."""
        if not self.goes_in_rows:
            return 1
        left = self.tasks_left
        return max(1, min(_ROW, left, (left + (beside if self._has_run else 0)) // (2 * self._abreast)))

    def _fitting(self, indices: Sequence[int]) -> Sequence[int]:
        """The first of them, as many as go into one row."""
        size = 0
        for count, index in enumerate(indices):
            given = self._problem.cases[index].input
            size += len(given) if isinstance(given, str | bytes) else 0
            if count and size > ROW_BYTES:
                return indices[:count]
        return indices

    def take(self, results: list[CaseResult] | BaseException, indices: Sequence[int]) -> bool:
        """`indices`: what was asked for. Whether there is more to do than before: some of it may not have been judged,
        and after the first task, which is alone, come others."""
        self._running -= 1
        if isinstance(results, BaseException):
            self._error = results
            return False
        was_first = self._first_runs
        if was_first:
            self._first_runs, self._next = False, len(results)
        self.is_quick, self._has_run = all(result.wall_s < _QUICK_S for result in results), True
        for result in results:
            if result.verdict == "compile_error":
                self._compile_message = result.message
            if self._stop and result.verdict != "success":
                self._end = min(self._end, result.index + 1)
            if self._in_time and result.verdict == "time_limit_exceeded":
                self._end = min(self._end, result.index + 1)
            self._results[result.index] = result
        back = [index for index in indices if index not in self._results]
        self._again += back
        self.is_quick = self.is_quick and not back
        return was_first or bool(back)

    def let_go(self) -> None:
        """Of what was needed to judge it, once it is over: a judgement may have to wait for others."""
        self._some = self._script = self._first = None
        self._problem = msgspec.structs.replace(self._problem, cases=(), golds=(), checker=None)

    def judgement(self) -> Judgement | CodejuryError:
        if isinstance(self._error, CodejuryError):  # of one trial: the others go on
            return self._error
        if self._error is not None:
            raise self._error
        if self._compile_message is not None:
            return Judgement(
                verdict="compile_error", cases=(), passed=0, total=self._total, compile_message=self._compile_message
            )
        cases = tuple(self._results[index] for index in sorted(self._results) if index < self._end)
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
_default_lock = threading.Lock()


def shared() -> Jury:
    """The jury of the process: made at the first call, closed at its exit. A fork makes its own."""
    global _default
    with _default_lock:
        if _default is None:
            import atexit

            _default = Jury()
            atexit.register(_close_shared, _default, os.getpid())
        return _default


def _close_shared(jury: Jury, pid: int) -> None:
    """A fork inherits what is to be done at exit, and locks that somebody held who is not in it."""
    if os.getpid() == pid:
        jury.close()


def _after_fork() -> None:
    """The threads and workers of the other process are not here, and its lock may be taken for ever."""
    global _default, _default_lock
    _default, _default_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def judge(source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
    """`Jury.judge` on a jury that is made at the first call and kept for the life of the process."""
    return shared().judge(source, tests, **options)


async def judge_async(source: str | bytes | Path | Submission, tests: Any, **options: Any) -> Judgement:
    """`judge` as a coroutine."""
    return await shared().judge_async(source, tests, **options)


def judge_many(work: Iterable[tuple[Submission, Problem]], **options: Any) -> Iterator[Judgement]:
    """`Jury.judge_many` on the same jury."""
    return shared().judge_many(work, **options)
