"""Workers on loan: as many as programs may run at a time, made when first needed.

Owns concurrency and retries. A command is run in the caller's own thread on a borrowed worker, so a pool is
as parallel as its callers, up to the number of workers. A failure of ours (a lost worker, a set-up step
that the host refused for once) is tried again on a new worker; only then it surfaces, as an exception.
"""

from __future__ import annotations

import collections
import contextlib
import errno
import os
import queue
import socket
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, TypeVar

import msgspec

from codejury import settings
from codejury.errors import HostOverloaded, InternalError, LevelUnavailable, SetupError, UsageError, WorkerLost
from codejury.model import LEVELS, Command, Level, Outcome
from codejury.sandbox import cgroups, interpreter
from codejury.sandbox.worker import Plan, Worker, clear_away

_T = TypeVar("_T")
_TRIES = 3
_LOOK_AGAIN_S = 0.5  # for places that were lost
_UNNOTICED_S = 0.02  # of waiting for a core, which on an idle host is there too
_PATIENCE = 4  # times the time on the clock
# Steps whose failure says what this host lets us do, not that something went wrong under way.
_OF_THE_HOST = {"cgroup-make", "namespaces", "id-map", "root-private", "root-bind", "root-proc", "landlock", "seccomp"}


# ... unless it was for want of something that may be there again in a moment: then it says nothing of the level, and is
# no reason to fall to a weaker one.
_FOR_NOW = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EINTR, errno.EIO}


_ROW, ROW_BYTES = 32, 32 << 10  # fit into a socket's buffer many times over: see Worker.run_row


class Runner(Protocol):
    """Who runs commands: what others lean on of a pool."""

    @property
    def workers(self) -> int: ...

    @property
    def callers(self) -> int:
        """Threads that keep it busy: more than workers, where an answer is long on its way."""
        ...

    @property
    def level(self) -> Level: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    @property
    def python(self) -> interpreter.Interpreter: ...

    def shadows(self, files: Iterable[str]) -> bool: ...

    def show(self, paths: Iterable[Path]) -> None: ...

    def run(self, command: Command) -> Outcome: ...

    def run_row(self, command: Command, inputs: Sequence[bytes]) -> list[Outcome]: ...

    def run_pair(self, first: Command, second: Command) -> tuple[Outcome, Outcome]: ...

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T: ...

    def prepare(self) -> None: ...

    def close(self) -> None: ...


