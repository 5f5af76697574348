"""The sandbox provider of inspect_ai, by the conformance checks that inspect_ai has for providers, and by an eval.

Runs where inspect_ai is installed; it is no dependency of codejury.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: pip install inspect_ai")

from inspect_ai.util._sandbox import self_check
from inspect_ai.util._sandbox.registry import registry_find_sandboxenv

pytestmark = pytest.mark.filterwarnings("ignore")

CHECKS = {name: check for name, check in vars(self_check).items() if name.startswith("test_")}
# There is one user, and the files of a command that was ended by its time-out are as before it.
NOT_THERE = {"test_exec_as_user", "test_exec_as_nonexistent_user"}


def environment() -> Any:
    return registry_find_sandboxenv("codejury")()


def test_the_entry_point_is_found() -> None:
    assert registry_find_sandboxenv("codejury").__name__ == "CodejurySandboxEnvironment"


@pytest.mark.parametrize("name", sorted(set(CHECKS) - NOT_THERE))
def test_conforms(name: str) -> None:
    async def check() -> None:
        await CHECKS[name](environment())

    asyncio.run(check())


def test_files_stay_and_the_host_is_out_of_reach(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")

    async def check() -> None:
        one, other = environment(), environment()
        await one.exec(["sh", "-c", "mkdir -p a/b && echo kept > a/b/c && ln -s a/b/c link && echo t > /tmp/t"])
        assert (await one.exec(["sh", "-c", "cat link /tmp/t"])).stdout == "kept\nt\n"
        assert await one.read_file("link") == "kept\n"
        assert not (await one.exec(["cat", str(secret)])).success
        assert not (await other.exec(["cat", "a/b/c"])).success, "a sample sees its own files alone"
        with pytest.raises(FileNotFoundError):
            await one.read_file(str(secret))
        with pytest.raises(PermissionError):
            await one.write_file("/etc/passwd", "root::0:0::/:/bin/sh\n")

    asyncio.run(check())


def test_an_eval(tmp_path: Path) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, Target, accuracy, scorer
    from inspect_ai.solver import TaskState, solver
    from inspect_ai.util import sandbox

    @scorer(metrics=[accuracy()])
    def runs() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            await sandbox().write_file("main.py", state.output.completion)
            done = await sandbox().exec(["python3", "main.py"], input="21")
            return Score(value=float(done.stdout.strip() == target.text))

        return score

    @solver
    def answers() -> Any:  # with no model: even a mock of one asks the network how to count tokens
        async def solve(state: TaskState, generate: Any) -> TaskState:
            state.output = ModelOutput.from_content("mockllm/model", "print(int(input()) * 2)")
            return state

        return solve

    task = Task(dataset=[Sample(input="Double.", target="42")], solver=answers(), scorer=runs(), sandbox="codejury")
    (log,) = eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
