"""Lines of a file: what can be worked on, and for all others where they stand, what is wrong, and what they held."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from testgen.rows import add_row, row

from codejury.errors import UsageError
from codejury.testgen import rows
from codejury.testgen.rows import BadLine, DoneBefore, Task, read_tasks


def read(path: Path) -> list[Task | BadLine | DoneBefore]:
    return [each.found for each in read_tasks(path)]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in row("b").items() if key != name}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"custom_id": "b", "solutions": [', "expected a JSON object"),
        (b"", None),
        (b"   ", None),
        (b"[1, 2]", "expected an object, got a list of 2"),
        (b"null", "expected an object, got None"),
        (b'"text"', "expected an object, got the text 'text'"),
        (b'{"custom_id": "\xff"}', "expected text in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (json.dumps(row("a")).encode(), "expected one row of each id, got 'a' again, as in line 1"),
        (without("custom_id"), "custom_id: expected text or a whole number, got None"),
        (without("solutions"), "solutions: expected a list of programs, got None"),
        (without("input_generator"), "input_generator: expected a list of programs, got None"),
        (row(""), "custom_id: expected an id"),
        (row("b", custom_id=1.5), "custom_id: expected text or a whole number, got 1.5"),
        (row("b", custom_id=True), "custom_id: expected text or a whole number, got True"),
        (row("b", solutions=[]), "solutions: expected a list of programs"),
        (row("b", solutions={"a": 1}), "solutions: expected a list of programs, got an object"),
        (row("b", solutions=["x", 7]), "solutions[1]: expected a program's text, got 7"),
        (row("b", input_generator=[" "]), "input_generator[0]: expected a program's text"),
        (row("b", checker=[None]), "checker[0]: expected a program's text, got None"),
        (row("b", type="stdout"), "type: expected stdin or function_call, got the text 'stdout'"),
        (row("b", type=7), "type: expected text, got 7"),
        (row("b", **{"time-limit": "soon"}), "time-limit: expected a positive number of seconds"),
        (row("b", **{"time-limit": -1}), "time-limit: expected a positive number of seconds, got -1"),
        (row("b", **{"memory-limit": [1]}), "memory-limit: expected a positive number of megabytes"),
        (row("b", input_validator=[7]), "input_validator[0]: expected a program's text"),
        (row("b", input_validator=[{"source": "x", "kind": "y"}]), "input_validator[0]: expected a program's text"),
        (add_row("b", fn_name=None), "fn_name: expected the name of the function to call"),
    ],
)
def test_a_bad_line_costs_itself_alone(tmp_path: Path, line: bytes | dict[str, Any], words: str | None) -> None:
    raw = line if isinstance(line, bytes) else json.dumps(line).encode()
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"%s\n%s\n%s" % (json.dumps(row("a")).encode(), raw, json.dumps(row("c")).encode()))
    first, *middle, last = read(path)
    assert isinstance(first, Task)
    assert isinstance(last, Task)
    assert (first.id, last.id) == ("a", "c")
    if words is None:
        assert middle == []
        return
    (bad,) = middle
    assert isinstance(bad, BadLine)
    assert bad.line == 2
    assert bad.error.startswith(f"{path}, line 2: ")
    assert words in bad.error
    told = json.loads(json.dumps(bad.as_json()))
    kept = told.get("row", told.get("text", told.get("base64")))
    if "base64" in told:
        assert base64.b64decode(kept) == raw
    else:
        assert kept == (json.loads(raw) if "row" in told else raw.decode())


@pytest.mark.parametrize("first", [b'{"custom_id": "x", ', b"\xff\xfe", b'{"custom_id": "x", "solutions": ['])
def test_a_bad_first_line_does_not_make_the_file_another(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(first + b"\n" + json.dumps(row("a")).encode() + b"\n")
    bad, good = read(path)
    assert isinstance(bad, BadLine)
    assert isinstance(good, Task)


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 5000)
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'"' + b"x" * 20_000 + b'"\n' + json.dumps(row("a")).encode())
    bad, good = read(path)
    assert isinstance(bad, BadLine)
    assert "expected at most 5000 bytes" in bad.error
    assert isinstance(good, Task)


def test_other_kinds_of_file(tmp_path: Path) -> None:
    both = [row("a"), row("b")]
    (tmp_path / "list.json").write_text(json.dumps(both, indent=1))
    with gzip.open(tmp_path / "p.jsonl.gz", "wt") as file:
        file.write("\n".join(json.dumps(each) for each in both))
    (tmp_path / "bom.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(json.dumps(each) for each in both).encode())
    for name in ("list.json", "p.jsonl.gz", "bom.jsonl"):
        assert [each.id for each in read(tmp_path / name) if isinstance(each, Task)] == ["a", "b"], name
    whole = (tmp_path / "p.jsonl.gz").read_bytes()
    (tmp_path / "cut.gz").write_bytes(whole[:-20])
    with pytest.raises(UsageError, match=r"cut\.gz: expected a whole gzip file"):
        read(tmp_path / "cut.gz")
    with pytest.raises(UsageError, match="no-such-file"):
        read(tmp_path / "no-such-file")


def test_how_much_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(row(name)) + "\n" for name in "abc"))
    sizes = [each.bytes_read for each in read_tasks(path)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == path.stat().st_size


def test_numbers_as_ids_and_single_programs(tmp_path: Path) -> None:
    task = rows.task_of(row("x", custom_id=7, solutions="print(1)", input_generator="print(2)"), where="row")
    assert (task.id, task.golds, task.generators) == ("7", ("print(1)",), ("print(2)",))


@pytest.mark.parametrize(
    ("output", "name"), [("T.jsonl", "T.x"), ("T.json", "T.x"), ("T", "T.x"), ("a.b", "a.b.x"), (".jsonl", ".jsonl.x")]
)
def test_names_beside_the_output(output: str, name: str) -> None:
    assert rows.beside(Path("dir") / output, ".x") == Path("dir") / name


def test_what_is_done_is_not_looked_into(tmp_path: Path) -> None:
    """Nor kept from being told when it comes twice. A line that the quick way cannot read is read in full."""
    file = tmp_path / "P.jsonl"
    lines = [row("a", solutions=7), row("b"), row("a", note="again"), row("7", custom_id=7), row("n", x=float("nan"))]
    file.write_text("".join(json.dumps(each) + "\n" for each in lines) + '{"custom_id": "a", torn\n')
    found = [each.found for each in read_tasks(file, done={"a", "7", "n"})]
    assert found[0] == DoneBefore(id="a")
    assert isinstance(found[1], Task)
    assert isinstance(found[2], BadLine)
    assert (found[2].line, found[2].row) == (3, lines[2])
    assert found[3:5] == [DoneBefore(id="7"), DoneBefore(id="n")]
    assert isinstance(found[5], BadLine)
    assert isinstance(read(file)[0], BadLine), "when it is not done, it is looked into"


def test_rows_of_other_kinds_of_file_are_numbered(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    given = [row("a"), row("b"), row("a"), row("c", solutions=[])]
    files = [tmp_path / "P.json", tmp_path / "P.parquet"]
    files[0].write_text(json.dumps(given))
    parquet.write_table(pyarrow.Table.from_pylist(given), files[1])
    for file in files:
        found = [each.found for each in read_tasks(file, done={"b"})]
        assert isinstance(found[0], Task)
        assert found[1] == DoneBefore(id="b")
        assert isinstance(found[2], BadLine)
        assert isinstance(found[3], BadLine)
        assert found[2].error.endswith("line 3: custom_id: expected one row of each id, got 'a' again, as in line 1")
        assert found[3].line == 4
