"""Files as they come: JSON lines, documents, Python literals, gzip, Parquet; good rows beside bad ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from dataset import samples

from codejury.dataset import BadRow, problem_of, read_cases, read_problems
from codejury.dataset.rows import read_rows
from codejury.errors import UsageError

STDIN = [("1 2\n", "3\n"), ("4 5\n", "9\n")]


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def pairs(cases: Any) -> list[tuple[Any, Any]]:
    return [(case.input, case.output) for case in cases]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tests.dat"  # a name that says nothing


@pytest.mark.parametrize("name", samples.ROWS)
@pytest.mark.parametrize("form", ["lines", "gzip", "list", "pretty"])
def test_every_format_in_every_file(name: str, form: str, file: Path) -> None:
    row = samples.ROWS[name][1]
    text = {"lines": lines(row, row), "gzip": lines(row, row)}.get(form) or json.dumps([row, row], indent=2)
    text = json.dumps([row, row]) if form == "list" else text
    file.write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode())
    found = list(read_problems(file))
    assert len(found) == 2
    assert [problem.cases for problem in found] == [problem_of(row).cases] * 2
    assert all(problem.id for problem in found)


def test_one_pretty_row(file: Path) -> None:
    file.write_text(json.dumps(samples.KLEAR, indent=4))
    assert [problem.id for problem in read_problems(file)] == ["add_1"]


def test_rows_without_an_id_are_named_after_the_file_and_their_line(file: Path) -> None:
    file.write_text("\n" + lines(samples.PLAIN, samples.PLAIN))
    assert [problem.id for problem in read_problems(file)] == ["tests/2", "tests/3"]


def test_bad_rows_are_raised_with_file_line_and_field(file: Path) -> None:
    file.write_text(lines(samples.KLEAR, {**samples.KLEAR, "solutions": 3}))
    problems = read_problems(file)
    assert next(problems).id == "add_1"
    with pytest.raises(BadRow) as caught:
        next(problems)
    assert str(caught.value) == f"{file}, line 2: solutions: expected a list, got 3"


def test_bad_rows_are_collected_and_the_rest_goes_on(file: Path) -> None:
    rows = [lines(samples.KLEAR), "{broken\n", "\n", "[1]\n", lines({"colour": 1}), lines(samples.KLEAR_MADE), '{"cust']
    file.write_text("".join(rows))
    errors: list[BadRow] = []
    assert [len(problem.cases) for problem in read_problems(file, on_error=errors.append)] == [0, 3]
    assert [error.where for error in errors] == [f"{file}, line {n}" for n in (2, 4, 5, 7)]


def test_a_first_row_that_is_broken_does_not_hide_the_rest(file: Path) -> None:
    file.write_text('{"custom_id": oops}\n' + lines(samples.KLEAR))
    errors: list[BadRow] = []
    assert [problem.id for problem in read_problems(file, on_error=errors.append)] == ["add_1"]
    assert [error.where for error in errors] == [f"{file}, line 1"]


def test_a_file_has_one_format(file: Path) -> None:
    """A row of evalplus that lost its inputs looks like one of HumanEval, and must not be taken for one."""
    torn = {**samples.EVALPLUS, "test": "def check(c): pass"}
    del torn["base_input"]
    file.write_text(lines(samples.EVALPLUS, torn))
    errors: list[BadRow] = []
    assert len(list(read_problems(file, on_error=errors.append))) == 1
    assert [error.field for error in errors] == ["base_input"]


def test_the_format_may_be_named(file: Path) -> None:
    file.write_text(lines(samples.EVALPLUS | {"test": "def check(candidate): pass"}))
    assert [problem.kind for problem in read_problems(file)] == ["function"]
    assert [problem.kind for problem in read_problems(file, format="humaneval")] == ["script"]
    with pytest.raises(UsageError, match="expected one of"):
        read_problems(file, format="cobol")
    with pytest.raises(UsageError, match="expected a directory"):
        read_problems(file, format="kattis")


def test_a_torn_gzip_file_gives_what_it_has(file: Path) -> None:
    many = lines(*({**samples.KLEAR, "custom_id": str(n), "question": str(n * 7919)} for n in range(3000)))
    whole = gzip.compress(many.encode())
    file.write_bytes(whole[: len(whole) // 2])
    errors: list[BadRow] = []
    found = list(read_problems(file, on_error=errors.append))
    assert 0 < len(found) < 3000
    assert "gzip" in str(errors[-1])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        list(read_problems(tmp_path / "none"))
    (tmp_path / "empty").write_text("")
    assert list(read_problems(tmp_path / "empty")) == []
    (tmp_path / "words").write_text("hello\n")
    with pytest.raises(BadRow, match="line 1: expected JSON"):
        list(read_problems(tmp_path / "words"))
    (tmp_path / "latin").write_bytes(b'{"custom_id": "\xe9"}\n')
    with pytest.raises(BadRow, match="line 1: expected JSON"):
        list(read_problems(tmp_path / "latin"))
    with pytest.raises(UsageError, match="expected a problem package"):
        list(read_problems(tmp_path))


def test_a_byte_order_mark_is_no_part_of_the_row(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + lines(samples.KLEAR).encode())
    assert len(list(read_problems(file))) == 1


def test_deep_nesting_is_a_bad_row(file: Path) -> None:
    file.write_text('{"custom_id": ' + "[" * 100_000 + "]" * 100_000 + "}\n" + lines(samples.KLEAR))
    errors: list[BadRow] = []
    rows = list(read_rows(file, on_error=errors.append))
    assert [row.value["custom_id"] for row in rows] == ["add_1"]
    assert ["nested too deeply" in str(error) for error in errors] == [True]


def test_rows_stream(tmp_path: Path) -> None:
    """The first problems come while the rest of the file is broken, or not there yet."""
    file = tmp_path / "rows"
    with file.open("w") as out:
        out.write(lines(samples.KLEAR))
        out.flush()
        problems = read_problems(file)
        assert next(problems).id == "add_1"
        out.write(lines({**samples.KLEAR, "custom_id": "late"}))
        out.flush()
        assert next(problems).id == "late"


# --- cases alone


CASE_FILES = {
    "json pairs": json.dumps(samples.PLAIN),
    "json singular": json.dumps({"input": ["1 2\n", "4 5\n"], "output": ["3\n", "9\n"]}),
    "json list": json.dumps(samples.CASES),
    "json list, pretty": json.dumps(samples.CASES, indent=1),
    "json lines": lines(*samples.CASES),
    "python pairs": repr(samples.PLAIN),
    "python list": repr(samples.CASES),
    "python over lines": "{'inputs': ['1 2\\n',\n'4 5\\n'],\n'outputs': ['3\\n', '9\\n']}\n",
}


@pytest.mark.parametrize("name", CASE_FILES)
def test_cases_of_a_file(name: str, file: Path) -> None:
    file.write_text(CASE_FILES[name])
    assert pairs(read_cases(file)) == STDIN
    assert pairs(read_cases(str(file))) == STDIN
    (problem,) = read_problems(file)
    assert (pairs(problem.cases), problem.kind, problem.id.partition("/")[0]) == (STDIN, "stdin", "tests")


@pytest.mark.parametrize("text", ['["1 2\\n", "4 5\\n"]', "['1 2\\n', '4 5\\n']", '{"inputs": ["1 2\\n", "4 5\\n"]}'])
def test_inputs_alone(text: str, file: Path) -> None:
    file.write_text(text)
    assert pairs(read_cases(file)) == [("1 2\n", None), ("4 5\n", None)]
    (problem,) = read_problems(file)
    assert [case.input for case in problem.cases] == ["1 2\n", "4 5\n"]


def test_one_case(file: Path) -> None:
    file.write_text(json.dumps(samples.CASES[0]))
    assert pairs(read_cases(file)) == STDIN[:1]


def test_cases_of_objects() -> None:
    assert pairs(read_cases(samples.CASES)) == STDIN
    assert pairs(read_cases(samples.PLAIN)) == STDIN
    assert pairs(read_cases(["1"])) == [("1", None)]
    assert read_cases([]) == ()
    assert pairs(read_cases({"inputs": [[1, 2]], "outputs": [3]}, fn_name="add")) == [([1, 2], 3)]
    with pytest.raises(BadRow, match="tests: expected tests"):
        read_cases(3)


def test_cases_of_an_empty_file(file: Path) -> None:
    file.write_text(" \n")
    with pytest.raises(BadRow, match="expected cases, got an empty file"):
        read_cases(file)


# --- Parquet


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "rows"
    rows = [{**samples.MBPP_PLUS, "task_id": n} for n in range(40)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    found = list(read_problems(file))
    assert [problem.id for problem in found] == [str(n) for n in range(40)]
    assert found[0].cases == problem_of(rows[0]).cases
    file.write_bytes(file.read_bytes()[:-8])
    errors: list[BadRow] = []
    assert list(read_problems(file, on_error=errors.append)) == []
    assert "Parquet" in str(errors[0])
