"""One worker: a native keeper process with its prepared root, and the socket to it.

Owns the keeper's life. A worker runs one command at a time; whatever breaks the exchange (the keeper's
death, an interrupt in the middle) makes the worker useless, and it says so by being closed.
"""

from __future__ import annotations

import contextlib
import errno
import operator
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from codejury.errors import HostOverloaded, InternalError, SetupError, WorkerLost
from codejury.model import Command, Level, Outcome, Status
from codejury.sandbox import cgroups, identities, view, wire
from codejury.sandbox.interpreter import Interpreter

_NATIVE = Path(__file__).parent.parent / "_native"
_ZYGOTE = Path(__file__).with_name("zygote.py")
_CLOSING_S = 10
_KEPT_BYTES = 1 << 20  # of the last request


# A fork costs by the size of what is forked. So there are two waiting interpreters: a small one with those of these
# modules that are to be preloaded, for nearly all programs, and one with all of them, for programs that name another.
LIGHT = frozenset(
    {"abc", "array", "bisect", "cmath", "collections", "collections.abc", "contextlib", "copy", "enum", "functools"}
    | {"heapq", "io", "itertools", "math", "operator", "random", "re", "string", "struct", "sys", "threading", "time"}
    | {"types", "typing"}
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All that a worker is made from; one for all workers of a pool."""

    level: Level
    interpreter: Interpreter
    preload: tuple[str, ...]
    reads: tuple[Path, ...] = ()  # what toolchains need beyond the system and the interpreter
    groups: cgroups.Groups | None = None
    temp: Path


def _usual_environment(plan: Plan, place: str) -> dict[str, str]:
    """What every program finds, in this order."""
    path = f"{plan.interpreter.executable.parent}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": f"{place}/work", "TMPDIR": f"{place}/tmp", "LANG": "C.UTF-8"}


def _configuration(plan: Plan, index: int) -> bytes:
    box, zygote = _NATIVE / "box.so", _ZYGOTE
    reads = [*plan.interpreter.reads, *plan.reads, box, zygote]
    inside = plan.level != "landlock"
    parts = [
        wire.number(wire.LEVEL, wire.LEVEL_NAMESPACES if inside else wire.LEVEL_LANDLOCK),
        wire.number(wire.WORKER, (os.getpid() + index) % 2**31),  # several processes begin on several cores
        view.inside(reads) if inside else view.bare(reads),
        wire.record(wire.TEMP, os.fsencode(plan.temp)),
    ]
    identity = identities.of_worker(index)
    if identity is not None and (inside or view.readable_by_anybody(reads)):
        parts.append(wire.number(wire.UID, identity))
    if plan.groups is not None:
        parts += [wire.pair(wire.CGROUP, kind, os.fsencode(parent)) for kind, parent in plan.groups.parents]
    argv = [plan.interpreter.executable, zygote, box]
    parts += [wire.record(wire.ZYGOTE_ARG, os.fsencode(str(arg))) for arg in argv]
    light = [name for name in plan.preload if name in LIGHT]
    parts += [wire.record(wire.PRELOAD, ",".join(names).encode()) for names in (light, plan.preload)]
    # One thread for numpy's linear algebra: a pool of threads would not survive the fork, and its spinning counts.
    # And what a library needs is found once, not at its first call in each child. These two are the zygote's alone.
    env = {**_usual_environment(plan, "/box/run"), "OPENBLAS_NUM_THREADS": "1", "LD_BIND_NOW": "1"}
    parts += [wire.record(wire.ZYGOTE_ENV, f"{name}={value}".encode()) for name, value in env.items()]
    return b"".join([*parts, wire.record(wire.END)])


_KILLED: dict[int, Status] = {
    wire.KILLED_CPU: "time_limit_exceeded",
    wire.KILLED_WALL: "wall_limit_exceeded",
    wire.KILLED_MEMORY: "memory_limit_exceeded",
    wire.KILLED_OUTPUT: "output_limit_exceeded",
    wire.KILLED_DISK: "disk_limit_exceeded",
    wire.KILLED_PROCESSES: "process_limit_exceeded",
}
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
# How C libraries and runtimes say EMFILE, and EAGAIN from fork or clone, where the kernel keeps no count.
_DISK_MET = (b"No space left on device", b"ENOSPC")
_FILES_MET = (b"Too many open files", b"EMFILE")
_PROCESSES_MET = (
    b"Resource temporarily unavailable",
    b"can't start new thread",
    b"BlockingIOError: [Errno 11]",
    b"EAGAIN",
)


def _status(result: wire.Result, command: Command, stderr: bytes) -> Status:
    """What ended the run. A limit that the kernel or the keeper saw exceeded goes before what the program made of it.
    What can only be told from the program's words decides between kinds of failure, never whether it failed."""
    limits = command.limits
    if result.flags & wire.OOM:
        return "memory_limit_exceeded"
    if result.killed_by in _KILLED:
        return _KILLED[result.killed_by]
    if limits.memory_mb is not None and result.memory_bytes > limits.memory_mb * 2**20:
        return "memory_limit_exceeded"
    if limits.cpu_s is not None and result.cpu_ns > limits.cpu_s * 1e9:
        return "time_limit_exceeded"
    if result.exit_code == 0:
        return "ok"
    tail = stderr[-65536:]
    if result.flags & wire.DISK_FULL or any(words in tail for words in _DISK_MET):
        return "disk_limit_exceeded"
    if result.flags & wire.PROCESSES_MET or any(words in tail for words in _PROCESSES_MET):
        return "process_limit_exceeded"
    if any(words in tail for words in _FILES_MET):
        return "file_limit_exceeded"
    return "runtime_error"


def _pair() -> tuple[socket.socket, socket.socket]:
    """Not among the standard streams, which a caller may have closed and which the keeper's own will be."""
    import fcntl

    ends = socket.socketpair()
    if min(end.fileno() for end in ends) > 2:
        return ends
    with ends[0], ends[1]:
        first, second = (socket.socket(fileno=fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3)) for end in ends)
    return first, second


