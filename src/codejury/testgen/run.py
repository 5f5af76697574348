"""Many rows: from a file of problems to a file of problems with tests.

Owns what is under way. A few rows more than there are workers are worked on at a time, each by a thread of its own that
asks the shared crew for runs: while one row waits for its generator, the golds of another run. Rows are read as they
are needed and written when they are done, so memory does not depend on the size of the file, and a run that is killed
loses only the rows under way. Each row is written once, whole; what the output holds already is not done again.
"""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from codejury import settings
from codejury.dataset.store import Store
from codejury.errors import CodejuryError, UsageError
from codejury.languages.execute import Sandbox
from codejury.testgen import pipeline, rows
from codejury.testgen.crew import Crew, Tally
from codejury.testgen.options import Options
from codejury.testgen.record import Errors, Record
from codejury.testgen.rows import BadLine, DoneBefore, Task

_ROWS_MORE = 2  # than workers
_LOOK_S = 0.2  # how often somebody who wants us to stop is looked for

STEPS = (
    "rows",
    "done before",
    "made",
    "failed",
    "bad lines",
    "not done",
    "inputs",
    "distinct",
    "valid",
    "agreed",
    "tests",
    "golds set aside",
    "runs",
)
"""The counts that every summary has; beside them there is `dropped: REASON` for each reason (trouble.Reason).

inputs → distinct → valid → agreed → tests: what was left after each step (generators, duplicates, validators, golds,
second runs)."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to.

    counts          by name: STEPS, and `dropped: …`
    failed_before   rows of earlier runs that have an error_info, and were left as they are
    stopped         somebody wanted it to end before all rows were done
    """

    output: Path
    errors: Path
    record: Path
    counts: dict[str, int]
    seconds: float
    failed_before: int = 0
    stopped: bool = False

    @property
    def complete(self) -> bool:
        """All rows are in the output, and have tests."""
        left = sum(self.counts[name] for name in ("failed", "bad lines", "not done"))
        return not (left or self.failed_before or self.stopped)


def generate(
    input: Path,
    output: Path,
    options: Options | None = None,
    *,
    workers: int | None = None,
    level: str = "auto",
    retry_failed: bool = False,
    stop: threading.Event | None = None,
    tally: Tally | None = None,
    note: Callable[[str], None] | None = None,
    sandbox: Sandbox | None = None,
) -> Summary:
    """Makes tests for the rows of `input` and appends them to `output`.

    workers        programs at a time; None: as many as cores; never more than the setting CODEJURY_SANDBOXES
    retry_failed   rows of the output that have an error_info are done again
    stop           once set, no further row is begun; those under way are finished and written
    tally          the counts while they grow
    note           is told what a person should know at once: bad lines, a torn end that was mended
    sandbox        one that is there, instead of one for `workers` and `level`; it is closed where the run is broken off
    """
    if input.resolve() == output.resolve():
        raise UsageError(f"{output}: expected another file than the input")
    known = settings.load()
    with contextlib.ExitStack() as stack:
        if sandbox is None:
            workers = min(workers or known.workers, known.sandboxes)
            sandbox = stack.enter_context(Sandbox(workers=workers, level=level))
        run = _Run(
            sandbox,
            options or Options(),
            stop or threading.Event(),
            tally or Tally(),
            note or (lambda text: None),
        )
        return run.all(input, output, retry_failed=retry_failed)


