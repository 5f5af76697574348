"""codejury replay: a record says the same again, and shows what differs where the host, or somebody, changed it."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import codejury
from codejury.cli import main
from codejury.reward import score

PROGRAM = "n = int(input())\nprint(2 * n if n != 3 else 0)\n"
FUNCTION = "def f(n):\n    return {n}\n"
TESTS = {"inputs": ["1", "2", "3", "4"], "outputs": ["2", "4", "6", "8"]}


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def called(*arguments: str | Path) -> Done:
    """In this process: an interpreter takes longer to start than a case to run."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(each) for each in arguments])
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def replayed(*arguments: str | Path) -> Done:
    return called("replay", *arguments)


def record(source: str = PROGRAM, tests: Any = TESTS, **options: Any) -> dict[str, Any]:
    (said,) = score([f"```python\n{source}```"], [tests], rule="pass_rate", **options)
    made: dict[str, Any] = json.loads(json.dumps(said.record(id="one")))
    return made


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: record(), id="stdin"),
        pytest.param(lambda: record(max_tests=2), id="few of many"),
        pytest.param(lambda: record(FUNCTION, {"fn_name": "f", "inputs": [[1]], "outputs": [2]}), id="function"),
        pytest.param(lambda: record(FUNCTION, ["assert f(1) == {1}", "assert f(2) == 3"]), id="script"),
    ],
)  # fmt: skip
def test_the_same_again(tmp_path: Path, made: Any) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(made()))
    done = replayed(file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("the same\n")


def test_a_difference_is_shown(tmp_path: Path) -> None:
    made = record()
    made["judgement"]["cases"][1] |= {"verdict": "time_limit_exceeded", "message": "used 9.00 s"}
    file = tmp_path / "result.json"
    file.write_text(json.dumps(made))
    done = replayed(file)
    assert done.returncode == 1
    assert "time_limit_exceeded    success" in done.stdout
    assert "then: used 9.00 s" in done.stdout
    assert "1 of the verdicts differ" in done.stdout
    told = json.loads(replayed(file, "--json").stdout)
    assert (told["same"], told["changed"]) == (False, [1])
    assert replayed(file, "--case", "0").returncode == 0
    assert replayed(file, "--case", "1").returncode == 1


def test_the_limits_are_those_of_the_record(tmp_path: Path) -> None:
    busy = "sum(range(10 ** 9))\nprint(2)\n"
    made = record(busy, {"inputs": [""], "outputs": ["2"]}, limits=codejury.Limits(cpu_s=0.3))
    assert made["judgement"]["verdict"] == "time_limit_exceeded"
    file = tmp_path / "result.json"
    file.write_text(json.dumps(made))
    done = replayed(file)
    assert done.returncode == 0
    assert "0.3 s of CPU time" in done.stdout


def test_one_record_of_many(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps({**record(), "id": name}) + "\n" for name in ("a", "b")))
    assert replayed(file, "--id", "b").returncode == 0
    done = replayed(file)
    assert done.returncode == 2
    assert "expected one record, found 2; --id chooses one" in done.stderr


def test_a_row_of_judge(tmp_path: Path) -> None:
    tests, programs, verdicts = (tmp_path / name for name in ("T.jsonl", "S.jsonl", "V.jsonl"))
    tests.write_text(json.dumps({"id": "double", **TESTS}) + "\n")
    programs.write_text(json.dumps({"custom_id": "double", "solution": PROGRAM, "language": "python"}) + "\n")
    files = ("--tests", tests, "--submissions", programs)
    assert called("judge", *files, "--output", verdicts, "-q", "--time", "3").returncode == 0
    done = replayed(verdicts, *files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrong_answer then, wrong_answer now (3.0 s of CPU time" in done.stdout
    done = replayed(verdicts)
    assert done.returncode == 2
    assert "--tests and --submissions" in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codejury_record": 2}, "expected a record of a judgement"),
        ({"problem": {}}, "expected a row"),
        ({"limits": {"cpu_s": "much"}}, "expected a whole record"),
        ({"judgement": {"verdict": "fine"}}, "expected a whole record"),
    ],
)
def test_a_record_that_is_none(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(record() | change))
    done = replayed(file)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_case_that_was_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(record()))
    done = replayed(file, "--case", "9")
    assert done.returncode == 2
    assert "expected one of the cases that were judged (0, 1, 2, 3), got 9" in done.stderr
