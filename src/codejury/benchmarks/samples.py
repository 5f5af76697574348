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
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.prepared import prepared
from codejury.dataset.formats.detect import format_of
from codejury.dataset.problems import row_of
from codejury.dataset.rows import BadRow, OnError, read_rows
from codejury.dataset.shelf import Shelf
from codejury.dataset.store import Store
from codejury.dataset.submissions import read_submissions
from codejury.errors import CodejuryError, InternalError
from codejury.judging.jury import Jury
from codejury.model import Judgement, Problem, Submission

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
    """The format of a benchmark's file, which must be one of those that it comes in."""
    first = next(read_rows(data), None)
    if first is None:
        raise BadRow(str(data), "", f"tasks of {benchmark.title}", "an empty file")
    row = first.value[0] if first.whole and isinstance(first.value, list) and first.value else first.value
    form = format_of(row, where=first.where) if isinstance(row, dict) else ""
    if form not in (*benchmark.formats, "codejury"):
        expected = f"tasks of {benchmark.title} in the format {' or '.join(benchmark.formats)}"
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
            start = starts[name] = _digest_of(benchmark, tasks[name], peer)
            for sample in {each.source: each for each in given}.values():
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
    under_way: deque[_Trial] = deque()

    def work() -> Iterator[tuple[Submission, Problem]]:
        for name, given in samples.items():
            problem = tasks[name]
            try:
                subsets = prepared(jury, benchmark, problem, peer=peer)
            except CodejuryError as error:
                under_way.extend(_Trial(name, sample, {}, peer, error) for sample in given)
                continue
            for sample in given:
                under_way.append(_Trial(name, sample, subsets, peer))
                for each in subsets.values():
                    if each.cases:
                        yield sample, each

    said = jury.judge_each(work(), stop_on_first_failure=True, together=True)
    while True:
        # A trial that had no work to give is over as soon as those before it are.
        while under_way and under_way[0].is_over:
            yield under_way.popleft().judged()
        judgement = next(said, None)
        if judgement is None:
            break
        next(trial for trial in under_way if not trial.is_over).take(judgement)
    while under_way:
        yield under_way.popleft().judged()


class _Trial:
    """One program under way: judgements of its subsets come in their order."""

    def __init__(
        self,
        task_id: str,
        sample: Submission,
        subsets: Mapping[Subset, Problem],
        peer: Strict | None,
        error: CodejuryError | None = None,
    ) -> None:
        self._task_id = task_id
        self._sample = sample
        self._left = [subset for subset in SUBSETS if subset in subsets and subsets[subset].cases]
        self._subsets = subsets
        self._peer = peer
        passed = SubsetVerdict(status="pass", verdict="success")  # nothing to fail
        self._found: dict[Subset, SubsetVerdict] = {name: passed for name in subsets if name not in self._left}
        self._error = error

    @property
    def is_over(self) -> bool:
        return not self._left

    def take(self, said: Judgement | CodejuryError) -> None:
        subset = self._left.pop(0)
        if isinstance(said, CodejuryError):
            self._error = self._error or said
        else:
            self._found[subset] = _verdict(said, self._subsets[subset], self._peer)

    def judged(self) -> tuple[Judged, CodejuryError | None]:
        if self._error is not None:
            error = f"{type(self._error).__name__}: {self._error}"
            return Judged(task_id=self._task_id, source=self._sample.source, error=error), self._error
        subsets = {subset: self._found[subset] for subset in SUBSETS if subset in self._found}
        return Judged(task_id=self._task_id, source=self._sample.source, subsets=subsets), None


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
    """What JSON can hold of it: tuples as lists, and a text in the place of what has no other form."""
    try:
        return msgspec.to_builtins(value, str_keys=True, builtin_types=())
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:2000]


def _digest_of(benchmark: Benchmark, problem: Problem, peer: Strict | None) -> Any:
    """Of all that decides the verdicts of a task's samples, but the sample."""
    from codejury import __version__

    parts = (__version__, repr(benchmark), repr(peer), row_of(problem))
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16)


def _key(start: Any, source: str) -> str:
    digest = start.copy()
    digest.update(source.encode("utf-8", "surrogatepass"))
    return str(digest.hexdigest())