class Pool:
    """A context manager. Safe from several threads; not usable in a forked child."""

    def __init__(
        self,
        *,
        workers: int | None = None,
        level: Level | None = None,
        python: Path | None = None,
        preload: Sequence[str] | None = None,
        reads: Sequence[Path] = (),
    ) -> None:
        known = settings.load()
        self._workers = workers or known.workers
        self._asked = level or known.level
        self._python = interpreter.find(python or known.python)
        self._preload = tuple(known.preload if preload is None else preload)
        self._reads = tuple(reads)
        self._settings = known
        # Two programs that talk to each other take turns: they count as one, and the second has a worker of its own,
        # or as many first ones as there are places would wait for their second ones for ever.
        self._places, self._companions = _Places(self._workers), _Places(self._workers)
        self._lock = threading.Lock()
        self._made = 0
        self._plan: Plan | None = None
        self._alive: set[Worker] = set()
        self._pid = os.getpid()
        self._closed = False
        self._task = threading.local()
        self._finalizer = weakref.finalize(self, _close_all, self._alive, self._pid)

    def shadows(self, files: Iterable[str]) -> bool:
        """Whether a file laid beside a script would be imported instead of a module that waits ready-imported."""
        heads = {name.split("/")[0].removesuffix(".py") for name in files}
        return bool(heads) and not heads.isdisjoint({*sys.stdlib_module_names, *self._preload})

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def callers(self) -> int:
        return self._workers

    @property
    def python(self) -> interpreter.Interpreter:
        return self._python

    @property
    def layers(self) -> tuple[str, ...]:
        with self._borrow() as worker:
            return worker.layers

    def show(self, paths: Iterable[Path]) -> None:
        """Makes more of the host readable inside, for a toolchain; workers without it are replaced when next needed."""
        with self._lock:
            more = [path for path in paths if path not in self._reads]
            if more:
                self._reads = (*self._reads, *more)
                if self._plan is not None:
                    self._plan = msgspec.structs.replace(self._plan, reads=self._reads)

    @property
    def level(self) -> Level:
        """The level that runs get; choosing it starts the first worker."""
        with self._borrow() as worker:
            return worker.level

    def _plan_for(self, level: Level) -> Plan:
        groups = None
        if level == "full":
            groups = cgroups.find(self._settings.cgroup)
            if not groups.parents:
                raise LevelUnavailable(level, "cgroup", groups.reason)
            cgroups.sweep(groups)
        return Plan(
            level=level,
            interpreter=self._python,
            preload=self._preload,
            reads=self._reads,
            groups=groups,
            temp=self._settings.temp,
        )

    def _start(self, plan: Plan) -> Worker:
        self._made += 1
        return Worker(plan, self._made)

    def _choose(self) -> Worker:
        """The first worker decides the level, from the strongest that the host gives."""
        reasons = []
        for level in (self._asked,) if self._asked else LEVELS:
            try:
                plan = self._plan_for(level)
                worker = self._start(plan)
            except LevelUnavailable as error:
                if self._asked:
                    raise
                reasons.append(f"{level}: {error.layer}: {error.reason}")
                continue
            except SetupError as error:
                if error.step not in _OF_THE_HOST or error.errno in _FOR_NOW:
                    raise
                if self._asked:
                    raise LevelUnavailable(level, error.step, error.detail) from error
                reasons.append(f"{level}: {error.step}: {error.detail}")
                continue
            self._plan = plan
            return worker
        raise LevelUnavailable("auto", "every level", "; ".join(reasons))

    def _make(self) -> Worker:
        with self._lock:
            if self._plan is None:
                return self._choose()
            plan = self._plan
        return self._start(plan)

    @contextlib.contextmanager
    def _borrow(self, places: _Places | None = None) -> Iterator[Worker]:
        if os.getpid() != self._pid:
            raise UsageError("this sandbox was made before a fork: make one in the process that uses it")
        if self._closed:
            raise UsageError("this sandbox is closed")
        places = places or self._places
        place = places.take()
        try:
            if place.worker is not None and (place.worker.closed or place.worker.plan is not self._plan):
                self._retire(place)
            if place.worker is None:
                place.worker = self._make()
            self._alive.add(place.worker)  # each time: an interrupt may have come just before
            if self._closed:  # while it was made, and so perhaps before it was known to whoever closes
                raise UsageError("this sandbox is closed")
            yield place.worker
        finally:
            if place.worker is not None and (place.worker.closed or self._closed):
                self._retire(place)
            places.give(place)

    def _retire(self, place: _Place) -> None:
        worker = place.worker
        if worker is not None:
            worker.close()
            self._alive.discard(worker)
        place.worker = None

    def run(self, command: Command) -> Outcome:
        task = getattr(self._task, "current", None)
        return _tried(self._once, task, command, task)

    def _once(self, command: Command, task: Task | None) -> Outcome:
        with self._borrow() as worker:
            if task is None:
                return worker.run(command)
            with task.on(worker):
                return worker.run(command)

    def run_row(self, command: Command, inputs: Sequence[bytes]) -> list[Outcome]:
        """On each of these inputs instead of its own, in this order. Many short runs cost their caller less so: what is
        not short ends the row, and the outcomes are those of the first ones only, of one of them at least."""
        row = inputs[:_ROW]
        if len(row) > 1 and sum(map(len, row)) <= ROW_BYTES:
            task = getattr(self._task, "current", None)
            try:
                with self._borrow() as worker, contextlib.nullcontext() if task is None else task.on(worker):
                    return worker.run_row(command, row)
            except HostOverloaded:
                raise
            except InternalError:
                if task is not None and task.given_up:
                    raise  # otherwise by itself, as often as it takes
        return [self.run(msgspec.structs.replace(command, stdin=stdin)) for stdin in inputs[:1]]

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T:
        """The call, in this thread; what it runs here ends when the task is given up."""
        before = getattr(self._task, "current", None)
        self._task.current = task
        try:
            return call()
        finally:
            self._task.current = before

    def run_pair(self, first: Command, second: Command) -> tuple[Outcome, Outcome]:
        """Both at the same time, each in a box of its own; what one writes to its stdout is the other's stdin.

        One that waits for the other's answer looks asleep while that waits for a core: where that may be why it ran
        out of time on the clock, both run again with more of it. Where it would have run out of its own time even
        without all the waiting of both, it slept by itself."""
        task = getattr(self._task, "current", None)

        def once() -> tuple[tuple[Outcome, Outcome], float]:
            with self._borrow() as worker, self._borrow(self._companions) as companion, contextlib.ExitStack() as held:
                if task is not None:
                    held.enter_context(task.on(worker))
                    held.enter_context(task.on(companion))
                return _converse(worker, first, companion, second), worker.waited_s + companion.waited_s

        meant = first.limits.effective_wall_s, second.limits.effective_wall_s
        for _ in range(_TRIES):
            outcomes, waited_s = _tried(once, task)
            given = first.limits.effective_wall_s, second.limits.effective_wall_s
            slept = [
                (each.wall_s, (now or 0) - (before or 0))
                for each, now, before in zip(outcomes, given, meant, strict=True)
                if each.status == "wall_limit_exceeded"
            ]
            if all(waited_s < max(_UNNOTICED_S, wall_s / 10) or waited_s <= more_s for wall_s, more_s in slept):
                return outcomes
            first, second = _patient(first, waited_s), _patient(second, waited_s)
        if waited_s < 2 * sum(each.cpu_s for each in outcomes):  # for no longer than their own processes used cores
            return outcomes
        raise HostOverloaded(f"one of two programs waited {waited_s:.0f} s for a core, and the other for its answer")

    def prepare(self) -> None:
        """Starts all workers now, rather than when first needed."""
        with contextlib.ExitStack() as borrowed:
            for _ in range(self.workers):
                borrowed.enter_context(self._borrow())

    def close(self) -> None:
        """Ends all workers. Runs under way in other threads fail as lost workers do."""
        self._closed = True
        if os.getpid() == self._pid:
            _close_all(self._alive, self._pid)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Task:
    """What somebody has other threads run for him, and need not wait for once he has given it up. `label`: whose it is
    and what, for who looks on."""

    def __init__(self) -> None:
        self.given_up = False
        self.label: tuple[str, ...] = ()
        self._workers: set[Worker] = set()

    @contextlib.contextmanager
    def on(self, worker: Worker) -> Iterator[None]:
        self._workers.add(worker)
        try:
            if self.given_up:  # looked at after the worker is known to whoever gives up
                raise WorkerLost("the run was given up")
            yield
        finally:
            self._workers.discard(worker)

    def give_up(self) -> None:
        """Ends the runs under way, as lost workers do; they are not tried again."""
        self.given_up = True
        for worker in list(self._workers):
            worker.close()


