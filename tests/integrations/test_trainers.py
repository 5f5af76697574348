"""The adapters, called the way their peers call them: by keyword, with what else the peers hand over, and with the
peers' own classes where they are installed."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from reward.shapes import CASES, CHECK, FUNCTION, LISTS, PROGRAM, WRONG_PROGRAM, fenced

import codejury
from codejury.errors import InternalError, UsageError, WorkerLost
from codejury.integrations import open_r1, rllm, trl, verifiers, verl
from codejury.model import Problem, Submission

HALF = "n = int(input())\nprint(8 if n == 4 else 0)\n"


class Broken(codejury.Jury):
    """Judges nothing."""

    def judge_each(self, work: Iterable[tuple[Submission, Problem]], **options: Any) -> Iterator[Any]:
        for _ in work:
            yield WorkerLost("gone")


@pytest.fixture(scope="module")
def broken() -> Iterator[codejury.Jury]:
    with Broken(workers=1) as made:
        yield made


def chat(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


# --- verl ------------------------------------------------------------------------------------------------------------


def loaded_as_verl_does() -> Any:
    """From the path in custom_reward_function.path, under a name of verl's own."""
    spec = importlib.util.spec_from_file_location("custom_module", str(verl.__file__))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compute_score


def test_verl_by_path_and_keywords() -> None:
    compute_score = loaded_as_verl_does()
    common = {"data_source": "codecontests", "ground_truth": json.dumps(LISTS), "extra_info": {"index": 1}}
    more = {"reward_router_address": None, "reward_model_tokenizer": None, "sandbox_fusion_url": "http://nowhere"}
    said = [
        compute_score(**common, **more, rule="pass_rate", solution_str=text + "<|im_end|>")
        for text in (fenced(PROGRAM), fenced(HALF), "no code")
    ]
    assert [each["score"] for each in said] == pytest.approx([1.0, 2 / 3, 0.0])
    assert [each["verdict"] for each in said] == ["success", "wrong_answer", "no_code"]
    assert len({tuple(each) for each in said}) == 1, "every sample has the same keys"
    assert all(isinstance(each["score"], float) for each in said)


def test_verl_with_what_parquet_holds() -> None:
    truth = {name: numpy.array(values, dtype=object) for name, values in LISTS.items()}
    assert verl.compute_score("x", fenced(PROGRAM), truth, limits={"cpu_s": 2, "memory_mb": 256})["score"] == 1.0
    with pytest.raises(UsageError, match="limits"):
        verl.compute_score("x", fenced(PROGRAM), truth, limits={"seconds": 2})


def test_verl_awaited_and_in_batches() -> None:
    assert inspect.iscoroutinefunction(verl.compute_score_async)
    assert asyncio.run(verl.compute_score_async("x", fenced(PROGRAM), json.dumps(LISTS)))["score"] == 1.0
    said = verl.compute_score_batch(
        data_sources=numpy.array(["x", "x"]),
        solution_strs=[fenced(PROGRAM), fenced(WRONG_PROGRAM)],
        ground_truths=[json.dumps(LISTS)] * 2,
        extra_infos=[None, None],
    )
    assert [each["score"] for each in said] == [1.0, 0.0]


def test_verl_never_gets_a_nought_for_a_graders_failure(broken: codejury.Jury) -> None:
    with pytest.raises(InternalError, match="gone"):
        verl.compute_score("x", fenced(PROGRAM), LISTS, jury=broken, retries=0)
    said = verl.compute_score("x", fenced(PROGRAM), LISTS, jury=broken, retries=0, ungraded=-7)
    assert (said["score"], said["graded"]) == (-7.0, 0.0)
    good = verl.compute_score("x", fenced(PROGRAM), LISTS)
    assert list(good) == list(said)


# --- TRL -------------------------------------------------------------------------------------------------------------


