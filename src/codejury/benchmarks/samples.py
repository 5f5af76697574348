"""Samples out of files, judged by the tests of a benchmark; resumable.

Owns which sample belongs to which task, and what is kept of a verdict:

    samples ─► by task ─► distinct programs ─► base, plus ─► Verdict of each subset ─► a row in the store

A row is named by a digest of all that decides it: the program, the task's tests, the benchmark, whose scoring. So a
later run takes what still holds and no more, and programs that a task was given twice are judged once. A failure of
ours is tried again, then told, and is not stored.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.prepared import is_assumed, prepared, within_reach
from codejury.dataset.formats.detect import format_of
from codejury.dataset.problems import row_of
from codejury.dataset.rows import BadRow, OnError, read_rows
from codejury.dataset.shelf import Shelf
from codejury.dataset.store import Store
from codejury.dataset.submissions import read_submissions
from codejury.errors import CodejuryError, InternalError
from codejury.judging.case import GOLD_SECONDS
from codejury.judging.jury import Jury
from codejury.model import Judgement, Problem, Submission

_SHOWN = 2000  # characters of an input
_BOUNDS = ("time_limit_exceeded", "memory_limit_exceeded", "output_limit_exceeded", "format_error")

Status = Literal["pass", "fail", "timeout"]


class SubsetVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a sample came to on one subset.

    status    in evalplus' words; verdict: in ours
    failed    the input of the first test that it failed, as far as JSON can hold it; nothing where none was reached
    """

    status: Status
    verdict: str
    message: str = ""
    failed: tuple[Any, ...] = ()


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A program of a task. `error`: we failed to judge it, and it has no subsets."""

    task_id: str
    source: str
    subsets: dict[Subset, SubsetVerdict] = {}
    error: str = ""
    known: bool = False  # from an earlier run


class Tasks(Mapping[str, Problem]):
    """The tasks of a data file by their ids, as the file or the peer writes them; the first `limit` of them."""

    def __init__(self, shelf: Shelf, benchmark: Benchmark, *, limit: int | None = None) -> None:
        self._shelf = shelf
        self._prefix = benchmark.id_prefix
        self._names = tuple(islice(shelf, limit))
        self._wanted = frozenset(self._names)

    def name(self, given: str) -> str | None:
        """As the file has it; None where it has none of that name."""
        spellings = (given, self._prefix + given, given.removeprefix(self._prefix))
        return next((name for name in spellings if name in self._shelf), None)

    def is_wanted(self, name: str) -> bool:
        """Not left out by the limit. Of those that are, samples are read all the same, and need their prompts."""
        return name in self._wanted

    def __getitem__(self, given: str) -> Problem:
        name = self.name(given)
        if name is None:
            raise KeyError(given)
        return self._shelf[name]

    def __contains__(self, given: object) -> bool:
        return isinstance(given, str) and self.name(given) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def format_of_data(benchmark: Benchmark, data: Path) -> str:
    """The format of a benchmark's file or folder, which must be one of those that it comes in."""
    expected = f"tasks of {benchmark.title}"
    if "*" not in benchmark.formats:
        expected += f" in the format {' or '.join(benchmark.formats)}"
    if data.is_dir():
        if not benchmark.takes("kattis"):
            raise BadRow(str(data), "", expected, "a folder")
        return "kattis"
    first = next(read_rows(data), None)
    if first is None:
        raise BadRow(str(data), "", expected, "an empty file")
    row = first.value[0] if first.whole and isinstance(first.value, list) and first.value else first.value
    form = format_of(row, where=first.where) if isinstance(row, dict) else ""
    if not form or not benchmark.takes(form):
        raise BadRow(first.where, "", expected, form or type(row).__name__)
    return form


def read_samples(path: Path, tasks: Tasks, *, on_error: OnError | None = None) -> dict[str, list[Submission]]:
    """Task -> its samples, in the order of the file; tasks in that of the data."""
    found: dict[str, list[Submission]] = {name: [] for name in tasks}
    for entry in read_submissions(path, problems=tasks, on_error=on_error):
        name = tasks.name(entry.problem)
        if name is not None:
            if tasks.is_wanted(name):
                found[name].append(entry.submission)
        else:
            error = BadRow(str(path), f"{entry.submission.id}: task_id", "a task of the data", entry.problem)
            if on_error is None:
                raise error
            on_error(error)
    return {name: samples for name, samples in found.items() if samples}


