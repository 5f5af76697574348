"""verifiers: a function for a Rubric, and one for the tasks of v1.

    vf.Rubric(funcs=[code_reward])                         up to 0.1.x: f(completion, answer, prompt, state, info, …)
    await reward_of(task, trace)                           v1: a task's reward, in a method marked @vf.reward

The tests are in `info` or `answer`; of a v1 task in its fields.

A Rubric counts an exception as 0. So what nobody could judge marks the rollout as failed for want of infrastructure,
which verifiers tells apart, and is not a number. In v1 an exception does the same.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any

from codejury.errors import InternalError, UsageError
from codejury.integrations.trl import COLUMNS
from codejury.reward import Reward, score_async


async def code_reward(
    completion: Any,
    answer: Any = None,
    prompt: Any = None,
    state: Any = None,
    parser: Any = None,
    info: Any = None,
    **options: Any,
) -> float:
    """The share of tests that pass. `state["codejury"]` says why."""
    return await _graded(completion, _truth(info, answer), state, {"rule": "pass_rate"})


def reward_function(*, name: str = "code_reward", **options: Any) -> Any:
    """The same with options of `codejury.reward.score`."""

    async def reward(completion: Any, answer: Any = None, state: Any = None, info: Any = None, **more: Any) -> float:
        return await _graded(completion, _truth(info, answer), state, {"rule": "pass_rate", **options})

    reward.__name__ = reward.__qualname__ = name  # verifiers names the metric by it
    return reward


def rubric(**options: Any) -> Any:
    """A Rubric of that one function."""
    verifiers = importlib.import_module("verifiers")
    return verifiers.Rubric(funcs=[reward_function(**options)], weights=[1.0])


async def reward_of(task: Any, trace: Any, **options: Any) -> float:
    """The reward of a v1 trace. `task`: the task's data, or the task."""
    data = getattr(task, "data", task)
    fields = data.model_dump() if hasattr(data, "model_dump") else vars(data)
    truth = _truth(fields, None)
    text = trace.last_reply
    (said,) = await score_async([text() if callable(text) else text], [truth], **{"rule": "pass_rate", **options})
    if said.score is None:
        raise InternalError(f"a rollout could not be judged ({said.trouble}): {said.message}")
    return said.score


def _truth(info: Any, answer: Any) -> Any:
    if isinstance(info, str):
        return info
    if isinstance(info, Mapping):
        found = next((info[name] for name in COLUMNS if info.get(name) is not None), None)
        if found is not None:
            return found
    if answer is None or answer == "":
        raise UsageError(f"expected tests: in info, as {' or '.join(COLUMNS)}, or as the answer")
    return answer


async def _graded(completion: Any, truth: Any, state: Any, options: Mapping[str, Any]) -> float:
    (said,) = await score_async([completion], [truth], **options)
    if isinstance(state, dict):
        state["codejury"] = said.metadata()
    if said.score is None:
        if isinstance(state, dict) and state.get("error") is None:
            state["error"] = _failure(said)
        return math.nan
    return said.score


def _failure(said: Reward) -> Exception:
    message = f"a rollout could not be judged ({said.trouble}): {said.message}"
    try:
        made: Exception = importlib.import_module("verifiers").InfraError(message)
    except (ImportError, AttributeError):
        made = InternalError(message)
    return made