class Worker:
    """Started by the constructor: when it returns, every layer of the level is up."""

    def __init__(self, plan: Plan, index: int) -> None:
        self.plan = plan
        self.level: Level = plan.level
        self.waited_s = 0.0  # for a core, of the last run
        self._row_ended = False
        self._last: tuple[tuple[object, ...], bytes] = ((), b"")
        self._heavy = tuple(name.encode() for name in plan.preload if name not in LIGHT)
        try:
            ours, theirs = _pair()
        except OSError as error:
            raise SetupError("launch", error.errno or 0, f"no socket for a worker: {error.strerror}") from error
        try:
            self._process = subprocess.Popen(
                [_NATIVE / "keeper", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={},
                cwd="/",
                pass_fds=[theirs.fileno()],
            )
        except OSError as error:
            ours.close()
            raise SetupError("launch", error.errno or 0, f"{error.filename}: {error.strerror}") from error
        finally:
            theirs.close()
        self._connection = ours
        self._reader = wire.Reader(ours)
        try:
            ours.sendall(_configuration(plan, index))
            self._greet()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise WorkerLost(f"the keeper did not come up: {error}") from error
            raise

    def _greet(self) -> None:
        for tag, data in self._reader.message():
            if tag == wire.FAILED:
                failure = wire.Failure(data)
                raise SetupError(failure.step, failure.errno, failure.detail)
            if tag == wire.READY:
                layers, _, place = data.partition(b"\0")
                self.layers = tuple(layers.decode().split())
                self._usual = _usual_environment(self.plan, os.fsdecode(place))

    def _kind(self, command: Command) -> int:
        """Which waiting interpreter: by the modules that its sources name."""
        if not command.warm:
            return 0
        sources = [content for path, content in command.files.items() if path.endswith(".py")]
        return int(any(name in source for name in self._heavy for source in sources))

    def run(self, command: Command) -> Outcome:
        try:
            self._connection.sendall(self._head(command, 0) + wire.tail(command))
            message = self._reader.message()
        except BaseException as error:  # an interrupt too: half an exchange is no exchange
            self._give_up(error)
            raise
        return self._outcome(message, command)

    def run_row(self, command: Command, inputs: Sequence[bytes]) -> list[Outcome]:
        """On each of these inputs instead of its own, one after another, asked for at once. They are few and short:
        while it is being asked, the keeper must find room for answers. The outcomes up to the first that was not short
        in its turn, in time or words: the others were not run."""
        outcomes: list[Outcome] = []
        try:
            self._connection.sendall(self._head(command, 0) + wire.row(inputs))
            self._row_ended = False
            while len(outcomes) < len(inputs) and not self._row_ended:
                outcomes.append(self._outcome(self._reader.message(), command))
            return outcomes
        except BaseException as error:  # of one run too: the answers to the others are still on their way
            self._give_up(error)
            raise

    def begin(self, command: Command, *, stdin: int, stdout: int, meet: int) -> None:
        """Starts it on these descriptors instead of the command's text and the outcome's. The worker with the other end
        of the socket `meet` runs what it talks to: its clock runs once both have begun. All stay the caller's to close.
        Whoever does not come to call `finish` closes the worker."""
        try:
            streams = wire.STREAM_IN | wire.STREAM_OUT | wire.STREAM_MEET
            request = self._head(command, streams) + wire.tail(command, streams=streams)
            sent = socket.send_fds(self._connection, [request[:4096]], [stdin, stdout, meet])
            self._connection.sendall(request[sent:])
        except BaseException as error:
            self._give_up(error)
            raise

    def finish(self, command: Command) -> Outcome:
        try:
            message = self._reader.message()
        except BaseException as error:
            self._give_up(error)
            raise
        return self._outcome(message, command)

    def _head(self, command: Command, streams: int) -> bytes:
        """The same program is mostly run on many inputs in a row: what does not change is not made anew."""
        parts = (command.argv, command.env, command.files, command.fetch, command.limits, command.warm)
        of, head = self._last
        if streams or len(of) != len(parts) or not all(map(operator.is_, of, parts)):
            env = {**self._usual, **command.env}.items()
            head = wire.head(command, env, kind=self._kind(command), streams=streams)
            if not streams and len(head) < _KEPT_BYTES:
                self._last = (parts, head)
        return head

    def _give_up(self, error: BaseException) -> None:
        self.close()
        if isinstance(error, OSError):
            raise WorkerLost(f"the worker's keeper is gone: {error}") from error

    def _outcome(self, message: list[tuple[int, bytes]], command: Command) -> Outcome:
        parts: dict[int, bytes] = {}
        fetched: dict[str, bytes] = {}
        for tag, data in message:
            if tag == wire.FETCHED:
                name, _, content = data.partition(b"\0")
                fetched[os.fsdecode(name)] = content
            else:
                parts[tag] = data
        if wire.FAILED in parts:
            failure = wire.Failure(parts[wire.FAILED])
            if failure.step == "exec":
                # The program is there but is no program: its own fault, said as a shell says it.
                words = f"{command.argv[0]}: {failure.detail}\n".encode()
                return self._empty(words, 127 if failure.errno == 2 else 126)
            if failure.step == "run-file" and failure.errno in _NO_ROOM and self._too_large(command):
                words = b"the program's own files do not fit into its disk limit\n"
                return msgspec.structs.replace(self._empty(words, 1), status="disk_limit_exceeded")
            self.close()  # whatever is wrong with it, the next try is to have another one
            raise SetupError(failure.step, failure.errno, failure.detail)
        if wire.RESULT not in parts:
            self.close()
            raise InternalError("the keeper's answer has no result")
        result = wire.Result(parts[wire.RESULT])
        if result.killed_by == wire.KILLED_OVERLOAD:
            raise HostOverloaded(
                f"the program waited {result.waited_ns / 1e9:.0f} s for a core; the host is too busy for a verdict"
            )
        self.waited_s = result.waited_ns / 1e9
        self._row_ended = bool(result.flags & wire.ROW_ENDED)
        stderr = parts.get(wire.STDERR, b"")
        return Outcome(
            status=_status(result, command, stderr),
            exit_code=None if result.signal else result.exit_code,
            signal=result.signal or None,
            stdout=parts.get(wire.STDOUT, b""),
            stderr=stderr,
            cpu_s=result.cpu_ns / 1e9,
            wall_s=result.wall_ns / 1e9,
            memory_mb=result.memory_bytes / 2**20,
            level=self.level,
            layers=self.layers,
            stdout_truncated=bool(result.flags & wire.STDOUT_CUT),
            stderr_truncated=bool(result.flags & wire.STDERR_CUT),
            fetched=fetched,
        )

    def _too_large(self, command: Command) -> bool:
        """Whether it is the program's own files that do not fit. At the level landlock they lie on a disk of the host,
        which may be full for other reasons, and those are no fault of the program."""
        room = command.limits.disk_mb
        files = sum(map(len, command.files.values()))
        return self.level != "landlock" or (room is not None and files > room * 2**20)

    def _empty(self, stderr: bytes, exit_code: int) -> Outcome:
        return Outcome(
            status="runtime_error",
            exit_code=exit_code,
            signal=None,
            stdout=b"",
            stderr=stderr,
            cpu_s=0.0,
            wall_s=0.0,
            memory_mb=0.0,
            level=self.level,
            layers=self.layers,
        )

    @property
    def pid(self) -> int:
        """Of the launcher."""
        return self._process.pid

    @property
    def closed(self) -> bool:
        return self._connection.fileno() < 0

    def close(self) -> None:
        """Ends the keeper and all that is below it, and waits until the launcher has cleaned up."""
        if not self.closed:
            # Not only close(): a fork of this process may hold a copy, and the keeper must see the end.
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
            self._connection.close()
        try:
            code = self._process.wait(timeout=_CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if code < 0:  # it was killed, and has left what it made on the host
            _LEFT.add((self.plan, self._process.pid))
        clear_away()


# Launchers that were killed, and whose remains are still there.
_LEFT: set[tuple[Plan, int]] = set()


def clear_away() -> None:
    """What killed launchers have left. For want of descriptors it may have to wait, and is tried again whenever a
    worker or a pool is closed."""
    for plan, launcher in list(_LEFT):
        if _cleared(plan, launcher):
            _LEFT.discard((plan, launcher))


def _cleared(plan: Plan, launcher: int) -> bool:
    if plan.groups is not None:
        cgroups.remove(plan.groups, launcher)
    if plan.level != "landlock":
        return True
    import shutil

    try:
        with os.scandir(plan.temp) as entries:
            left = [entry.path for entry in entries if entry.name.startswith(f"codejury-{launcher}-")]
    except OSError as error:
        return error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
    for directory in left:
        shutil.rmtree(directory, ignore_errors=True)
    return not any(map(os.path.exists, left))


if sys.platform != "linux":  # pragma: no cover
    raise ImportError("codejury's sandbox is made of Linux's own mechanisms")
