"""Submissions out of files and directories.

    JSON lines   {custom_id | task_id, solution | completion, language?, problem_id?, label?, correct?}
                 {custom_id, solutions: […], incorrect_solutions?: […]}     Klear's rows: each a submission of its own
                 {name, solutions: {language: […], solution: […]}, incorrect_solutions: …}      CodeContests' rows
                 {question_id, code_list: […]}                              LiveCodeBench's custom output
    directory    a problem package, a directory of packages, or evalplus' DIR/HumanEval_0/0.py

An Entry's submission id is unique in the file: the row's id, and for the second one of it `#1` after it, and so on.

What a submission is known to be is its label, in our words (labels.py). A row says it by `label` or `correct`, a
package by its folders, a problem's row by the name of the list: its `solutions` are right, its `incorrect_solutions`
wrong. A row with `solutions` and nothing of a problem is somebody's answers, of which nobody has said anything.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from codejury.dataset import labels
from codejury.dataset.fields import Fields
from codejury.dataset.formats import kattis
from codejury.dataset.rows import BadRow, OnError, read_rows
from codejury.errors import UsageError
from codejury.model import Problem, Submission

_IDS = ("custom_id", "task_id", "question_id", "id", "name")
_LISTS = ("solutions", "code_list", "output_list", "incorrect_solutions")
_OF_A_PROBLEM = ("incorrect_solutions", "input_generator", "question", "description", "input_output", "reward")
_LANGUAGES = ("", "python2", "cpp", "python", "java")  # CodeContests' numbers
_NAMES = {"unknown_language": "", "python": "python2", "cpp": "cpp", "python3": "python", "java": "java"}


class Entry(msgspec.Struct, frozen=True):
    """A submission, and the id of the problem that it answers."""

    problem: str
    submission: Submission


def read_submissions(
    path: str | os.PathLike[str],
    *,
    problems: Mapping[str, Problem] | None = None,
    on_error: OnError | None = None,
) -> Iterator[Entry]:
    """The submissions, one in memory at a time. `problems`, by their ids, are needed for `completion` rows: a
    completion goes right after its problem's starter code."""
    if Path(path).is_dir():
        return _directory(Path(path), on_error)
    return _rows(path, problems or {}, on_error)


def _rows(path: str | os.PathLike[str], problems: Mapping[str, Problem], on_error: OnError | None) -> Iterator[Entry]:
    seen: Counter[str] = Counter()
    for row in read_rows(path, on_error=on_error):
        values = row.value if row.whole and isinstance(row.value, list) else [row.value]
        for value in values:
            try:
                found = list(_entries(Fields(value, row.where), problems))
            except BadRow as error:
                if on_error is None:
                    raise
                on_error(error)
                continue
            for problem, submission in found:
                count, seen[submission.id] = seen[submission.id], seen[submission.id] + 1
                name = f"{submission.id}#{count}" if count else submission.id
                yield Entry(problem, msgspec.structs.replace(submission, id=name))


class _Program(NamedTuple):
    source: str
    language: str | None = None
    label: str = ""


def _entries(row: Fields, problems: Mapping[str, Problem]) -> Iterator[tuple[str, Submission]]:
    name = row.name(*_IDS)
    if not name:
        raise row.bad("custom_id", "an id")
    problem = row.name("problem_id") or name
    language = row.text("language", default="") or None
    if row.has("solution"):
        programs = [_Program(row.text("solution"))]
    elif row.has("completion"):
        if problem not in problems:
            raise row.bad(
                "completion", f"a completion of a known problem, to put after its prompt; {problem!r} is not known"
            )
        programs = [_Program(problems[problem].starter_code + row.text("completion"))]
    else:
        programs = _listed(row)
    said = labels.told(row, len(programs))
    for program, label in zip(programs, said, strict=True):
        yield (
            problem,
            Submission(
                source=program.source,
                id=name,
                language=program.language or language,
                label=label or program.label,
            ),
        )


def _listed(row: Fields) -> list[_Program]:
    """The programs of a row that has several, those that are wrong after those that are right."""
    listed = next((key for key in _LISTS if row.has(key)), None)
    if listed is None:
        raise row.bad("solution", "a program: solution, completion, solutions or code_list")
    if listed not in ("solutions", "incorrect_solutions"):
        return [_Program(source) for source in row.texts(listed)]
    of_a_problem = any(row.has(field) for field in _OF_A_PROBLEM)
    return [
        *_programs(row, "solutions", labels.RIGHT if of_a_problem else ""),
        *_programs(row, "incorrect_solutions", labels.WRONG),
    ]


def _programs(row: Fields, name: str, label: str) -> Iterator[_Program]:
    """A list of texts; or CodeContests' two lists side by side, or a list of objects of the same fields."""
    if not row.has(name):
        return
    value = row.data(name)
    if isinstance(value, dict):
        both = row.inner(name)
        sources = both.texts("solution")
        languages = both.items("language", default=(None,) * len(sources))
        if len(languages) != len(sources):
            raise both.bad("language", f"one for each of {len(sources)} solutions", languages)
        pairs: list[tuple[Any, Any]] = list(zip(sources, languages, strict=True))
    else:
        given = row.items(name)
        pairs = [
            (each.get("solution"), each.get("language")) if isinstance(each, dict) else (each, None) for each in given
        ]
    for position, (source, language) in enumerate(pairs):
        if not isinstance(source, str):
            raise row.bad(f"{name}[{position}]", "a program's text", source)
        yield _Program(source, _language(row, f"{name}[{position}].language", language), label)


def _language(row: Fields, field: str, value: object) -> str | None:
    """CodeContests has numbers, or the names that they stand for; other words are names of ours."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(_LANGUAGES):
        return _LANGUAGES[value] or None
    if isinstance(value, str):
        # In capital letters PYTHON is the second one, as opposed to PYTHON3; in small ones it is ours, the third.
        return (_NAMES.get(value.lower(), value) if value.isupper() else value) or None
    raise row.bad(field, f"the name of a language, or a number from 0 to {len(_LANGUAGES) - 1}", value)


def _directory(path: Path, on_error: OnError | None) -> Iterator[Entry]:
    packages = [path] if kattis.is_package(path) else sorted(each for each in path.iterdir() if kattis.is_package(each))
    if packages:
        for package in packages:
            name = package.resolve().name
            for submission in kattis.submissions(package, on_error=on_error):
                # Of several packages each has its accepted/a.py.
                unique = (
                    submission
                    if len(packages) == 1
                    else msgspec.structs.replace(submission, id=f"{name}/{submission.id}")
                )
                yield Entry(name, unique)
        return
    yield from _samples(path)


def _samples(path: Path) -> Iterator[Entry]:
    samples = sorted(path.glob("*/*.py"))
    if not samples:
        raise UsageError(f"{path}: expected a problem package, or samples as TASK_ID/0.py")
    for file in samples:
        # HumanEval_0 stands for HumanEval/0: a slash has no place in a file's name
        dataset, _, number = file.parent.name.rpartition("_")
        problem = f"{dataset}/{number}" if dataset else number
        try:
            source = file.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from None
        yield Entry(problem, Submission(source=source, id=f"{problem}#{file.stem}", language="python"))
