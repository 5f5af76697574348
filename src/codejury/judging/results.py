"""What cases came to, kept by content: the same program on the same case within the same limits is not run again.

    <cache>/results/results.sqlite     key (blake2b of all that decides a result) -> CaseResult as MessagePack

Owns the store and its bound (Results), and what goes into a key (Memo). A store is shared by threads and processes.

Invariants: an entry is whole or it is a miss. Nothing here ever fails a verdict: whatever is wrong with the file, a
look-up is a miss, a store is nothing, and `problem` says why. What others could have written is not used: it would
decide verdicts. Our own failures are exceptions and no results, so none is ever kept.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.languages.execute import Job, Sandbox
from codejury.model import CaseResult, Problem, Submission

if TYPE_CHECKING:
    import sqlite3

_WRITTEN_AT_ONCE = 256
_WRITTEN_EVERY_S = 1.0
_LARGEST = 1 << 16  # bytes of an entry: who wants long answers again may well compute them again
_EVICT_TO = 0.8  # of the bound
_LAYOUT = 1


class Results:
    """A context manager.

    max_mb    of entries; beyond it the oldest go
    saved_s   CPU seconds of what was asked for and known
    """

    def __init__(self, folder: Path, *, max_mb: float = 512) -> None:
        self.problem = ""
        self.hits = 0
        self.misses = 0
        self.saved_s = 0.0
        self._max_bytes = int(max_mb * 2**20)
        self._lock = threading.Lock()
        self._new: dict[bytes, bytes] = {}
        self._written_at = time.monotonic()
        self._bytes = 0
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(CaseResult).decode
        self._base: sqlite3.Connection | None = None
        try:
            self._base = self._open(folder)
        except Exception as error:  # noqa: BLE001 - sqlite3's and the file system's; no store is no failure
            self.problem = f"{folder}: {error}"

    def _open(self, folder: Path) -> sqlite3.Connection:
        import sqlite3

        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "results.sqlite"
        for place in (folder, path):
            if place.exists():
                state = place.stat()
                if state.st_uid != os.geteuid() or state.st_mode & 0o022:
                    raise PermissionError(f"{place} can be written by others")
        base = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        try:
            path.chmod(0o600)
            base.execute("pragma journal_mode = wal")
            base.execute("pragma synchronous = normal")
            if base.execute("pragma user_version").fetchone()[0] != _LAYOUT:
                base.executescript(
                    "begin immediate; drop table if exists result;"
                    "create table result (key blob primary key, value blob not null);"
                    f"pragma user_version = {_LAYOUT}; commit"
                )
            self._bytes = base.execute("select coalesce(sum(length(value) + 48), 0) from result").fetchone()[0]
        except BaseException:
            base.close()
            raise
        return base

    def get(self, key: bytes) -> CaseResult | None:
        with self._lock:
            raw = self._new.get(key)
            if raw is None and self._base is not None:
                raw = self._asked(key)
            if raw is not None:
                try:
                    found: CaseResult = self._decode(raw)
                except msgspec.MsgspecError:
                    raw = None
            if raw is None:
                self.misses += 1
                return None
            self.hits += 1
            self.saved_s += found.cpu_s
            return found

    def _asked(self, key: bytes) -> bytes | None:
        import sqlite3

        assert self._base is not None
        try:
            row = self._base.execute("select value from result where key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def put(self, key: bytes, result: CaseResult) -> None:
        if self._base is None:
            return
        raw = self._encode(result)
        if len(raw) > _LARGEST:
            return
        with self._lock:
            self._new[key] = raw
            if len(self._new) >= _WRITTEN_AT_ONCE or time.monotonic() - self._written_at > _WRITTEN_EVERY_S:
                self._write()

    def _write(self) -> None:
        import sqlite3

        self._written_at = time.monotonic()
        new, self._new = self._new, {}
        if self._base is None or not new:
            return
        try:
            self._base.execute("begin immediate")
            self._base.executemany("insert or replace into result values (?, ?)", new.items())
            self._bytes += sum(len(raw) + 48 for raw in new.values())
            if self._bytes > self._max_bytes:
                self._evict()
            self._base.execute("commit")
        except sqlite3.Error as error:
            self._give_up(error)

    def _evict(self) -> None:
        """The oldest, until it fits again."""
        assert self._base is not None
        left = self._base.execute("select coalesce(sum(length(value) + 48), 0) from result").fetchone()[0]
        wanted = int(self._max_bytes * _EVICT_TO)
        while left > wanted:
            rows = self._base.execute(
                "select rowid, length(value) + 48 from result order by rowid limit 4096"
            ).fetchall()
            if not rows:
                break
            gone = []
            for rowid, size in rows:
                gone.append((rowid,))
                left -= size
                if left <= wanted:
                    break
            self._base.executemany("delete from result where rowid = ?", gone)
        self._bytes = left

    def _give_up(self, error: Exception) -> None:
        """A damaged file, or a disk that is full: from now on everything is a miss."""
        self.problem = str(error)
        base, self._base = self._base, None
        if base is not None:
            import contextlib
            import sqlite3

            with contextlib.suppress(sqlite3.Error):
                base.close()

    def close(self) -> None:
        with self._lock:
            self._write()
            if self._base is not None:
                self._base.close()
                self._base = None

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Memo:
    """The results of one program's cases. Safe from several threads.

    A key is a digest of the program and who compiles it, the limits, the way of comparing, the checker; and of the
    case. A case of values that have no sure text has none, and is not kept."""

    def __init__(
        self,
        results: Results | None,
        sandbox: Sandbox,
        submission: Submission,
        problem: Problem,
        options: dict[str, Any],
    ) -> None:
        self._results = results
        self._sandbox = sandbox
        self._submission = submission
        self._problem = problem
        self._options = options
        self._lock = threading.Lock()
        self._start: Any = None

    def get(self, index: int) -> CaseResult | None:
        if self._results is None:
            return None
        key = self._key(index)
        known = self._results.get(key) if key is not None else None
        if known is None:
            return None
        return msgspec.structs.replace(known, index=index, provenance=self._problem.cases[index].provenance)

    def put(self, index: int, result: CaseResult) -> None:
        if self._results is None:
            return
        key = self._key(index)
        if key is not None:
            self._results.put(key, result)

    def _begun(self) -> Any:
        from hashlib import blake2b

        from codejury import __version__

        with self._lock:
            if self._start is None:
                problem, submission = self._problem, self._submission
                language = submission.language or ("python" if problem.kind == "function" else None)
                job = Job(source=submission.source, language=language, files=submission.files)
                parts = (
                    __version__,
                    self._sandbox.identity(job),
                    problem.kind,
                    problem.fn_name,
                    problem.starter_code,
                    problem.outputs,
                    problem.compare,
                    problem.checker,
                    sorted(self._options.items()),
                )
                self._start = blake2b(msgspec.msgpack.encode(parts), digest_size=32)
            return self._start.copy()

    def _key(self, index: int) -> bytes | None:
        digest = self._begun()
        case = self._problem.cases[index]
        for value in (case.input, case.output):
            text = value if isinstance(value, str) else repr(value)
            if not isinstance(value, str) and " object at 0x" in text:
                return None
            raw = text.encode("utf-8", "surrogatepass")
            digest.update(f"{type(value).__name__} {len(raw)} ".encode())
            digest.update(raw)
        return bytes(digest.digest())
