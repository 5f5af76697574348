"""An append-only file of JSON lines that a run adds to, and the next run goes on with.

Invariant: every line but the last is a whole row. A row is one write of one line to a file opened for appending, so
that a process that is killed at any moment loses at most the row that it was writing; the next one to open the file
finds the torn end, cuts it off, and says so. One writer at a time: the file is locked (flock), and the lock goes with
the process.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import msgspec

from codejury.dataset.rows import BadRow
from codejury.errors import UsageError

_CHUNK_BYTES = 1 << 20


class Store:
    """A context manager. Safe from several threads.

    key        the field that names a row
    done       the keys that the file holds
    repaired   what was found wrong at the end of the file and put right; "" where nothing was
    """

    def __init__(self, path: str | os.PathLike[str], *, key: str = "custom_id") -> None:
        self.path = os.fspath(path)
        self.key = key
        self.done: set[str] = set()
        self.repaired = ""
        self._guard = threading.Lock()
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be opened for writing: {error.strerror}") from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def __contains__(self, key: str) -> bool:
        return key in self.done

    def append(self, row: Mapping[str, Any]) -> None:
        """Adds a row. When this returns, no end of this process can lose it."""
        name = self._name(row, self.path)
        try:
            line = json.dumps(msgspec.to_builtins(row, str_keys=True)).encode() + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"{self.path}: {self.key} {name!r}: a row that JSON cannot hold: {error}") from None
        with self._guard:
            if self._file < 0:
                raise UsageError(f"{self.path}: the store is closed")
            if name in self.done:
                raise UsageError(f"{self.path}: {self.key}: {name!r} is in the file already")
            self._write(line)
            self.done.add(name)

    def close(self) -> None:
        with self._guard:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"{self.path}: another process is writing to it; end that one, or name another file"
            ) from None
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be locked: {error.strerror}") from None

    def _write(self, line: bytes) -> None:
        """One write. What a full disk left of the line is taken back, so that later rows do not follow half a one."""
        before = os.fstat(self._file).st_size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BaseException as error:
            os.ftruncate(self._file, before)
            if isinstance(error, OSError):
                raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from None
            raise

    def _read(self) -> None:
        """Collects the keys, and mends the end."""
        with open(os.dup(self._file), "rb", buffering=_CHUNK_BYTES) as stream:
            stream.seek(0)
            whole = 0  # bytes up to the end of the last whole line
            number = 0
            for number, line in enumerate(stream, 1):
                torn = not line.endswith(b"\n")
                if line.strip():
                    try:
                        self.done.add(self._key_of(line, f"{self.path}, line {number}"))
                    except BadRow:
                        if not torn:
                            raise
                        self._mend(whole, len(line), number)
                        return
                whole += len(line)
                if torn:  # a whole row that lacks the end of its line: an object says itself where it ends
                    self._write(b"\n")

    def _mend(self, whole: int, torn: int, number: int) -> None:
        os.ftruncate(self._file, whole)
        self.repaired = f"{self.path}, line {number}: cut off a torn row of {torn} bytes that an earlier run left"

    def _key_of(self, line: bytes, where: str) -> str:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadRow(where, "", "a row as JSON", str(error)) from None
        return self._name(row, where)

    def _name(self, row: Any, where: str) -> str:
        if not isinstance(row, Mapping):
            raise BadRow(where, "", "a row: an object", type(row).__name__)
        value = row.get(self.key)
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise BadRow(where, self.key, "text or a whole number", type(value).__name__)
        return str(value)