def judge_samples(
    jury: Jury,
    benchmark: Benchmark,
    tasks: Mapping[str, Problem],
    samples: Mapping[str, Iterable[Submission]],
    *,
    peer: Strict | None = None,
    store: Path | None = None,
) -> Iterator[Judged]:
    """Every distinct program of every task, as they are done.

    peer    whose scoring; None: ours
    store   where verdicts are kept for the next run
    """
    known: dict[str, dict[Subset, SubsetVerdict]] = {}

    def keep(row: Mapping[str, Any]) -> bool:
        try:
            known[str(row["key"])] = msgspec.convert(row.get("subsets"), dict[Subset, SubsetVerdict])
        except msgspec.ValidationError:  # somebody else's row: it is judged again
            return False
        return True

    opened: AbstractContextManager[Store | None] = Store(store, key="key", keep=keep) if store else nullcontext()
    with opened as file:
        left: dict[str, list[Submission]] = {}
        starts: dict[str, Any] = {}
        for name, given in samples.items():
            distinct = list({each.source: each for each in given}.values())
            if file is None:  # nobody will ask what decided a verdict
                left[name] = distinct
                continue
            start = starts[name] = digest_of(benchmark, tasks[name], peer)
            for sample in distinct:
                subsets = known.get(_key(start, sample.source))
                if subsets is None:
                    left.setdefault(name, []).append(sample)
                else:
                    yield Judged(task_id=name, source=sample.source, subsets=subsets, known=True)

        def done(said: Judged) -> Judged:
            if file is not None and not said.error:
                key = _key(starts[said.task_id], said.source)
                file.append({"key": key, "task_id": said.task_id, "subsets": said.subsets})
            return said

        again: dict[str, list[Submission]] = {}
        for said, error in _judged(jury, benchmark, tasks, left, peer):
            if isinstance(error, InternalError):
                again.setdefault(said.task_id, []).append(Submission(source=said.source))
            else:
                yield done(said)
        for said, _ in _judged(jury, benchmark, tasks, again, peer):
            yield done(said)


def _judged(
    jury: Jury,
    benchmark: Benchmark,
    tasks: Mapping[str, Problem],
    samples: Mapping[str, list[Submission]],
    peer: Strict | None,
) -> Iterator[tuple[Judged, CodejuryError | None]]:
    under_way: dict[int, tuple[_Trial, Subset | None]] = {}  # by the place of their work
    golds: dict[str, Fairness] = {}  # of tasks with a program that met a bound
    ended: deque[_Trial] = deque()  # those that had no work to give

    def fair(trial: _Trial) -> tuple[Judged, CodejuryError | None]:
        said, error = trial.judged()
        if error is None and any(each.verdict in _BOUNDS for each in said.subsets.values()):
            known = golds.setdefault(said.task_id, Fairness(jury, benchmark, trial.subsets, peer))
            said = known.of(said, trial.sample)
        return said, error

    halves: deque[_Trial] = deque()  # whose first tests are failed, so that the others were not come to

    def trials() -> Iterator[_Trial]:
        for name, subsets in _prepared(jury, benchmark, tasks, samples, peer):
            known, error = (subsets, None) if isinstance(subsets, dict) else ({}, subsets)
            for sample in samples[name]:
                while halves:
                    yield halves.popleft()
                yield _Trial(name, sample, known, peer, error)

    def work(given: Iterable[_Trial]) -> Iterator[tuple[Submission, Problem]]:
        place = 0
        for trial in given:
            if trial.is_over:
                ended.append(trial)
            for subset, problem in trial.work():
                under_way[place] = trial, subset
                place += 1
                yield trial.sample, problem

    def done(given: Iterable[_Trial]) -> Iterator[tuple[Judged, CodejuryError | None]]:
        judgements = jury.judge_as_done(
            work(given), stop_on_first_failure=True, together=True, alone=not keeps_state(peer)
        )
        for place, said in judgements:
            trial, subset = under_way.pop(place)
            trial.take(said, subset)
            if trial.is_over:
                yield fair(trial)
            elif trial.is_half:
                halves.append(trial)
            while ended:
                yield fair(ended.popleft())
        while ended:
            yield fair(ended.popleft())

    yield from done(trials())
    yield from done(tuple(halves))