class _Place:
    """Where one program at a time runs. The worker is made when the place is first taken."""

    def __init__(self, places: _Places, worker: Worker | None = None) -> None:
        self.worker = worker
        self._places = weakref.ref(places)

    def __del__(self) -> None:
        """Nobody holds it, and nobody gave it back. Another goes on for it, which again may be lost on its way."""
        places = self._places()
        if places is not None:
            places.lost.put(_Place(places, self.worker))


class _Places:
    """The one that was given back last is the next to be taken: its worker is the warmest. Where somebody waits, it is
    handed to whoever has waited longest: one who comes again and again must not overtake him for ever.

    An interrupt, an exception that comes out of nowhere, may come between any two steps of Python code. So there is no
    lock here whose taking is Python code, as those of queue.LifoQueue and threading.Semaphore are: it would stay taken.
    Places are in a deque, or in the queue.SimpleQueue of who waits for one. A place that was taken and lost, or handed
    to one who had gone, is found when its object goes: through a queue that can be put to from there, and is looked
    into by who has waited for a while."""

    def __init__(self, count: int) -> None:
        self._free: collections.deque[_Place] = collections.deque()
        self._waiting: collections.deque[queue.SimpleQueue[_Place]] = collections.deque()
        self.lost: queue.SimpleQueue[_Place] = queue.SimpleQueue()
        for _ in range(count):
            self.give(_Place(self))

    def take(self) -> _Place:
        place = _last(self._free)
        if place is not None:
            return place
        mine: queue.SimpleQueue[_Place] = queue.SimpleQueue()
        self._waiting.append(mine)
        try:
            while True:
                place = _last(self._free)  # given back just before it was known that somebody waits
                if place is not None:
                    return place
                with contextlib.suppress(queue.Empty):
                    return mine.get(timeout=_LOOK_AGAIN_S)
                with contextlib.suppress(queue.Empty):
                    return self.lost.get_nowait()
        finally:
            with contextlib.suppress(ValueError):  # who was handed one is not waiting any more
                self._waiting.remove(mine)
            with contextlib.suppress(queue.Empty):  # one too many: it came while another was found
                self.give(mine.get_nowait())

    def give(self, place: _Place) -> None:
        while self._waiting:
            with contextlib.suppress(IndexError):  # it has gone meanwhile
                self._waiting.popleft().put(place)
                return
        self._free.append(place)


