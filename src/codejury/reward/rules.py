"""What a judgement is worth: from verdicts to a number, by a rule that is data.

Owns the rules and their arithmetic. A rule sees verdicts alone: a failure of ours never comes here, so that it cannot
become a nought.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Literal

import msgspec

from codejury.errors import UsageError
from codejury.model import Judgement, Problem


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a judgement becomes a number; rules.toml says what the fields mean."""

    by: Literal["all", "rate", "weighted"] = "all"
    right: float = 1.0
    wrong: float = 0.0
    weights: dict[str, float] = {}
    form: Literal["code", "fence"] = "code"
    format_penalty: float = 0.0

    def __post_init__(self) -> None:
        numbers = {"right": self.right, "wrong": self.wrong, "format_penalty": self.format_penalty}
        numbers |= {f"weights.{name}": each for name, each in self.weights.items()}
        for name, value in numbers.items():
            if not math.isfinite(value):
                raise ValueError(f"{name}: expected a finite number, got {value!r}")
        for name, value in (("format_penalty", self.format_penalty), *self.weights.items()):
            if value < 0:
                raise ValueError(f"{name}: expected a number from 0, got {value!r}")

    @property
    def stops_early(self) -> bool:
        """Whether the first failure decides."""
        return self.by == "all"


@functools.cache
def rules() -> Mapping[str, Rule]:
    """Those that have a name."""
    text = (resources.files("codejury.reward") / "rules.toml").read_text()
    return {name: msgspec.convert(table, Rule) for name, table in tomllib.loads(text).items()}


def rule_of(given: str | Rule | Mapping[str, Any]) -> Rule:
    """By its name, as it is, or out of its fields."""
    if isinstance(given, Rule):
        return given
    if isinstance(given, Mapping):
        try:
            return msgspec.convert(dict(given), Rule)
        except (msgspec.ValidationError, ValueError) as error:
            raise UsageError(f"rule: expected the fields of a Rule: {error}") from None
    if given not in rules():
        raise UsageError(f"rule: expected a Rule, its fields, or one of {', '.join(rules())}; got {given!r}")
    return rules()[given]


def worth(rule: Rule, problem: Problem, said: Judgement | None, *, in_form: bool) -> float:
    """The number. `said` None: there was no code to judge."""
    share = 0.0 if said is None else _share(rule, problem, said)
    number = rule.wrong + (rule.right - rule.wrong) * share
    return number if in_form else number - rule.format_penalty


def _share(rule: Rule, problem: Problem, said: Judgement) -> float:
    if said.accepted:  # not by way of sums: the whole is the whole
        return 1.0
    if rule.by == "all" or said.total == 0:
        return 0.0
    if rule.by == "weighted":
        weights = _weights(rule, problem)
        # The parts of a test script are its own, and may be more than the problem has cases.
        if weights is not None and said.total == len(weights):
            passed = sum(weights[result.index] for result in said.cases if result.verdict == "success")
            return passed / sum(weights)
    return said.passed / said.total


def _weights(rule: Rule, problem: Problem) -> Sequence[float] | None:
    own = problem.extra.get("weights")
    if own is not None:
        return own if len(own) == len(problem.cases) and sum(own) > 0 else None
    groups = [case.group for case in problem.cases]
    weights = [rule.weights.get(group, 1.0) / groups.count(group) for group in groups]
    return weights if sum(weights) > 0 else None