def test_trl_as_the_trainer_calls(broken: codejury.Jury) -> None:
    logged: dict[str, Any] = {}
    given = {
        "prompts": ["Double."] * 3,
        "completions": [chat(fenced(PROGRAM)), chat(fenced(HALF)), chat("no")],
        "completion_ids": [[1], [2], [3]],
        "ground_truth": [json.dumps(LISTS)] * 3,
        "difficulty": [1, 2, 3],
        "trainer_state": SimpleNamespace(global_step=1),
        "log_extra": lambda column, values: logged.update({column: values}),
        "log_metric": lambda name, value: logged.update({name: value}),
    }
    assert trl.code_reward(**given) == pytest.approx([1.0, 2 / 3, 0.0])
    assert logged["verdict"] == ["success", "wrong_answer", "no_code"]
    assert logged["codejury/right"] == pytest.approx(1 / 3)
    assert trl.code_reward.__name__ == "code_reward"
    assert inspect.iscoroutinefunction(trl.code_reward_async)
    assert asyncio.run(trl.code_reward_async(**given)) == pytest.approx([1.0, 2 / 3, 0.0])  # type: ignore[arg-type]
    strict = trl.reward_function("ground_truth", rule="binary", name="strict")
    assert (strict(**given), strict.__name__) == ([1.0, 0.0, 0.0], "strict")
    failing = trl.reward_function(jury=broken, retries=0)
    assert failing(**given) == [None, None, 0.0]
    with pytest.raises(UsageError, match="the columns are difficulty"):
        trl.code_reward(prompts="p", completions=["a"], difficulty=[1])


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("verification_info", {"language": "python", "test_cases": CASES}, PROGRAM),
        ("input_output", json.dumps(LISTS), PROGRAM),
        ("reward_model", {"style": "rule", "ground_truth": json.dumps(LISTS)}, PROGRAM),
        ("test_list", ["assert double(2) == 4"], FUNCTION),
        ("test", CHECK + "\ncheck(double)\n", FUNCTION),
        ("answer", json.dumps(LISTS), PROGRAM),
    ],
)
def test_trl_columns(column: str, value: Any, code: str) -> None:
    assert trl.code_reward(prompts=["p"], completions=[fenced(code)], **{column: [value]}) == [1.0]


# --- open-r1 ---------------------------------------------------------------------------------------------------------


def script_of_open_r1(code: str) -> str:
    """One script with the candidate, its tests and the arithmetic, indented, that comes to its share in the end."""
    return f"""
    import json
    import subprocess

    def evaluate_code(code, test_cases):
        raise SystemExit("the candidate and its score share a process here: this must not run")

    code_snippet = {json.dumps(code)}
    test_cases = json.loads({json.dumps(json.dumps(CASES))})

    evaluate_code(code_snippet, test_cases)
    """


def test_open_r1_reward(broken: codejury.Jury) -> None:
    info = [{"language": "python", "test_cases": CASES}] * 3
    completions = [chat(fenced(PROGRAM)), chat(fenced(HALF)), chat("no")]
    assert open_r1.code_reward(completions, num_parallel=2, verification_info=info) == pytest.approx([1.0, 2 / 3, 0.0])
    assert open_r1.code_reward(completions[:1], verification_info=info[:1], jury=broken, retries=0) == [None]


def test_open_r1_provider_takes_its_scripts_apart(broken: codejury.Jury) -> None:
    tricky = 'print("```")\n' * 0 + f"x = '```'\n{PROGRAM}"
    scripts = [script_of_open_r1(code) for code in (PROGRAM, HALF, "print('1.0')", "import os\nos._exit(0)", tricky)]
    rewards = open_r1.Provider().execute_scripts(scripts, ["python"] * 5)
    assert rewards == pytest.approx([1.0, 2 / 3, 0.0, 0.0, 1.0])
    assert open_r1.Provider(jury=broken).execute_scripts(scripts[:1], ["python"]) == [None]


def test_open_r1_runs_other_scripts_as_a_notebook_does() -> None:
    scripts = [
        "x = 1\nx / 4",
        "print(2)",
        "raise ValueError",
        "    import math\n    math.floor(0.9)",
        "console.log('0.5')",
    ]
    languages = ["python"] * 4 + ["javascript"]
    assert open_r1.Provider().execute_scripts(scripts, languages) == [0.25, 0.0, 0.0, 0.0, 0.5]
    with pytest.raises(UsageError, match="expected one for each of 5 scripts"):
        open_r1.Provider().execute_scripts(scripts, ["python"])


def test_open_r1_batches(broken: codejury.Jury) -> None:
    body = {
        "scripts": [script_of_open_r1(PROGRAM), "print('said')\n1 / 0", "klingon"],
        "languages": ["python", "python", "klingon"],
        "timeout": 30,
        "request_timeout": 28,
    }
    first, second, third = json.loads(json.dumps(open_r1.execute_batch(body)))
    assert first["execution"]["results"] == [{"text": "1.0", "is_main_result": True}]
    assert (first["text"], first["execution"]["error"], first["exception_str"]) == ("1.0", None, None)
    assert second["execution"]["error"]["name"] == "runtime_error"
    assert "ZeroDivisionError" in second["execution"]["error"]["traceback"]
    assert second["execution"]["logs"]["stdout"] == ["said\n"]
    assert third["execution"] is None
    assert "klingon" in third["exception_str"]
    (failed,) = open_r1.execute_batch({"scripts": body["scripts"][:1], "language": "python"}, jury=broken)
    assert failed["execution"] is None
    for wrong in ({}, {"scripts": [1]}, {"scripts": ["a"], "languages": [1]}, {"scripts": ["a"], "timeout": "long"}):
        with pytest.raises(UsageError, match="expected"):
            open_r1.execute_batch(wrong)


