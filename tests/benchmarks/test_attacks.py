"""Every trick of tests/attacks/verdict, told by a model, scores nothing; its honest twin scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attacks.verdict.test_verdict import ATTACKS, PROBLEMS, Attack
from llm.chat_server import ChatServer, Say

from codejury import Jury, TaskConfig, run_task
from codejury.benchmarks.results import read_results

LIMIT_S = 0.5


def row(number: int, attack: Attack, kind: str) -> dict[str, Any]:
    """A task whose tests are those of the attack's problem, in MBPP+'s form or in evalplus'."""
    problem = PROBLEMS[attack.problem]
    if kind == "function":
        arguments = [[n] for n in problem.answers]
        gold = f"def solve(n):\n    return {problem.answers!r}[n]\n"
        more = {"entry_point": "solve", "canonical_solution": gold, "base_input": arguments[:1], "atol": 0}
        return {"task_id": f"Mbpp/{number}", "prompt": f'"""{attack.name}"""\n', "plus_input": arguments[1:], **more}
    tests = {"test_list": list(problem.asserts), "test_imports": [problem.setup]}
    return {"task_id": number, "prompt": attack.name, "code": "", **tests}


def scores(tmp_path: Path, jury: Jury, kind: str, attacks: list[Attack], *, honest: bool) -> dict[str, bool]:
    """Attack -> whether it passes, by way of a whole run."""
    data = tmp_path / "tasks.jsonl"
    data.write_text("".join(json.dumps(row(number, each, kind)) + "\n" for number, each in enumerate(attacks)))

    def reply(body: Any) -> Any:
        asked = body["messages"][-1]["content"]
        attack = next(each for each in attacks if each.name in asked)
        return Say(f"```python\n{attack.honest if honest else attack.source}\n```")

    with ChatServer(reply) as model:
        config = TaskConfig(
            model="liar",
            api_url=model.url,
            datasets=["mbpp_plus"],
            dataset_args={"mbpp_plus": {"local_path": str(data), "review_timeout": LIMIT_S}},
            work_dir=str(tmp_path / "run"),
            no_timestamp=True,
            eval_batch_size=4,
        )
        (report,) = run_task(config, jury=jury).values()
    assert report.counts.judged == len(attacks)
    rows = read_results(Path(report.results))
    passed = {
        attacks[int(name.removeprefix("Mbpp/"))].name: {each["base_status"], each["plus_status"]} <= {"pass", None}
        for name, (each,) in rows.items()
    }
    assert report.score == pytest.approx(sum(passed.values()) / len(attacks))
    return passed


@pytest.mark.parametrize(("kind", "every"), [("script", 1), ("function", 4)])
def test_no_trick_scores(jury: Jury, tmp_path: Path, kind: str, every: int) -> None:
    """Under test scripts, all of them; as functions are judged the same way here as anywhere, some are enough."""
    attacks = [each for each in ATTACKS if kind in each.kinds][::every]
    assert len(attacks) > (50 if kind == "script" else 10)
    found = scores(tmp_path, jury, kind, attacks, honest=False)
    assert [name for name, passed in found.items() if passed] == []


@pytest.mark.parametrize("kind", ["script", "function"])
def test_their_honest_twins_do(jury: Jury, tmp_path: Path, kind: str) -> None:
    attacks = [each for each in ATTACKS if kind in each.kinds][::16]
    found = scores(tmp_path, jury, kind, attacks, honest=True)
    assert [name for name, passed in found.items() if not passed] == []
