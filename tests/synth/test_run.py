"""Many problems: killed and resumed, replayed, in batches, explained, within what may be spent; and the key."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from llm.chat_server import ChatServer, Drip, Raw, Reset, Say, Stall, fail
from synth.author import QUICK, Author, fenced, run, when
from synth.conftest import written
from synth.problems import CORNER, CRASHES, GOOD, cases_of, rows_of, sum_row

from codejury import Sandbox
from codejury.cli.synth import synth
from codejury.errors import SettingsError, UsageError
from codejury.llm.store import Exchanges, digest_of

ARGUMENTS = ["--mutants", "0", "--harden", "0", "--survivors", "0", "--regular", "8", "--corner", "4"]
ARGUMENTS += ["--model", "scripted"]
KEY = "sk-do-not-tell-0123456789"


def command(folder: Path, *more: str) -> Result:
    files = ["--input", str(folder / "P.jsonl"), "--output", str(folder / "T.jsonl"), "--sandboxes", "2"]
    return CliRunner().invoke(synth, [*files, *ARGUMENTS, *more], catch_exceptions=False)


def author() -> Author:
    """Every third problem needs a repair."""
    crash = {
        "regular_generator": CRASHES,
        "generator_repair_error": when("ZeroDivisionError", GOOD, otherwise=CRASHES),
        "corner_generator": CORNER,
    }
    return Author({f"p{n}": crash for n in range(0, 10, 3)}, regular_generator=GOOD, corner_generator=CORNER)


# ── Killed and resumed ───────────────────────────────────────────────────────────────────────────────────────────────


class Killing:
    """Answers one new question in the life of a process; then that one is killed, when the answer is in the store."""

    def __init__(self, author: Author) -> None:
        self._author = author
        self._lock = threading.Lock()
        self.answered: Counter[str] = Counter()
        self.may_answer = False
        self.dead = threading.Event()

    def __call__(self, body: Any) -> Any:
        with self._lock:
            if not self.may_answer:
                return _Hang(self.dead)
            self.may_answer = False
            self.answered[digest_of(body)] += 1
        return self._author(body)


class _Hang:
    def __init__(self, until: threading.Event) -> None:
        self._until = until

    def answer(self, server: Any, handler: Any) -> None:
        self._until.wait(60)
        handler.close_connection = True


@pytest.mark.slow
def test_killed_after_each_request(tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    for folder in (undisturbed, killed):
        folder.mkdir()
        written(folder / "P.jsonl", *(sum_row(f"p{n}") for n in range(10)))
    with ChatServer(author()) as server:
        result = command(undisturbed, "--api-url", server.url, "--only", "generators", "--corner", "0")
        assert result.exit_code == 0, result.output
        wanted = len(server.requests)
    assert wanted == 14

    script = Killing(author())
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with ChatServer(script) as server:
        for count in range(1, wanted + 2):
            script.dead.clear()
            script.may_answer = True
            arguments = ["--input", killed / "P.jsonl", "--output", killed / "T.jsonl", "--sandboxes", "1", *ARGUMENTS]
            arguments += ["--api-url", server.url, "--only", "generators", "--corner", "0", "--workers", "1", "-q"]
            process = subprocess.Popen(
                [sys.executable, "-m", "codejury.cli", "synth", *map(str, arguments)],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            try:
                limit = time.monotonic() + 120
                while process.poll() is None and len(kept(killed)) < count and time.monotonic() < limit:
                    time.sleep(0.005)
                if count <= wanted:
                    assert process.poll() is None, process.stderr.read().decode()
                    os.kill(process.pid, signal.SIGKILL)
                process.wait(120)
            finally:
                script.dead.set()
                process.kill()
                process.stderr.close()
        assert process.returncode == 0
    assert script.answered == Counter(dict.fromkeys(kept(killed), 1)), "no question was answered twice"
    assert len(script.answered) == wanted
    assert (killed / "T.jsonl").read_bytes() == (undisturbed / "T.jsonl").read_bytes()


def kept(folder: Path) -> list[str]:
    return list(Exchanges(folder / "T.exchanges"))


# ── The store alone ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of two problems, one of which needed a repair."""
    folder = tmp_path_factory.mktemp("done")
    written(folder / "P.jsonl", sum_row("p0"), sum_row("p1"))
    with pytest.MonkeyPatch.context() as patch, ChatServer(author()) as server:
        for name in list(os.environ):
            if name.lower().endswith("_proxy"):
                patch.delenv(name)
        result = command(folder, "--api-url", server.url, "--only", "generators")
        assert result.exit_code == 0, result.output
    return folder


