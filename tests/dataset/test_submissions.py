"""Submissions out of files: rows of every kind, ids that stay unique, completions after their prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset import samples

from codejury.dataset import BadRow, Entry, problem_of, read_submissions
from codejury.errors import UsageError
from codejury.model import Submission


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "submissions"


def write(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_solutions(file: Path) -> None:
    write(file, {"custom_id": "a", "solution": "x", "language": "c"}, {"custom_id": 7, "solution": "y"})
    assert list(read_submissions(file)) == [
        Entry("a", Submission(source="x", id="a", language="c")),
        Entry("7", Submission(source="y", id="7")),
    ]


def test_several_for_one_problem_have_ids_of_their_own(file: Path) -> None:
    rows = [{"task_id": "T/1", "solution": str(n)} for n in range(3)]
    write(file, *rows, {"custom_id": "s9", "problem_id": "T/1", "solution": "z"})
    entries = list(read_submissions(file))
    assert [entry.problem for entry in entries] == ["T/1"] * 4
    assert [entry.submission.id for entry in entries] == ["T/1", "T/1#1", "T/1#2", "s9"]


def test_lists_of_solutions(file: Path) -> None:
    write(file, {"custom_id": "k", "solutions": ["a", "b"]}, {"question_id": "q", "code_list": ["c"]})
    found = [(entry.problem, entry.submission.source) for entry in read_submissions(file)]
    assert found == [("k", "a"), ("k", "b"), ("q", "c")]


def test_a_document(file: Path) -> None:
    file.write_text(json.dumps([{"question_id": "q", "code_list": ["c", "d"]}], indent=1))
    assert [entry.submission.id for entry in read_submissions(file)] == ["q", "q#1"]


def test_completions_go_after_their_prompt(file: Path) -> None:
    problem = problem_of(samples.HUMANEVAL)
    write(file, {"task_id": problem.id, "completion": "    return a + b\n"})
    (entry,) = read_submissions(file, problems={problem.id: problem})
    assert entry.submission.source == problem.golds[0].source
    with pytest.raises(BadRow, match="'HumanEval/900' is not known"):
        list(read_submissions(file))


def test_bad_rows(file: Path) -> None:
    write(
        file,
        {"solution": "x"},
        {"custom_id": "a"},
        {"custom_id": "b", "solution": 3},
        5,
        {"custom_id": "c", "solution": "y"},
    )
    errors: list[BadRow] = []
    assert [entry.problem for entry in read_submissions(file, on_error=errors.append)] == ["c"]
    assert [(error.where, error.field) for error in errors] == [
        (f"{file}, line 1", "custom_id"),
        (f"{file}, line 2", "solution"),
        (f"{file}, line 3", "solution"),
        (f"{file}, line 4", ""),
    ]
    with pytest.raises(BadRow, match="line 1: custom_id: expected an id"):
        list(read_submissions(file))


def test_a_directory_of_samples(tmp_path: Path) -> None:
    for name in ("HumanEval_0/0.py", "HumanEval_0/1.py", "Mbpp_22/0.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    entries = list(read_submissions(tmp_path))
    assert [(entry.problem, entry.submission.id) for entry in entries] == [
        ("HumanEval/0", "HumanEval/0#0"),
        ("HumanEval/0", "HumanEval/0#1"),
        ("Mbpp/22", "Mbpp/22#0"),
    ]
    assert entries[0].submission.source == "HumanEval_0/0.py"


def test_a_directory_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a problem package, or samples"):
        list(read_submissions(tmp_path))
