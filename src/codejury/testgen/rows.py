"""Lines of a file -> tasks, and what is wrong with the others; a task and its tests -> the row that is written.

Owns the fields of Klear-CodeTest's rows, before and after (dataset/formats/klear.py reads both). Every other field of a
row goes through as it is, in its place.

    {custom_id, solutions[], input_generator[], type?, fn_name?, checker[]?, input_validator[]?, time-limit?,
     memory-limit?, …}
      ─► the same, error_info, reward: {ground_truth: {input_output: [{input, output}…], type, fn_name}},
         test_provenance

An input validator is a source, or {source, kind?: klear | testlib | kattis, language?, files?: {name: text},
args?: [flag…]}.

A file of JSON lines is read line by line, plain or gzipped, so that a bad line costs itself and nothing else. Other
kinds of file are `dataset`'s.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import IO, Any, Literal, cast

import msgspec

from codejury.dataset.fields import Fields
from codejury.dataset.rows import BadRow, read_rows, shown
from codejury.errors import UsageError
from codejury.model import Problem

MAX_LINE_BYTES = 256 << 20
_KEPT_BYTES = 1 << 20  # of a line that is too long
_CHUNK_BYTES = 1 << 20  # read at a time

ValidatorKind = Literal["klear", "testlib", "kattis"]


class Validator(msgspec.Struct, frozen=True, kw_only=True):
    """A program that says whether an input keeps to the statement. `kind` None: told from the source. `args`: flags,
    for those that are not klear's."""

    source: str
    kind: ValidatorKind | None = None
    language: str | None = None
    files: dict[str, str] = {}
    args: tuple[str, ...] = ()


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One row that can be worked on.

    row            as it was read
    fn_name        of rows that call a function; None: programs on standard input
    cpu_s, memory_mb   the row's own limits, where it has any
    """

    row: dict[str, Any]
    where: str
    id: str
    golds: tuple[str, ...]
    generators: tuple[str, ...]
    checkers: tuple[str, ...] = ()
    validators: tuple[Validator, ...] = ()
    fn_name: str | None = None
    starter_code: str = ""
    cpu_s: float | None = None
    memory_mb: float | None = None


class BadLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that cannot be worked on: why, and all that it holds, so that it can be mended and given in again."""

    line: int
    error: str
    row: Any = None
    raw: bytes | None = None

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"line": self.line, "error": self.error}
        if self.raw is None:
            return {**told, "row": self.row}
        try:
            return {**told, "text": self.raw.decode()}
        except UnicodeDecodeError:
            return {**told, "base64": base64.b64encode(self.raw).decode()}


class DoneBefore(msgspec.Struct, frozen=True, kw_only=True):
    """A row that needs no work."""

    id: str


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """One line, and how much of the file has been read with it."""

    found: Task | BadLine | DoneBefore
    bytes_read: int


class _Named(msgspec.Struct):
    """As much of a row as says which it is: the rest is passed over, several times as fast as it would be read."""

    custom_id: str | int


_NAMED = msgspec.json.Decoder(_Named)


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def read_tasks(path: Path, *, done: Container[str] = (), needs_generator: bool = True) -> Iterator[Read]:
    """All rows of the file, one in memory at a time. A `custom_id` that came before makes a line a bad one. Rows whose
    ids are in `done` are not looked into."""
    lines: dict[str, int] = {}
    for number, value, bytes_read in _values(path, lambda name: name in done and name not in lines):
        where = f"{path}, line {number}"
        found = (
            value if isinstance(value, (BadLine, DoneBefore)) else _task_or_bad(value, where, number, needs_generator)
        )
        if not isinstance(found, BadLine):
            first = lines.setdefault(found.id, number)
            if first != number:
                error = f"{where}: custom_id: expected one row of each id, got {found.id!r} again, as in line {first}"
                found = BadLine(line=number, error=error, row=value)
            elif found.id in done:
                found = DoneBefore(id=found.id)
        yield Read(found=found, bytes_read=bytes_read)


_Passes = Callable[[str], bool]


def _values(path: Path, passes: _Passes) -> Iterator[tuple[int, Any, int]]:
    """Line number, the line's value or why there is none, bytes read so far. Lines whose ids `passes` takes may come as
    DoneBefore."""
    try:
        with path.open("rb", buffering=_CHUNK_BYTES) as file:
            magic = file.read(4)
            file.seek(0)
            if magic.startswith(b"\x1f\x8b"):
                with gzip.open(file) as stream:
                    yield from _line_values(cast(IO[bytes], stream), file, path, passes)
            elif magic == b"PAR1" or _is_list(file):
                rows = read_rows(path)
                values = (
                    value
                    for row in rows
                    for value in (row.value if row.whole and isinstance(row.value, list) else [row.value])
                )
                yield from ((number, value, 0) for number, value in enumerate(values, 1))
            else:
                yield from _line_values(file, file, path, passes)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise UsageError(f"{path}: expected a whole gzip file: {error}") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None


def _is_list(file: IO[bytes]) -> bool:
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    return start.startswith(b"[")


def _line_values(stream: IO[bytes], file: IO[bytes], path: Path, passes: _Passes) -> Iterator[tuple[int, Any, int]]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        where = f"{path}, line {number}"
        if len(line) > MAX_LINE_BYTES:
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(1 << 20)
            error = f"{where}: expected at most {MAX_LINE_BYTES} bytes, got a longer line, of which this is the start"
            yield number, BadLine(line=number, error=error, raw=line[:_KEPT_BYTES]), file.tell()
            continue
        text = line.strip().removeprefix(b"\xef\xbb\xbf") if number == 1 else line.strip()
        if text:
            yield number, _passed_over(text, passes) or _value(text, where, number), file.tell()