# --- rllm ------------------------------------------------------------------------------------------------------------


def test_rllm(broken: codejury.Jury) -> None:
    info = {"data_source": "livecodebench", "ground_truth": json.dumps(CASES), "problem": "Double."}
    right = rllm.code_reward_fn(info, fenced(PROGRAM))
    wrong = rllm.code_reward_fn(info, SimpleNamespace(action=fenced(HALF)))
    assert (right.reward, right.is_correct, wrong.reward, wrong.is_correct) == (1.0, True, 0.0, False)
    assert wrong.metadata["verdict"] == "wrong_answer"
    with pytest.raises(InternalError, match="gone"):
        rllm.reward_fn(jury=broken, retries=0)(info, fenced(PROGRAM))
    assert rllm.reward_fn(jury=broken, retries=0, ungraded=-1.0)(info, fenced(PROGRAM)).reward == -1.0
    with pytest.raises(UsageError, match="ground_truth"):
        rllm.code_reward_fn({"data_source": "apps"}, fenced(PROGRAM))


# --- verifiers -------------------------------------------------------------------------------------------------------


def test_verifiers_as_a_rubric_calls(broken: codejury.Jury) -> None:
    state: dict[str, Any] = {}
    given = {
        "prompt": chat("Double."),
        "state": state,
        "parser": None,
        "task": "code",
        "completion": chat(fenced(HALF)),
    }
    by_info = verifiers.code_reward(**given, answer="", info={"verification_info": {"test_cases": CASES}})
    assert asyncio.run(by_info) == pytest.approx(2 / 3)
    assert state["codejury"]["passed"] == 2
    assert asyncio.run(verifiers.code_reward(**given, answer=json.dumps(LISTS), info={})) == pytest.approx(2 / 3)
    failing = verifiers.reward_function(jury=broken, retries=0, name="ours")
    assert failing.__name__ == "ours"
    assert math.isnan(asyncio.run(failing(**given, answer=json.dumps(LISTS), info=None)))
    assert "gone" in str(state["error"])
    with pytest.raises(UsageError, match="expected tests"):
        asyncio.run(verifiers.code_reward(**given, answer="", info={}))


def test_verifiers_v1(broken: codejury.Jury) -> None:
    task = SimpleNamespace(prompt="Double.", tests=json.dumps(LISTS))
    trace = SimpleNamespace(last_reply=fenced(PROGRAM))
    assert asyncio.run(verifiers.reward_of(task, trace)) == 1.0
    assert asyncio.run(verifiers.reward_of(SimpleNamespace(data=task), trace, rule="binary")) == 1.0
    with pytest.raises(InternalError, match="gone"):
        asyncio.run(verifiers.reward_of(task, trace, jury=broken, retries=0))


@pytest.mark.filterwarnings("ignore")
def test_the_real_rubric_of_verifiers(broken: codejury.Jury) -> None:
    vf = pytest.importorskip("verifiers", reason="verifiers is not installed: pip install 'verifiers<0.2'")
    if not hasattr(vf, "Rubric"):
        pytest.skip("this verifiers has no Rubric: it is v1")
    for jury, expected in ((None, 2 / 3), (broken, None)):
        state = vf.State(
            input={"prompt": chat("Double."), "answer": json.dumps(LISTS), "example_id": 0, "task": "code"}
        )
        state["prompt"], state["completion"], state["answer"] = chat("Double."), chat(fenced(HALF)), json.dumps(LISTS)
        state["task"], state["info"], state["timing"], state["trajectory"] = "code", {}, vf.types.RolloutTiming(), []
        asyncio.run(verifiers.rubric(retries=0, jury=jury).score_rollout(state))
        if expected is None:
            assert math.isnan(state["reward"])
            assert isinstance(state["error"], vf.InfraError)
        else:
            assert state["reward"] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore")
def test_the_real_v1_of_verifiers() -> None:
    pytest.importorskip("verifiers", reason="verifiers is not installed: pip install verifiers")
    if importlib.util.find_spec("verifiers.v1") is None:
        pytest.skip("this verifiers has no v1")
    if not hasattr(importlib.import_module("verifiers.v1"), "TaskData"):
        pytest.skip("this verifiers has a v1 that is not yet the one of 0.4")
    example = Path(__file__).resolve().parents[2] / "examples" / "rewards" / "verifiers_v1.py"
    spec = importlib.util.spec_from_file_location("example_verifiers_v1", example)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert asyncio.run(module.scored(fenced(PROGRAM))) == 1.0
    assert asyncio.run(module.scored(fenced(WRONG_PROGRAM))) == 0.0
