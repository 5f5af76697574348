"""`codejury eval --model` as a user calls it: against a scripted server, with an end by kill -9, and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.hub_server import HubServer
from benchmarks.model import WRONG, Answers, asked_for, server
from benchmarks.tasks import ROWS, task
from llm.chat_server import After, ChatServer, Say, fail

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "codejury.cli", "eval", *map(str, args)]


def evaluated(*args: object, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*args), capture_output=True, text=True, timeout=240, env={**ENVIRONMENT, **environment}
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def until(holds: Callable[[], bool]) -> None:
    """Waits for something that another process does."""
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_as_the_documents_have_it(data: Path, tmp_path: Path) -> None:
    """The seed document's command, with the data at hand: evalscope's words, and --datasets takes several."""
    place = {"local_path": str(data)}
    with server(same=[WRONG]) as model:
        done = evaluated(
            *("--model", "YOUR_MODEL", "--api-url", model.url, "--api-key", "EMPTY_TOKEN"),
            *("--datasets", "humaneval_plus", "humaneval", "--use-sandbox", "--limit", 10),
            *("--dataset-args", json.dumps({"humaneval_plus": place, "humaneval": place})),
            *("--generation-config", "temperature=0.5,max_tokens=64", "--work-dir", tmp_path / "outputs"),
        )
    assert "YOUR_MODEL on humaneval_plus: 3 of 3 samples; codejury" in done.stdout
    assert "plus  pass@1     66.7" in done.stdout
    assert "YOUR_MODEL on humaneval: 3 of 3" in done.stdout
    assert {request.body["temperature"] for request in model.requests} == {0.5}
    assert {request.body["max_tokens"] for request in model.requests} == {64}
    (run,) = (tmp_path / "outputs").iterdir()
    assert {path.name for path in (run / "reports/YOUR_MODEL").iterdir()} == {"humaneval_plus.json", "humaneval.json"}


def test_killed_and_gone_on_with(tmp_path: Path) -> None:
    """Eight tasks; the server holds the sixth answer back until the process has been killed. Then all but that question
    is known: it is asked again, since nobody has its answer, and no other one is."""
    rows = [task(n, f"f{n}", "x", "return x", [[n]], [[n + 1]]) for n in range(8)]
    data = tmp_path / "tasks.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = tmp_path / "run"
    predictions, reviews = (run / each / "m/humaneval_plus_default.jsonl" for each in ("predictions", "reviews"))
    gate = threading.Event()

    def reply(body: Any) -> Any:
        name = asked_for(body)
        said = Say(f"```python\ndef {name}(x):\n    return x if {name!r} != 'f2' else 'no'\n```")
        return After(gate, said) if name == "f5" and not gate.is_set() else said

    args = ("--model", "m", "--datasets", "humaneval_plus", "--data", data, "--workers", 2, "--json")
    with ChatServer(reply) as model:
        first = subprocess.Popen(
            command(*args, "--api-url", model.url, "--work-dir", run, "--no-timestamp"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )
        try:
            model.wait_for(6)
            until(lambda: reviews.exists() and reviews.read_bytes().count(b"\n") == 5)
        finally:
            first.send_signal(signal.SIGKILL)
            first.wait()
        gate.set()
        assert [asked_for(request.body) for request in model.requests] == [f"f{n}" for n in range(6)]
        model.requests.clear()
        with predictions.open("a") as file:
            file.write('{"index": 5, "model": "m", "model_out')  # as a write that was cut off
        told = json.loads(evaluated(*args, "--api-url", model.url, "--use-cache", run).stdout)["humaneval_plus"]
        assert [asked_for(request.body) for request in model.requests] == ["f5", "f6", "f7"]
        assert (told["score"], told["counts"]["judged"]) == (pytest.approx(7 / 8), 8)
        results = json.loads((run / "results/m/humaneval_plus_eval_results.json").read_text())
        assert (results["codejury"]["asked"], results["codejury"]["judged_now"]) == (3, 3)
        model.requests.clear()
        again = json.loads(evaluated(*args, "--api-url", model.url, "--use-cache", run).stdout)["humaneval_plus"]
        assert not model.requests
        assert again["score"] == told["score"]


def test_a_model_that_does_not_answer(data: Path, tmp_path: Path) -> None:
    args = ("--model", "m", "--datasets", "humaneval_plus", "--data", data, "--generation-config", "retries=0")
    with server(third=[fail(500, "busy")]) as model:
        run = ("--api-url", model.url, "--no-timestamp", "--work-dir", tmp_path / "run")
        done = evaluated(*args, *run, code=3)
        assert "HumanEval/1: the model did not answer" in done.stderr
        assert "not answered, left out: 1; counted as wrong: 66.7" in done.stdout
        assert "plus  pass@1    100.0" in done.stdout
        ignored = evaluated(*args, *run, "--ignore-errors")
        assert "not answered, left out: 1" in ignored.stdout
    refused = evaluated(*args, "--api-url", "http://127.0.0.1:9/v1", "--work-dir", tmp_path / "none", code=3)
    assert "not answered, left out: 3" in refused.stdout


def test_data_from_a_hub_and_then_without_it(tmp_path: Path) -> None:
    """The seed document's command to the letter: MBPP+ as the hub has it, which is a Parquet file."""
    import pyarrow
    import pyarrow.parquet

    row = {"task_id": 2, "code": "def f(x): return x", "prompt": "Same.", "source_file": "", "test_imports": []}
    row |= {"test_list": ["assert f(1) == 1"], "test": "for x in range(3):\n    assert f(x) == x\n"}
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "test.parquet")
    files = {"data/test-00000-of-00001.parquet": (tmp_path / "test.parquet").read_bytes()}
    with ChatServer(Say("def f(x): return x")) as model, HubServer(files, name="evalscope/mbppplus") as hub:
        args = ("--model", "YOUR_MODEL", "--api-url", model.url, "--api-key", "EMPTY_TOKEN", "--datasets", "mbpp_plus")
        args = (*args, "--use-sandbox", "--limit", "10", "--work-dir", str(tmp_path / "outputs"))
        places = {"CODEJURY_CACHE": str(tmp_path / "cache"), "CODEJURY_MS_URL": hub.url}
        assert "plus  pass@1    100.0" in evaluated(*args, **places).stdout
        places["CODEJURY_MS_URL"] = "http://127.0.0.1:9"
        assert "plus  pass@1    100.0" in evaluated(*args, **places).stdout
        refused = evaluated(*args, code=2, **{**places, "CODEJURY_CACHE": str(tmp_path / "empty")})
    assert "evalscope/mbppplus: not in the cache, and http://127.0.0.1:9 cannot be asked" in refused.stderr