def test_replay_asks_nobody(done: Path, tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", *rows_of(done / "P.jsonl"))
    replayed = command(tmp_path, "--only", "generators", "--replay", "--exchanges", str(done / "T.exchanges"))
    assert replayed.exit_code == 0, replayed.output
    assert (tmp_path / "T.jsonl").read_bytes() == (done / "T.jsonl").read_bytes()


def test_replay_fails_on_a_miss(done: Path, tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", sum_row("other"))
    replayed = command(tmp_path, "--only", "generators", "--replay", "--exchanges", str(done / "T.exchanges"))
    assert replayed.exit_code == 3
    assert "only the store may answer" in replayed.output
    assert rows_of(tmp_path / "T.jsonl") == []


def test_batches_come_to_the_same(done: Path, tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", *rows_of(done / "P.jsonl"))
    requests, responses = tmp_path / "requests.jsonl", tmp_path / "responses.jsonl"
    steps = []
    script = author()
    more: list[str] = []
    while True:
        result = command(tmp_path, "--only", "generators", "--batch-out", str(requests), *more)
        assert result.exit_code == 0, result.output
        asked = rows_of(requests)
        steps.append(len(asked))
        if not asked:
            break
        assert all(set(each) == {"custom_id", "body"} for each in asked)
        assert all({"messages", "max_tokens", "temperature"} <= set(each["body"]) for each in asked)
        answers = [
            {"custom_id": each["custom_id"], "response": {"status_code": 200, "body": script(each["body"]).body()}}
            for each in asked
        ]
        responses.write_text("".join(json.dumps(each) + "\n" for each in reversed(answers)))
        more = ["--batch-in", str(responses)]
    assert steps == [4, 1, 0], "first questions together; then the repair of p0"
    made = {row["custom_id"]: row for row in rows_of(tmp_path / "T.jsonl")}
    assert made == {row["custom_id"]: row for row in rows_of(done / "T.jsonl")}


def test_what_a_batch_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", sum_row("p1"))
    requests, responses = tmp_path / "requests.jsonl", tmp_path / "responses.jsonl"
    command(tmp_path, "--only", "generators", "--corner", "0", "--batch-out", str(requests))
    (first,) = rows_of(requests)
    lines = [
        {"custom_id": first["custom_id"], "response": {"status_code": 500, "body": {"error": "busy"}}},
        {"custom_id": "nobody#123", "response": {"status_code": 200, "body": Say(fenced(GOOD)).body()}},
    ]
    responses.write_text("".join(json.dumps(each) + "\n" for each in lines) + "no JSON\n")
    files = ["--batch-out", str(requests), "--batch-in", str(responses)]
    result = command(tmp_path, "--only", "generators", "--corner", "0", *files)
    assert result.exit_code == 0
    assert rows_of(requests) == [first]
    assert "line 1: no answer" in result.output
    assert "line 3: no answer" in result.output
    assert "1 of 1 answers" in result.output


def test_explain(done: Path) -> None:
    page = command(done, "--explain", "p0").output
    assert page.startswith("# p0\n")
    for words in (
        "State: **made**; model `scripted`; 3 questions.",
        "## 1. generator regular, round 1",
        "**crash**",
        "ZeroDivisionError",
        "## 2. generator regular, round 2",
        "Prompt `generator_repair_error` (",
        "What happened:",
        "8 inputs printed, 8 kept",
        "| input_generator[0] | generator regular, round 2: 8 tests",
        "scripted",
    ):
        assert words in page, words


def test_explain_what_is_not_finished(tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", sum_row("p1"))
    page = command(tmp_path, "--only", "generators", "--corner", "0", "--explain", "p1")
    assert page.exit_code == 0, page.output
    assert "Waiting for an answer: `p1#" in page.output
    assert "valid random inputs for this problem" in page.output


def test_explain_knows_what_the_run_was_given(tmp_path: Path) -> None:
    """Nobody has to say again which model was asked, and for what."""
    written(tmp_path / "P.jsonl", sum_row("p0"))
    files = ["--input", str(tmp_path / "P.jsonl"), "--output", str(tmp_path / "T.jsonl")]
    with ChatServer(author()) as server:
        few = ["--only", "generators", "--corner", "0", "--regular", "7", "--max-calls", "1"]
        command(tmp_path, *few, "--api-url", server.url)
    assert not rows_of(tmp_path / "T.jsonl"), "the problem is not finished"
    page = CliRunner().invoke(synth, [*files, "--explain", "p0"], catch_exceptions=False)
    assert page.exit_code == 0, page.output
    assert "model `scripted`; 1 questions." in page.output
    assert "about 7 valid random inputs" in page.output
    assert "Waiting for an answer: `p0#" in page.output
    other = CliRunner().invoke(synth, [*files, "--explain", "p0", "--regular", "9"], catch_exceptions=False)
    assert "model `scripted`; 0 questions." in other.output, "what is said on the command line holds"
    record = tmp_path / "T.run.json"
    record.write_text(record.read_text().replace('"extra": null', '"extra": {"top_p": 1}'))
    with pytest.raises(SettingsError, match="no name of a model"):
        CliRunner().invoke(synth, [*files, "--explain", "p0"], catch_exceptions=False)


def test_afresh(done: Path, tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", sum_row("p1"))
    with ChatServer(author()) as server:
        first = ["--only", "generators", "--corner", "0", "--api-url", server.url]
        command(tmp_path, *first)
        (tmp_path / "T.jsonl").unlink()
        command(tmp_path, *first)
        assert len(server.requests) == 1, "the store answered"
        (tmp_path / "T.jsonl").unlink()
        command(tmp_path, *first, "--no-cache")
        assert len(server.requests) == 2


# ── What may be spent, and what servers do ───────────────────────────────────────────────────────────────────────────


def test_no_more_calls_than_allowed(tmp_path: Path, file_of: Callable[..., Path], sandbox: Sandbox) -> None:
    rows = file_of(*(sum_row(f"p{n}") for n in range(4)))
    with ChatServer(author()) as server:
        summary = run(tmp_path, rows, server, max_calls=3, workers=1)
        assert len(server.requests) == 3
        assert "3 calls" in summary.stopped
        assert [row["custom_id"] for row in rows_of(tmp_path / "T.jsonl")] == ["p0", "p1"]
        summary = run(tmp_path, rows, server, sandbox=sandbox)
        assert summary.complete
    assert [row["custom_id"] for row in rows_of(tmp_path / "T.jsonl")] == ["p0", "p1", "p2", "p3"]
    asked = Counter(digest_of(request.body) for request in server.requests)
    assert set(asked.values()) == {1}


def test_no_more_money_than_allowed(tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", *(sum_row(f"p{n}") for n in range(4)))
    with ChatServer(author()) as server:
        spend = ["--price", "1000000,0", "--max-cost", "15", "--workers", "1", "--corner", "0", "--only", "generators"]
        result = command(tmp_path, "--api-url", server.url, *spend)
        assert len(server.requests) == 2, "11 tokens a question"
    assert result.exit_code == 3
    assert "allowed have been spent" in result.output


def first_then(first: Any, then: Any = GOOD) -> Callable[[str], Any]:
    steps = iter([first])
    return lambda last: next(steps, then)


THREE = (
    f"First the idea:\n```\nfor each n\n```\nthen\n```python\n{GOOD}\n```\nand run it:\n```bash\npython3 gen.py\n```\n"
)
CUT = {"regular_generator": Say("```python\nx = [", "length"), "go_on": Say("1, ", "length")}
# name -> what the server does, the state of the row, the faults of its rounds
FAULTS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "busy": ({"regular_generator": first_then(fail(429, retry_after="0"))}, "made", [""]),
    "broken": ({"regular_generator": first_then(fail(500))}, "made", [""]),
    "reset": ({"regular_generator": first_then(Reset())}, "made", [""]),
    "reset-later": ({"regular_generator": first_then(Reset(after=50))}, "made", [""]),
    "cut-json": ({"regular_generator": first_then(Raw(b'{"choices": [{"mess'))}, "made", [""]),
    "schema": ({"regular_generator": first_then(Raw(b'{"answer": 42}'))}, "made", [""]),
    "always-broken": ({"regular_generator": fail(500)}, "no answer", []),
    "always-wrong": ({"regular_generator": Raw(b"<html>")}, "no answer", []),
    "refused": ({"regular_generator": fail(400, "the prompt is too long")}, "no answer", []),
    "stall": ({"regular_generator": Stall()}, "no answer", []),
    "drip": ({"regular_generator": Drip()}, "no answer", []),
    "drip-headers": ({"regular_generator": Drip(headers=True)}, "no answer", []),
    "empty": ({"regular_generator": Say(""), "again": GOOD}, "made", ["format", ""]),
    "null": ({"regular_generator": Say(None), "again": GOOD}, "made", ["format", ""]),
    "refusal": ({"regular_generator": "I'm sorry, I can't help with that.", "again": GOOD}, "made", ["format", ""]),
    "no-fence": ({"regular_generator": Say(GOOD)}, "made", [""]),
    "three-fences": ({"regular_generator": Say(THREE)}, "made", [""]),
    "prose": ({"regular_generator": "Use random numbers of all sizes."}, "no generator", ["format"] * 3),
    "length": (
        CUT,
        "no generator",
        ["format"] * 3,
    ),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("faulty")
    rows = written(folder / "P.jsonl", *(sum_row(name) for name in FAULTS))
    script = Author({name: answers for name, (answers, _, _) in FAULTS.items()})
    with pytest.MonkeyPatch.context() as patch, ChatServer(script) as server:
        for name in list(os.environ):
            if name.lower().endswith("_proxy"):
                patch.delenv(name)
        run(folder, rows, server, QUICK, sandbox=sandbox, workers=len(FAULTS), total_s=8.0, concurrency=len(FAULTS))
        most = Counter(request.body["messages"][-1]["content"] for request in server.requests)
        assert max(most.values()) <= 3, "no question is sent more often than the retries allow"
    return {row["custom_id"]: row for row in rows_of(folder / "T.jsonl")}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_ends_in_a_row(name: str, faulty: dict[str, dict[str, Any]]) -> None:
    _, state, faults = FAULTS[name]
    row = faulty[name]
    assert row["synthesis"]["state"] == state, row["error_info"]
    assert row["synthesis"]["rounds"].get("regular", []) == faults
    assert len(cases_of(row)) == (8 if state == "made" else 0)
    assert (row["error_info"] is None) == (state == "made")
    if state == "no answer":
        assert row["error_info"].startswith("step: model\nwhat: ")


def test_unanswered_rows_are_done_again_on_demand(tmp_path: Path, sandbox: Sandbox) -> None:
    written(tmp_path / "P.jsonl", sum_row("p1"))
    options = ["--only", "generators", "--corner", "0", "--retries", "0"]
    with ChatServer(fail(500)) as server:
        assert command(tmp_path, "--api-url", server.url, *options).exit_code == 3
    with ChatServer(author()) as server:
        assert command(tmp_path, "--api-url", server.url, *options).exit_code == 3
        assert len(server.requests) == 0
        assert command(tmp_path, "--api-url", server.url, *options, "--retry-failed").exit_code == 0
    (row,) = rows_of(tmp_path / "T.jsonl")
    assert len(cases_of(row)) == 8


def test_a_wrong_key_ends_the_run(tmp_path: Path) -> None:
    written(tmp_path / "P.jsonl", *(sum_row(f"p{n}") for n in range(20)))
    with ChatServer(fail(401, "who are you")) as server:
        result = command(tmp_path, "--api-url", server.url, "--only", "generators", "--workers", "1")
        assert len(server.requests) <= 3, "what was under way"
    assert result.exit_code == 3
    assert "who are you" in result.output
    assert rows_of(tmp_path / "T.jsonl") == []


def test_a_refused_validator_costs_no_problem(tmp_path: Path, file_of: Callable[..., Path], sandbox: Sandbox) -> None:
    script = Author(
        regular_generator=GOOD, corner_generator=CORNER, input_validator=fail(400), checker_decision="Answer: NO"
    )
    options = msgspec.structs.replace(QUICK, only=None)
    with ChatServer(script) as server:
        run(tmp_path, file_of(sum_row()), server, options, sandbox=sandbox)
    (row,) = rows_of(tmp_path / "T.jsonl")
    assert row["synthesis"]["state"] == "made"
    assert "status 400" in row["synthesis"]["validator"]["why"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-cost", "1"], "--price"),
        (["--replay", "--no-cache"], "expected one of them"),
        (["--batch-out", "x", "--replay"], "not together"),
        (["--extra", "[1]"], "expected a JSON object"),
        (["--regular", "0", "--corner", "0"], "at least one"),
        (["--quorum", "most"], "quorum"),
    ],
)
def test_wrong_usage(tmp_path: Path, options: list[str], words: str) -> None:
    written(tmp_path / "P.jsonl", sum_row())
    with pytest.raises(UsageError, match=words):
        command(tmp_path, "--api-url", "http://127.0.0.1:9/v1", *options)


def test_rows_that_cannot_be_worked_on(tmp_path: Path, file_of: Callable[..., Path], sandbox: Sandbox) -> None:
    rows = file_of({"custom_id": "bare"}, sum_row("odd", input_output="{"), sum_row("good"))
    with ChatServer(author()) as server:
        summary = run(tmp_path, rows, server, sandbox=sandbox)
    assert summary.counts["bad lines"] == 2
    assert [row["custom_id"] for row in rows_of(tmp_path / "T.jsonl")] == ["good"]
    assert [row["line"] for row in rows_of(tmp_path / "T.errors.jsonl")] == [1, 2]


# ── The key ──────────────────────────────────────────────────────────────────────────────────────────────────────────

NOSY = """import glob, os
found = [repr(dict(os.environ))]
for path in ["/proc/self/environ", "/proc/1/environ", *glob.glob("/proc/*/environ"), *glob.glob("/proc/*/cmdline")]:
    try:
        found.append(open(path, errors="replace").read())
    except OSError as error:
        found.append(str(error))
print(found)
raise SystemExit("; ".join(found))"""


def test_the_key_is_nowhere(tmp_path: Path) -> None:
    """A generator looks for it where it can. Files, requests, what was printed and arguments are looked through."""
    written(tmp_path / "P.jsonl", sum_row("p1"))
    arguments: list[bytes] = []

    def script(body: Any) -> Any:
        arguments.append(Path(f"/proc/{process.pid}/cmdline").read_bytes())
        return nosy(body)

    nosy = Author(regular_generator=NOSY, generator_repair_error=NOSY, afresh=NOSY)
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment["OPENAI_API_KEY"] = KEY
    with ChatServer(script) as server:
        files = ["--input", tmp_path / "P.jsonl", "--output", tmp_path / "T.jsonl", "--sandboxes", "1"]
        chosen = ["--api-url", server.url, "--only", "generators", "--corner", "0"]
        process = subprocess.Popen(
            [sys.executable, "-m", "codejury.cli", "synth", *map(str, files), *ARGUMENTS, *chosen],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said, _ = process.communicate(timeout=120)
        assert len(server.requests) == 3
        assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
        assert not any(KEY in json.dumps(request.body) for request in server.requests)
    (row,) = rows_of(tmp_path / "T.jsonl")
    assert row["synthesis"]["rounds"]["regular"] == ["crash"] * 3
    assert "PATH" in row["error_info"], "it did look"
    assert KEY.encode() not in said
    assert len(arguments) == 3
    assert not any(KEY.encode() in each for each in arguments)
    files_left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files_left) >= 5
    assert not [path for path in files_left if KEY.encode() in path.read_bytes()]
