"""What compilers made, kept by content: the same source, flags and compiler are compiled once.

    <directory>/                     0700
    ├── 3f/3fa9…                     one entry: a line `codejury compiled 1 <sha256 of the rest>`, then MessagePack
    └── 3f/.new-<pid>-<random>       an entry being written; swept when an hour old

Owns the key, the entries and their eviction (by least recent use, which is the file's mtime).

Invariants: an entry is whole or it is a miss: it is written under another name and renamed, and its checksum is read
with it. Nothing here ever fails a run: whatever is wrong with the directory, a look-up is a miss, a store is nothing,
and `problem` says why. What others could have written is not used: it would decide verdicts.
Several threads and processes may share a directory; the bound then holds up to what they add between two scans.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from codejury.languages.toolchain import Toolchain
from codejury.model import Command, Outcome

_MAGIC = b"codejury compiled 1 "
_DIGEST = 64  # hexadecimal digits
_KEY = re.compile(r"[0-9a-f]{64}")
_STALE_S = 3600.0
_PUTS_BETWEEN_SCANS = 64
_EVICT_TO = 0.9  # of the bound, so that a full cache is not scanned at every store

# A compiler that says so failed for lack of something, whatever its exit code: another day it may succeed.
_TRANSIENT = re.compile(
    rb"Killed|out of memory|OutOfMemory|memory exhausted|Cannot allocate|No space left|Resource temporarily|"
    rb"Too many open files|[Ii]nternal compiler error|Disk quota|Text file busy"
)


class CompileFailure(msgspec.Struct, frozen=True, tag="failure"):
    """The compiler refused the source: its exit code and its words."""

    exit_code: int
    stdout: bytes
    stderr: bytes


class _Artifacts(msgspec.Struct, frozen=True, tag="artifacts"):
    files: dict[str, bytes]


def key_of(toolchain: Toolchain, command: Command, version: str) -> str:
    """What a compile command's result depends on, as one sha256: all that the language, the caller's files and the
    limits put into the command, the tools' fingerprints, and the version that the compiler prints.

    The limits themselves are left out: they decide whether there is a result, and what they cut short is not kept.
    """
    import hashlib

    parts = (
        toolchain.language.name,
        toolchain.fingerprint(),
        version,
        command.argv,
        sorted(command.env.items()),
        command.fetch,
        sorted((os.fsencode(name), hashlib.sha256(content).digest()) for name, content in command.files.items()),
    )
    return hashlib.sha256(msgspec.msgpack.encode(parts)).hexdigest()


def result_of(outcome: Outcome) -> dict[str, bytes] | CompileFailure | None:
    """What a compiler's run is worth keeping: its files, or its refusal. None: another try may end otherwise."""
    if outcome.status == "ok":
        return outcome.fetched
    if outcome.status != "runtime_error" or outcome.exit_code is None:
        return None
    if _TRANSIENT.search(outcome.stderr) or _TRANSIENT.search(outcome.stdout):
        return None
    return CompileFailure(exit_code=outcome.exit_code, stdout=outcome.stdout, stderr=outcome.stderr)