def test_progress_has_pass_at_1_so_far(data: Path, tmp_path: Path) -> None:
    """On a terminal, which is where progress is shown."""
    with ChatServer(Answers(same=[WRONG])) as model:
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            command(
                *("--model", "m", "--api-url", model.url, "--datasets", "humaneval_plus", "--data", data),
                *("--work-dir", tmp_path / "run"),
            ),
            stdout=subprocess.DEVNULL,
            stderr=follower,
            env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120"},
        )
        os.close(follower)
        shown = b""
        try:
            while part := os.read(leader, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(leader)
        assert process.wait(60) == 0
    assert b"humaneval_plus  pass@1 66.7  asked 3" in shown
    assert b"3/3" in shown


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--datasets", "mbpp"], "expected --model, to ask it, or --samples"),
        (["--model", "m"], "Missing option '--datasets'"),
        (["--model", "m", "--datasets", "mbpp", "--dataset-args", "[]"], "expected a JSON object"),
        (["--model", "m", "--datasets", "mbpp", "--generation-config", "hot"], "name=value,name=value"),
        (["--model", "m", "--datasets", "mbpp", "--limit", "-1"], "limit: expected a whole number from 1"),
        (["--model", "m", "--datasets", "mbpp", "--output", "x"], "--output is for --samples"),
        (["--model", "m", "--datasets", "mbpp", "--use-cache", "no-such"], "expected the folder of an earlier run"),
    ],
)
def test_usage(args: list[str], expected: str) -> None:
    done = evaluated(*args, code=2, CODEJURY_LLM_URL="http://127.0.0.1:9/v1")
    assert expected in done.stderr