def _last(places: collections.deque[_Place]) -> _Place | None:
    """Taken out. Looked at first: an exception that is the rule would keep frames, and the places in them, alive."""
    while places:
        try:
            return places.pop()
        except IndexError:
            pass  # somebody else was faster
    return None


def _tried(once: Callable[..., _T], task: Task | None, *of: Any) -> _T:
    for tries in range(_TRIES):
        try:
            return once(*of)
        except HostOverloaded:
            raise
        except InternalError:
            if tries == _TRIES - 1 or (task is not None and task.given_up):
                raise
    raise AssertionError("unreachable")


def _patient(command: Command, waited_s: float) -> Command:
    """With so much more time that waiting as long again does not explain a sleep through all of it."""
    wall_s = command.limits.effective_wall_s
    if wall_s is None:
        return command
    limits = msgspec.structs.replace(command.limits, wall_s=max(wall_s * _PATIENCE, wall_s + 2 * waited_s))
    return msgspec.structs.replace(command, limits=limits)


def _converse(worker: Worker, first: Command, companion: Worker, second: Command) -> tuple[Outcome, Outcome]:
    """The keepers do the work; here it is enough to hear them out in turn."""
    ends: list[int] = []
    try:
        ends += os.pipe()
        ends += os.pipe()
        ends += (end.detach() for end in socket.socketpair())
        there, to, here, back, one, other = ends
        worker.begin(first, stdin=here, stdout=to, meet=one)
        companion.begin(second, stdin=there, stdout=back, meet=other)
        while ends:  # so that the end of one is an end of file for the other
            os.close(ends.pop())
        return worker.finish(first), companion.finish(second)
    except BaseException:  # an interrupt too: neither is of any use without the other
        worker.close()
        companion.close()
        raise
    finally:
        while ends:
            os.close(ends.pop())


def _close_all(alive: set[Worker], pid: int) -> None:
    if os.getpid() != pid:
        return
    while alive:
        alive.pop().close()
    clear_away()
