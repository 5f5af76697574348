"""rllm: `code_reward_fn(task_info, action) -> RewardOutput`.

rllm's RewardOutput takes a number. What nobody could judge raises, or is `ungraded` where that is given.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from codejury.errors import InternalError, UsageError
from codejury.reward import Reward, score


@dataclasses.dataclass(slots=True, kw_only=True)
class RewardOutput:
    """As rllm has it; used where rllm is not installed."""

    reward: float
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)
    is_correct: bool | None = None


def reward_fn(*, ungraded: float | None = None, **options: Any) -> Callable[[Mapping[str, Any], Any], Any]:
    """A function for rllm, with options of `codejury.reward.score`."""

    def code_reward_fn(task_info: Mapping[str, Any], action: Any) -> Any:
        truth = task_info.get("ground_truth")
        if truth is None:
            raise UsageError("task_info: expected ground_truth, the tests")
        text = getattr(action, "action", action)  # an Action, or the text itself
        (said,) = score([text], [truth], **options)
        return _output(said, ungraded)

    return code_reward_fn


def _output(said: Reward, ungraded: float | None) -> Any:
    number = said.score if said.score is not None else ungraded
    if number is None:
        raise InternalError(f"a solution could not be judged ({said.trouble}): {said.message}")
    values = {"reward": number, "metadata": said.metadata(), "is_correct": said.is_right}
    try:
        made = importlib.import_module("rllm.rewards.reward_types").RewardOutput
    except ImportError:
        made = RewardOutput
    taken = {field.name for field in dataclasses.fields(made)}  # older ones have no metadata
    return made(**{name: value for name, value in values.items() if name in taken})


code_reward_fn = reward_fn()