class _Run:
    def __init__(
        self,
        sandbox: Sandbox,
        options: Options,
        stop: threading.Event,
        tally: Tally,
        note: Callable[[str], None],
    ) -> None:
        self._sandbox = sandbox
        self._options = options
        self._stop = stop
        self._tally = tally
        self._note = note
        self._failed_before = 0
        self._fatal: UsageError | None = None
        self._aborted = False

    def all(self, input: Path, output: Path, *, retry_failed: bool) -> Summary:
        since = time.monotonic()
        self._tally.add("bytes", rows.size_of(input))

        def keep(row: Mapping[str, Any]) -> bool:
            failed = row.get("error_info") is not None
            self._failed_before += failed and not retry_failed
            return not (failed and retry_failed)

        with Store(output, keep=keep, looks_at=("error_info",)) as store, Crew(self._sandbox, self._tally) as crew:
            if store.repaired:
                self._note(store.repaired)
            errors = Errors(rows.beside(output, ".errors.jsonl"))
            record = Record(
                rows.beside(output, ".run.json"),
                input=input,
                output=output,
                options=self._options,
                more={"workers": self._sandbox.workers, "retry_failed": retry_failed},
            )
            state = "failed"
            try:
                self._rows(input, store, crew, errors)
                if self._fatal is not None:
                    raise self._fatal
                state = "stopped" if self._stop.is_set() else "done"
            except KeyboardInterrupt:
                state = "interrupted"
                raise
            finally:
                counts = self._counts()
                record.end(
                    state,
                    sandbox=self._sandbox,
                    languages=crew.languages,
                    counts=counts,
                    timings=crew.times.as_json(),
                )
        return Summary(
            output=output,
            errors=errors.path,
            record=record.path,
            counts=counts,
            seconds=time.monotonic() - since,
            failed_before=self._failed_before,
            stopped=self._stop.is_set(),
        )

    def _counts(self) -> dict[str, int]:
        found = self._tally.counts()
        dropped = {name: count for name, count in sorted(found.items()) if name.startswith("dropped: ")}
        return {name: found.get(name, 0) for name in STEPS} | dropped

    def _rows(self, input: Path, store: Store, crew: Crew, errors: Errors) -> None:
        places = threading.Semaphore(self._sandbox.workers + _ROWS_MORE)
        threads = ThreadPoolExecutor(self._sandbox.workers + _ROWS_MORE, thread_name_prefix="codejury-row")
        done_before = frozenset(store.done)
        read_bytes = 0
        try:
            for turn, read in enumerate(rows.read_tasks(input, done=done_before)):
                found = read.found
                if isinstance(found, Task) and not self._place(places):
                    break
                if self._stop.is_set():
                    break
                self._tally.add("rows")
                self._tally.add("bytes read", read.bytes_read - read_bytes)
                read_bytes = read.bytes_read
                if isinstance(found, BadLine):
                    self._tally.add("bad lines")
                    self._note(found.error)
                    errors.add(found.as_json())
                elif isinstance(found, DoneBefore):
                    self._tally.add("done before")
                else:
                    threads.submit(self._row, turn, found, store, crew, errors, places)
            threads.shutdown(wait=True)
        except BaseException:
            # Whoever is in a hurry: what is under way is given up, not waited for.
            self._aborted = True
            crew.close()
            self._sandbox.close()
            threads.shutdown(wait=False, cancel_futures=True)
            raise

    def _place(self, places: threading.Semaphore) -> bool:
        """A place for one more row; False where we are to stop."""
        while not self._stop.is_set():
            if places.acquire(timeout=_LOOK_S):
                return True
        return False

    def _row(
        self, turn: int, task: Task, store: Store, crew: Crew, errors: Errors, places: threading.Semaphore
    ) -> None:
        try:
            made = pipeline.make(crew, task, self._options, turn=turn)
            self._append(store, made)
            self._tally.add("failed" if made.error_info else "made")
        except CodejuryError as error:
            self._not_done(task, str(error), errors)
        except Exception:  # noqa: BLE001 - one bad row must not end the others; told in full, and not taken for done
            self._not_done(task, traceback.format_exc(), errors)
        finally:
            places.release()

    def _append(self, store: Store, made: pipeline.Made) -> None:
        try:
            store.append(made.row)
        except UsageError as error:  # a full disk, say: no other row would fare better
            self._fatal = self._fatal or error
            self._stop.set()
            raise

    def _not_done(self, task: Task, error: str, errors: Errors) -> None:
        if self._aborted:
            return
        self._tally.add("not done")
        self._note(f"{task.where}: {task.id}: not done, for a failure of ours: {error}")
        errors.add({"line": int(task.where.rpartition(" ")[2]), "error": f"not done: {error}", "row": task.row})
