"""A model on a benchmark, from the configuration to the report: against a scripted server, with figures by hand."""

from __future__ import annotations

import functools
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks.model import RIGHT, WRONG, Answers, asked_for, server
from benchmarks.tasks import ROWS
from llm.chat_server import After, ChatServer, Say, fail

import codejury
from codejury import Jury, TaskConfig, run_task  # (replaced by the fixture below)
from codejury.benchmarks.catalog import benchmark
from codejury.benchmarks.evaluation import Evaluation, Progress
from codejury.benchmarks.report import Report
from codejury.benchmarks.results import read_results
from codejury.benchmarks.samples import Tasks
from codejury.dataset.shelf import Shelf
from codejury.errors import ModelError, UsageError, WorkerLost
from codejury.llm.client import Client

KEY = "sk-a-key-of-these-tests"
QUICK = {"retries": 0}


def config(url: str, data: Path, folder: Path, **more: Any) -> TaskConfig:
    fields = {
        "model": "some/model",
        "api_url": url,
        "api_key": KEY,
        "datasets": ["humaneval_plus"],
        "dataset_args": {"humaneval_plus": {"local_path": str(data)}},
        "generation_config": QUICK,
        "work_dir": str(folder),
        "no_timestamp": True,
    }
    return TaskConfig(**{**fields, **more})


