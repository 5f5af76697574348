"""A checker under test, and what is expected of it."""

from __future__ import annotations

import pytest

import codejury
from codejury.checkers.program import CheckResult, check
from codejury.errors import CheckerError
from codejury.model import Checker


class Jury:
    """A checker in a sandbox, asked about one answer after the other."""

    def __init__(self, box: codejury.Sandbox, checker: Checker) -> None:
        self.box, self.checker = box, checker

    def __call__(
        self, output: str, expected: str = "", input: str = "", limits: codejury.Limits | None = None
    ) -> CheckResult:
        return check(self.box, self.checker, input=input, output=output, expected=expected, limits=limits)

    def failure(self, output: str, expected: str = "", input: str = "", limits: codejury.Limits | None = None) -> str:
        """What is said where the checker fails; a test that expects it fails where there is a verdict."""
        with pytest.raises(CheckerError) as caught:
            self(output, expected, input, limits)
        return str(caught.value)
