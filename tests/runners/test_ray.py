"""Programs on the nodes of a real Ray cluster, two nodes on this machine: results as here, and no node is missed.

Only where Ray is installed: `make test-ray`.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury import Job, Jury, Limits, Problem, Sandbox, Submission, TestCase, runners
from codejury.errors import UsageError, WorkerLost
from codejury.reward import Reward, score, score_async
from codejury.sandbox.pool import Task

ray = pytest.importorskip("ray", reason="the package ray is not installed (extra `ray`)")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]

SUM = "print(sum(map(int, input().split())))"
CASES = tuple(TestCase(input=f"{n} {n * n}\n", output=f"{n + n * n}\n") for n in range(12))
PROBLEM = Problem(id="sum", cases=CASES, limits=Limits(cpu_s=5))
CPP = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }"
PROGRAMS = [
    Submission(source=SUM, language="python"),
    Submission(source=CPP, language="cpp17"),
    Submission(source="print(input().split()[0])", language="python"),
    Submission(source="print(1 / 0)", language="python"),
    Submission(source="int main() { return x; }", language="cpp17"),
    Submission(source="while True: pass", language="python"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def box(cluster: Any) -> Iterator[Sandbox]:
    from codejury.runners.ray import RayPool

    with Sandbox(pool=RayPool()) as box:
        yield box


def test_verdicts_are_the_same_as_here(box: Sandbox) -> None:
    assert box.workers == 2
    work = [(program, PROBLEM) for program in PROGRAMS]
    limits = Limits(cpu_s=1)
    with Jury(box) as there, Jury(workers=2) as here:
        assert box.level == here.sandbox.level
        found = [
            [
                (said.verdict, [(case.verdict, case.output) for case in said.cases])
                for said in jury.judge_many(work, limits=limits)
            ]
            for jury in (there, here)
        ]
    assert found[0] == found[1]
    assert {verdict for verdict, _ in found[0]} == {
        "success", "wrong_answer", "runtime_error", "compile_error", "time_limit_exceeded",
    }  # fmt: skip


def test_pairs_files_and_what_is_fetched(box: Sandbox) -> None:
    ask = Job(source="print(6, flush=True)\nassert input() == '36'", language="python")
    answer = Job(source="print(int(input()) ** 2, flush=True)", language="python")
    assert [outcome.status for outcome in box.run_pair(ask, answer)] == ["ok", "ok"]
    large = "x" * 300_000
    for _ in range(3):
        outcome = box.run(
            "import sys\nopen('out', 'w').write(open('in').read()[::-1])\nprint(len(sys.stdin.read()))",
            language="python",
            files={"in": large + "y"},
            stdin=large,
            fetch=["out"],
        )
        assert (outcome.stdout, outcome.fetched["out"]) == (b"300000\n", b"y" + large.encode())


def test_rows(box: Sandbox) -> None:
    program = box.ready(Job(source="n = int(input())\nprint(2 * n if n != 3 else 1 // 0)", language="python"))
    said = program.run_row([str(n) for n in range(20)])
    while len(said) < 20:  # one was not short
        said += program.run_row([str(n) for n in range(len(said), 20)])
    assert [each.stdout for each in said] == [b"" if n == 3 else f"{2 * n}\n".encode() for n in range(20)]
    assert [each.status for each in said] == ["runtime_error" if n == 3 else "ok" for n in range(20)]
    length = box.ready(Job(source="import sys; print(len(sys.stdin.read()))", language="python"))
    assert [int(each.stdout) for each in length.run_row(["x" * 100_000, "y", "z" * 200_000])] == [100_000]


def test_errors_of_a_node_are_ours(box: Sandbox) -> None:
    with pytest.raises(UsageError, match="no such language"):
        box.run("x", language="no such language")
    outcome = box.run("import os; os.kill(os.getpid(), 9)", language="python")
    assert (outcome.status, outcome.signal) == ("runtime_error", 9)


def test_what_is_given_up_ends(box: Sandbox) -> None:
    task, ended = Task(), []

    def wait() -> None:
        with pytest.raises(WorkerLost) as caught:
            box._pool.run_for(
                task, lambda: box.run("import time; time.sleep(500)", language="python", limits=Limits(wall_s=600))
            )
        ended.append(caught.value)

    thread = threading.Thread(target=wait)
    thread.start()
    while not task._workers:
        thread.join(0.05)
    thread.join(1.0)  # so that it runs on the node, most likely
    task.give_up()
    thread.join(60)
    assert len(ended) == 1


def test_no_cluster_there(cluster: Any) -> None:
    from codejury.runners.ray import RayPool

    ray.shutdown()
    try:
        with pytest.raises(UsageError, match="no Ray cluster at"):
            RayPool(address="127.0.0.1:1")
    finally:
        ray.init(address=cluster.address, log_to_driver=False)


# --- rewards ---------------------------------------------------------------------------------------------------------

TRUTH = {"inputs": [case.input for case in CASES[:4]], "outputs": [case.output for case in CASES[:4]]}
COMPLETIONS = [
    f"```python\n{SUM}\n```",
    f"```cpp\n{CPP}\n```",
    "```python\nprint(input().split()[0])\n```",
    "```python\nwhile True: pass\n```",
    "```cpp\nint main() { return x; }\n```",
    "I do not know.",
    f"So:\n```python\n{SUM}\n```",
]


def told(rewards: list[Reward]) -> list[tuple[Any, ...]]:
    """All that does not depend on how fast a machine is."""
    return [
        (each.score, each.verdict, each.passed, each.total, each.message, each.first_failure, each.duplicate_of)
        for each in rewards
    ]


@pytest.fixture
def address(cluster: Any) -> Iterator[str]:
    """A process that is not connected yet."""
    ray.shutdown()
    yield str(cluster.address)
    ray.shutdown()
    ray.init(address=cluster.address, log_to_driver=False)


def test_rewards_are_the_same_as_here(cluster: Any) -> None:
    truths, limits = [TRUTH] * len(COMPLETIONS), Limits(cpu_s=1)
    for rule in ("binary", "pass_rate"):
        there = score(COMPLETIONS, truths, rule=rule, limits=limits, runner="ray")
        assert told(there) == told(score(COMPLETIONS, truths, rule=rule, limits=limits))
    assert [each.score for each in there][:3] == [1.0, 1.0, 1 / 4]  # 0 + 0 is the first number
    jury = runners.jury("ray")
    assert runners.jury("ray") is jury  # kept from call to call
    assert jury.sandbox.workers == 2


def test_rewards_of_a_process_that_is_not_connected(address: str) -> None:
    first = score(COMPLETIONS[:1], [TRUTH], runner="ray", ray_address=address)
    jury = runners.jury("ray", address)
    assert [each.score for each in first] == [1.0]
    ray.shutdown()  # as a trainer may do between two steps
    again = score(COMPLETIONS[:1], [TRUTH], runner="ray", ray_address=address)
    assert [each.score for each in again] == [1.0]
    assert runners.jury("ray", address) is not jury


def test_rewards_by_coroutines(cluster: Any) -> None:
    async def both() -> list[list[Reward]]:
        work = (score_async([each] * 3, [TRUTH] * 3, runner="ray") for each in COMPLETIONS[:3])
        return list(await asyncio.gather(*work))

    assert [[each.score for each in said] for said in asyncio.run(both())] == [[1.0] * 3, [1.0] * 3, [0.0] * 3]


def test_rewards_by_adapters(cluster: Any) -> None:
    from codejury.integrations import open_r1, rllm, trl, verl

    row = verl.compute_score("taco", COMPLETIONS[0], json.dumps(TRUTH), runner="ray", ray_address=None)
    assert (row["score"], row["graded"]) == (1.0, 1.0)
    by_trl = trl.reward_function("tests", runner="ray")
    assert by_trl(completions=COMPLETIONS[:3], tests=[TRUTH] * 3) == [1.0, 1.0, 1 / 4]
    info = {"language": "python", "test_cases": [{"input": "1 2", "output": "3"}, {"input": "1 2", "output": "4"}]}
    assert open_r1.code_reward(COMPLETIONS[:1], verification_info=[info], runner="ray") == [0.5]
    assert open_r1.Provider(runner="ray").execute_scripts(["6 * 7"], ["python"]) == [42.0]
    said = rllm.reward_fn(runner="ray")({"data_source": "taco", "ground_truth": TRUTH}, COMPLETIONS[0])
    assert (said.reward, said.is_correct) == (1.0, True)


def test_rewards_after_a_fork(cluster: Any) -> None:
    """Ray cannot be used there, and would hang: it is said instead."""
    assert score(COMPLETIONS[:1], [TRUTH], runner="ray")[0].score == 1.0
    here, there = os.pipe()
    child = os.fork()
    if not child:
        try:
            score(COMPLETIONS[:1], [TRUTH], runner="ray")
        except BaseException as error:  # noqa: BLE001 - the other process looks at it
            os.write(there, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(there)
    with open(here, "rb") as said:
        words = said.read().decode()
    os.waitpid(child, 0)
    assert words.startswith("UsageError: runner: a process that was forked")
    assert score(COMPLETIONS[:1], [TRUTH], runner="ray")[0].score == 1.0  # here nothing has changed


def test_rewards_while_a_node_is_lost(cluster: Any) -> None:
    from codejury.runners.ray import RayPool

    third = cluster.add_node(num_cpus=2)
    slow = f"import time\ntime.sleep(0.5)\n{SUM}"
    completions = [f"```python\n# {n}\n{slow}\n```" for n in range(24)]
    with Sandbox(pool=RayPool()) as box, Jury(box) as jury:
        assert box.workers == 4
        found: list[list[Reward]] = []
        thread = threading.Thread(
            target=lambda: found.append(score(completions, [TRUTH] * 24, rule="pass_rate", jury=jury))
        )
        thread.start()
        thread.join(3)  # in the middle: the sleeps alone take twelve seconds
        assert thread.is_alive()
        cluster.remove_node(third, allow_graceful=False)
        thread.join()
        assert box.workers == 2
    assert [each.score for each in found[0]] == [1.0] * 24


def test_a_node_killed_during_gen(cluster: Any, tmp_path: Path) -> None:
    """Its runs are done by others, and the output is the one of a single machine."""
    from codejury.runners.ray import RayPool
    from codejury.testgen.crew import Tally
    from codejury.testgen.run import generate

    def rows() -> Iterator[dict[str, Any]]:
        for n in range(200):
            generator = f"print([f'{n} {{k}}' for k in range(6)])"
            yield {"custom_id": f"p{n}", "solutions": [SUM, SUM + "\n"], "input_generator": [generator]}

    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows()))

    def made(name: str) -> dict[str, Any]:
        lines = (tmp_path / name).read_text().splitlines()
        return {row["custom_id"]: row["reward"] for row in map(json.loads, lines)}

    assert generate(source, tmp_path / "alone.jsonl", workers=2).counts["tests"] == 1200
    third = cluster.add_node(num_cpus=2)
    tally = Tally()
    with Sandbox(pool=RayPool()) as box:
        assert box.workers == 4
        raised: list[BaseException] = []

        def work() -> None:
            try:
                generate(source, tmp_path / "there.jsonl", sandbox=box, tally=tally)
            except BaseException as error:  # noqa: BLE001 - told below
                raised.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        while tally["made"] < 20 and thread.is_alive():
            thread.join(0.05)
        assert not raised
        assert thread.is_alive()
        cluster.remove_node(third, allow_graceful=False)
        thread.join()
        assert not raised
        assert box.workers == 2
    assert len(made("there.jsonl")) == 200
    assert made("there.jsonl") == made("alone.jsonl")


def test_the_command_line(cluster: Any, tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "p.py").write_text(SUM)
    (tmp_path / "t.json").write_text(json.dumps([{"input": "1 2", "output": "3"}, {"input": "1 2", "output": "4"}]))
    command = ["judge", "p.py", "2", "256", "t.json"]
    said = [
        subprocess.run(
            [sys.executable, "-m", "codejury.cli", *command, *more], cwd=tmp_path, capture_output=True, text=True
        )
        for more in ([], ["--runner", "ray", "--ray-address", cluster.address])
    ]
    assert [each.returncode for each in said] == [0, 0], said[1].stderr
    verdicts = [[case["status"] for case in json.loads(each.stdout)] for each in said]
    assert verdicts[0] == verdicts[1] == ["success", "wrong_answer"]
