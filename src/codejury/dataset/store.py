"""An append-only file of JSON lines that a run adds to, and the next run goes on with.

Invariant: every line but the last is a whole row. A row is one write of one line to a file opened for appending, so
that a process that is killed at any moment loses at most the row that it was writing; the next one to open the file
finds the torn end, cuts it off, and says so. One writer at a time: the file is locked (flock), and the lock goes with
the process.

Rows that the next run is to make anew are left out of a copy, which then takes the file's place in one step.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec

from codejury.dataset.rows import BadRow
from codejury.errors import UsageError

_CHUNK_BYTES = 1 << 20


def _decoder(fields: Sequence[str]) -> msgspec.json.Decoder[Any]:
    """Of rows, as far as these fields: null where one is absent."""
    names = {f"field{at}": name for at, name in enumerate(fields)}
    return msgspec.json.Decoder(msgspec.defstruct("Some", [(name, Any, None) for name in names], rename=names))


class Store:
    """A context manager. Safe from several threads.

    key        the field that names a row
    keep       is shown each row that the file holds; what it says False to is taken out of the file
    looks_at   the fields that `keep` wants to see, where it does not want all: the others are passed over, and a large
               file is read several times as fast
    done       the keys that the file holds
    repaired   what was found wrong at the end of the file and put right; "" where nothing was
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        key: str = "custom_id",
        keep: Callable[[Mapping[str, Any]], bool] | None = None,
        looks_at: Sequence[str] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.key = key
        self._keep = keep
        self._wanted: tuple[str, ...] | None = (
            (key, *(looks_at or ())) if keep is None or looks_at is not None else None
        )
        self._some = _decoder(self._wanted) if self._wanted else None
        self.done: set[str] = set()
        self.repaired = ""
        self._guard = threading.Lock()
        self._file = -1
        try:
            self._open()
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

    def _open(self) -> None:
        """Opens and locks. Another process may put a new file in this one's place in between: that one counts."""
        while True:
            try:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
            except OSError as error:
                raise UsageError(f"{self.path}: cannot be opened for writing: {error.strerror}") from None
            if not stat.S_ISREG(os.fstat(self._file).st_mode):  # a device may have no end, and a pipe is not read twice
                raise UsageError(f"{self.path}: expected a regular file, as a later run reads what is in it")
            self._lock()
            try:
                if os.path.samestat(os.fstat(self._file), os.stat(self.path)):
                    return
            except FileNotFoundError:
                pass
            os.close(self._file)
            self._file = -1

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
        """Collects the keys, mends the end, and takes out what is not to be kept."""
        unwanted: list[tuple[int, int]] = []  # first byte, and the one after the last
        with open(os.dup(self._file), "rb", buffering=_CHUNK_BYTES) as stream:
            stream.seek(0)
            whole = 0  # bytes up to the end of the last whole line
            number = 0
            for number, line in enumerate(stream, 1):
                torn = not line.endswith(b"\n")
                if line.strip():
                    try:
                        name, kept = self._told(line, f"{self.path}, line {number}")
                    except BadRow:
                        if not torn:
                            raise
                        self._mend(whole, len(line), number)
                        break
                    if kept:
                        self.done.add(name)
                    else:
                        unwanted.append((whole, whole + len(line) + torn))
                whole += len(line)
                if torn:  # a whole row that lacks the end of its line: an object says itself where it ends
                    self._write(b"\n")
        if unwanted:
            self._leave_out(unwanted)

    def _leave_out(self, unwanted: list[tuple[int, int]]) -> None:
        """A copy without these, written whole and locked before it takes the file's place."""
        target = os.path.realpath(self.path)
        beside = f"{target}.rewritten"
        size = os.fstat(self._file).st_size
        copy = -1
        try:
            mode = os.fstat(self._file).st_mode & 0o777
            copy = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, mode)
            fcntl.flock(copy, fcntl.LOCK_EX | fcntl.LOCK_NB)
            start = 0
            for first, after in [*unwanted, (size, size)]:
                while start < first:
                    part = os.pread(self._file, min(_CHUNK_BYTES, first - start), start)
                    start += len(part)
                    rest = memoryview(part)
                    while rest:
                        rest = rest[os.write(copy, rest) :]
                start = after
            os.fsync(copy)
            os.rename(beside, target)
        except OSError as error:
            if copy >= 0:
                os.close(copy)
            raise UsageError(f"{beside}: cannot be written: {error.strerror}") from None
        os.close(self._file)
        self._file = copy

    def _mend(self, whole: int, torn: int, number: int) -> None:
        os.ftruncate(self._file, whole)
        self.repaired = f"{self.path}, line {number}: cut off a torn row of {torn} bytes that an earlier run left"

    def _told(self, line: bytes, where: str) -> tuple[str, bool]:
        """The row's name, and whether it stays."""
        row = self._seen_of(line)
        if row is None:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadRow(where, "", "a row as JSON", str(error)) from None
        return self._name(row, where), self._keep is None or self._keep(row)

    def _seen_of(self, line: bytes) -> dict[str, Any] | None:
        """The fields that somebody looks at; None where all are wanted, or the quick way cannot read it: NaN, say."""
        if self._some is None or self._wanted is None:
            return None
        try:
            row = self._some.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return {name: getattr(row, f"field{at}") for at, name in enumerate(self._wanted)}

    def _name(self, row: Any, where: str) -> str:
        if not isinstance(row, Mapping):
            raise BadRow(where, "", "a row: an object", type(row).__name__)
        value = row.get(self.key)
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise BadRow(where, self.key, "text or a whole number", type(value).__name__)
        return str(value)
