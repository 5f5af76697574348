"""Submissions out of files and directories.

    JSON lines   {custom_id | task_id, solution | completion, language?, problem_id?}
                 {custom_id, solutions: […]}                Klear's rows: each is a submission of its own
                 {question_id, code_list: […]}              LiveCodeBench's custom output
    directory    a problem package, or evalplus' DIR/HumanEval_0/0.py

An Entry's submission id is unique in the file: the row's id, and for the second one of it `#1` after it, and so on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from codejury.dataset.fields import Fields
from codejury.dataset.formats import kattis
from codejury.dataset.rows import BadRow, OnError, read_rows
from codejury.errors import UsageError
from codejury.model import Problem, Submission

_IDS = ("custom_id", "task_id", "question_id", "id")
_LISTS = ("solutions", "code_list", "output_list")


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
        return _directory(Path(path))
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


def _entries(row: Fields, problems: Mapping[str, Problem]) -> Iterator[tuple[str, Submission]]:
    name = row.name(*_IDS)
    if not name:
        raise row.bad("custom_id", "an id")
    problem = row.name("problem_id") or name
    language = row.text("language", default="") or None
    if row.has("solution"):
        sources = [row.text("solution")]
    elif row.has("completion"):
        if problem not in problems:
            raise row.bad(
                "completion", f"a completion of a known problem, to put after its prompt; {problem!r} is not known"
            )
        sources = [problems[problem].starter_code + row.text("completion")]
    else:
        listed = next((key for key in _LISTS if row.has(key)), None)
        if listed is None:
            raise row.bad("solution", "a program: solution, completion, solutions or code_list")
        sources = row.texts(listed)
    for source in sources:
        yield problem, Submission(source=source, id=name, language=language)


def _directory(path: Path) -> Iterator[Entry]:
    if kattis.is_package(path):
        name = path.resolve().name
        yield from (Entry(name, submission) for submission in kattis.submissions(path))
        return
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
