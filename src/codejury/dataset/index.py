"""Problems by their ids, out of a file of JSON lines that is never loaded: for rewards, in any number of processes.

    T.jsonl ──build_index──► T.idx          once, `codejury map`
    T.jsonl + T.idx ──TestIndex──► Problem  a look-up: a search in T.idx, one read and one row of T.jsonl

The index, numbers big-endian:

    offset   bytes
    0        8       magic
    8        8       count of entries
    16       8       size of the source
    24       8       its time of modification, in nanoseconds
    32       32      its fingerprint: a digest over samples from all of it
    64       16      salt, the key of the entries' hashes and digests
    80       16      the name of the source's format, filled up with zeros
    96       32      digest of all entries
    128      32      digest of the 128 bytes before
    160      32 × count, in the order of their hashes:
             8       hash of the id
             8       offset of the row in the source
             8       its length, without the end of the line
             8       digest of the row

Invariants. An index is whole or not there: it is written beside its place and renamed. It is refused when the source is
of another size, time or fingerprint. Nothing in it is believed: what it points to has to lie in the source, be one
whole line there, have the digest, and hold the id that was asked for; so no damage and no forgery of an index gives one
problem's tests for another's, and a source that was changed where no sample was taken is seen at the row.

Both files are read with pread alone: there is no position to share and no mapping that a truncated file would turn into
a signal, so that one TestIndex serves threads and forked processes, and a pickled one opens the files anew.

An id is a text, or a whole number, which counts as its decimal text: 7 and "7" are the same. Texts are compared as they
are: no case is folded and nothing is normalised.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import struct
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import msgspec

from codejury.dataset.formats.detect import ROW_FORMATS, format_of
from codejury.dataset.problems import problem_of
from codejury.dataset.rows import MAX_LINE_BYTES, BadRow, OnError, json_of, shown
from codejury.errors import UsageError
from codejury.model import Problem, TestCase

MAGIC = b"CJIDX\x01\r\n"
_FACTS = struct.Struct(">8sQQQ32s16s16s32s")
_DIGEST_BYTES = 32
_HEAD_BYTES = _FACTS.size + _DIGEST_BYTES
_ENTRY = struct.Struct(">8sQQ8s")
_CHUNK_BYTES = 1 << 20
_SAMPLES, _SAMPLE_BYTES = 64, 4096
_TOLD = 10  # duplicates that a message names


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """What `build_index` did. `without_tests`: problems that are in the index and have none."""

    path: str
    problems: int
    tests: int
    without_tests: int
    bad_rows: int
    source_bytes: int
    index_bytes: int


def index_path(source: str | os.PathLike[str]) -> Path:
    """Where the index of a file is looked for: T.idx beside T.jsonl."""
    return Path(source).with_suffix(".idx")


def build_index(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    format: str | None = None,
    on_error: OnError | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Reads all of a JSON lines file and writes its index.

    output       None: `index_path`. An older index there is replaced; any other file is refused
    format       of the rows; None: that of the first good one
    on_error     is given each BadRow, which is left out of the index; None: the first one is raised
    on_progress  is given the bytes done, and all bytes
    """
    file, target = Path(source), Path(output) if output is not None else index_path(source)
    _refuse_target(file, target)
    with _opened(file) as stream:
        before = os.fstat(stream.fileno())
        salt = secrets.token_bytes(16)
        scan = _Scan(file, salt, format, on_error)
        scan.read(stream, before.st_size, on_progress)
        if not scan.entries:
            raise UsageError(f"{file}: expected problems as JSON lines, found none that can be read")
        scan.refuse_duplicates()
        fingerprint = _fingerprint(stream.fileno(), before.st_size)
        after = os.fstat(stream.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UsageError(f"{file}: was changed while it was read; run `codejury map` again when nobody writes to it")
    entries = b"".join(sorted(scan.entries))
    facts = _FACTS.pack(
        MAGIC,
        len(scan.entries),
        before.st_size,
        before.st_mtime_ns,
        fingerprint,
        salt,
        scan.format.encode(),
        _digest(entries),
    )
    _replace(target, facts + _digest(facts) + entries)
    return Built(
        path=str(target),
        problems=len(scan.entries),
        tests=scan.tests,
        without_tests=scan.without_tests,
        bad_rows=scan.bad_rows,
        source_bytes=before.st_size,
        index_bytes=_HEAD_BYTES + len(entries),
    )


class TestIndex(Mapping[str, Problem]):
    """The problems of a JSON lines file by their ids. A context manager; left open it closes with the process.

        tests = TestIndex("T.jsonl")
        tests["code_contest_8"].cases

    UsageError where the index is missing, damaged or stale: the message says what to do.

    index      None: `index_path(source)`
    any_mtime  the source may have another time of modification than the indexed one, as a copy has
    """

    __test__ = False  # not one of pytest's

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        index: str | os.PathLike[str] | None = None,
        any_mtime: bool = False,
    ) -> None:
        # Absolute: a worker that unpickles this may stand elsewhere.
        self.source = os.path.abspath(source)
        self.index = os.path.abspath(index if index is not None else index_path(source))
        self._any_mtime = any_mtime
        self._files: list[int] = []
        self._count = self._source_size = 0
        self._close = weakref.finalize(self, _close_all, self._files)
        try:
            self._index_file = self._open(self.index, "no index")
            self._source_file = self._open(self.source, "cannot be read")
            self._check()
        except BaseException:
            self.close()
            raise

    def __getitem__(self, custom_id: str | int) -> Problem:
        name = _name(custom_id)
        if name is not None:
            for offset, length, digest in self._entries_of(name):
                problem = self._problem(offset, length, digest)
                if problem.id == name:
                    return problem
        raise KeyError(custom_id)

    def tests(self, custom_id: str | int) -> tuple[TestCase, ...]:
        """The problem's test cases. KeyError where the file has no such problem."""
        return tuple(self[custom_id].cases)

    def __contains__(self, custom_id: object) -> bool:
        name = _name(custom_id)
        return name is not None and any(self._problem(*entry).id == name for entry in self._entries_of(name))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        """The ids in the order of the file. Reads every row."""
        places = sorted(self._entry(number)[1:] for number in range(self._count))
        return (self._problem(*place).id for place in places)

    def close(self) -> None:
        self._close()

    def __enter__(self) -> TestIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., TestIndex], tuple[str, str, bool]]:
        return _reopened, (self.source, self.index, self._any_mtime)

    def _open(self, path: str, otherwise: str) -> int:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe without a writer would wait
        except OSError as error:
            how = f"; {self._make()}" if path == self.index else ""
            raise UsageError(f"{path}: {otherwise}: {error.strerror}{how}") from None
        self._files.append(file)
        return file

    def _make(self) -> str:
        usual = os.path.abspath(index_path(self.source)) == self.index
        return f"make it with: codejury map {self.source}" + ("" if usual else f" --output {self.index}")

    def _damaged(self, why: str) -> UsageError:
        return UsageError(f"{self.index}: is no whole index: {why}; {self._make()}")

    def _stale(self, why: str, *, also: str = "") -> UsageError:
        return UsageError(f"{self.index}: is stale: {self.source} {why}; {self._make()}{also}")

    def _check(self) -> None:
        """Refuses what is damaged, then what is stale."""
        size = os.fstat(self._index_file).st_size
        head = self._pread(self._index_file, _HEAD_BYTES, 0)
        if not head.startswith(MAGIC):
            raise self._damaged("it does not begin as one")
        if len(head) < _HEAD_BYTES or _digest(head[: _FACTS.size]) != head[_FACTS.size :]:
            raise self._damaged("its head is cut off or changed")
        _, self._count, source_size, mtime_ns, fingerprint, self._salt, form, digest = _FACTS.unpack_from(head)
        if size != _HEAD_BYTES + self._count * _ENTRY.size:
            raise self._damaged(f"expected {_HEAD_BYTES + self._count * _ENTRY.size} bytes, found {size}")
        self._format = form.rstrip(b"\0").decode("ascii", "replace")
        if self._format not in ROW_FORMATS:
            raise self._damaged(f"it names the format {self._format!r}")
        if self._entries_digest() != digest:
            raise self._damaged("its entries are changed")
        now = os.fstat(self._source_file)
        if now.st_size != source_size:
            raise self._stale(f"has {now.st_size} bytes now, {source_size} when it was indexed")
        if now.st_mtime_ns != mtime_ns and not self._any_mtime:
            raise self._stale(
                "was written to since it was indexed",
                also="; or, where it is a copy that kept no times, open it with any_mtime=True",
            )
        try:
            same = _fingerprint(self._source_file, source_size) == fingerprint
        except OSError as error:
            raise UsageError(f"{self.source}: cannot be read: {error.strerror}") from None
        if not same:
            raise self._stale("has another content than when it was indexed")
        self._source_size = source_size

    def _entries_digest(self) -> bytes:
        digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        at, end = _HEAD_BYTES, _HEAD_BYTES + self._count * _ENTRY.size
        while at < end:
            chunk = self._pread(self._index_file, min(_CHUNK_BYTES, end - at), at)
            if not chunk:
                raise self._damaged("it is cut off")
            digest.update(chunk)
            at += len(chunk)
        return digest.digest()

    def _pread(self, file: int, length: int, offset: int) -> bytes:
        if not self._close.alive:
            raise UsageError(f"{self.index}: the index is closed")
        try:
            return os.pread(file, length, offset)
        except OSError as error:
            name = self.index if file == self._index_file else self.source
            raise UsageError(f"{name}: cannot be read: {error.strerror}") from None

    def _entry(self, number: int) -> tuple[bytes, int, int, bytes]:
        raw = self._pread(self._index_file, _ENTRY.size, _HEAD_BYTES + number * _ENTRY.size)
        if len(raw) != _ENTRY.size:
            raise self._damaged("it is cut off")
        found: tuple[bytes, int, int, bytes] = _ENTRY.unpack(raw)
        return found

    def _entries_of(self, name: str) -> Iterator[tuple[int, int, bytes]]:
        """Offset, length and digest of the rows whose id has this hash: hardly ever more than one."""
        wanted = _short(_id_bytes(name), self._salt)
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._entry(middle)[0] < wanted:
                low = middle + 1
            else:
                high = middle
        while low < self._count:
            key, offset, length, digest = self._entry(low)
            if key != wanted:
                return
            yield offset, length, digest
            low += 1

    def _problem(self, offset: int, length: int, digest: bytes) -> Problem:
        if not 0 < length <= MAX_LINE_BYTES or offset + length > self._source_size:
            raise self._damaged("an entry lies outside of the source")
        # With the bytes around it: an end of line has to stand on either side, or an end of the file.
        start = max(offset - 1, 0)
        raw = self._pread(self._source_file, length + (offset - start) + 1, start)
        row, before, after = raw[offset - start :][:length], raw[: offset - start], raw[offset - start + length :]
        if len(row) != length or _short(row, self._salt) != digest:
            raise self._stale(f"has another row at byte {offset} than when it was indexed")
        begins = before in (b"", b"\n") or (offset == 3 and self._pread(self._source_file, 3, 0) == b"\xef\xbb\xbf")
        if not begins or after not in (b"", b"\n") or b"\n" in row:
            raise self._damaged("an entry is no whole line of the source")
        where = f"{self.source}, byte {offset}"
        return problem_of(json_of(row, where=where), where=where, format=self._format)


