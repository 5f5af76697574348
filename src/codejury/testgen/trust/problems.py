"""Checker and validators of one problem, as it was read from a file or is a package of a contest.

Owns what they are tried on: the problem's own tests, and what its golds print on them. A package's input validators may
take other flags for each group of tests; they are tried group by group.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from codejury.dataset.formats import kattis
from codejury.languages.execute import Sandbox
from codejury.model import Problem, TestCase
from codejury.testgen.rows import Validator, validators_of
from codejury.testgen.trust.checkers import checker_trust, chosen, gold_outputs
from codejury.testgen.trust.validators import validator_trust
from codejury.testgen.trust.words import CASE_CHARACTERS, MAX_RUNS, Trust, together


class Trusts(msgspec.Struct, frozen=True, kw_only=True):
    """Of one problem. None where it has no checker, or no validator, that can be run."""

    id: str
    checker: Trust | None = None
    validator: Trust | None = None

    @property
    def trusted(self) -> bool:
        return all(each.trusted for each in (self.checker, self.validator) if each is not None)


def trusts(sandbox: Sandbox, problem: Problem, *, seed: int = 0) -> Trusts:
    """Tries what the problem has."""
    checker = None
    if problem.checker is not None and problem.kind == "stdin":
        cases = chosen(problem.cases)
        outputs = gold_outputs(sandbox, problem, cases)
        checker = checker_trust(sandbox, problem.checker, cases, outputs, statement=problem.statement, seed=seed)
    return Trusts(id=problem.id, checker=checker, validator=_validator(sandbox, problem, seed))


def _validator(sandbox: Sandbox, problem: Problem, seed: int) -> Trust | None:
    validators = validators_of(problem)
    flags: dict[str, tuple[str, ...]] = {}
    if not validators and isinstance(problem.extra.get("kattis"), dict):
        package = problem.extra["kattis"]
        validators = tuple(msgspec.convert(each, Validator) for each in kattis.input_validators(package["directory"]))
        flags = _flags(package["groups"])
    if not validators:
        return None
    by_flags: dict[tuple[str, ...], list[str]] = {}
    for case in problem.cases:
        if (text := _text(case)) is not None:
            by_flags.setdefault(_nearest(flags, case.group), []).append(text)
    found = [
        validator_trust(
            sandbox,
            [msgspec.structs.replace(each, args=(*each.args, *args)) for each in validators],
            inputs,
            statement=problem.statement,
            seed=seed,
            max_runs=max(100, MAX_RUNS // len(by_flags)),
        )
        for args, inputs in by_flags.items()
    ]
    return together(found) if found else validator_trust(sandbox, validators, ())


def _text(case: TestCase) -> str | None:
    """What a validator is given: a function's arguments one a line."""
    text = case.input if isinstance(case.input, str) else "\n".join(map(json.dumps, case.input))
    return text if len(text) <= CASE_CHARACTERS else None


def _flags(groups: dict[str, dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    found = {}
    for group, entries in groups.items():
        given = entries.get("input_validator_flags", entries.get("input_validator_args"))
        if given is not None:
            found[group] = tuple(str(given).split())  # as the format has it: no quoting
    return found


def _nearest(flags: dict[str, tuple[str, ...]], group: str) -> tuple[str, ...]:
    """Of the group, or of the one around it that has some."""
    parts: Sequence[str] = group.split("/")
    for end in range(len(parts), -1, -1):
        name = "/".join(parts[:end])
        if name in flags:
            return flags[name]
    return ()
