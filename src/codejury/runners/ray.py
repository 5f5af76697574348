"""A pool whose workers are on the nodes of a Ray cluster. Needs the extra `ray`.

    RayPool ─► one actor a node ─► a Pool of that node's cores ─► keepers

Owns which node runs a command, what travels there, and what happens when a node is lost. It stands in for
`sandbox.Pool`: callers bring the threads, `run` takes a command and gives its outcome. Commands are whole (files,
arguments, limits, input), so a node needs nothing but codejury and the same toolchains at the same paths.

What is large and comes again (compiled programs, the inputs of tests) is put into Ray's object store once and sent as
a reference; a node keeps what it has fetched at hand. A command whose node is lost runs again on another one: a run
leaves nothing behind, so it may.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from codejury.errors import CodejuryError, InternalError, UsageError, WorkerLost
from codejury.model import Command, Level, Outcome
from codejury.sandbox import interpreter
from codejury.sandbox.pool import Pool, Task

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:  # pragma: no cover
    raise UsageError("a Ray cluster needs the package ray: pip install 'codejury[ray]'") from error

_T = TypeVar("_T")
_TRIES = 3
_ABREAST = 2  # commands at a node for each of its workers: the next is there when one ends
_LARGE_BYTES = 32 << 10  # below, a reference costs more than the bytes
_KEPT_BYTES = 256 << 20  # of large things that are in the object store for us
_LOOK_S = 0.2
_REACHED_S = 10.0
_JOIN_S = 60.0  # for a node's actor to come up


class _Sent(msgspec.Struct, frozen=True):
    """A command on its way: large parts are references. `reads`: what its toolchains need to see of the node. `row`:
    inputs that it is to be run on instead of its own."""

    command: Command
    files: Any
    stdin: Any
    reads: tuple[str, ...]
    row: tuple[bytes, ...] | None = None


class _Node:
    """The actor: a pool of one node's cores."""

    def __init__(self, workers: int, level: Level | None, python: Path | None, preload: Sequence[str] | None) -> None:
        self._pool = Pool(workers=workers, level=level, python=python, preload=preload)
        self._fetched: OrderedDict[Any, Any] = OrderedDict()
        self._tasks: dict[str, Task] = {}
        self._lock = threading.Lock()

    def about(self) -> tuple[int, Level, tuple[str, ...]]:
        return self._pool.workers, self._pool.level, self._pool.layers

    def run(self, name: str, *sent: _Sent) -> tuple[bool, Any]:
        """Whether it went well, and the outcomes or the error: Ray would wrap an exception into one of its own."""
        task = self._tasks[name] = Task()
        try:
            commands = [self._command(each) for each in sent]
            if len(commands) == 2:
                return True, self._pool.run_for(task, lambda: self._pool.run_pair(commands[0], commands[1]))
            row = sent[0].row
            if row is not None:
                return True, self._pool.run_for(task, lambda: self._pool.run_row(commands[0], row))
            return True, self._pool.run_for(task, lambda: (self._pool.run(commands[0]),))
        except CodejuryError as error:
            return False, (type(error).__name__, str(error), error.args)
        finally:
            del self._tasks[name]

    def give_up(self, name: str) -> None:
        task = self._tasks.get(name)
        if task is not None:
            task.give_up()

    def close(self) -> None:
        self._pool.close()

    def _command(self, sent: _Sent) -> Command:
        self._pool.show(map(Path, sent.reads))
        files, stdin = self._here(sent.files), self._here(sent.stdin)
        return msgspec.structs.replace(sent.command, files=files, stdin=stdin)

    def _here(self, thing: Any) -> Any:
        if not isinstance(thing, ray.ObjectRef):
            return thing
        with self._lock:
            if thing in self._fetched:
                self._fetched.move_to_end(thing)
                return self._fetched[thing]
        value = ray.get(thing)
        with self._lock:
            self._fetched[thing] = value
            while len(self._fetched) > 1 and sum(map(_size, self._fetched.values())) > _KEPT_BYTES:
                self._fetched.popitem(last=False)
        return value


class _Place:
    """A node as the pool sees it."""

    def __init__(self, node_id: str, actor: Any, workers: int) -> None:
        self.node_id = node_id
        self.actor = actor
        self.workers = workers
        self.under_way = 0
        self.is_lost = False