class CompiledCache:
    """Results of compilers in a directory of at most `max_mb` megabytes (2**20)."""

    def __init__(self, directory: Path, *, max_mb: float = 1024) -> None:
        self.directory = directory
        self.max_bytes = int(max_mb * 2**20)
        self.problem: str | None = None  # why nothing is kept, for people
        self._lock = threading.Lock()
        self._ready = False
        self._bytes = 0  # at the last scan, and what was added since
        self._puts_to_scan = 0

    def get(self, key: str) -> dict[str, bytes] | CompileFailure | None:
        """What was kept under `key`; None where nothing whole is."""
        path = self._path(key)
        if not self._usable():
            return None
        try:
            with open(path, "rb") as file:
                raw = file.read()
                os.utime(file.fileno())
        except OSError:
            return None
        value = _decoded(raw)
        if value is None:
            _remove(path)
        return value

    def put(self, key: str, value: Mapping[str, bytes] | CompileFailure) -> bool:
        """Keeps `value` under `key`. False where it could not be kept."""
        path = self._path(key)
        try:
            raw = _encoded(value)
        except UnicodeEncodeError:  # a file name that is no text
            return False
        if len(raw) > self.max_bytes or not self._usable():
            return False
        new = path.parent / f".new-{os.getpid()}-{os.urandom(8).hex()}"
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with open(descriptor, "wb") as file:
                file.write(raw)
            os.replace(new, path)
        except OSError as error:  # a full disk, a quota, a directory that was removed
            self.problem = f"{self.directory}: {error.strerror or error}"
            self._ready = False  # it may have been removed: the next call makes it again
            _remove(new)
            return False
        self.problem = None
        self._keep_bound(len(raw))
        return True

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"expected a key of key_of(), got {key!r}")
        return self.directory / key[:2] / key

    def _usable(self) -> bool:
        if not self._ready:
            unfit = _unfit(self.directory)
            self._ready = unfit is None
            self.problem = unfit or self.problem
        return self._ready

    def _keep_bound(self, added: int) -> None:
        with self._lock:
            self._bytes += added
            self._puts_to_scan -= 1
            if self._bytes <= self.max_bytes and self._puts_to_scan > 0:
                return
            self._puts_to_scan = _PUTS_BETWEEN_SCANS
            self._bytes = _evict(self.directory, self.max_bytes)


def _encoded(value: Mapping[str, bytes] | CompileFailure) -> bytes:
    import hashlib

    entry = value if isinstance(value, CompileFailure) else _Artifacts(dict(value))
    body = msgspec.msgpack.encode(entry)
    return _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _decoded(raw: bytes) -> dict[str, bytes] | CompileFailure | None:
    import hashlib

    start = len(_MAGIC) + _DIGEST + 1
    body = memoryview(raw)[start:]
    if raw[:start] != _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n":
        return None
    try:
        entry = msgspec.msgpack.decode(body, type=_Artifacts | CompileFailure)
    except msgspec.MsgspecError:  # whole, but of another form than this version's
        return None
    return entry.files if isinstance(entry, _Artifacts) else entry


def _unfit(directory: Path) -> str | None:
    """Makes the directory where it is missing; says why it cannot be used."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = os.stat(directory)
        if state.st_uid != os.geteuid():
            return f"{directory}: belongs to another user"
        if stat.S_IMODE(state.st_mode) != 0o700:
            os.chmod(directory, 0o700)
            if stat.S_IMODE(state.st_mode) & 0o022:
                _clear(directory)  # others could write there until now
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    return None


def _entries(directory: Path) -> list[tuple[float, int, str]]:
    """(mtime, bytes, path) of each entry. What was being written an hour ago never will be: it is swept."""
    found = []
    now = time.time()
    for shard in os.scandir(directory):
        if len(shard.name) != 2 or not shard.is_dir(follow_symlinks=False):
            continue
        for item in os.scandir(shard.path):
            try:
                state = item.stat(follow_symlinks=False)
            except OSError:  # evicted by another process since it was listed
                continue
            if not item.name.startswith(".new-"):
                found.append((state.st_mtime, state.st_size, item.path))
            elif now - state.st_mtime > _STALE_S:
                _remove(Path(item.path))
    return found


def _evict(directory: Path, max_bytes: int) -> int:
    """Removes the least recently used entries of a cache that is over its bound; returns the bytes that stay."""
    try:
        entries = _entries(directory)
    except OSError:
        return 0
    total = sum(size for _, size, _ in entries)
    if total <= max_bytes:
        return total
    for _, size, path in sorted(entries):
        if total <= max_bytes * _EVICT_TO:
            break
        _remove(Path(path))
        total -= size
    return total


def _clear(directory: Path) -> None:
    for _, _, path in _entries(directory):
        _remove(Path(path))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # then the file stays; an entry is checked whenever it is read
        path.unlink(missing_ok=True)
