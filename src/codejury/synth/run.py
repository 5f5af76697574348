"""Many rows: from a file of problems to a file of problems with tests that a model's programs made.

Owns what is under way. `workers` problems at a time, each in a thread that waits for the model or for the sandbox,
which all share. Rows are written in the order of the input, so that a run that was killed and goes on leaves the same
file, to the byte, as one that was not. Where answers come in batches, a row is written when it is done.

    T.jsonl          the rows            T.errors.jsonl   lines that could not be worked on
    T.run.json       the runs            T.exchanges/     the store, unless another is named
"""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from codejury import settings
from codejury.dataset.rows import BadRow
from codejury.dataset.store import Store
from codejury.errors import CodejuryError, ModelError, UsageError
from codejury.judging.jury import Jury
from codejury.languages.execute import Sandbox
from codejury.llm.prompts import Prompts
from codejury.synth.asking import Asker, Request, Waiting
from codejury.synth.options import Options
from codejury.synth.problem import WRONG_FOR_ALL, Result, Synthesis
from codejury.testgen import rows
from codejury.testgen.crew import Crew
from codejury.testgen.record import Errors, Record
from codejury.testgen.rows import BadLine, DoneBefore, Task

_STOPS = ("spent", "missing")  # there will be no answer for anybody; the row is left for a later run


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to.

    counts    rows, done before, bad lines, waiting, not done, tests, and a count for each state (problem.State)
    waiting   the questions that have no answer yet
    stopped   why no further row was begun
    """

    output: Path
    errors: Path
    record: Path
    counts: dict[str, int]
    seconds: float
    waiting: list[Request] = []
    stopped: str = ""

    @property
    def complete(self) -> bool:
        good = ("rows", "done before", "made", "tests")
        return not self.stopped and not any(count for name, count in self.counts.items() if name not in good)


class _Done(msgspec.Struct, frozen=True, kw_only=True):
    task: Task
    result: Result | None = None
    waiting: list[Request] = []
    bad: str = ""  # why the row cannot be worked on
    error: str = ""
    stop: str = ""


def synthesise(
    input: Path,
    output: Path,
    asker: Asker,
    options: Options | None = None,
    *,
    model: str,
    prompts: Prompts | None = None,
    workers: int = 8,
    sandboxes: int | None = None,
    level: str = "auto",
    sandbox: Sandbox | None = None,
    retry_failed: bool = False,
    only_ids: frozenset[str] | None = None,
    stop: threading.Event | None = None,
    note: Callable[[str], None] | None = None,
    done: Callable[[Result], None] | None = None,
    more: Mapping[str, Any] | None = None,
    usage: Callable[[], Mapping[str, Any]] | None = None,
) -> Summary:
    """Appends to `output` the rows of `input` that it does not hold yet.

    workers        problems at a time; sandboxes: programs at a time, as many as cores otherwise
    sandbox        one that is there already, and is not closed
    retry_failed   rows of the output that have an error_info are done again
    only_ids       of the input only these
    stop           once set, no further row is begun
    note, done     are told what a person should know at once, and of each row that was written
    more, usage    for the record: what else was chosen, and what was spent
    """
    if input.resolve() == output.resolve():
        raise UsageError(f"{output}: expected another file than the input")
    known = settings.load()
    with contextlib.ExitStack() as stack:
        if sandbox is None:
            count = min(sandboxes or known.workers, known.sandboxes)
            sandbox = stack.enter_context(Sandbox(workers=count, level=level))
        run = _Run(
            sandbox,
            asker,
            options or Options(),
            prompts or Prompts(),
            model=model,
            workers=workers,
            stop=stop or threading.Event(),
            note=note or (lambda text: None),
            done=done or (lambda result: None),
        )
        return run.all(input, output, retry_failed, only_ids, more or {}, usage)


class _Run:
    def __init__(
        self,
        sandbox: Sandbox,
        asker: Asker,
        options: Options,
        prompts: Prompts,
        *,
        model: str,
        workers: int,
        stop: threading.Event,
        note: Callable[[str], None],
        done: Callable[[Result], None],
    ) -> None:
        self._sandbox, self._asker, self._options, self._prompts = sandbox, asker, options, prompts
        self._model, self._workers, self._stop, self._note, self._done = model, workers, stop, note, done
        self._counts: Counter[str] = Counter()
        self._waiting: list[Request] = []
        self._stopped = ""

    def all(
        self,
        input: Path,
        output: Path,
        retry_failed: bool,
        only_ids: frozenset[str] | None,
        more: Mapping[str, Any],
        usage: Callable[[], Mapping[str, Any]] | None,
    ) -> Summary:
        since = time.monotonic()

        def keep(row: Mapping[str, Any]) -> bool:
            failed = row.get("error_info") is not None
            self._counts["failed before"] += failed and not retry_failed
            return not (failed and retry_failed)

        with (
            Store(output, keep=keep, looks_at=("error_info",)) as store,
            Crew(self._sandbox) as crew,
            Jury(self._sandbox, kept=None, run_only=True) as jury,
        ):
            if store.repaired:
                self._note(store.repaired)
            errors = Errors(rows.beside(output, ".errors.jsonl"))
            told = {"model": self._model, "workers": self._workers, **more}
            path = rows.beside(output, ".run.json")
            record = Record(path, input=input, output=output, options=self._options, more=told)
            state = "failed"
            try:
                for each in self._results(self._tasks(input, store, errors, only_ids), crew, jury):
                    self._take(each, store, errors)
                    if self._stopped:
                        break
                state = "stopped" if self._stopped or self._stop.is_set() else "done"
            except KeyboardInterrupt:
                state = "interrupted"
                raise
            finally:
                spent = {f"model: {name}": count for name, count in (usage() if usage else {}).items()}
                record.end(
                    state,
                    sandbox=self._sandbox,
                    languages=crew.languages,
                    counts={**self._counts, **spent},
                    timings=crew.times.as_json(),
                )
        return Summary(
            output=output,
            errors=errors.path,
            record=record.path,
            counts=dict(self._counts),
            seconds=time.monotonic() - since,
            waiting=self._waiting,
            stopped=self._stopped or ("interrupted" if self._stop.is_set() else ""),
        )

    def _tasks(
        self, input: Path, store: Store, errors: Errors, only_ids: frozenset[str] | None
    ) -> Iterator[tuple[int, Task]]:
        needs = self._options.only == "checkers"
        before = frozenset(store.done)
        for turn, read in enumerate(rows.read_tasks(input, done=before, needs_generator=needs)):
            found = read.found
            if only_ids is not None and not isinstance(found, BadLine) and found.id not in only_ids:
                continue
            self._counts["rows"] += 1
            if isinstance(found, BadLine):
                self._counts["bad lines"] += 1
                self._note(found.error)
                errors.add(found.as_json())
            elif isinstance(found, DoneBefore):
                self._counts["done before"] += 1
            else:
                yield turn, found

    def _results(self, tasks: Iterator[tuple[int, Task]], crew: Crew, jury: Jury) -> Iterator[_Done]:
        """In the order of the input; where answers come in batches, all tasks see their turn anyway."""
        under_way: deque[Future[_Done]] = deque()
        in_hurry = True
        threads = ThreadPoolExecutor(self._workers, thread_name_prefix="codejury-synth")
        try:
            for turn, task in tasks:
                if self._stop.is_set():
                    break
                under_way.append(threads.submit(self._one, crew, jury, turn, task))
                while len(under_way) >= 2 * self._workers or (under_way and under_way[0].done()):
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
            in_hurry = False
        finally:
            if in_hurry:  # somebody gave up, or nothing more may be asked: nobody will write what is under way
                crew.close()
                self._sandbox.close()
            threads.shutdown(wait=not in_hurry, cancel_futures=True)

    def _one(self, crew: Crew, jury: Jury, turn: int, task: Task) -> _Done:
        if self._stop.is_set():
            return _Done(task=task, stop="interrupted")
        try:
            synthesis = Synthesis(
                crew, jury, self._asker, self._prompts, task, self._options, model=self._model, turn=turn
            )
            try:
                return _Done(task=task, result=synthesis.run())
            except ModelError as error:
                if error.trouble in _STOPS or error.status in WRONG_FOR_ALL:
                    return _Done(task=task, stop=str(error))
                return _Done(task=task, result=synthesis.unanswered(error))
        except Waiting as waiting:
            return _Done(task=task, waiting=waiting.requests)
        except BadRow as error:
            return _Done(task=task, bad=str(error))
        except CodejuryError as error:
            return _Done(task=task, error=str(error))
        except Exception:  # noqa: BLE001 - one bad row must not end the others; told in full, and not taken for done
            return _Done(task=task, error=traceback.format_exc())

    def _take(self, each: _Done, store: Store, errors: Errors) -> None:
        if each.result is not None:
            store.append(each.result.row)
            self._counts[each.result.state] += 1
            self._counts["tests"] += each.result.tests
            self._done(each.result)
        elif each.waiting:
            self._counts["waiting"] += 1
            self._waiting += each.waiting
        elif each.bad:
            self._counts["bad lines"] += 1
            self._note(each.bad)
            errors.add({"line": _line_of(each.task), "error": each.bad, "row": each.task.row})
        elif each.stop:
            self._counts["not done"] += 1
            self._stopped = each.stop
        else:
            self._counts["not done"] += 1
            self._note(f"{each.task.where}: {each.task.id}: not done, for a failure of ours: {each.error}")
            errors.add({"line": _line_of(each.task), "error": f"not done: {each.error}", "row": each.task.row})


def _line_of(task: Task) -> int:
    return int(task.where.rpartition(" ")[2])


def told_so_far(
    input: Path, name: str, asker: Asker, options: Options, *, model: str, prompts: Prompts, level: str = "auto"
) -> tuple[dict[str, Any], list[Request], str | None]:
    """Of a problem that is not in the output yet: as far as the store's answers go. What the row would say of it, the
    questions that wait, and its error_info. UsageError where the input has no such problem."""
    for read in rows.read_tasks(input, needs_generator=options.only == "checkers"):
        if isinstance(read.found, Task) and read.found.id == name:
            break
    else:
        raise UsageError(f"{input}: no problem {name!r} that could be worked on")
    assert isinstance(read.found, Task)
    with Sandbox(level=level) as sandbox, Crew(sandbox) as crew, Jury(sandbox, kept=None, run_only=True) as jury:
        synthesis = Synthesis(crew, jury, asker, prompts, read.found, options, model=model)
        try:
            result = synthesis.run()
        except Waiting as waiting:
            steps = [msgspec.to_builtins(step) for step in synthesis.dialogue.steps]
            return {"model": model, "state": "waiting", "steps": steps}, waiting.requests, None
        return result.row["synthesis"], [], result.row["error_info"]