@pytest.fixture(autouse=True)
def shared_jury(jury: Jury, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all of these tests: making one takes longer than most of them."""
    monkeypatch.setitem(globals(), "run_task", functools.partial(codejury.run_task, jury=jury))


def evaluated(url: str, data: Path, folder: Path, **more: Any) -> Report:
    (report,) = run_task(config(url, data, folder, **more)).values()
    return report


def lines(path: Path) -> list[dict[str, Any]]:
    """Rows in the order of the questions: they are written in the order in which they came."""
    return sorted((json.loads(line) for line in path.read_text().splitlines()), key=lambda row: row["index"])


PREDICTIONS = "predictions/model/humaneval_plus_default.jsonl"
REVIEWS = "reviews/model/humaneval_plus_default.jsonl"


# ── Figures ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_pass_at_k_by_hand(data: Path, tmp_path: Path) -> None:
    """Five answers a task; all five of `double` are right, two of `third`, none of `same`.

    pass@k of 2 of 5: 1 - C(3,k) / C(5,k): 2/5, 7/10, 9/10, 1, 1. The mean over tasks adds 1 and 0.
    `third` by // passes base and not plus: base has all five of it."""
    with server(third=["return x / 3", "return x // 3", "return x / 3", "return x // 3"], same=[WRONG]) as model:
        report = evaluated(model.url, data, tmp_path / "run", repeats=5, eval_batch_size=3)
    assert len(model.requests) == 15
    assert report.counts.judged == report.counts.requested == 15
    assert report.score == pytest.approx(7 / 15)
    expected = {k: (1 + value + 0) / 3 for k, value in {1: 0.4, 2: 0.7, 3: 0.9, 4: 1.0, 5: 1.0}.items()}
    assert report.pass_at_k == pytest.approx(expected)
    assert report.micro == pytest.approx({"base": 10 / 15, "plus": 7 / 15})
    told = json.loads((tmp_path / "run/reports/model/humaneval_plus.json").read_text())
    found = {json.dumps(each["identity"]): (each["score"], each["num"]) for each in told["metrics"]}
    identity = {"name": "accuracy", "aggregation": "mean", "dimensions": {}}
    assert found.pop(json.dumps(identity)) == (round(7 / 15, 4), 15)
    assert found.pop(json.dumps({**identity, "dimensions": {"tests": "base"}})) == (round(10 / 15, 4), 15)
    for k, value in expected.items():
        name = json.dumps({**identity, "aggregation": "pass_at_k", "dimensions": {"k": k}})
        assert found.pop(name) == (round(value, 4), 3)
    assert not found


def test_the_report_file_has_the_fields_that_evalscope_reads(data: Path, tmp_path: Path) -> None:
    with server() as model:
        evaluated(model.url, data, tmp_path / "run")
    told = json.loads((tmp_path / "run/reports/model/humaneval_plus.json").read_text())
    # Its reader refuses a key that is not one of these.
    assert set(told) == {
        *("schema_version", "name", "dataset_name", "dataset_pretty_name", "dataset_description", "model_name"),
        *("metrics", "analysis", "perf_metrics", "primary_metric_identity", "primary_metric_unavailable_reason"),
        *("judge_summary", "execution_summary", "num"),
    }
    assert (told["schema_version"], told["dataset_name"], told["model_name"]) == (2, "humaneval_plus", "model")
    metric = told["metrics"][0]
    keys = {"identity", "legacy_name", "num", "score", "macro_score", "categories", "semantics"}
    assert set(metric) == keys
    assert told["primary_metric_identity"] == metric["identity"]
    (category,) = metric["categories"]
    assert (category["name"], category["num"], category["score"]) == (["default"], 3, 1.0)
    assert [(each["name"], each["score"], each["num"]) for each in category["subsets"]] == [("default", 1.0, 3)]
    assert told["execution_summary"] == {
        "requested": 3,
        "succeeded": 3,
        "errored": 0,
        "incomplete": False,
        "subsets": {"default": {"requested": 3, "succeeded": 3, "errored": 0}},
    }


def test_limit_and_what_is_asked(data: Path, tmp_path: Path) -> None:
    with server() as model:
        report = evaluated(
            model.url,
            data,
            tmp_path / "run",
            limit=2,
            generation_config={**QUICK, "max_tokens": 99, "stream": True, "extra_body": {"top_k": 5}},
        )
    assert [asked_for(request.body) for request in model.requests] == ["double", "third"]
    assert (report.counts.requested, report.score) == (2, 1.0)
    body = model.requests[0].body
    assert {name: value for name, value in body.items() if name != "messages"} == {
        "model": "some/model",
        "temperature": 0.0,
        "max_tokens": 99,
        "top_k": 5,
    }
    assert [each["role"] for each in body["messages"]] == ["user"]
    assert ROWS[0]["prompt"] in body["messages"][0]["content"]
    assert model.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_share_of_the_tasks(data: Path, tmp_path: Path) -> None:
    with server() as model:
        assert evaluated(model.url, data, tmp_path / "run", limit=0.7).counts.requested == 2


def test_the_folder(data: Path, tmp_path: Path) -> None:
    with server(same=["x"]) as model:
        run_task(config(model.url, data, tmp_path / "outputs", no_timestamp=False, model_id="mine"))
    (run,) = (tmp_path / "outputs").iterdir()
    assert len(run.name) == len("20260101_235959")
    files = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
    assert files == {
        "configs/task_config.yaml",
        "logs/eval_log.log",
        "predictions/mine/humaneval_plus_default.jsonl",
        "reviews/mine/humaneval_plus_default.jsonl",
        "reports/mine/humaneval_plus.json",
        "results/mine/humaneval_plus_eval_results.json",
    }
    assert not [name for name in files if KEY in (run / name).read_text()], "the key is nowhere"
    told = yaml.safe_load((run / "configs/task_config.yaml").read_text())
    assert (told["model"], told["datasets"], told["repeats"], told["seed"]) == ("some/model", ["humaneval_plus"], 1, 42)
    prediction = lines(run / "predictions/mine/humaneval_plus_default.jsonl")[0]
    assert (prediction["index"], prediction["model"]) == (0, "mine")
    (choice,) = prediction["model_output"]["choices"]
    assert choice["stop_reason"] == "stop"
    assert choice["message"]["content"].startswith("Here:")
    assert prediction["model_output"]["usage"] == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    assert [each["role"] for each in prediction["messages"]] == ["user", "assistant"]
    assert prediction["metadata"]["extraction"]["what_was_cut"] == ["words before the code", "words after the code"]
    reviews = {
        row["sample_score"]["sample_metadata"]["task_id"]: row
        for row in lines(run / "reviews/mine/humaneval_plus_default.jsonl")
    }
    score = reviews["HumanEval/0"]["sample_score"]["score"]
    assert (score["value"], score["main_score_name"]) == ({"acc": 1.0, "base_acc": 1.0}, "acc")
    assert score["extracted_prediction"].startswith("def double(x):")
    assert reviews["HumanEval/2"]["sample_score"]["score"]["value"]["acc"] == 0.0
    results = read_results(run / "results/mine/humaneval_plus_eval_results.json")
    assert {name: rows[0]["plus_status"] for name, rows in results.items()} == {
        "HumanEval/0": "pass",
        "HumanEval/1": "pass",
        "HumanEval/2": "pass",  # it has no plus tests
    }
    assert results["HumanEval/2"][0]["base_status"] == "fail"


def test_the_words_of_evalscope(data: Path, tmp_path: Path) -> None:
    """With one word changed: `from evalscope.config import TaskConfig`."""
    from codejury.config import TaskConfig as Config

    assert Config is TaskConfig
    assert {"TaskConfig", "run_task"} <= set(codejury.__all__)
    with server() as model:
        reports = run_task(task_cfg=config(model.url, data, tmp_path / "run", use_sandbox=True, limit=1))
    assert reports["humaneval_plus"].score == 1.0


def test_defaults_are_evalscopes() -> None:
    plain = TaskConfig(model="m", datasets=["mbpp_plus"])
    assert (plain.eval_batch_size, plain.repeats, plain.limit, plain.work_dir) == (1, 1, None, "./outputs")
    assert (plain.seed, plain.ignore_errors, plain.no_timestamp, plain.use_cache) == (42, False, False, None)
    assert plain.api_key.reveal() == "EMPTY"
    assert "EMPTY" not in repr(plain)
    assert "api_key" not in plain.to_dict()


def test_a_configuration_as_a_file(data: Path, tmp_path: Path) -> None:
    with server() as model:
        fields = config(model.url, data, tmp_path / "run").to_dict()
        (tmp_path / "task.yaml").write_text(yaml.safe_dump(fields))
        assert run_task(tmp_path / "task.yaml")["humaneval_plus"].score == 1.0
    with pytest.raises(UsageError, match="task_cfg: 'modell' is not known; expected model, "):
        run_task({"modell": "m"})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"model": ""}, "model: expected the name of a model"),
        ({"eval_type": "llm_ckpt"}, "eval_type: expected openai_api"),
        ({"datasets": []}, "datasets: expected names"),
        ({"dataset_hub": "github"}, "dataset_hub: expected modelscope or huggingface"),
        ({"eval_batch_size": 0}, "eval_batch_size: expected a whole number from 1"),
        ({"repeats": 1.5}, "repeats: expected a whole number"),
        ({"limit": 0}, "limit: expected a whole number from 1, or a share"),
        ({"limit": 2.5}, "limit: expected"),
        ({"dataset_args": {"mbp": {}}}, "dataset_args: expected data sets that are asked for"),
        ({"api_key": "a b"}, "api_key: expected ASCII"),
    ],
)
def test_what_a_configuration_must_be(fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        TaskConfig(**{"model": "m", "datasets": ["mbpp"], **fields})


def test_usage_before_anything_is_asked(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CODEJURY_LLM_URL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with server() as model:
        for more, expected in (
            ({"datasets": ["nothing"], "dataset_args": {}}, "datasets: expected one of"),
            ({"api_url": None}, "api_url: expected the address"),
            ({"use_cache": str(tmp_path / "none")}, "expected the folder of an earlier run"),
            ({"generation_config": {"n": 2}}, "several answers a task are --repeats"),
            ({"model_id": "../up"}, "model_id: expected a name for files"),
            ({"datasets": ["mbpp"], "dataset_args": {"mbpp": {"local_path": str(data)}}, "strict_compat": True}, ""),
        ):
            if expected:
                with pytest.raises(UsageError, match=expected):
                    run_task(config(model.url, data, tmp_path / "run", **more))
        assert not model.requests


# ── Failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_model_does_not_answer_is_no_wrong_answer(data: Path, tmp_path: Path) -> None:
    """Two of three are answered, and right: the mean is 1, and 2/3 if one counts the third as wrong."""
    told: list[str] = []
    with server(third=[fail(500, "overloaded")]) as model:
        given = config(model.url, data, tmp_path / "run", ignore_errors=True)
        report = run_task(given, on_trouble=told.append)["humaneval_plus"]
        assert (report.score, report.if_failed) == (1.0, pytest.approx(2 / 3))
        assert (report.counts.judged, report.counts.unanswered) == (2, 1)
        assert len(told) == 1
        assert "HumanEval/1: the model did not answer" in told[0]
        assert "overloaded" in told[0]
        row = next(row for row in lines(tmp_path / "run" / PREDICTIONS) if row["index"] == 1)
        assert row["model_output"]["choices"] == []
        assert "status 500" in row["model_output"]["error"]
        assert [row["index"] for row in lines(tmp_path / "run" / REVIEWS)] == [0, 2]
        written = json.loads((tmp_path / "run/reports/model/humaneval_plus.json").read_text())
        assert written["execution_summary"]["errored"] == 1
        assert written["execution_summary"]["incomplete"] is True
        # The next run asks again what has no answer, and nothing else.
        model.script = [Answers()]
        model.requests.clear()
        again = evaluated(model.url, data, tmp_path / "run", use_cache=str(tmp_path / "run"))
        assert [asked_for(request.body) for request in model.requests] == ["third"]
    assert (again.score, again.counts.unanswered, again.counts.judged) == (1.0, 0, 3)


def test_pass_at_k_that_some_task_has_too_few_answers_for(data: Path, tmp_path: Path) -> None:
    with server(third=[fail(500), RIGHT["third"]]) as model:
        report = evaluated(model.url, data, tmp_path / "run", repeats=2, ignore_errors=True)
    assert report.pass_at_k == {1: 1.0}


@pytest.mark.parametrize(("status", "most"), [(401, 1), (404, 1)])
def test_a_refusal_that_holds_for_all_ends_the_run(data: Path, tmp_path: Path, status: int, most: int) -> None:
    with ChatServer(fail(status, "no such key")) as model:
        with pytest.raises(ModelError, match=r"no such key.*no more is asked.*--use-cache"):
            evaluated(model.url, data, tmp_path / "run", ignore_errors=True)
        assert len(model.requests) <= most
    assert not (tmp_path / "run/reports").exists()


def test_a_server_that_is_gone_ends_the_run_unless_errors_are_ignored(data: Path, tmp_path: Path) -> None:
    with ChatServer(fail(500)) as model:
        with pytest.raises(ModelError, match="no more is asked"):
            evaluated(model.url, data, tmp_path / "one", repeats=20)
        assert len(model.requests) == 10, "ten in a row"
        model.requests.clear()
        report = evaluated(model.url, data, tmp_path / "two", repeats=4, ignore_errors=True)
        assert len(model.requests) == 12
    assert (report.score, report.if_failed, report.counts.unanswered) == (None, 0.0, 12)
    told = json.loads((tmp_path / "two/reports/model/humaneval_plus.json").read_text())
    assert (told["metrics"], told["primary_metric_unavailable_reason"]) == ([], "nothing was judged")


def test_retries_are_the_clients(data: Path, tmp_path: Path) -> None:
    with server(double=[fail(429, Retry_After="0"), fail(503), RIGHT["double"]]) as model:
        report = evaluated(
            model.url, data, tmp_path / "run", limit=1, generation_config={"retries": 2, "retry_interval": 0.01}
        )
        assert len(model.requests) == 3
    assert report.score == 1.0


def test_a_reply_without_code_is_wrong_and_counted(data: Path, tmp_path: Path) -> None:
    with server(double=[Say("I cannot help with that."), Say("")]) as model:
        report = evaluated(model.url, data, tmp_path / "run", limit=1, repeats=2)
        assert (report.score, report.counts.no_code, report.counts.judged) == (0.0, 2, 2)
        again = evaluated(model.url, data, tmp_path / "run", limit=1, repeats=2, use_cache=str(tmp_path / "run"))
    assert again.counts.no_code == 2
    said = [row["sample_score"]["score"]["explanation"] for row in lines(tmp_path / "run" / REVIEWS)]
    assert "no code: refusal" in said[0]
    assert "no code: empty" in said[1]


class Lost(Jury):
    """A jury whose worker is lost under every judgement."""

    def judge_each(self, *args: Any, **options: Any) -> Any:
        for _ in super().judge_each(*args, **options):
            yield WorkerLost("gone")


def test_our_own_failure_is_no_wrong_answer(jury: Jury, data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    plus = benchmark("humaneval_plus")
    with server() as model, Shelf(data) as shelf, Client(model.url, "m") as client, Lost(jury.sandbox) as lost:
        options: dict[str, Any] = {"model_id": "m", "folder": tmp_path, "name": "n", "on_trouble": told.append}
        tasks = Tasks(shelf, plus, limit=1)
        outcome = Evaluation(plus, tasks, client, lost, **options).run()
        assert (outcome.counts.judged, outcome.counts.not_judged, outcome.tallies) == (0, 1, {})
        assert "WorkerLost" in told[0]
        assert not (tmp_path / "reviews/m/n.jsonl").read_text(), "the next run tries again"
        again = Evaluation(plus, tasks, client, jury, **options).run()
    assert len(model.requests) == 1
    assert (again.counts.judged, again.asked, again.judged_now) == (1, 0, 1)


def test_a_task_without_tests_is_not_asked(tmp_path: Path) -> None:
    empty = {**ROWS[0], "base_input": [], "plus_input": []}
    data = tmp_path / "tasks.jsonl"
    data.write_text(json.dumps(empty) + "\n" + json.dumps(ROWS[1]) + "\n")
    with server() as model:
        report = evaluated(model.url, data, tmp_path / "run")
        assert [asked_for(request.body) for request in model.requests] == ["third"]
    assert (report.counts.not_judged, report.counts.judged) == (1, 1)


# ── At the same time, and again ──────────────────────────────────────────────────────────────────────────────────────


def test_judging_goes_on_while_the_model_is_asked(data: Path, tmp_path: Path) -> None:
    """The second answer comes only when the first one has been judged."""
    judged = threading.Event()
    seen: list[Progress] = []

    def look(name: str, now: Progress) -> None:
        seen.append(now)
        if now.judged:
            judged.set()

    held = After(judged, Say("```python\ndef third(x):\n    return 'no'\n```"))
    with server(third=[held]) as model:
        run_task(config(model.url, data, tmp_path / "run"), on_progress=look)
    assert judged.is_set()
    first = next(now for now in seen if now.judged == 1)
    assert (first.total, first.pass_at_1, first.asked) == (3, 1.0, 1)
    assert seen[-1].pass_at_1 == pytest.approx(2 / 3)


def test_a_batch_is_asked_at_once(data: Path, tmp_path: Path) -> None:
    gate = threading.Event()
    held = {name: [After(gate, Say(f"```python\ndef {name}(x): return 0\n```"))] for name in RIGHT}
    with server(**held) as model:
        runner = threading.Thread(
            target=evaluated, args=(model.url, data, tmp_path / "run"), kwargs={"eval_batch_size": 3}
        )
        runner.start()
        model.wait_for(3)
        gate.set()
        runner.join(60)
    assert model.most_at_once == 3


def test_nothing_is_asked_or_judged_twice(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with server(same=[WRONG]) as model:
        first = evaluated(model.url, data, run, limit=2)
        before = (run / PREDICTIONS).read_bytes(), (run / REVIEWS).read_bytes()
        model.requests.clear()
        second = evaluated(model.url, data, run, limit=2, use_cache=str(run))
        assert not model.requests
        assert ((run / PREDICTIONS).read_bytes(), (run / REVIEWS).read_bytes()) == before
        assert (second.score, second.pass_at_k) == (first.score, first.pass_at_k)
        whole = evaluated(model.url, data, run, use_cache=str(run))
        assert [asked_for(request.body) for request in model.requests] == ["same"], "the third task, and nothing else"
        assert whole.score == pytest.approx(2 / 3)
        told = json.loads((run / "results/model/humaneval_plus_eval_results.json").read_text())["codejury"]
        assert (told["asked"], told["judged_now"]) == (1, 1)
        fewer = evaluated(model.url, data, run, limit=1, use_cache=str(run))
        assert (fewer.counts.judged, fewer.score) == (1, 1.0)
        assert len(lines(run / PREDICTIONS)) == 3, "what is beyond the limit stays"


def test_reviews_are_made_anew_on_demand_and_where_tests_changed(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with server(double=["return abs(2 * x)"]) as model:
        assert evaluated(model.url, data, run).score == pytest.approx(2 / 3)
        anew = evaluated(model.url, data, run, use_cache=str(run), rerun_review=True)
        told = json.loads((run / "results/model/humaneval_plus_eval_results.json").read_text())["codejury"]
        assert (anew.score, told["asked"], told["judged_now"]) == (pytest.approx(2 / 3), 0, 3)
        data.write_text("".join(json.dumps({**row, "plus_input": row["plus_input"][1:]}) + "\n" for row in ROWS))
        changed = evaluated(model.url, data, run, use_cache=str(run))
        told = json.loads((run / "results/model/humaneval_plus_eval_results.json").read_text())["codejury"]
        assert (changed.score, told["asked"], told["judged_now"]) == (1.0, 0, 2), "two tasks have one test less"
        assert len(model.requests) == 3


def test_answers_to_other_questions_are_refused(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with server() as model:
        evaluated(model.url, data, run)
        before = (run / PREDICTIONS).read_bytes()
        for more in ({"generation_config": {"temperature": 1.0}}, {"repeats": 2}, {"model": "other/model"}):
            with pytest.raises(UsageError, match="answers another question than it would be asked now"):
                evaluated(model.url, data, run, use_cache=str(run), **more)
        assert (run / PREDICTIONS).read_bytes() == before, "nothing that was paid for is thrown away"
        assert len(model.requests) == 3


# ── Other data ───────────────────────────────────────────────────────────────────────────────────────────────────────


def one(tmp_path: Path, name: str, data: Path, reply: str, **more: Any) -> tuple[Report, str]:
    """A task of some benchmark, answered so; and what was asked."""
    with ChatServer(Say(reply)) as model:
        given = config(
            model.url, data, tmp_path / "run", datasets=[name], dataset_args={name: {"local_path": str(data)}}, **more
        )
        (report,) = run_task(given).values()
        return report, model.requests[0].body["messages"][-1]["content"]


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


PLUS = {"task_id": 7, "prompt": "Double it.", "code": "def f(x): return 2 * x", "test_list": ["assert f(1) == 2"]}
ADD = "```python\nprint(sum(map(int, input().split())))\n```"


def test_mbpp_plus_by_its_scripts(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", {**PLUS, "test": "assert f(3) == 6\n"})
    report, asked = one(tmp_path, "mbpp_plus", data, "```python\ndef f(x): return 2\n```")
    assert asked == (
        "You are an expert Python programmer, and here is your task: Double it. Your code should pass these tests:"
        "\n\nassert f(1) == 2"
    )
    assert (report.micro, report.score) == ({"base": 1.0, "plus": 0.0}, 0.0)


def test_strict_compat_runs_the_base_asserts_alone_and_says_so(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", {**PLUS, "test": "assert f(3) == 6\n"})
    report, _ = one(tmp_path, "mbpp_plus", data, "def f(x): return 2\n[DONE] x", strict_compat=True)
    assert (report.score, report.scoring) == (1.0, "strict-compat: as evalscope")


def test_mbpp_from_parquet(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([PLUS]), tmp_path / "d.parquet")
    for name in ("mbpp", "mbpp_sanitized"):
        report, _ = one(tmp_path / name, name, tmp_path / "d.parquet", "def f(x): return 2 * x")
        assert report.score == 1.0


STDIN = {
    "live_code_bench": {
        "question_id": "a1",
        "question_content": "Add two numbers.",
        "starter_code": "",
        "public_test_cases": json.dumps([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]),
        "private_test_cases": json.dumps([{"input": "4 5\n", "output": "9\n", "testtype": "stdin"}]),
        "metadata": "{}",
    },
    "code_contests": {
        "name": "add",
        "description": "Add two numbers.",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": ["4 5\n"], "output": ["9\n"]},
    },
    "apps": {
        "problem_id": 1,
        "question": "Add two numbers.",
        "input_output": json.dumps({"inputs": ["1 2\n", "4 5\n"], "outputs": ["3\n", "9\n"]}),
    },
    "taco": {
        "question": "Add two numbers.",
        "starter_code": "",
        "input_output": json.dumps({"inputs": ["1 2\n", "4 5\n"], "outputs": ["3\n", "9\n"]}),
        "time_limit": "2.0 seconds",
    },
    "klear": {
        "custom_id": "add",
        "question": "Add two numbers.",
        "type": "stdin",
        "solutions": [],
        "input_output": {"inputs": ["1 2\n"], "outputs": ["3\n"]},
        "reward": {"ground_truth": {"input_output": [{"input": "4 5\n", "output": "9\n"}]}},
    },
}


@pytest.mark.parametrize("name", STDIN)
def test_programs_that_read_standard_input(name: str, tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", STDIN[name])
    right, asked = one(tmp_path / "right", name, data, ADD)
    assert "Add two numbers." in asked
    assert "Python" in asked
    assert right.score == 1.0
    wrong, _ = one(tmp_path / "wrong", name, data, "```python\nprint(3)\n```")
    assert wrong.score == 0.0, "the second test is run too"


def test_functions_of_live_code_bench(tmp_path: Path) -> None:
    tests = [{"input": "1\n2", "output": "3", "testtype": "functional"}]
    start = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        "
    row = {
        **STDIN["live_code_bench"],
        "starter_code": start,
        "public_test_cases": json.dumps(tests),
        "private_test_cases": "[]",
        "metadata": json.dumps({"func_name": "add"}),
    }
    reply = "```python\nclass Solution:\n    def add(self, a, b):\n        return a + b\n```"
    report, asked = one(tmp_path, "live_code_bench", written(tmp_path / "d.jsonl", row), reply)
    assert report.score == 1.0
    assert start.rstrip() in asked
    assert "`add`" in asked


def test_a_folder_of_packages_and_any_file_by_their_paths(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "add"
    (package / "data" / "secret").mkdir(parents=True)
    (package / "problem_statement").mkdir()
    (package / "problem.yaml").write_text("name: Add\n")
    (package / "problem_statement" / "problem.en.tex").write_text("Add two numbers.")
    for number, (given, answer) in enumerate((("1 2\n", "3\n"), ("4 5\n", "9\n"))):
        (package / "data" / "secret" / f"{number}.in").write_text(given)
        (package / "data" / "secret" / f"{number}.ans").write_text(answer)
    for name in ("kattis", str(tmp_path / "packages")):
        report, asked = one(tmp_path / f"run{len(name)}", name, tmp_path / "packages", ADD)
        assert (report.score, report.counts.judged) == (1.0, 1)
        assert "Add two numbers." in asked
    assert report.dataset == "packages"
    data = written(tmp_path / "mine.jsonl", STDIN["klear"])
    with ChatServer(Say(ADD)) as model:
        given = config(model.url, data, tmp_path / "own", datasets=[str(data)], dataset_args={})
        assert run_task(given)["mine"].score == 1.0


def test_a_limit_that_nobody_set_gives_way_to_a_solution_that_needs_more(tmp_path: Path) -> None:
    slow = "import time\nwhile time.process_time() < 0.3: pass\nprint(sum(map(int, input().split())))\n"
    row = {**STDIN["klear"], "solutions": [slow]}
    reply = f"```python\n{slow}```"

    def score(folder: str, row: dict[str, Any]) -> float | None:
        data = written(tmp_path / "d.jsonl", row)
        with ChatServer(Say(reply)) as model:
            args = {"klear": {"local_path": str(data), "review_timeout": 0.1}}
            given = config(model.url, data, tmp_path / folder, datasets=["klear"], dataset_args=args)
            return run_task(given)["klear"].score

    assert score("assumed", row) == 1.0
    assert score("set", {**row, "time-limit": 0.1, "memory-limit": 256}) == 0.0, "who set it meant it"
    assert score("without", {**row, "solutions": []}) == 0.0


def test_several_data_sets_in_one_run(data: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "mbpp.jsonl", PLUS)
    args = {"humaneval_plus": {"local_path": str(data)}, "mbpp": {"local_path": str(other)}}

    def reply(body: Any) -> Any:
        text = body["messages"][-1]["content"]
        return Say("def f(x): return 2 * x") if "assert f(1)" in text else Answers()(body)

    with ChatServer(reply) as model:
        reports = run_task(config(model.url, data, tmp_path / "run", datasets=list(args), dataset_args=args))
    assert {name: report.score for name, report in reports.items()} == {"humaneval_plus": 1.0, "mbpp": 1.0}
    assert {path.name for path in (tmp_path / "run/reports/model").iterdir()} == {"humaneval_plus.json", "mbpp.json"}
