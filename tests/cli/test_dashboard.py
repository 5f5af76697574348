"""--dashboard of long commands: what each tells of itself, who may look, and what it costs where nobody does."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from service.wire import Client, head

from codejury.benchmarks.evaluation import Progress
from codejury.cli import progress
from codejury.cli.eval import eval as eval_
from codejury.cli.gen import gen
from codejury.cli.harden import harden
from codejury.cli.quality import quality
from codejury.cli.special_judge_gen import special_judge_gen
from codejury.cli.synth import synth

TOKEN = "a-token-of-this-test"
GOLD = "print(int(input()) * 2)"


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def problem(**more: Any) -> dict[str, Any]:
    tests = [{"input": str(n), "output": str(2 * n)} for n in range(3)]
    return {
        "custom_id": "double",
        "question": "",
        "type": "stdin",
        "solutions": [GOLD, GOLD],
        "input_generator": ["print([str(n) for n in range(4)])"],
        "reward": {"ground_truth": {"input_output": tests, "type": "stdin", "fn_name": None}},
        **more,
    }


def told(command: click.Command, *words: object) -> dict[str, progress.Told]:
    """What an onlooker knows when the command has ended."""
    with progress.onlooker():
        with contextlib.suppress(SystemExit):
            command.main([str(word) for word in words], prog_name="codejury", standalone_mode=False)
        return dict(progress.looked_at())


# --- what each command tells -----------------------------------------------------------------------------------------


def test_all_long_commands_have_it() -> None:
    for command in (gen, special_judge_gen, synth, harden, quality, eval_):
        assert any("--dashboard" in option.opts for option in command.params), command.name


def test_gen(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", problem())
    found = told(gen, "--input", path, "--output", tmp_path / "out.jsonl", "-q")["rows"]
    assert (found.done, found.share) == (1, 1.0)
    assert (found.counts["made"], found.counts["tests"]) == (1, 4)
    assert not any(name.startswith("bytes") for name in found.counts)


def test_harden(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", problem())
    words = ("--budget", 2, "--mutants", 1, "--no-cache", "--quiet")
    assert told(harden, "--input", path, "--output", tmp_path / "out.jsonl", *words)["hardening"].done == 1


def test_quality(tmp_path: Path) -> None:
    tests = write(tmp_path / "tests.jsonl", problem())
    rows = [{"custom_id": "double", "solution": GOLD, "language": "python", "correct": n} for n in (True, False)]
    given = write(tmp_path / "programs.jsonl", *rows)
    assert told(quality, "--tests", tests, "--submissions", given, "--no-cache", "--quiet")["judging"].done == 2


def test_eval(tmp_path: Path) -> None:
    task = {"task_id": "Demo/0", "prompt": "def f(x):\n", "entry_point": "f", "canonical_solution": "    return x\n"}
    task |= {"base_input": [[1]], "plus_input": [[2]], "atol": 0, "contract": ""}
    data = write(tmp_path / "data.jsonl", task)
    rows = [{"task_id": "Demo/0", "solution": f"def f(x): return x + {n}"} for n in (0, 1, 1)]
    samples = write(tmp_path / "s.jsonl", *rows)
    found = told(eval_, "--samples", samples, "--datasets", "humaneval_plus", "--data", data, "--quiet")["judging"]
    assert (found.done, found.total) == (2, 2)


def test_eval_of_a_model() -> None:
    with progress.onlooker(), progress.scored(quiet=True) as show:
        assert show is not None
        show("mbpp", Progress(total=4, asked=3, judged=1, passed=1, unanswered=1))
        show("mbpp", Progress(total=4, asked=4, judged=2, passed=1, unanswered=1))
        ((name, found),) = progress.looked_at()
    assert (name, found.done, found.total, found.counts["passed"]) == ("mbpp", 3, 4, 1)
    with progress.scored(quiet=True) as show:
        assert show is None


def test_synth(tmp_path: Path) -> None:
    """Nobody answers, so no row is made; it is told all the same."""
    path = write(tmp_path / "in.jsonl", problem(input_generator=[]))
    words = ("--model", "m", "--api-url", "http://127.0.0.1:9/v1", "--retries", 0, "-q")
    found = told(synth, "--input", path, "--output", tmp_path / "out.jsonl", *words)["problems"]
    assert found.counts["model: requests"] >= 0
    assert "tests" in found.counts


def test_nothing_is_kept_where_nobody_looks(tmp_path: Path) -> None:
    progress.tell("rows", progress.Told)
    assert progress.looked_at() == []


# --- as a process ----------------------------------------------------------------------------------------------------


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Problems whose golds take their time."""
    gold = "import time\nn = int(input())\ntime.sleep(0.5)\nprint(2 * n)"
    return write(tmp_path / "in.jsonl", problem(solutions=[gold, gold]))


