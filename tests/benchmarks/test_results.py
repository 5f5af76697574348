"""eval_results.json: evalplus' layout, what is counted as a pass, and what is wrong with a file."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from codejury.benchmarks.catalog import benchmark
from codejury.benchmarks.results import (
    hash_of,
    rates,
    read_results,
    rows_of,
    said_of,
    summary_of,
    tallies,
    write_results,
)
from codejury.benchmarks.samples import Judged, SubsetVerdict
from codejury.dataset import BadRow
from codejury.errors import UsageError
from codejury.model import Submission
from codejury.score.passk import Tally, estimate

PASS = SubsetVerdict(status="pass", verdict="success")
FAIL = SubsetVerdict(status="fail", verdict="wrong_answer", failed=([1, 2],))
PLUS = benchmark("humaneval_plus")


def judged(task_id: str, source: str, base: SubsetVerdict, plus: SubsetVerdict) -> Judged:
    return Judged(task_id=task_id, source=source, subsets={"base": base, "plus": plus})


SAMPLES = {
    "t/0": [Submission(source="a", id="t/0"), Submission(source="b", id="t/0#1"), Submission(source="a", id="t/0#2")],
    "t/1": [Submission(source="c", id="t/1"), Submission(source="lost", id="t/1#1")],
    "t/2": [Submission(source="lost", id="t/2")],
}
JUDGED = [
    judged("t/0", "b", FAIL, PASS),
    judged("t/0", "a", PASS, PASS),
    judged("t/1", "c", PASS, FAIL),
    Judged(task_id="t/1", source="lost", error="WorkerLost: gone"),
    Judged(task_id="t/2", source="lost", error="WorkerLost: gone"),
]


def test_the_layout(tmp_path: Path) -> None:
    rows, not_judged = rows_of(SAMPLES, JUDGED)
    summary = summary_of(PLUS, rows, not_judged, without_samples=["t/3"])
    path = tmp_path / "eval_results.json"
    write_results(path, rows.items(), said_of(summary), data_hash="abc")
    told = json.loads(path.read_text())
    assert list(told) == ["date", "hash", "eval", "pass_at_k", "codejury"]
    assert told["hash"] == "abc"
    assert [each["solution"] for each in told["eval"]["t/0"]] == ["a", "b", "a"]
    assert told["eval"]["t/1"] == [
        {
            "task_id": "t/1",
            "solution": "c",
            "base_status": "pass",
            "plus_status": "fail",
            "base_fail_tests": [],
            "plus_fail_tests": [[1, 2]],
        }
    ]
    # base: 2 of 3 and 1 of 1; plus counts where base passes too: 2 of 3 and 0 of 1
    assert told["pass_at_k"]["base"]["pass@1"] == pytest.approx((2 / 3 + 1) / 2)
    assert told["pass_at_k"]["plus"]["pass@1"] == pytest.approx((2 / 3 + 0) / 2)
    assert told["codejury"]["micro"] == pytest.approx({"base": 3 / 4, "plus": 2 / 4})
    assert told["codejury"]["scoring"] == "codejury"
    assert told["codejury"]["without_samples"] == ["t/3"]
    assert read_results(tmp_path) == told["eval"]


def test_what_was_not_judged_is_no_failure() -> None:
    rows, not_judged = rows_of(SAMPLES, JUDGED)
    assert "t/2" not in rows
    assert tallies(rows, "base") == {"t/0": Tally(3, 2), "t/1": Tally(1, 1)}
    assert [(each["task_id"], each["sample"], each["error"]) for each in not_judged] == [
        ("t/1", "t/1#1", "WorkerLost: gone"),
        ("t/2", "t/2", "WorkerLost: gone"),
    ]


def test_the_report_says_whose_scoring_it_is() -> None:
    rows, not_judged = rows_of(SAMPLES, JUDGED)
    summary = summary_of(PLUS, rows, not_judged, peer=PLUS.peer("function"))
    assert summary.scoring == "strict-compat: as evalplus"
    assert "never sees the expected values" in summary.differs


def test_a_subset_without_tests_is_null_and_not_counted() -> None:
    only_base = [Judged(task_id="t/0", source="a", subsets={"base": PASS})]
    rows, _ = rows_of({"t/0": [Submission(source="a")]}, only_base)
    assert (rows["t/0"][0]["plus_status"], rows["t/0"][0]["plus_fail_tests"]) == (None, [])
    assert list(summary_of(PLUS, rows, []).estimates) == ["base"]
    only_plus = [Judged(task_id="t/0", source="a", subsets={"plus": PASS})]
    rows, _ = rows_of({"t/0": [Submission(source="a")]}, only_plus)
    assert rates(rows, "plus") == {"t/0": 1.0}


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "no").write_text("a file")
    with pytest.raises(UsageError, match="cannot be written"):
        write_results(tmp_path / "no" / "eval_results.json", [], said_of(summary_of(PLUS, {}, [])), data_hash="")


def test_a_run_without_rows_is_a_file_like_any_other(tmp_path: Path) -> None:
    write_results(tmp_path / "eval_results.json", [], said_of(summary_of(PLUS, {}, [])), data_hash="")
    assert read_results(tmp_path) == {}


def test_the_folder_of_a_models_run(tmp_path: Path) -> None:
    rows, not_judged = rows_of(SAMPLES, JUDGED)
    said = said_of(summary_of(PLUS, rows, not_judged))
    write_results(tmp_path / "results/m/mbpp_eval_results.json", rows.items(), said, data_hash="")
    assert read_results(tmp_path) == json.loads(json.dumps(rows))
    write_results(tmp_path / "results/m/other_eval_results.json", [], said, data_hash="")
    with pytest.raises(UsageError, match="expected the results of one model on one benchmark"):
        read_results(tmp_path)


def test_the_hash_is_of_what_was_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(b'{"a": 1}\n')
    packed.write_bytes(gzip.compress(b'{"a": 1}\n'))
    assert hash_of(plain) == hash_of(packed) == hashlib.md5(b'{"a": 1}\n').hexdigest()
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(UsageError, match="cannot be read"):
        hash_of(packed)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "results as JSON"),
        ("[]", "an object of tasks"),
        ('{"eval": {"t": {}}}', r"eval\['t'\].*a list of samples"),
        (
            '{"eval": {"t": [{"base_status": "success"}]}}',
            r"eval\['t'\]\[0\]\.base_status.*pass, fail, timeout",
        ),
        ('{"eval": {"t": ["x"]}}', "pass, fail, timeout or null"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "R.json"
    path.write_text(content)
    with pytest.raises(BadRow, match=expected):
        read_results(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_results(tmp_path / "none.json")


@pytest.mark.parametrize(("name", "base", "plus"), [("humaneval", 61.6, 53.0), ("mbpp", 76.9, 62.9)])
def test_the_figures_of_evalplus_out_of_its_verdicts(real: Path, name: str, base: float, plus: float) -> None:
    folder = real / "samples" / "qwen2.5-coder-7b-base" / name
    rows: dict[str, list[dict[str, Any]]] = read_results(folder / "generated_eval_results.json")
    found = [estimate(tallies(rows, "base").values(), 1), estimate(tallies(rows, "plus").values(), 1)]
    assert [round(each.value * 100, 1) for each in found if each] == [base, plus]