class RayPool:
    """A context manager; safe from several threads.

    address     of the cluster, as ray.init() takes it; None: the one that this process is connected to, or a new one
                on this machine
    workers     programs at a time on each node; None: as many as its cores
    level, python, preload   as `Pool` has them, for every node
    """

    def __init__(
        self,
        *,
        address: str | None = None,
        workers: int | None = None,
        level: Level | None = None,
        python: Path | None = None,
        preload: Sequence[str] | None = None,
    ) -> None:
        self._here = Pool(level=level, python=python, preload=preload)  # starts nothing: it knows about interpreters
        self._asked = (workers, level, python, tuple(preload) if preload is not None else None)
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _see_to(address)
            try:
                ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise UsageError(f"no Ray cluster at {address!r}: {error}") from error
        self._job = ray.get_runtime_context().get_job_id()
        self._changed = threading.Condition()
        self._places: list[_Place] = []
        self._reads: tuple[str, ...] = ()
        self._large: OrderedDict[bytes, tuple[Any, int]] = OrderedDict()
        self._large_bytes = 0
        self._numbers = 0
        self._task = threading.local()
        self._closed = False
        self._find_nodes()
        if not self._places:
            self.close()
            raise UsageError("no node of the Ray cluster could start workers; codejury must be installed on the nodes")
        self._level, self._layers = self._about()

    # -- what there is

    @property
    def workers(self) -> int:
        return max(1, sum(place.workers for place in self._places if not place.is_lost))

    @property
    def callers(self) -> int:
        return _ABREAST * self.workers

    @property
    def level(self) -> Level:
        return self._level

    @property
    def layers(self) -> tuple[str, ...]:
        return self._layers

    @property
    def is_connected(self) -> bool:
        """Whether the connection that the nodes were found by is still there, and nobody has closed this."""
        return not self._closed and ray.is_initialized() and ray.get_runtime_context().get_job_id() == self._job

    @property
    def python(self) -> interpreter.Interpreter:
        return self._here.python

    def shadows(self, files: Iterable[str]) -> bool:
        return self._here.shadows(files)

    def show(self, paths: Iterable[Path]) -> None:
        with self._changed:
            more = [str(path) for path in paths]
            self._reads = tuple(dict.fromkeys((*self._reads, *more)))

    # -- running

    def run(self, command: Command) -> Outcome:
        (outcome,) = self._run(command)
        return outcome

    def run_row(self, command: Command, inputs: Sequence[bytes]) -> list[Outcome]:
        if len(inputs) > 1 and sum(map(len, inputs)) < _LARGE_BYTES:
            return list(self._run(command, row=tuple(inputs)))
        return [self.run(msgspec.structs.replace(command, stdin=stdin)) for stdin in inputs[:1]]

    def run_pair(self, first: Command, second: Command) -> tuple[Outcome, Outcome]:
        one, other = self._run(first, second)
        return one, other

    def run_for(self, task: Task, call: Callable[[], _T]) -> _T:
        """The call, in this thread; what it runs ends when the task is given up."""
        before = getattr(self._task, "current", None)
        self._task.current = task
        try:
            return call()
        finally:
            self._task.current = before

    def prepare(self) -> None:
        """Nodes start their workers as they are needed; that they are there was seen."""

    def close(self) -> None:
        is_connected = self.is_connected  # if not, the actors are gone; to call one would start a cluster
        self._closed = True
        with self._changed:
            places, self._places = self._places, []
            self._changed.notify_all()
        for place in places if is_connected else ():
            with contextlib.suppress(Exception):
                ray.get(place.actor.close.remote(), timeout=_JOIN_S)
            with contextlib.suppress(Exception):
                ray.kill(place.actor)
        self._here.close()
        if self._is_ours and is_connected:
            ray.shutdown()

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- nodes

    def _find_nodes(self) -> None:
        """An actor for each living node that has none."""
        known = {place.node_id for place in self._places if not place.is_lost}
        actor = ray.remote(_Node)
        made = []
        for node in ray.nodes():
            cores = int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0
            if cores and node["NodeID"] not in known:
                workers = self._asked[0] or cores
                where = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                options = actor.options(num_cpus=0, scheduling_strategy=where, max_concurrency=_ABREAST * workers + 2)
                made.append(_Place(node["NodeID"], options.remote(workers, *self._asked[1:]), workers))
        for place in made:
            try:
                ray.get(place.actor.about.remote(), timeout=_JOIN_S)
            except (ray.exceptions.RayError, TimeoutError) as error:
                cause = getattr(error, "cause", None)
                if isinstance(cause, CodejuryError):
                    raise cause from error
                continue
            self._places.append(place)

    def _about(self) -> tuple[Level, tuple[str, ...]]:
        """The weakest of the nodes: what every run has."""
        found = [ray.get(place.actor.about.remote()) for place in self._places]
        order = ("full", "rootless", "landlock")
        _, level, layers = max(found, key=lambda each: order.index(each[1]))
        return level, layers

    @contextlib.contextmanager
    def _borrow(self) -> Iterator[_Place]:
        """The node that has most to spare."""
        with self._changed:
            while True:
                if self._closed or not ray.is_initialized():  # to call an actor would then start a cluster here
                    raise WorkerLost("the cluster's pool is closed, or its connection")
                living = [place for place in self._places if not place.is_lost]
                if not living:
                    self._find_nodes()
                    living = [place for place in self._places if not place.is_lost]
                    if not living:
                        raise WorkerLost("no node of the Ray cluster is left")
                place = min(living, key=lambda each: each.under_way / each.workers)
                if place.under_way < _ABREAST * place.workers:
                    break
                self._changed.wait(_LOOK_S)
            place.under_way += 1
        try:
            yield place
        finally:
            with self._changed:
                place.under_way -= 1
                self._changed.notify()

    def _run(self, *commands: Command, row: tuple[bytes, ...] | None = None) -> tuple[Outcome, ...]:
        task: Task | None = getattr(self._task, "current", None)
        for tries in range(_TRIES):
            with self._borrow() as place:
                with self._changed:
                    self._numbers += 1
                    name = str(self._numbers)
                sent = [self._sent(command, row) for command in commands]
                try:
                    if task is None:
                        good, said = ray.get(place.actor.run.remote(name, *sent))
                    else:
                        with task.on(_Remote(place.actor, name)):  # type: ignore[arg-type]
                            good, said = ray.get(place.actor.run.remote(name, *sent))
                except ray.exceptions.RayError as error:
                    self._lose(place)
                    if tries == _TRIES - 1 or (task is not None and task.given_up):
                        raise WorkerLost(f"the node that a program ran on was lost: {error}") from error
                    continue
            if not good:
                raise _error_of(*said)
            return tuple(said)
        raise AssertionError("unreachable")

    def _lose(self, place: _Place) -> None:
        with self._changed:
            place.is_lost = True
            self._changed.notify_all()
        with contextlib.suppress(Exception):
            ray.kill(place.actor)

    def _sent(self, command: Command, row: tuple[bytes, ...] | None) -> _Sent:
        files, stdin = self._stored(command.files), self._stored(command.stdin)
        return _Sent(msgspec.structs.replace(command, files={}, stdin=b""), files, stdin, self._reads, row)

    def _stored(self, thing: Any) -> Any:
        """A reference, where it is large; the same one for the same content."""
        size = _size(thing)
        if size < _LARGE_BYTES:
            return thing
        key = _digest(thing)
        with self._changed:
            kept = self._large.get(key)
            if kept is None:
                kept = self._large[key] = (ray.put(dict(thing) if isinstance(thing, Mapping) else thing), size)
                self._large_bytes += size
                while len(self._large) > 1 and self._large_bytes > _KEPT_BYTES:
                    self._large_bytes -= self._large.popitem(last=False)[1][1]
            self._large.move_to_end(key)
            return kept[0]


