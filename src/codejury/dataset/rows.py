"""Rows out of files: JSON lines, a JSON document, a Python literal, Parquet; each of them plain or gzipped.

What a file holds is told from its first bytes, never from its name. JSON lines and Parquet stream: one row is in memory
at a time. A document (a JSON list, a Python literal) is read whole, up to `MAX_DOCUMENT_BYTES`.
Nothing here knows what a row means.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn, cast

import msgspec

from codejury.dataset.literal import literal_of
from codejury.errors import UsageError

MAX_LINE_BYTES = 1 << 30
MAX_DOCUMENT_BYTES = 1 << 30


class BadRow(UsageError):
    """A row, or a field of it, that cannot be used: where it stands, which field, what was expected."""

    def __init__(self, where: str, field: str, expected: str, got: str = "") -> None:
        place = f"{where}: {field}" if field else where
        super().__init__(f"{place}: expected {expected}" + (f", got {got}" if got else ""))
        self.where = where
        self.field = field
        self.expected = expected


OnError = Callable[[BadRow], None]


class Row(msgspec.Struct, frozen=True):
    """One row as read. `where` is its file and line, for messages; `whole` when it is all that the file holds."""

    value: Any
    where: str
    whole: bool = False


def shown(value: object) -> str:
    """A value for a message: short, and safe to print whatever it is."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}" + ("…" if len(value) > 40 else "")
    if value is None or isinstance(value, (bool, float)):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if abs(value) < 10**20 else "a large number"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"


def json_of(text: str | bytes, *, where: str, field: str = "") -> Any:
    """JSON as Python writes and reads it: NaN and Infinity too, numbers of any size that Python converts."""
    try:
        return json.loads(text)
    except RecursionError:
        raise BadRow(where, field, "JSON", "one that is nested too deeply") from None
    except ValueError as error:  # also UnicodeDecodeError, and numbers of more digits than Python converts
        raise BadRow(where, field, "JSON", f"{shown(_text(text))} ({error})") from None


def data_of(text: str, *, where: str, field: str = "") -> Any:
    """JSON, or a Python literal where it is none."""
    try:
        return json_of(text, where=where, field=field)
    except BadRow as no_json:
        try:
            return literal_of(text)
        except ValueError:
            raise no_json from None


def read_rows(path: str | os.PathLike[str], *, on_error: OnError | None = None) -> Iterator[Row]:
    """The rows of a file. What cannot be read is raised as BadRow, or given to `on_error`, and the rest goes on."""
    file = Path(path)
    complain = on_error or _raise
    try:
        with _opened(file) as stream:
            if _starts(stream, b"PAR1"):
                yield from _parquet_rows(file, complain)
            else:
                yield from _text_rows(stream, file, complain)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        complain(BadRow(str(file), "", "a whole gzip file", str(error)))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from None


def _raise(error: BadRow) -> NoReturn:
    raise error


def _text(text: str | bytes) -> str:
    return text if isinstance(text, str) else text[:200].decode(errors="replace")


def _starts(stream: IO[bytes], magic: bytes) -> bool:
    found = stream.read(len(magic))
    stream.seek(0)
    return found == magic


def _opened(file: Path) -> IO[bytes]:
    stream = file.open("rb")
    if _starts(stream, b"\x1f\x8b"):
        stream.close()
        return cast(IO[bytes], gzip.open(file, "rb"))
    return stream


def _text_rows(stream: IO[bytes], file: Path, complain: OnError) -> Iterator[Row]:
    number, line = 0, b""
    while not line.strip():
        number, line = number + 1, stream.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    if _opens_document(line):
        try:
            whole = Row(_document(line, stream, file), str(file), True)
        except BadRow as error:
            complain(error)
        else:
            yield whole
        return
    while line:
        where = f"{file}, line {number}"
        if len(line) > MAX_LINE_BYTES:  # what follows is the middle of it
            complain(BadRow(where, "", f"a line of at most {MAX_LINE_BYTES} bytes", "a longer one"))
            return
        if line.strip():
            try:
                row = Row(json_of(line, where=where), where)
            except BadRow as error:
                complain(error)
            else:
                yield row
        number, line = number + 1, stream.readline(MAX_LINE_BYTES + 1)


def _opens_document(line: bytes) -> bool:
    """The first line belongs to one document over all lines, and is no row of its own."""
    start = line.strip()
    if start.startswith(b"["):
        return True
    if not start.startswith(b"{"):
        return False
    if start.endswith((b"{", b"[", b",")):
        return True
    try:
        json.loads(start)
    except (ValueError, RecursionError):
        try:
            literal_of(start.decode())
        except ValueError:
            return False
        return True
    return False


def _document(line: bytes, stream: IO[bytes], file: Path) -> Any:
    raw = line + stream.read(MAX_DOCUMENT_BYTES + 1 - len(line))
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise BadRow(str(file), "", f"a document of at most {MAX_DOCUMENT_BYTES} bytes, or JSON lines", "a longer one")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise BadRow(str(file), "", "text in UTF-8", str(error)) from None
    return data_of(text, where=str(file))


def _parquet_rows(file: Path, complain: OnError) -> Iterator[Row]:
    import importlib

    try:
        # By name, because it is an extra, and comes without types.
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(f"{file}: reading Parquet takes pyarrow: pip install 'codejury[parquet]'") from None
    number = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=16):
                for value in batch.to_pylist():
                    number += 1
                    yield Row(value, f"{file}, row {number}")
    except (arrow.ArrowException, UnicodeDecodeError, NotImplementedError) as error:
        complain(BadRow(f"{file}, row {number + 1}", "", "a Parquet file that pyarrow reads", str(error)))
