"""Where written problems go: a file of JSON lines, a Parquet file, a directory of packages.

A sink takes problems one by one and answers what each of them lost; one that it refuses (Inexpressible) leaves no
trace. A file is written beside its place and renamed when all is done: an interrupted conversion leaves nothing half
done, and one in which no problem could be written leaves what was there. A package is renamed as soon as it is whole.
Nothing that exists is overwritten unless it is asked for.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, cast

from codejury.dataset.fields import Fields
from codejury.dataset.formats import kattis as packages
from codejury.dataset.formats.detect import format_named
from codejury.dataset.rows import BadRow
from codejury.dataset.writers import kattis
from codejury.dataset.writers.losses import changes_verdicts, losses
from codejury.dataset.writers.values import Inexpressible, plain
from codejury.errors import UsageError
from codejury.model import Problem

Writer = Callable[[Problem], dict[str, Any]]
_BATCH_ROWS, _BATCH_BYTES = 64, 32 << 20


class Sink(Protocol):
    """A context manager; leaving it with an error leaves nothing."""

    def write(self, problem: Problem) -> list[str]: ...
    def __enter__(self) -> Sink: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def refuse_existing(target: Path, force: bool) -> None:
    if os.path.lexists(target) and not force:
        raise UsageError(f"{target}: is there already; name another place, or say --force to replace it")


def _refuse(lost: list[str], strict: bool) -> None:
    grave = [name for name in lost if changes_verdicts(name)] if strict else []
    if grave:
        raise Inexpressible(f"verdicts could change, as the format does not hold {', '.join(grave)}")


class Rows:
    """Problem -> row, as data and as text, with what it lost: by reading it back.

    beside   fields of `extra` go beside the format's own; else the writer has seen to them
    strict   refuse a row that lost something by which verdicts could change
    """

    def __init__(self, writer: Writer, reader: str, *, beside: bool = True, strict: bool = False) -> None:
        self._writer = writer
        self._read = format_named(reader).read
        self._beside, self._strict = beside, strict
        self._free: dict[str, bool] = {}  # fields of `extra` -> does the reader leave them alone?

    def row(self, problem: Problem) -> tuple[dict[str, Any], str, list[str]]:
        try:
            row = self._writer(problem)
            if self._beside:
                self._add_extra(problem, row)
            text = json.dumps(row)
            after = self._read(Fields(json.loads(text), "the row that was written"))
        except Inexpressible:
            raise
        except UsageError as error:
            raise Inexpressible(f"what was written cannot be read back: {error}") from None
        except (ValueError, RecursionError) as error:
            raise Inexpressible(f"a row that JSON does not hold: {error}") from None
        lost = losses(problem, after)
        _refuse(lost, self._strict)
        return row, text, lost

    def _add_extra(self, problem: Problem, row: dict[str, Any]) -> None:
        unsure = [name for name in problem.extra if name not in self._free and name not in row]
        if unsure:
            fields = Fields({**row, **dict.fromkeys(unsure)}, "the row that was written")
            self._read(fields)
            self._free |= {name: name in fields.rest() for name in unsure}
        for name, value in problem.extra.items():
            if name not in row and self._free.get(name):
                with contextlib.suppress(Inexpressible):  # it is missing, and told so
                    row[name] = plain(value)


class JsonLines:
    """Gzipped where the name ends so."""

    def __init__(self, target: Path, rows: Rows, *, force: bool) -> None:
        refuse_existing(target, force)
        self._target, self._rows = target, rows
        self._empty = True

    def write(self, problem: Problem) -> list[str]:
        _, text, lost = self._rows.row(problem)
        self._file.write(text.encode() + b"\n")
        self._empty = False
        return lost

    def __enter__(self) -> JsonLines:
        self._beside = _beside(self._target)
        opener = gzip.open if self._target.suffix == ".gz" else open
        with _told(self._target):
            self._file = cast(IO[bytes], opener(self._beside, "xb"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _finish(self._file.close, self._beside, self._target, failed=kind is not None or self._empty)


class Parquet:
    """verl's rows. Its own columns have fixed types; those of other fields are what the first rows hold, and what does
    not fit there later is lost, and told."""

    def __init__(self, target: Path, rows: Rows, *, force: bool) -> None:
        refuse_existing(target, force)
        self._target, self._rows = target, rows
        try:
            self._arrow: Any = importlib.import_module("pyarrow")
            self._parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError:
            raise UsageError(f"{target}: writing Parquet takes pyarrow: pip install 'codejury[parquet]'") from None
        self._waiting: list[dict[str, Any]] = []
        self._waiting_bytes = 0
        self._writer: Any = None
        self._types: dict[str, Any] = {}

    def write(self, problem: Problem) -> list[str]:
        row, _, lost = self._rows.row(problem)
        for name in [name for name in row if name not in self._own()]:
            value = row[name]
            if value in (None, [], {}):
                del row[name]
                continue
            if self._writer is None:
                self._widen(name, value)
            if not self._fits(name, value):
                del row[name]
                lost.append(f"extra.{name}")
        for name in self._own():
            if name in row and not self._fits(name, row[name]):
                raise Inexpressible(f"{name}: a text that Parquet does not hold")
        self._waiting.append(row)
        self._waiting_bytes += len(row["reward_model"]["ground_truth"])
        if len(self._waiting) >= _BATCH_ROWS or self._waiting_bytes > _BATCH_BYTES:
            self._flush()
        return list(dict.fromkeys(lost))

    def _own(self) -> dict[str, Any]:
        arrow = self._arrow
        text, number = arrow.string(), arrow.float64()
        message = arrow.struct([("role", text), ("content", text)])
        return {
            "id": text,
            "data_source": text,
            "prompt": arrow.list_(message),
            "ability": text,
            "reward_model": arrow.struct([("style", text), ("ground_truth", text)]),
            "time_limit": number,
            "memory_limit": number,
        }

    def _widen(self, name: str, value: Any) -> None:
        """The column's type, so that it holds this value beside those that wait; if there is such a type."""
        before = [row[name] for row in self._waiting if name in row]
        try:
            kind = self._arrow.array([*before, value]).type
        except (self._arrow.ArrowException, ValueError, TypeError, OverflowError):
            return
        if self._is_whole(kind):
            self._types[name] = kind

    def _is_whole(self, kind: Any) -> bool:
        """Parquet has no columns of nothing, at any depth."""
        if kind.num_fields:
            return all(self._is_whole(kind.field(number).type) for number in range(kind.num_fields))
        return not self._arrow.types.is_null(kind) and not self._arrow.types.is_struct(kind)

    def _fits(self, name: str, value: Any) -> bool:
        """It comes out as it went in: Arrow leaves out of a struct what its type does not have."""
        kind = self._own().get(name) or self._types.get(name)
        if kind is None:
            return False
        try:
            (back,) = self._arrow.array([value], type=kind).to_pylist()
        except (self._arrow.ArrowException, ValueError, TypeError, OverflowError):
            return False
        return bool(_without_nulls(back) == _without_nulls(value))

    def _flush(self) -> None:
        if self._writer is None:
            self._schema = self._arrow.schema(list((self._own() | self._types).items()))
            with _told(self._target):
                self._writer = self._parquet.ParquetWriter(self._beside, self._schema, compression="zstd")
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_pylist(self._waiting, schema=self._schema))
        self._waiting, self._waiting_bytes = [], 0

    def __enter__(self) -> Parquet:
        self._beside = _beside(self._target)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        def close() -> None:
            if kind is None and self._waiting:
                self._flush()
            if self._writer is not None:
                self._writer.close()

        nothing = self._writer is None and not self._waiting
        _finish(close, self._beside, self._target, failed=kind is not None or nothing)