def _see_to(address: str | None) -> None:
    """Ray would try for minutes to reach one that is not there."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _REACHED_S).close()
    except OSError as error:
        raise UsageError(f"no Ray cluster at {address!r}: {error}") from error


class _Remote:
    """A run on a node, as a `Task` knows it: something to close."""

    def __init__(self, actor: Any, name: str) -> None:
        self._actor, self._name = actor, name

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._actor.give_up.remote(self._name)


def _size(thing: Any) -> int:
    return sum(map(len, thing.values())) if isinstance(thing, Mapping) else len(thing)


def _digest(thing: Any) -> bytes:
    whole = hashlib.blake2b(digest_size=32)
    for name, content in thing.items() if isinstance(thing, Mapping) else (("", thing),):
        raw = name.encode(errors="surrogateescape")
        whole.update(len(raw).to_bytes(8) + raw + len(content).to_bytes(8))
        whole.update(content)
    return whole.digest()


def _error_of(name: str, message: str, args: tuple[Any, ...]) -> CodejuryError:
    """The node's error, as it would have been here."""
    from codejury import errors

    kind = getattr(errors, name, InternalError)
    try:
        made = kind(*args)
    except TypeError:  # one with fields of its own: what it is, without them
        kind = InternalError if issubclass(kind, InternalError) else CodejuryError
        made = kind(message)
    assert isinstance(made, CodejuryError)
    return made
