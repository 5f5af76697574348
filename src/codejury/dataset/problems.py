"""Problems out of files and directories, whatever their format.

A file's format is that of its first good row, and holds for all of it: a later row that lacks a field is a bad row, not
one of another format.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from codejury.dataset.cases import Tests, cases_of
from codejury.dataset.fields import Fields
from codejury.dataset.formats import kattis, native, plain
from codejury.dataset.formats.detect import ROW_FORMATS, format_named, format_of
from codejury.dataset.rows import BadRow, OnError, Row, read_rows, shown
from codejury.errors import UsageError
from codejury.model import Problem, TestCase

FORMATS = (*ROW_FORMATS, "kattis")

row_of = native.row_of


def problem_of(row: Mapping[str, Any], *, where: str = "row", format: str | None = None) -> Problem:
    """The problem in one row. `where` stands for the row in messages."""
    if not isinstance(row, Mapping):
        raise BadRow(where, "", "a row: an object", shown(row))
    reader = format_named(format or format_of(row, where=where))
    return reader.read(Fields(dict(row), where))


def read_problems(
    path: str | os.PathLike[str], *, format: str | None = None, on_error: OnError | None = None
) -> Iterator[Problem]:
    """The problems of a file, of a problem package, or of a directory of packages; one in memory at a time.

    format     one of FORMATS; None: told from the content
    on_error   is given each BadRow, and the rest goes on; None: the first one is raised
    """
    if format is not None and format != "kattis":
        format_named(format)
    if Path(path).is_dir():
        return _packages(Path(path), format, on_error)
    if format == "kattis":
        raise UsageError(f"{path}: expected a directory, as the format is kattis")
    return _problems(Path(path), format, on_error)


def read_cases(source: str | os.PathLike[str] | object, *, fn_name: str | None = None) -> tuple[TestCase, ...]:
    """Cases alone, out of a file or out of what was decoded already: a list of cases or of inputs, or inputs and
    outputs in an object. A text is the path of a file."""
    if not isinstance(source, (str, os.PathLike)):
        return cases_of(source, where="tests", fn_name=fn_name).cases
    if Path(source).is_dir():
        return tuple(case for problem in read_problems(source) for case in problem.cases)
    rows = list(read_rows(source))
    if not rows:
        raise BadRow(str(source), "", "cases", "an empty file")
    if len(rows) == 1:
        return cases_of(rows[0].value, where=rows[0].where, fn_name=fn_name).cases
    return _gathered(iter(rows), str(source), fn_name).cases


def _packages(path: Path, format: str | None, on_error: OnError | None) -> Iterator[Problem]:
    if format not in (None, "kattis"):
        raise UsageError(f"{path}: expected a file, as the format is {format}; directories are problem packages")
    packages = [path] if kattis.is_package(path) else sorted(each for each in path.iterdir() if kattis.is_package(each))
    if not packages:
        raise UsageError(f"{path}: expected a problem package (with a problem.yaml), or a directory of them")
    for package in packages:
        try:
            problem = kattis.read(package)
        except BadRow as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield problem


def _problems(path: Path, format: str | None, on_error: OnError | None) -> Iterator[Problem]:
    rows = _unfolded(read_rows(path, on_error=on_error))
    for row in rows:
        try:
            if format is None and _is_case(row.value):
                yield _of_cases(chain([row], rows), path)
                return
            if not isinstance(row.value, dict):
                raise BadRow(row.where, "", "a row: an object", shown(row.value))
            format = format or format_of(row.value, where=row.where)
            problem = problem_of(row.value, where=row.where, format=format)
        except BadRow as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield problem if problem.id else msgspec.structs.replace(problem, id=_id(row, path))


def _unfolded(rows: Iterator[Row]) -> Iterator[Row]:
    """A document that is a list counts as its elements."""
    for row in rows:
        if row.whole and isinstance(row.value, list):
            yield from (Row(value, f"{row.where}, element {n}") for n, value in enumerate(row.value, 1))
        else:
            yield row


def _is_case(value: object) -> bool:
    if isinstance(value, dict):
        recognised = next((name for name, each in ROW_FORMATS.items() if each.recognises(value)), "")
        return recognised == "plain" and plain.is_case(value)
    return isinstance(value, (str, list))


def _of_cases(rows: Iterator[Row], path: Path) -> Problem:
    tests = _gathered(rows, str(path), None)
    return Problem(
        id=_stem(path),
        kind=tests.kind,
        cases=tests.cases,
        fn_name=tests.fn_name,
        compare=tests.compare,
        outputs=tests.outputs,
    )


def _gathered(rows: Iterator[Row], where: str, fn_name: str | None) -> Tests:
    return cases_of([row.value for row in rows], where=where, fn_name=fn_name)


def _id(row: Row, path: Path) -> str:
    """For a row without an id: the file's name, and its place in it."""
    return _stem(path) if row.whole else f"{_stem(path)}/{row.where.rpartition(' ')[2]}"


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name
