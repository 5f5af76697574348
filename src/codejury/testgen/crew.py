"""The threads that run programs for all rows, and the counts of what happened.

Owns who is next: a run of the row that came first. So the first rows are done first, later ones fill the gaps that the
ends of earlier ones leave, all workers are busy, and a run that is killed loses few rows.

Row threads ask (`each`), crew threads run. A row has a few runs more in the queue than there are workers, and takes
their results in order: what it holds does not grow with the number of its runs.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import Any, TypeVar

from codejury.errors import CheckerError, InternalError
from codejury.judging.gate import Gate
from codejury.languages.execute import Sandbox
from codejury.testgen.trouble import Step

_T = TypeVar("_T")
_R = TypeVar("_R")

_TRIES = 3
_FAR = 32  # times as many as usual, behind a slow one
_LIGHT_BYTES = 8 << 20
_PAUSE_S = 1.0  # before a run that this host had no time for is tried again


class Tally:
    """Counts by name, from several threads."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, name: str, count: int = 1) -> None:
        with self._lock:
            self._counts[name] += count

    def __getitem__(self, name: str) -> int:
        return self._counts[name]

    def counts(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)


class Times:
    """When the programs of each step ran, in seconds since this was made: how many runs, the begin of the first, the
    end of the last, and the time that they took together, waiting for a worker included."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._steps: dict[str, dict[str, float]] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def of(self, step: str) -> Iterator[None]:
        begun = time.monotonic() - self._since
        try:
            yield
        finally:
            ended = time.monotonic() - self._since
            with self._lock:
                seen = self._steps.setdefault(step, {"runs": 0, "first_s": begun, "last_s": ended, "total_s": 0.0})
                seen["runs"] += 1
                seen["first_s"] = min(seen["first_s"], begun)
                seen["last_s"] = max(seen["last_s"], ended)
                seen["total_s"] += ended - begun

    def as_json(self) -> dict[str, dict[str, float]]:
        with self._lock:
            return {step: {name: round(each, 3) for name, each in seen.items()} for step, seen in self._steps.items()}


class Crew:
    """A context manager. Does not close the sandbox."""

    def __init__(self, sandbox: Sandbox, tally: Tally | None = None) -> None:
        self.sandbox = sandbox
        self.gate = Gate()
        self.tally = tally or Tally()
        self.times = Times()
        self.languages: set[str] = set()  # that programs were written in, for the record
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int, Future[Any], Callable[[], Any]]] = []
        self._numbers = itertools.count()
        self._closed = False
        # Twice as many as workers: while one waits for its program, the next has its command ready.
        self._threads = [
            threading.Thread(target=self._work, name=f"codejury-crew-{number}", daemon=True)
            for number in range(2 * sandbox.workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, turn: int, call: Callable[[], _R]) -> Future[_R]:
        """`turn`: lower ones go first."""
        future: Future[_R] = Future()
        with self._changed:
            if self._closed:
                raise InternalError("the crew has gone home")
            heapq.heappush(self._waiting, (turn, next(self._numbers), future, call))
            self._changed.notify()
        return future

    def each(
        self,
        turn: int,
        work: Callable[[_T], _R],
        items: Iterable[_T],
        *,
        ahead: int = 6,
        weigh: Callable[[_R], int] | None = None,
    ) -> Iterator[_R]:
        """`work` of each item, in the order of the items, which are taken as they are needed: `ahead` for a worker.

        A slow one must not keep the others waiting: with `weigh`, the bytes of a result, more are begun as others end,
        as long as what they gave is light."""
        under_way: deque[Future[_R]] = deque()
        near = ahead * self.sandbox.workers
        rest = iter(items)
        more = True
        try:
            while more or under_way:
                waiting = [future for future in under_way if not future.done()]
                while more and len(waiting) < near and self._has_room(under_way, near, weigh):
                    try:
                        item = next(rest)
                    except StopIteration:
                        more = False
                        break
                    under_way.append(self.submit(turn, lambda item=item: work(item)))  # type: ignore[misc]
                    waiting.append(under_way[-1])
                if under_way and (under_way[0].done() or weigh is None or not more):
                    yield under_way.popleft().result()
                elif under_way:
                    wait(waiting, return_when=FIRST_COMPLETED)
        finally:
            for future in under_way:
                future.cancel()

    def _has_room(self, under_way: deque[Future[_R]], near: int, weigh: Callable[[_R], int] | None) -> bool:
        if len(under_way) < near:
            return True
        if weigh is None or len(under_way) >= _FAR * near:
            return False
        ended = (future for future in under_way if future.done() and not future.cancelled())
        return sum(weigh(future.result()) for future in ended if future.exception() is None) < _LIGHT_BYTES

    def patiently(self, step: Step, run: Callable[[], _R]) -> _R:
        """A failure of ours says nothing of the program: it is tried again first. A checker's failure is its own."""
        for tries in range(1, _TRIES + 1):
            try:
                self.tally.add("runs")
                with self.times.of(step):
                    return run()
            except InternalError as error:
                if tries == _TRIES or self._closed or isinstance(error, CheckerError):
                    raise
                time.sleep(_PAUSE_S * tries)
        raise AssertionError("unreachable")

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                _, _, future, call = heapq.heappop(self._waiting)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - raised again in the row that asked
                future.set_exception(error)
            else:
                future.set_result(result)
            del future, call

    def close(self) -> None:
        with self._changed:
            self._closed = True
            for _, _, future, _ in self._waiting:
                future.cancel()
            self._waiting.clear()
            self._changed.notify_all()

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
