"""The records between a worker and its keeper: the Python half of native/wire.c and native/box.h.

Owns the numbers of the tags and the layout of the structs. A message is records up to END.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Sequence

from codejury.errors import WorkerLost
from codejury.model import Command, Limits

_HEAD = struct.Struct("=IIQ")
_LIMITS = struct.Struct("=7Q")
_RESULT = struct.Struct("=IIiiQQQQ")
_FAILURE = struct.Struct("=Ii")
_UNLIMITED = 2**64 - 1

END = 0
LEVEL, BIND, SYMLINK, FILE_AT, DEVICE, CGROUP, TEMP, ZYGOTE_ARG, ZYGOTE_ENV, UID, WORKER, PRELOAD = range(1, 13)
ARG, ENV, FILE, STDIN, FETCH, LIMITS, WARM, STREAMS, MORE = range(32, 41)
READY, FAILED, RESULT, STDOUT, STDERR, FETCHED = range(64, 70)

LEVEL_NAMESPACES, LEVEL_LANDLOCK = 1, 2

KILLED_NOT, KILLED_CPU, KILLED_WALL, KILLED_MEMORY, KILLED_OUTPUT, KILLED_OVERLOAD, KILLED_DISK, KILLED_PROCESSES = (
    range(8)
)
STREAM_IN, STREAM_OUT, STREAM_MEET = 1, 2, 4
STDOUT_CUT, STDERR_CUT, OOM, PROCESSES_MET, DISK_FULL, ROW_ENDED = 1, 2, 4, 8, 16, 32


def record(tag: int, data: bytes = b"") -> bytes:
    return _HEAD.pack(tag, 0, len(data)) + data


def number(tag: int, value: int) -> bytes:
    return record(tag, struct.pack("=I", value))


def pair(tag: int, first: str, second: bytes | str) -> bytes:
    tail = second.encode() if isinstance(second, str) else second
    return record(tag, first.encode("utf-8", "surrogateescape") + b"\0" + tail)


def _scaled(value: float | None, unit: float) -> int:
    return _UNLIMITED if value is None or value * unit >= 2**62 else max(1, int(value * unit))


def _count(value: int | None) -> int:
    """The kernel takes no more than PID_MAX_LIMIT processes, and as many descriptors: more is no limit."""
    return _UNLIMITED if value is None or value > 2**22 else value


def limits_record(limits: Limits) -> bytes:
    return record(
        LIMITS,
        _LIMITS.pack(
            _scaled(limits.cpu_s, 1e9),
            _scaled(limits.effective_wall_s, 1e9),
            _scaled(limits.memory_mb, 2**20),
            _scaled(limits.output_mb, 2**20),
            _scaled(limits.disk_mb, 2**20),
            _count(limits.processes),
            _count(limits.open_files),
        ),
    )


def head(command: Command, env: Iterable[tuple[str, str]], *, kind: int = 0, streams: int = 0) -> bytes:
    """All of a request but the text for standard input, with which it ends. `kind`: which of the waiting interpreters
    a warm command wants; `streams`: which ones come as descriptors."""
    parts = [limits_record(command.limits)]
    parts += [record(ARG, arg.encode("utf-8", "surrogateescape")) for arg in command.argv]
    parts += [record(ENV, f"{name}={value}".encode("utf-8", "surrogateescape")) for name, value in env]
    parts += [pair(FILE, path, content) for path, content in command.files.items()]
    parts += [record(FETCH, pattern.encode()) for pattern in command.fetch]
    if command.warm:
        parts.append(number(WARM, kind))
    if streams:
        parts.append(number(STREAMS, streams))
    return b"".join(parts)


def tail(command: Command, *, streams: int = 0) -> bytes:
    return (b"" if streams & STREAM_IN else record(STDIN, command.stdin)) + record(END)


def row(inputs: Sequence[bytes]) -> bytes:
    """What follows a head that is to be run on each of them in turn."""
    return (record(MORE) + record(END)).join(record(STDIN, stdin) for stdin in inputs) + record(END)


class Result:
    """struct result, unpacked."""

    __slots__ = ("cpu_ns", "exit_code", "flags", "killed_by", "memory_bytes", "signal", "waited_ns", "wall_ns")

    def __init__(self, raw: bytes) -> None:
        (
            self.killed_by,
            self.flags,
            self.exit_code,
            self.signal,
            self.cpu_ns,
            self.wall_ns,
            self.waited_ns,
            self.memory_bytes,
        ) = _RESULT.unpack(raw)


class Failure:
    """struct failure and its words."""

    __slots__ = ("detail", "errno", "step")

    def __init__(self, raw: bytes) -> None:
        _, self.errno = _FAILURE.unpack_from(raw)
        step, _, detail = raw[_FAILURE.size :].partition(b"\0")
        self.step = step.decode()
        self.detail = detail.decode(errors="replace").strip() or "no reason given"


def _receive(connection: socket.socket, length: int) -> bytearray:
    buffer = bytearray(length)
    view = memoryview(buffer)
    while view:
        got = connection.recv_into(view)
        if not got:
            raise WorkerLost("the worker's keeper ended")
        view = view[got:]
    return buffer


_AT_ONCE = 1 << 16


class Reader:
    """Whole messages from a socket. One buffer serves the small ones, so that a short answer is one system call."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = b""
        self._at = 0

    def message(self) -> list[tuple[int, bytes]]:
        """An interrupt leaves it half read: then the worker is to be given up."""
        records: list[tuple[int, bytes]] = []
        buffer, at = self._buffer, self._at
        while True:
            end = at + _HEAD.size
            if end > len(buffer):
                buffer, at, end = self._more(buffer, at, _HEAD.size)
            tag, _, length = _HEAD.unpack_from(buffer, at)
            if tag == END:
                self._buffer, self._at = (b"", 0) if end == len(buffer) else (buffer, end)
                return records
            at, end = end, end + length
            if end > len(buffer):
                buffer, at, end = self._more(buffer, at, length)
            records.append((tag, buffer[at:end]))
            at = end

    def _more(self, buffer: bytes, at: int, length: int) -> tuple[bytes, int, int]:
        """As much more as it takes for `length` bytes, and where they are in what is there then."""
        have = buffer[at:]
        if length > _AT_ONCE:
            return have + bytes(_receive(self._connection, length - len(have))), 0, length
        while len(have) < length:
            got = self._connection.recv(_AT_ONCE)
            if not got:
                raise WorkerLost("the worker's keeper ended")
            have += got
        return have, 0, length
