"""verl: `compute_score`, called with keywords for each sample; the file itself is what verl is given.

    custom_reward_function.path=$(python -c 'import codejury.integrations.verl as m; print(m.__file__)')
    custom_reward_function.name=compute_score
    custom_reward_function.reward_kwargs.rule=pass_rate

verl wants a number for every sample. One that nobody could judge, after retries, raises, for every number would be a
lie; with `ungraded` it gets that number, and `graded` 0 beside it, by which it can be masked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codejury.errors import InternalError, UsageError
from codejury.model import Limits
from codejury.reward import Reward, score, score_async

_OPTIONS = (
    *("rule", "tests", "language", "max_tests", "retries", "stop_on_time_limit"),
    *("jury", "runner", "ray_address"),
)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    limits: Mapping[str, float] | Limits | None = None,
    ungraded: float | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A sample's score, with the same keys for all samples.

    rule, tests, language, max_tests, retries, runner, ray_address   as `codejury.reward.score` has them
    limits     {"cpu_s": 2, "memory_mb": 512}
    ungraded   the number of what nobody could judge; None: an error is raised

    What else verl gives (a sandbox's address, a reward model) is not needed.
    """
    (said,) = score([solution_str], [ground_truth], limits=_limits(limits), **_known(options))
    return _row(said, ungraded)


async def compute_score_async(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    limits: Mapping[str, float] | Limits | None = None,
    ungraded: float | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The same for a reward loop that awaits."""
    (said,) = await score_async([solution_str], [ground_truth], limits=_limits(limits), **_known(options))
    return _row(said, ungraded)


def compute_score_batch(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Any] | None = None,
    *,
    limits: Mapping[str, float] | Limits | None = None,
    ungraded: float | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """For reward_manager=batch: all samples at once, and duplicates judged once."""
    said = score(list(solution_strs), list(ground_truths), limits=_limits(limits), **_known(options))
    return [_row(each, ungraded) for each in said]


def _known(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in _OPTIONS if name in options}


def _limits(given: Mapping[str, float] | Limits | None) -> Limits | None:
    if given is None or isinstance(given, Limits):
        return given
    try:
        return Limits(**dict(given))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise UsageError(f"limits: expected fields of Limits: {error}") from error


def _row(said: Reward, ungraded: float | None) -> dict[str, Any]:
    number = said.score
    if number is None:
        if ungraded is None:
            raise InternalError(f"a sample could not be judged ({said.trouble}): {said.message}")
        number = float(ungraded)
    return {
        "score": number,
        "acc": float(said.is_right),
        "graded": float(said.score is not None),
        "passed": said.passed,
        "total": said.total,
        "verdict": said.verdict or said.trouble,
    }
