"""What a report says of results, without a browser: which file is what, the figures, what cannot be read."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report.results import evals, everything, hardened, problem, quality, record, verdicts, write

from codejury.errors import UsageError
from codejury.report import Built, build
from codejury.report.blocks import cut
from codejury.report.sources import source_of, sources_of


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., tuple[Built, str]]:
    def make(*paths: Path, **more: Any) -> tuple[Built, str]:
        said: list[object] = []
        built = build(paths, tmp_path / "report.html", complain=more.pop("complain", said.append), **more)
        assert said == []
        return built, (tmp_path / "report.html").read_text()

    return make


def data(text: str, name: str) -> Any:
    """What a browser would decode."""
    match = re.search(f'id="{name}">([^<]*)<', text)
    assert match is not None
    return json.loads(gzip.decompress(base64.b64decode(match[1])))


def words(text: str) -> str:
    """The page as somebody reads it: without tags, and without the packed lists."""
    body = text[text.index("<body>") : text.index("</body>")]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def test_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    paths = everything(tmp_path)
    kinds = ["problems", "problems", "quality", "eval", "eval", "verdicts", "bench", "programs"]
    assert [source_of(path).kind for path in paths] == kinds
    assert source_of(tmp_path / "tests.run.json").path == tmp_path / "tests.jsonl"
    assert source_of(tmp_path / "Q.programs.jsonl").path == tmp_path / "Q.json"


def test_a_folder_stands_for_what_is_in_it(tmp_path: Path) -> None:
    everything(tmp_path)
    (tmp_path / "other.json").write_text('{"something": "else"}')
    (tmp_path / "tests.errors.jsonl").write_text('{"line": 1, "error": "x"}\n')
    found, passed = sources_of([tmp_path, tmp_path / "tests.jsonl"])
    assert sorted(source.path.name for source in found) == [
        "Q.json",
        "a_eval_results.json",
        "b_eval_results.json",
        "bench.json",
        "hard.jsonl",
        "submissions.jsonl",
        "tests.jsonl",
        "verdicts.jsonl",
    ]
    assert passed == [tmp_path / "other.json"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", "{}", r"x\.json.*expected what gen, harden, .* got the fields \(none\)"),
        ("x.jsonl", "", "got an empty file"),
        ("x.jsonl", "7\n", "expected what gen"),
        ("x.json", '{"table": [{"suite": "a"}], "problems": []}', r"table\[0\]: tpr_hits"),
        ("x.json", '{"throughput": [], "python": [], "level": 3}', "codejury bench --json prints"),
        ("x.json", '{"eval": {"a": [{"base_status": "so so"}]}}', "pass, fail, timeout or null"),
        ("x.run.json", '{"runs": []}', r"x\.jsonl beside it"),
        ("x.jsonl", '{"custom_id": "a", "solution": "x"}\n', "programs alone are none"),
    ],
)
def test_what_is_no_result_is_told_in_a_sentence(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        build([path], tmp_path / "report.html", complain=print)
    assert not (tmp_path / "report.html").exists()


def test_bad_rows_are_told_once_and_the_rest_is_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "tests.jsonl", [problem("a"), {"custom_id": "b", "solutions": 7}, problem("c")])
    said: list[object] = []
    built = build([path], tmp_path / "report.html", complain=said.append, most_bytes=2000)
    assert built.items == 2
    assert len(said) == 1
    assert "line 2" in str(said[0])


def test_the_first_row_may_be_a_bad_one(tmp_path: Path) -> None:
    path = write(tmp_path / "tests.jsonl", [problem("a")])
    path.write_text('{"custom_id": "torn\n' + path.read_text())
    said: list[object] = []
    assert build([path], tmp_path / "report.html", complain=said.append).items == 1
    assert ["line 1" in str(each) for each in said] == [True]


def test_the_funnel_counts_what_the_rows_say(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    path = write(tmp_path / "tests.jsonl", [problem(f"p{n}", tests=n) for n in range(4)])
    record(path)
    built, text = made(path)
    assert built.sections == (("Tests", "tests.jsonl"),)
    told = words(text)
    assert "4 problems with 6 tests; made in 12.5 s" in told
    assert "isolation level full with 2 workers" in told
    assert "problems with tests 75.0 % 30.1 % to 95.4 % 3 of 4" in told
    label = "inputs from generators 18, different inputs 10, valid inputs 10, the golds agree 6, kept tests 6"
    assert label in text
    assert "golds disagree 4" in told
    index = data(text, "s0-list")
    assert index["ids"] == ["p0", "p1", "p2", "p3"]
    assert index["columns"][0]["values"] == ["no tests", "tests", "tests", "tests"]
    assert [entry["name"] for entry in data(text, "s0-0")[2][2]["entries"]] == ["public test 0", "test 1", "test 2"]


def test_without_a_record_it_says_so(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    _, text = made(write(tmp_path / "hard.jsonl", [hardened("sum")]))
    told = words(text)
    assert "There is no record beside the file" in told
    assert "wrong programs rejected before 20.0 %" in told
    assert "wrong programs rejected now 60.0 %" in told


def test_the_table_of_rates(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    _, text = made(quality(tmp_path / "Q.json"))
    told = words(text)
    assert "Dataset Language TPR ↑ 95 % right TNR ↑ 95 % wrong not judged" in told
    assert "weak Python 3 100.0 % 51.0 % to 100.0 % 4 50.0 % 15.0 % to 85.0 % 4 0" in told
    assert "product#3 product python weak" in told, "who survives"
    assert data(text, "s0-list")["columns"][2]["values"] == [0.5, 0.5, 1.0, 1.0]


def test_two_runs_are_compared_as_codejury_compare_does(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    _, text = made(
        evals(tmp_path / "a_eval_results.json", passing=4), evals(tmp_path / "b_eval_results.json", passing=7)
    )
    told = words(text)
    assert "b plus 12 33.3 % 58.3 % +25.0 -0.6 to +50.6 3 0 0.25 0.125" in told
    assert "b base gained 3 Demo/6 Demo/7 Demo/8" in told


def test_reasons_that_are_not_certain_are_not_told(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    path = evals(tmp_path / "a_eval_results.json", passing=0, tasks=1, samples=1)
    beside = tmp_path / "a_eval_verdicts.jsonl"
    row = json.loads(beside.read_text())
    _, text = made(path)
    assert "boom" in json.dumps(data(text, "s0-0"))
    other = json.loads(json.dumps(row).replace("boom", "bang"))
    write(beside, [row, other])
    _, text = made(path)
    assert "boom" not in json.dumps(data(text, "s0-0"))


def test_the_folder_of_a_models_run_has_prompts_and_replies(
    tmp_path: Path, made: Callable[..., tuple[Built, str]]
) -> None:
    results = tmp_path / "run" / "results" / "M" / "demo_eval_results.json"
    reviews = tmp_path / "run" / "reviews" / "M" / "demo_default.jsonl"
    results.parent.mkdir(parents=True)
    reviews.parent.mkdir(parents=True)
    sample = {"task_id": "a", "solution": "x", "base_status": "fail", "plus_status": None, "base_fail_tests": [[1]]}
    results.write_text(json.dumps({"eval": {"a": [sample]}}))
    subsets = {"base": {"status": "fail", "verdict": "runtime_error", "message": "boom", "failed": [[1]]}}
    score = {"extracted_prediction": "x", "prediction": "the reply", "metadata": {"subsets": subsets}}
    row = {"index": 0, "messages": [{"content": "the question"}, {"content": "the reply"}]}
    write(reviews, [{**row, "sample_score": {"score": score, "sample_metadata": {"task_id": "a"}}}, {"index": 1}])
    built, text = made(tmp_path / "run")
    assert built.sections == (("Samples", "M demo"),)
    (entry,) = data(text, "s0-0")[0][0]["entries"]
    assert entry["state"] == "runtime_error"
    assert dict(entry["parts"])["why"] == "boom"
    assert dict(entry["parts"])["prompt"] == "the question"
    assert dict(entry["parts"])["reply"] == "the reply"


def test_verdicts_against_what_is_known(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    _, text = made(verdicts(tmp_path / "v.jsonl"))
    told = words(text)
    assert "wrong programs rejected (TNR) 100.0 % 43.9 % to 100.0 % 3 of 3" in told
    assert "success 3 0 wrong_answer 0 3" in told


def test_a_cut_text_says_how_long_it_was() -> None:
    assert cut("a" * 100, 100) == "a" * 100
    assert cut("a" * 1000, 100) == {"t": "a" * 100, "of": 1000}
    assert cut("\ud800\x00", 100) == "\ufffd\ufffd"


def test_strange_values_of_a_row_are_no_reason_to_fail(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    rows = []
    for at, strange in enumerate([None, 7, "text", [], [None, 3], {"count": "many", "x": 10**30}, [[["deep"]]]]):
        row = problem(f"p{at}")
        row["test_provenance"] = dict.fromkeys(
            ("tests", "dropped", "set_aside", "hardened", "selected", "quorum", "more"), strange
        )
        rows.append(row)
        other = problem(f"q{at}", test_provenance=strange)
        rows.append(other)
    path = write(tmp_path / "tests.jsonl", rows)
    (tmp_path / "tests.run.json").write_text(json.dumps({"runs": [3, {"seconds": None, "counts": [], "sandbox": "x"}]}))
    built, _ = made(path)
    assert built.items == 14


def test_the_same_results_make_the_same_report(tmp_path: Path, made: Callable[..., tuple[Built, str]]) -> None:
    path = write(tmp_path / "tests.jsonl", [problem(f"p{n}") for n in range(3)])
    texts = [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", made(path)[1]) for _ in range(2)]
    assert texts[0] == texts[1]