class Packages:
    """A directory, and in it a package a problem."""

    def __init__(self, target: Path, language_of: kattis.LanguageOf | None, *, strict: bool, force: bool) -> None:
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target}: expected a directory for the packages, found a file")
        if target.is_dir() and any(target.iterdir()) and not force:
            raise UsageError(f"{target}: is no empty directory; name another place, or say --force to add to it")
        self._target, self._language_of, self._strict = target, language_of, strict
        self._names: set[str] = set()

    def write(self, problem: Problem) -> list[str]:
        name = self._name(problem)
        place, beside = self._target / name, _beside(self._target / name)
        if place.exists() and not packages.is_package(place):
            raise UsageError(f"{place}: is there, and is no problem package; it is not replaced")
        with _told(place):
            try:
                beside.mkdir()
                kept = kattis.write(problem, beside, language_of=self._language_of)
                after = packages.read(beside)
                lost = losses(problem, after, kept=kept)
                _refuse(lost, self._strict)
            except BaseException as error:
                shutil.rmtree(beside, ignore_errors=True)
                if isinstance(error, BadRow):
                    raise Inexpressible(f"what was written cannot be read back: {error}") from None
                raise
            if place.exists():
                old = _beside(place)
                place.rename(old)
                beside.rename(place)
                shutil.rmtree(old)
            else:
                beside.rename(place)
        self._names.add(name)
        lost = [each for each in lost if each != "id"]
        return lost if name == problem.id else ["id", *lost]

    def _name(self, problem: Problem) -> str:
        name, count = kattis.folder_name(problem.id), 1
        while name in self._names:
            count += 1
            name = f"{kattis.folder_name(problem.id)}-{count}"
        return name

    def __enter__(self) -> Packages:
        with _told(self._target):
            self._target.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(6)}")


def _finish(close: Callable[[], None], beside: Path, target: Path, *, failed: bool) -> None:
    with _told(target):
        try:
            close()
            if not failed:
                os.replace(beside, target)
        finally:
            with contextlib.suppress(OSError):
                beside.unlink()


@contextlib.contextmanager
def _told(target: Path) -> Any:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
