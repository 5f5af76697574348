"""TRL: reward functions of GRPOTrainer and its kin.

    GRPOTrainer(reward_funcs=code_reward, …)                              the tests are in a column of a usual name
    GRPOTrainer(reward_funcs=reward_function("tests", rule="binary"), …)   in that column, by that rule

Called as f(prompts=…, completions=…, completion_ids=…, <columns as lists>, trainer_state=…, log_extra=…, log_metric=…).
What nobody could judge is None, which TRL leaves out of the mean.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from codejury.errors import UsageError
from codejury.reward import Reward, score, score_async

# The first of these that the data set has. Those that are tests come before those that may be anything.
COLUMNS = (
    "verification_info",
    "ground_truth",
    "reward_model",
    "tests",
    "test_cases",
    "input_output",
    "test_list",
    "test",
    "custom_id",
    "answer",
)

RewardFunction = Callable[..., list[float | None]]
AsyncRewardFunction = Callable[..., Awaitable[list[float | None]]]


def reward_function(column: str | None = None, *, name: str = "code_reward", **options: Any) -> RewardFunction:
    """A reward function. `column`: where the tests are, else the first of COLUMNS; `options`: of `reward.score`."""
    options = {"rule": "pass_rate", **options}

    def reward(completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return _told(score(completions, _truths(columns, column), **options), columns)

    reward.__name__ = reward.__qualname__ = name  # TRL logs by it
    return reward


def async_reward_function(
    column: str | None = None, *, name: str = "code_reward", **options: Any
) -> AsyncRewardFunction:
    """The same as a coroutine: TRL awaits all such at once."""
    options = {"rule": "pass_rate", **options}

    async def reward(completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return _told(await score_async(completions, _truths(columns, column), **options), columns)

    reward.__name__ = reward.__qualname__ = name
    return reward


def _truths(columns: Mapping[str, Any], column: str | None) -> Sequence[Any]:
    name = column or next((name for name in COLUMNS if columns.get(name) is not None), None)
    found = columns.get(name) if name is not None else None
    if found is None:
        there = ", ".join(sorted(name for name, each in columns.items() if isinstance(each, list))) or "none"
        raise UsageError(f"expected tests in the column {column or ' or '.join(COLUMNS)}; the columns are {there}")
    return list(found)


def _told(said: Sequence[Reward], columns: Mapping[str, Any]) -> list[float | None]:
    """The numbers; and where the trainer keeps more, the verdicts and how many were not judged."""
    log_extra, log_metric = columns.get("log_extra"), columns.get("log_metric")
    if callable(log_extra):
        log_extra("verdict", [each.verdict or each.trouble for each in said])
    if callable(log_metric) and said:
        log_metric("codejury/right", sum(each.is_right for each in said) / len(said))
        log_metric("codejury/not_judged", sum(each.score is None for each in said) / len(said))
    return [each.score for each in said]


code_reward = reward_function()
code_reward_async = async_reward_function()
