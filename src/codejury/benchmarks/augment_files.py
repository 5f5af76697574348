"""A benchmark's file to its strengthened version: rows in order, resumable, a few tasks in memory at a time.

    T.jsonl                the rows (dataset.Store), named by task_id
    T.set_aside.jsonl      {task_id, why, message}: tasks that nothing was made of; made anew by each run
    T.run.json             the record of the runs

Owns the way from a file to a file. Several tasks are under way at once; they are written in the input's order.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from codejury.benchmarks import plus_rows
from codejury.benchmarks.augment import Ask, Made, Options, SetAside, augment
from codejury.dataset.problems import read_problems
from codejury.dataset.rows import BadRow
from codejury.dataset.store import Store
from codejury.errors import CodejuryError, UsageError
from codejury.judging.jury import Jury
from codejury.model import Problem
from codejury.testgen.record import Errors, Record
from codejury.testgen.rows import beside

_AHEAD = 2  # tasks under way for each worker


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A task: its account; why it was set aside; or an error of ours. `before`: an earlier run made its row."""

    id: str
    account: dict[str, Any] = {}
    aside: SetAside | None = None
    error: str = ""
    before: bool = False


class Augmenting:
    """An iterable of Done, which does the work as it is asked for.

    counts   of tasks, and of tests: `base`, those that the tasks came with, and `tests`, all that their rows have now
    why      how many were set aside for which reason
    """

    def __init__(
        self,
        jury: Jury,
        input: Path,
        output: Path,
        options: Options,
        *,
        ask: Ask | None = None,
        format: str | None = None,
        limit: int | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        if input.resolve() == output.resolve():
            raise UsageError(f"{output}: expected another file than the input")
        self._jury, self._input, self._output, self._options = jury, input, output, options
        self._ask, self._format, self._limit = ask, format, limit
        self._note = note or (lambda text: None)
        self._over = threading.Event()
        self.counts = dict.fromkeys(
            ("tasks", "made", "made before", "set aside", "failed", "bad rows", "base", "tests"), 0
        )
        self.why: Counter[str] = Counter()
        self.seconds = 0.0
        self.set_aside = beside(output, ".set_aside.jsonl")
        self.record = beside(output, ".run.json")

    def __iter__(self) -> Iterator[Done]:
        since = time.monotonic()
        asides = Errors(self.set_aside)

        def bad(error: BadRow) -> None:
            self.counts["bad rows"] += 1
            self._note(str(error))

        with Store(self._output, key="task_id") as store:
            if store.repaired:
                self._note(store.repaired)
            record = Record(self.record, input=self._input, output=self._output, options=self._options, more={})
            state = "failed"
            try:
                for done, row in self._done(store, bad):
                    self._count(done, asides)
                    if row is not None:
                        store.append(row)
                    yield done
                state = "done"
            except (KeyboardInterrupt, GeneratorExit):
                state = "interrupted"
                raise
            finally:
                self._over.set()
                self.seconds = time.monotonic() - since
                counts = {**self.counts, **{f"set aside: {why}": count for why, count in self.why.items()}}
                record.end(state, sandbox=self._jury.sandbox, languages=set(), counts=counts, timings={})

    def _done(self, store: Store, bad: Callable[[BadRow], None]) -> Iterator[tuple[Done, dict[str, Any] | None]]:
        workers = self._jury.sandbox.workers
        under_way: deque[Future[tuple[Done, dict[str, Any] | None]]] = deque()
        seen: set[str] = set()
        with ThreadPoolExecutor(workers, thread_name_prefix="codejury-augment") as threads:
            try:
                for number, problem in enumerate(read_problems(self._input, format=self._format, on_error=bad)):
                    if self._limit is not None and number >= self._limit:
                        break
                    name = str(plus_rows.id_of(problem, self._options.form))
                    if name in seen:
                        bad(BadRow(str(self._input), "task_id", "one row of each id", f"{problem.id!r} again"))
                        continue
                    seen.add(name)
                    if name in store:
                        under_way.append(_ready(Done(id=name, before=True)))
                    else:
                        under_way.append(threads.submit(self._one, name, problem))
                    if len(under_way) >= _AHEAD * workers:
                        yield under_way.popleft().result()
                while under_way:
                    yield under_way.popleft().result()
            finally:
                for future in under_way:
                    future.cancel()

    def _one(self, name: str, problem: Problem) -> tuple[Done, dict[str, Any] | None]:
        if self._over.is_set():
            return Done(id=name, error="interrupted"), None
        try:
            made = augment(self._jury, problem, self._options, ask=self._ask)
        except CodejuryError as error:
            return Done(id=name, error=str(error)), None
        if isinstance(made, Made):
            return Done(id=name, account=made.account), made.row
        return Done(id=name, aside=made), None

    def _count(self, done: Done, asides: Errors) -> None:
        self.counts["tasks"] += 1
        if done.before:
            self.counts["made before"] += 1
        elif done.error:
            self.counts["failed"] += 1
            self._note(f"{done.id}: {done.error}")
        elif done.aside is not None:
            self.counts["set aside"] += 1
            self.why[done.aside.why] += 1
            asides.add({"task_id": done.id, "why": done.aside.why, "message": done.aside.message})
        else:
            self.counts["made"] += 1
            self.counts["base"] += done.account["base"]
            self.counts["tests"] += done.account["tests"]


def _ready(done: Done) -> Future[tuple[Done, dict[str, Any] | None]]:
    future: Future[tuple[Done, dict[str, Any] | None]] = Future()
    future.set_result((done, None))
    return future