def _prepared(
    jury: Jury, benchmark: Benchmark, tasks: Mapping[str, Problem], names: Iterable[str], peer: Strict | None
) -> Iterator[tuple[str, dict[Subset, Problem] | CodejuryError]]:
    """Tasks in order, a few of them ahead: golds that are asked for the first time run beside each other."""

    def one(problem: Problem) -> dict[Subset, Problem] | CodejuryError:
        try:
            return prepared(jury, benchmark, problem, peer=peer)
        except CodejuryError as error:
            return error

    ahead: deque[tuple[str, Future[dict[Subset, Problem] | CodejuryError]]] = deque()
    threads = ThreadPoolExecutor(jury.sandbox.callers, thread_name_prefix="codejury-golds")
    try:
        for name in names:
            ahead.append((name, threads.submit(one, tasks[name])))
            if len(ahead) > 2 * jury.sandbox.callers:
                first, subsets = ahead.popleft()
                yield first, subsets.result()
        while ahead:
            first, subsets = ahead.popleft()
            yield first, subsets.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)  # who runs ends with the jury


def keeps_state(peer: Strict | None) -> bool:
    return peer is not None and peer.keeps_state


class _Trial:
    """One program under way. Calls of all subsets that have the same limits are judged as one problem, in one process;
    where one of the first subset fails, the second is yet to be judged."""

    def __init__(
        self,
        task_id: str,
        sample: Submission,
        subsets: Mapping[Subset, Problem],
        peer: Strict | None,
        error: CodejuryError | None = None,
    ) -> None:
        self._task_id = task_id
        self.sample = sample
        self._left = [subset for subset in SUBSETS if subset in subsets and len(subsets[subset].cases)]
        self.subsets = subsets
        self._peer = peer
        passed = SubsetVerdict(status="pass", verdict="success")  # nothing to fail
        self._found: dict[Subset, SubsetVerdict] = {name: passed for name in subsets if name not in self._left}
        self._error = error
        parts = [subsets[name] for name in self._left]
        self._is_one = (
            len(parts) > 1
            and not keeps_state(peer)
            and parts[0].kind == "function"
            and all(each.limits == parts[0].limits for each in parts)
        )
        self.is_half = False

    @property
    def is_over(self) -> bool:
        return not self._left

    def work(self) -> list[tuple[Subset | None, Problem]]:
        """What is left to be judged: by subsets, or as one."""
        parts = [self.subsets[name] for name in self._left]
        if not self._is_one:
            return list(zip(self._left, parts, strict=True))
        cases = tuple(case for part in parts for case in part.cases)
        seconds = [each for part in parts for each in part.extra.get(GOLD_SECONDS, ())]
        extra = {**parts[0].extra, GOLD_SECONDS: seconds}
        return [(None, msgspec.structs.replace(parts[0], cases=cases, extra=extra))]

    def take(self, said: Judgement | CodejuryError, subset: Subset | None) -> None:
        if subset is None:
            self._take_one(said)
            return
        self.is_half = False
        self._left.remove(subset)
        if isinstance(said, CodejuryError):
            self._error = self._error or said
        else:
            self._found[subset] = _verdict(said, self.subsets[subset], self._peer)

    def _take_one(self, said: Judgement | CodejuryError) -> None:
        self._is_one = False
        if isinstance(said, CodejuryError):
            self._error, self._left = said, []
            return
        start = 0
        first = next((result.index for result in said.cases if result.verdict != "success"), None)
        while self._left:
            subset = self._left[0]
            end = start + len(self.subsets[subset].cases)
            if not said.accepted and (first is None or first < start):  # not come to
                self.is_half = True
                return
            part = said
            if not said.accepted and first is not None and first >= end:
                part = msgspec.structs.replace(said, verdict="success")
            elif not said.accepted:
                cases = tuple(
                    msgspec.structs.replace(each, index=each.index - start)
                    for each in said.cases
                    if each.index >= start
                )
                part = msgspec.structs.replace(said, cases=cases)
            self._found[subset] = _verdict(part, self.subsets[subset], self._peer)
            self._left.pop(0)
            start = end

    def judged(self) -> tuple[Judged, CodejuryError | None]:
        if self._error is not None:
            error = f"{type(self._error).__name__}: {self._error}"
            return Judged(task_id=self._task_id, source=self.sample.source, error=error), self._error
        subsets = {subset: self._found[subset] for subset in SUBSETS if subset in self._found}
        return Judged(task_id=self._task_id, source=self.sample.source, subsets=subsets), None