def _reopened(source: str, index: str, any_mtime: bool) -> TestIndex:
    return TestIndex(source, index=index, any_mtime=any_mtime)


def _close_all(files: list[int]) -> None:
    while files:
        os.close(files.pop())


# ── Building ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Scan:
    """One pass over the source: an entry for each good row."""

    def __init__(self, file: Path, salt: bytes, format: str | None, on_error: OnError | None) -> None:
        self.file = file
        self.salt = salt
        self.format = format or ""
        self.entries: list[bytes] = []
        self.tests = self.without_tests = self.bad_rows = 0
        self._on_error = on_error
        self._lines: dict[str, int] = {}
        self._twice: list[str] = []
        if format is not None and format not in ROW_FORMATS:
            raise UsageError(f"format: expected one of {', '.join(ROW_FORMATS)}; got {format!r}")

    def read(self, stream: IO[bytes], size: int, on_progress: Callable[[int, int], None] | None) -> None:
        offset, number = 0, 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            where = f"{self.file}, line {number}"
            lead = 3 if number == 1 and line.startswith(b"\xef\xbb\xbf") else 0
            row = line[lead:].removesuffix(b"\n")
            if number == 1:
                self._refuse_other_files(row)
            try:
                if len(row) > MAX_LINE_BYTES:
                    raise BadRow(where, "", f"a line of at most {MAX_LINE_BYTES} bytes", "a longer one")
                if row.strip():
                    self._add(row, offset + lead, number, where)
            except BadRow as error:
                if self._on_error is None:
                    raise
                self.bad_rows += 1
                self._on_error(error)
                while not line.endswith(b"\n") and len(line) > MAX_LINE_BYTES:  # the rest of a line that is too long
                    offset += len(line)
                    line = stream.readline(MAX_LINE_BYTES + 1)
            offset += len(line)
            if on_progress is not None:
                on_progress(offset, size)

    def _add(self, row: bytes, offset: int, number: int, where: str) -> None:
        value = json_of(row, where=where)
        if not isinstance(value, dict):
            raise BadRow(where, "", "a row: an object", shown(value))
        self.format = self.format or format_of(value, where=where)
        problem = problem_of(value, where=where, format=self.format)
        if not problem.id:
            raise BadRow(where, "custom_id", "an id, to look the row up by", "none")
        if problem.id in self._lines:
            self._twice.append(f"{shown(problem.id)} in lines {self._lines[problem.id]} and {number}")
            return
        self._lines[problem.id] = number
        self.tests += len(problem.cases)
        self.without_tests += not problem.cases
        key = _short(_id_bytes(problem.id), self.salt)
        self.entries.append(_ENTRY.pack(key, offset, len(row), _short(row, self.salt)))

    def refuse_duplicates(self) -> None:
        if self._twice:
            more = f", and {len(self._twice) - _TOLD} more" if len(self._twice) > _TOLD else ""
            raise UsageError(
                f"{self.file}: custom_id: expected each id once, as nobody can tell which tests are meant; "
                f"found {'; '.join(self._twice[:_TOLD])}{more}"
            )

    def _refuse_other_files(self, line: bytes) -> None:
        kinds = {b"\x1f\x8b": "gzip: unpack it first", b"PAR1": "Parquet: `codejury convert` makes JSON lines of it"}
        kinds |= {b"[": "one JSON list: `codejury convert` makes JSON lines of it", MAGIC[:6]: "an index already"}
        for start, told in kinds.items():
            if line.lstrip().startswith(start):
                raise UsageError(f"{self.file}: expected JSON lines, where rows can be read one by one; this is {told}")


