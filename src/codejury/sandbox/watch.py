"""Looking on: what programs run now, and what became of those that did.

Owns `Watch`, the one object that runs tell, and `Watched`, a runner that tells it. A runner that nobody watches is not
wrapped, and pays nothing. What is kept does not grow with the number of runs: who looks (`take`, once a second or so)
gets what happened since he last did.

    begins ─► has a worker ─► over
       └─► waits ─┘   the one that has waited longest is next: pools hand their workers over in this order
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from codejury.model import Command, Level, Outcome
from codejury.sandbox.interpreter import Interpreter
from codejury.sandbox.pool import Runner, Task

_T = TypeVar("_T")
_LEAST_S, _STEP = 1e-4, math.log(1.1)


class Spread:
    """Times, counted in buckets that are a tenth wider each: at most a few hundred, however many times there are."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        self._counts[max(0, math.ceil(math.log(max(seconds, _LEAST_S) / _LEAST_S) / _STEP))] += 1

    def join(self, other: Spread) -> None:
        self._counts.update(other._counts)

    @property
    def total(self) -> int:
        return self._counts.total()

    def quantile(self, share: float) -> float | None:
        """Seconds, exact to a tenth; None where there are none."""
        left = math.ceil(share * self.total)
        for bucket in sorted(self._counts):
            left -= self._counts[bucket]
            if left <= 0:
                return _LEAST_S * math.exp(_STEP * bucket)
        return None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A program that has a worker. `of`: whose it is, as its task has it."""

    label: str
    seconds: float
    of: tuple[str, ...]


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Now. `waiting`: runs that wait for a worker. `level` and `layers` are those of the last run."""

    workers: int
    runs: list[Seen]
    waiting: int
    level: Level | None
    layers: tuple[str, ...]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What has ended since it was last asked for. `counts`: by status, or by the name of what was raised."""

    counts: Counter[str]
    took: Spread
    memory_mb: float


class _Run:
    __slots__ = ("label", "row", "since", "task")

    def __init__(self, label: str, task: Task | None) -> None:
        self.label, self.task = label, task
        self.since = time.monotonic()
        self.row = 1  # how many, one after another


class Watch:
    """Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._crews: dict[Watched, _Crew] = {}
        self._counts: Counter[str] = Counter()
        self._took = Spread()
        self._memory_mb = 0.0
        self._level: Level | None = None
        self._layers: tuple[str, ...] = ()

    def look(self) -> Look:
        """Programs in the order in which they began."""
        now = time.monotonic()
        with self._lock:
            crews = list(self._crews.values())
            runs = sorted((run for crew in crews for run in crew.running), key=lambda run: run.since)
            return Look(
                workers=sum(crew.workers for crew in crews),
                runs=[
                    Seen(label=run.label, seconds=now - run.since, of=run.task.label if run.task is not None else ())
                    for run in runs
                ],
                waiting=sum(len(crew.waiting) for crew in crews),
                level=self._level,
                layers=self._layers,
            )

    def take(self) -> Ended:
        with self._lock:
            ended = Ended(counts=self._counts, took=self._took, memory_mb=self._memory_mb)
            self._counts, self._took, self._memory_mb = Counter(), Spread(), 0.0
        return ended

    # -- told by runners

    def _join(self, runner: Watched, workers: int) -> None:
        with self._lock:
            self._crews[runner] = _Crew(workers)

    def _leave(self, runner: Watched) -> None:
        with self._lock:
            self._crews.pop(runner, None)

    def _begin(self, runner: Watched, run: _Run) -> None:
        with self._lock:
            crew = self._crews.get(runner)
            if crew is None:  # closed meanwhile: the runner will say so
                return
            if len(crew.running) < crew.workers:
                crew.running[run] = None
            else:
                crew.waiting[run] = None

    def _end(self, runner: Watched, run: _Run, outcomes: tuple[Outcome, ...], failure: str) -> None:
        now = time.monotonic()
        with self._lock:
            crew = self._crews.get(runner)
            if crew is not None:
                crew.waiting.pop(run, None)
                crew.running.pop(run, None)
                while crew.waiting and len(crew.running) < crew.workers:
                    following = next(iter(crew.waiting))
                    del crew.waiting[following]
                    following.since = now
                    crew.running[following] = None
            if failure:
                self._counts[failure] += 1
            for outcome in outcomes:
                self._counts[outcome.status] += 1
                self._took.add((now - run.since) / run.row)
                self._memory_mb = max(self._memory_mb, outcome.memory_mb)
                self._level, self._layers = outcome.level, outcome.layers


class _Crew:
    """Of one runner. Dictionaries as sets that keep their order."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.running: dict[_Run, None] = {}
        self.waiting: dict[_Run, None] = {}


class Watched:
    """A runner as it was, whose runs are seen."""

    def __init__(self, runner: Runner, watch: Watch) -> None:
        self._runner = runner
        self._watch = watch
        self._current = threading.local()
        watch._join(self, runner.workers)

    @property
    def workers(self) -> int:
        return self._runner.workers

    @property
    def callers(self) -> int:
        return self._runner.callers

    @property
    def level(self) -> Level:
        return self._runner.level

    @property
    def layers(self) -> tuple[str, ...]:
        return self._runner.layers

    @property
    def python(self) -> Interpreter:
        return self._runner.python

    def shadows(self, files: Iterable[str]) -> bool:
        return self._runner.shadows(files)

    def show(self, paths: Iterable[Path]) -> None:
        self._runner.show(paths)

    def run(self, command: Command) -> Outcome:
        (outcome,) = self._seen(_label(command), lambda: (self._runner.run(command),))
        return outcome

    def run_row(self, command: Command, inputs: Sequence[bytes]) -> list[Outcome]:
        return list(self._seen(_label(command), lambda: tuple(self._runner.run_row(command, inputs)), is_row=True))

    def run_pair(self, first: Command, second: Command) -> tuple[Outcome, Outcome]:
        one, other = self._seen(f"{_label(first)} and {_label(second)}", lambda: self._runner.run_pair(first, second))
        return one, other

    def _seen(
        self, label: str, call: Callable[[], tuple[Outcome, ...]], *, is_row: bool = False
    ) -> tuple[Outcome, ...]:
        run = _Run(label, getattr(self._current, "task", None))
        outcomes: tuple[Outcome, ...] = ()
        failure = ""
        try:
            self._watch._begin(self, run)
            outcomes = call()
            run.row = max(1, len(outcomes)) if is_row else 1
            return outcomes
        except BaseException as error:
            failure = type(error).__name__
            raise
        finally:
            self._watch._end(self, run, outcomes, failure)

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T:
        before = getattr(self._current, "task", None)
        self._current.task = task
        try:
            return self._runner.run_for(task, call)
        finally:
            self._current.task = before

    def prepare(self) -> None:
        self._runner.prepare()

    def close(self) -> None:
        self._watch._leave(self)
        self._runner.close()


def _label(command: Command) -> str:
    return command.label or os.path.basename(command.argv[0])