def _verdict(said: Judgement, problem: Problem, peer: Strict | None) -> SubsetVerdict:
    if said.accepted:
        return SubsetVerdict(status="pass", verdict=said.verdict)
    late = said.verdict == "time_limit_exceeded" and not (peer is not None and peer.late_is_fail)
    first = next((result for result in said.cases if result.verdict != "success"), None)
    reached = first is not None and first.index < len(problem.cases)
    return SubsetVerdict(
        status="timeout" if late else "fail",
        verdict=said.verdict,
        message=(first.message if first is not None else said.compile_message)[:500],
        failed=(_plain(problem.cases[first.index].input),) if first is not None and reached else (),
    )


def _plain(value: Any) -> Any:
    """What JSON can hold of it: tuples as lists, and a text in the place of what has no other form. Of a long text, the
    start: an input of megabytes helps nobody here."""
    if isinstance(value, str) and len(value) > _SHOWN:
        return value[:_SHOWN] + f"… ({len(value)} characters)"
    try:
        return msgspec.to_builtins(value, str_keys=True, builtin_types=())
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:_SHOWN]


def digest_of(benchmark: Benchmark, problem: Problem, peer: Strict | None) -> Any:
    """Of all that decides the verdicts of a task's samples, but the sample. Cases are taken one by one: they may be
    files, and more than memory holds."""
    from codejury import __version__

    judged_by = msgspec.structs.replace(benchmark, prompts={}, hub=None)
    parts = (__version__, repr(judged_by), repr(peer), row_of(msgspec.structs.replace(problem, cases=())))
    digest = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16)
    for case in problem.cases:
        digest.update(json.dumps(row_of(Problem(cases=(case,)))["cases"]).encode())
    return digest


def judge_one(
    jury: Jury,
    task_id: str,
    sample: Submission,
    subsets: Mapping[Subset, Problem],
    *,
    peer: Strict | None = None,
    tries: int = 2,
) -> Judged:
    """One program by the subsets of its task, as `prepared` gives them. A failure of ours is tried again, then told."""
    while True:
        trial = _Trial(task_id, sample, subsets, peer)
        while not trial.is_over:
            wanted = trial.work()
            work = [(sample, problem) for _, problem in wanted]
            alone = not keeps_state(peer)
            for (subset, _), said in zip(
                wanted,
                jury.judge_each(work, stop_on_first_failure=True, together=True, alone=alone),
                strict=True,
            ):
                trial.take(said, subset)
        judged, error = trial.judged()
        tries -= 1
        if not isinstance(error, InternalError) or tries <= 0:
            return judged


class Fairness:
    """Of one task's verdicts, with regard to its gold: where limits are assumed, a program that met a bound (time,
    memory, the size of an answer) has failed only if the gold keeps that bound. The gold is run once a subset, when it
    is asked for. A peer's scoring knows nothing of this."""

    def __init__(
        self, jury: Jury, benchmark: Benchmark, subsets: Mapping[Subset, Problem], peer: Strict | None
    ) -> None:
        self._jury = jury
        self._benchmark = benchmark
        self._subsets = subsets
        self._peer = peer
        self._wide: dict[Subset, Problem | CodejuryError] = {}
        self._guard = threading.Lock()

    def of(self, judged: Judged, sample: Submission) -> Judged:
        if self._peer is not None:
            return judged
        met = [subset for subset, each in judged.subsets.items() if each.verdict in _BOUNDS and self._has_gold(subset)]
        again: dict[Subset, Problem] = {}
        for subset in met:
            wide = self._within_reach(subset)
            if isinstance(wide, CodejuryError):
                return Judged(task_id=judged.task_id, source=judged.source, error=f"{type(wide).__name__}: {wide}")
            if wide.limits != self._subsets[subset].limits:
                again[subset] = wide
        if not again:
            return judged
        said = judge_one(self._jury, judged.task_id, sample, again)
        return said if said.error else msgspec.structs.replace(judged, subsets={**judged.subsets, **said.subsets})

    def _has_gold(self, subset: Subset) -> bool:
        problem = self._subsets.get(subset)
        return problem is not None and is_assumed(problem) and bool(problem.golds)

    def _within_reach(self, subset: Subset) -> Problem | CodejuryError:
        with self._guard:
            if subset not in self._wide:
                try:
                    self._wide[subset] = within_reach(self._jury, self._benchmark, self._subsets[subset])
                except CodejuryError as error:
                    self._wide[subset] = error
            return self._wide[subset]


def _key(start: Any, source: str) -> str:
    digest = start.copy()
    digest.update(source.encode("utf-8", "surrogatepass"))
    return str(digest.hexdigest())
