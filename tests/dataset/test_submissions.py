"""Submissions out of files: rows of every kind, ids that stay unique, completions after their prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset import samples

from codejury.dataset import BadRow, Entry, is_right, problem_of, read_submissions
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


# --- what is known of them


def known(file: Path) -> list[tuple[str, str | None, str, bool | None]]:
    found = (entry.submission for entry in read_submissions(file))
    return [(each.source, each.language, each.label, is_right(each)) for each in found]


def test_a_row_says_what_its_program_is(file: Path) -> None:
    said = [{"correct": True}, {"correct": False}, {}, {"correct": None, "label": ""}]
    said += [{"label": word} for word in ("accepted", "AC", "Wrong Answer", "run-time error", "partially_accepted")]
    said += [{"label": "time_limit_exceeded", "correct": False}, {"label": "ok", "correct": True}]
    write(file, *({"custom_id": "a", "solution": str(n), **each} for n, each in enumerate(said)))
    assert [(label, right) for _, _, label, right in known(file)] == [
        ("success", True),
        ("wrong_answer", False),
        ("", None),
        ("", None),
        ("success", True),
        ("success", True),
        ("wrong_answer", False),
        ("runtime_error", False),
        ("partially_accepted", False),
        ("time_limit_exceeded", False),
        ("success", True),
    ]


def test_a_row_says_it_of_each_of_several(file: Path) -> None:
    write(file, {"question_id": "q", "code_list": ["a", "b", "c"], "correct": [True, None, False]})
    assert [(source, label) for source, _, label, _ in known(file)] == [
        ("a", "success"),
        ("b", ""),
        ("c", "wrong_answer"),
    ]


def test_completions_and_labels(file: Path) -> None:
    problem = problem_of(samples.HUMANEVAL)
    write(file, {"task_id": problem.id, "completion": "    return 0\n", "correct": False})
    (entry,) = read_submissions(file, problems={problem.id: problem})
    assert entry.submission.label == "wrong_answer"


def test_the_wrong_ones_of_a_problem_are_submissions_too(file: Path) -> None:
    write(file, {"custom_id": "k", "question": "?", "solutions": ["a", "b"], "incorrect_solutions": ["c"]})
    entries = list(read_submissions(file))
    assert [(entry.problem, entry.submission.id) for entry in entries] == [("k", "k"), ("k", "k#1"), ("k", "k#2")]
    assert known(file) == [
        ("a", None, "success", True),
        ("b", None, "success", True),
        ("c", None, "wrong_answer", False),
    ]
    write(file, {"custom_id": "k", "incorrect_solutions": ["c"]})
    assert known(file) == [("c", None, "wrong_answer", False)]


def test_answers_that_nobody_has_judged_are_not_taken_for_right(file: Path) -> None:
    """As many rows as a model was asked for: `solutions` and an id."""
    write(file, {"custom_id": "k", "solutions": ["a"]}, {"custom_id": "k", "solutions": ["b"], "correct": False})
    assert known(file) == [("a", None, "", None), ("b", None, "wrong_answer", False)]


def test_codecontests(file: Path) -> None:
    """Numbers stand for languages; the lists lie side by side, as Hugging Face has them, or not."""
    right = {"language": [3, 2, 0, 1, 4], "solution": ["p3", "cpp", "?", "p2", "java"]}
    wrong = [{"language": "PYTHON3", "solution": "w3"}, {"language": "UNKNOWN_LANGUAGE", "solution": "w"}]
    write(file, {"name": "1_A. Sums", "description": "…", "solutions": right, "incorrect_solutions": wrong})
    assert known(file) == [
        ("p3", "python", "success", True),
        ("cpp", "cpp", "success", True),
        ("?", None, "success", True),
        ("p2", "python2", "success", True),
        ("java", "java", "success", True),
        ("w3", "python", "wrong_answer", False),
        ("w", None, "wrong_answer", False),
    ]
    assert {entry.problem for entry in read_submissions(file)} == {"1_A. Sums"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"solution": "x", "correct": "yes"}, "correct: expected true or false, got the text 'yes'"),
        ({"solution": "x", "correct": 1}, "correct: expected true or false, got 1"),
        ({"solution": "x", "label": 7}, "label: expected text, got 7"),
        ({"solution": "x", "label": "AC", "correct": False}, "correct: expected what the label says, which is success"),
        ({"code_list": ["x"], "correct": [True, True]}, "correct: expected one for each of 1 programs"),
        ({"solutions": {"language": [2], "solution": ["x", "y"]}}, r"solutions\.language: expected one for each of 2"),
        (
            {"solutions": {"language": [9], "solution": ["x"]}},
            "expected the name of a language, or a number from 0 to 4",
        ),
        ({"solutions": [{"language": 2}]}, r"solutions\[0\]: expected a program's text, got None"),
        ({"incorrect_solutions": ["x", 3]}, r"incorrect_solutions\[1\]: expected a program's text, got 3"),
        ({"incorrect_solutions": 3}, "incorrect_solutions: expected a list, got 3"),
    ],
)
def test_bad_labels(file: Path, row: dict[str, object], message: str) -> None:
    write(file, {"custom_id": "bad", **row}, {"custom_id": "good", "solution": "x"})
    errors: list[BadRow] = []
    assert [entry.problem for entry in read_submissions(file, on_error=errors.append)] == ["good"]
    (error,) = errors
    assert error.where == f"{file}, line 1"
    with pytest.raises(BadRow, match=message):
        raise error


def test_rows_are_read_as_they_are_asked_for(file: Path) -> None:
    write(file, {"custom_id": "a", "solution": "x"})
    with file.open("a") as more:
        more.write("not JSON\n")
    found = read_submissions(file)
    assert next(found).problem == "a"
    with pytest.raises(BadRow, match="line 2"):
        next(found)


def test_a_directory_of_packages(tmp_path: Path) -> None:
    for package in ("add", "sub"):
        for name in ("accepted/a.py", "wrong_answer/b.cpp", "partially_accepted/c.py", "time_limit_exceeded/d.py"):
            path = tmp_path / package / "submissions" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(package)
        (tmp_path / package / "problem.yaml").write_text("name: x\n")
    (tmp_path / "sub/submissions/run_time_error").mkdir()
    (tmp_path / "sub/submissions/run_time_error/e.py").symlink_to("/etc/hostname")
    errors: list[BadRow] = []
    entries = list(read_submissions(tmp_path, on_error=errors.append))
    assert [(entry.problem, entry.submission.id, entry.submission.label) for entry in entries] == [
        (package, f"{package}/{name}", label)
        for package in ("add", "sub")
        for name, label in [
            ("accepted/a.py", "success"),
            ("partially_accepted/c.py", "partially_accepted"),
            ("time_limit_exceeded/d.py", "time_limit_exceeded"),
            ("wrong_answer/b.cpp", "wrong_answer"),
        ]
    ]
    assert [error.where for error in errors] == [str(tmp_path / "sub/submissions/run_time_error/e.py")]
    with pytest.raises(BadRow, match="a link that leads out of it"):
        list(read_submissions(tmp_path))