def _refuse_target(source: Path, target: Path) -> None:
    try:
        if target.exists() and source.exists() and target.samefile(source):
            raise UsageError(f"{target}: is the source itself; name another file for the index: --output")
        if not target.exists():
            return
        with _opened(target) as stream:
            start = stream.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"{target}: cannot be read: {error.strerror}") from None
    if start != MAGIC and start:
        raise UsageError(f"{target}: there is a file of another kind; remove it, or name another: --output")


def _opened(file: Path) -> IO[bytes]:
    if not file.is_file():
        raise UsageError(f"{file}: expected a file" + ("" if file.exists() else ", found nothing"))
    try:
        return file.open("rb", buffering=_CHUNK_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None


def _replace(target: Path, content: bytes) -> None:
    """All of it or nothing: written beside the place, then renamed."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        try:
            with open(beside, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, target)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from None


# ── Digests ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _name(custom_id: Any) -> str | None:
    if isinstance(custom_id, int) and not isinstance(custom_id, bool):
        return str(custom_id)
    return custom_id if isinstance(custom_id, str) else None


def _id_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")  # JSON can spell half a character, and so can an id


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _short(content: bytes, salt: bytes) -> bytes:
    """Keyed, so that nobody can choose ids that all have one hash."""
    return hashlib.blake2b(content, digest_size=8, key=salt).digest()


def _fingerprint(file: int, size: int) -> bytes:
    """Over pieces of all of it: the whole of 2 GB would take seconds. What they miss, a row's digest sees."""
    digest = hashlib.blake2b(size.to_bytes(8, "big"), digest_size=_DIGEST_BYTES)
    last = max(size - _SAMPLE_BYTES, 0)
    for offset in sorted({last * number // (_SAMPLES - 1) for number in range(_SAMPLES)}):
        digest.update(os.pread(file, _SAMPLE_BYTES, offset))
    return digest.digest()
