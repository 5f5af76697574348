"""Real GRPO steps of TRL, on the CPU, of a tiny model with random weights: `make test-trl`."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: make test-trl")
pytest.importorskip("trl", reason="TRL is not installed: make test-trl")

pytestmark = pytest.mark.filterwarnings("ignore")


def example() -> Any:
    path = Path(__file__).resolve().parents[2] / "examples" / "rewards" / "trl_grpo.py"
    spec = importlib.util.spec_from_file_location("example_trl_grpo", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_grpo_learns_from_the_reward() -> None:
    means = example().train(8)
    assert len(means) == 8
    assert all(0.0 <= mean <= 1.0 for mean in means)
    assert sum(means[4:]) > sum(means[:4]), "of five programs, the one that is rewarded comes more often"


def test_grpo_goes_on_over_what_nobody_could_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """TRL takes None for not a number, and leaves it out."""
    from codejury.integrations.trl import reward_function

    module = example()
    judged = reward_function()
    seen: list[Any] = []

    def some(completions: Any, **columns: Any) -> list[float | None]:
        found = [None if place % 4 == 0 else each for place, each in enumerate(judged(completions, **columns))]
        seen.extend(found)
        return found

    some.__name__ = "code_reward"
    monkeypatch.setattr(module, "code_reward", some)
    means = module.train(2)
    assert None in seen
    assert not any(map(math.isnan, means))