def _passed_over(line: bytes, passes: _Passes) -> DoneBefore | None:
    try:
        name = str(_NAMED.decode(line).custom_id)
    except (msgspec.DecodeError, UnicodeDecodeError):  # whatever it is, the full reading says it
        return None
    return DoneBefore(id=name) if passes(name) else None


def _value(line: bytes, where: str, number: int) -> Any:
    try:
        return json.loads(line.decode())
    except UnicodeDecodeError as error:
        why = f"expected text in UTF-8, got {error}"
    except RecursionError:
        why = "expected a JSON object, got one that is nested too deeply"
    except ValueError as error:
        why = f"expected a JSON object, got {shown(line[:200].decode(errors='replace'))} ({error})"
    return BadLine(line=number, error=f"{where}: {why}", raw=line)


def _task_or_bad(value: Any, where: str, number: int, needs_generator: bool) -> Task | BadLine:
    try:
        return task_of(value, where=where, needs_generator=needs_generator)
    except BadRow as error:
        return BadLine(line=number, error=str(error), row=value)


def task_of(value: Any, *, where: str, needs_generator: bool = True) -> Task:
    """BadRow where the row cannot be worked on. `needs_generator`: a row without one cannot."""
    row = Fields(value, where)
    name = row.name("custom_id", required=True)
    if not name:
        raise row.bad("custom_id", "an id", "")
    word = row.text("type", default="stdin")
    if word not in ("stdin", "function_call"):
        raise row.bad("type", "stdin or function_call", word)
    given = row.limits()
    return Task(
        row=value,
        where=where,
        id=name,
        golds=_sources(row, "solutions"),
        generators=_sources(row, "input_generator", required=needs_generator),
        checkers=_sources(row, "checker", required=False),
        validators=_validators(row),
        fn_name=_fn_name(row) if word == "function_call" else None,
        starter_code=row.text("starter_code", default=""),
        cpu_s=given.cpu_s if given and _says(row, "time-limit", "time_limit") else None,
        memory_mb=given.memory_mb if given and _says(row, "memory-limit", "memory_limit") else None,
    )


def _says(row: Fields, *names: str) -> bool:
    return row.value(*names) not in (None, "")


def _sources(row: Fields, name: str, *, required: bool = True) -> tuple[str, ...]:
    """Programs: a list of texts, or a single one."""
    value = row.value(name)
    if value is None or value == "":
        if required:
            raise row.bad(name, "a list of programs", value)
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or (required and not value):
        raise row.bad(name, "a list of programs", value)
    for position, source in enumerate(value):
        if not isinstance(source, str) or not source.strip():
            raise row.bad(f"{name}[{position}]", "a program's text", source)
    return tuple(value)


def validators_of(problem: Problem) -> tuple[Validator, ...]:
    """Those that the problem's row came with."""
    given = problem.extra.get("input_validator")
    return _validators(Fields({"input_validator": given}, f"problem {problem.id!r}"))


def _validators(row: Fields) -> tuple[Validator, ...]:
    value = row.value("input_validator")
    if value is None or value == "":
        return ()
    found = []
    for position, each in enumerate(value if isinstance(value, list) else [value]):
        try:
            found.append(msgspec.convert({"source": each} if isinstance(each, str) else each, Validator))
        except msgspec.ValidationError as error:
            expected = "a program's text, or {source, kind, language, files}"
            raise BadRow(row.where, f"input_validator[{position}]", expected, f"{shown(each)} ({error})") from None
    return tuple(found)


def _fn_name(row: Fields) -> str:
    name = row.text("fn_name", default="")
    public = row.data("input_output") if not name else None
    if isinstance(public, dict):
        name = Fields(public, row.where, field="input_output").text("fn_name", default="")
    if not name:
        raise row.bad("fn_name", "the name of the function to call, as the type is function_call")
    return name


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def written(
    task: Task,
    tests: list[dict[str, Any]],
    *,
    error_info: str | None,
    time_limit: float | None = None,
    provenance: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The row with its tests: what was there stays in its place. `time_limit`: the calibrated one."""
    row = dict(task.row)
    if time_limit is not None:
        row["time_limit" if "time_limit" in row and "time-limit" not in row else "time-limit"] = time_limit
    row["error_info"] = error_info
    before = row.get("reward")
    row["reward"] = {
        **(before if isinstance(before, dict) else {}),
        "ground_truth": {
            "input_output": tests,
            "type": "stdin" if task.fn_name is None else "function_call",
            "fn_name": task.fn_name,
        },
    }
    row.pop("test_provenance", None)  # of an earlier run, whose tests these are not
    if provenance is not None:
        row["test_provenance"] = provenance
    return row


def beside(output: Path, ending: str) -> Path:
    """T.jsonl -> T<ending>, in the same folder."""
    name = output.name
    if not name:
        raise UsageError(f"{output}: expected the name of a file to write to")
    for known in (".jsonl", ".json"):
        name = name.removesuffix(known)
    return output.with_name((name or output.name) + ending)


def size_of(path: Path) -> int:
    return os.stat(path).st_size