@contextlib.contextmanager
def started(*words: object, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the first that it says."""
    command = [sys.executable, "-m", "codejury.cli", *map(str, words)]
    child = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, **env}
    )
    try:
        assert child.stderr is not None
        yield child, child.stderr.readline()
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


def events(client: Client, **headers: str) -> Iterator[tuple[str, Any]]:
    with client.connect() as connection:
        connection.sendall(head("/events", "GET", **headers))
        lines = connection.makefile("rb")
        name = ""
        for line in lines:
            if line.startswith(b"event: "):
                name = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:])


def test_a_run_is_shown_from_its_begin_to_its_end(slow: Path, tmp_path: Path) -> None:
    words = ("gen", "--input", slow, "--output", tmp_path / "out.jsonl", "--workers", 1, "--dashboard", "-q")
    with started(*words) as (child, said):
        assert said.startswith("codejury: dashboard at http://127.0.0.1:"), said
        client = Client(int(said.rsplit(":", 1)[1].strip("/\n")))
        assert client.get("/", Accept="text/html").status == 200
        for path in ("/run_code", "/try", "/judge"):
            assert client.post(path, {}).error == "not_found", "it is looked at, and no more"
        seen = list(events(client))
        assert child.wait(60) == 0
    assert [name for name, _ in seen][-2:] == ["state", "end"]
    states = [data["state"] for name, data in seen if name == "state"]
    assert {state["title"] for state in states} == {"codejury gen"}
    assert any(run["label"] == "python" for state in states for run in state["runs"])
    (part,) = states[-1]["parts"]
    assert (part["name"], part["done"], part["counts"]["tests"]) == ("rows", 1, 4)
    assert {kind["name"] for kind in states[-1]["kinds"]} == {"ok"}


def test_the_token_of_the_settings_holds_here_too(slow: Path, tmp_path: Path) -> None:
    words = ("gen", "--input", slow, "--output", tmp_path / "out.jsonl", "--dashboard", "127.0.0.1:0", "-q")
    with started(*words, CODEJURY_TOKEN=TOKEN) as (_, said):
        assert TOKEN not in said
        client = Client(int(said.rsplit(":", 1)[1].strip("/\n")))
        assert client.get("/events").error == "unauthorized"
        assert next(events(client, Authorization=f"Bearer {TOKEN}"))[0] == "state"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("0.0.0.0:0", "CODEJURY_TOKEN"),
        ("some.host:1", "CODEJURY_TOKEN"),
        ("127.0.0.1:x", "expected HOST:PORT"),
        ("127.0.0.1:65536", "expected HOST:PORT"),
    ],
)
def test_addresses_that_are_refused(
    address: str, why: str, slow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codejury.errors import UsageError

    monkeypatch.delenv("CODEJURY_TOKEN", raising=False)
    with pytest.raises(UsageError, match=why):
        gen.main(
            ["--input", str(slow), "--output", str(tmp_path / "o.jsonl"), "--dashboard", address],
            standalone_mode=False,
        )
    assert not (tmp_path / "o.jsonl").exists(), "nothing was done"


ABSENT = """
import sys
sys.modules["starlette"] = None
from codejury.cli import main
main(sys.argv[1:])
"""


def test_the_extra_is_asked_for_where_it_is_absent(slow: Path, tmp_path: Path) -> None:
    words = ["gen", "--input", str(slow), "--output", str(tmp_path / "o.jsonl"), "--dashboard"]
    done = subprocess.run([sys.executable, "-c", ABSENT, *words], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'codejury[serve]'" in done.stderr
    assert "Traceback" not in done.stderr


LOADED = """
import sys
from codejury.cli.gen import gen
gen.main(sys.argv[1:], standalone_mode=False)
print(sorted({"starlette", "uvicorn", "codejury.service", "codejury.sandbox.watch"} & set(sys.modules)))
"""


def test_without_it_nothing_is_loaded(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", problem())
    words = ["--input", str(path), "--output", str(tmp_path / "o.jsonl"), "-q"]
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
