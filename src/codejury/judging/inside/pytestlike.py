"""A stand-in for pytest where the sandbox's interpreter has none: what test functions use of it inside their bodies,
and parametrize. Runs inside the sandbox, in the test's process. Fixtures and plugins are not here.
"""

from __future__ import annotations

import math
import re
import sys
import types
from typing import Any


class Skipped(Exception):
    """What skip() raises."""


class Failed(AssertionError):
    """What fail() raises, and raises() where nothing was raised."""


class _Raises:
    def __init__(self, expected: Any, match: str | None) -> None:
        self._expected, self._match = expected, match
        self.value: Any = None
        self.type: Any = None

    def __enter__(self) -> _Raises:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool:
        if kind is None:
            raise Failed(f"DID NOT RAISE {self._expected!r}")
        if not issubclass(kind, self._expected):
            return False
        self.type, self.value = kind, value
        if self._match is not None and not re.search(self._match, str(value)):
            raise Failed(f"{str(value)[:200]!r} does not match {self._match!r}")
        return True


def raises(expected: Any, *call: Any, match: str | None = None, **keywords: Any) -> Any:
    context = _Raises(expected, match)
    if not call:
        return context
    with context:
        call[0](*call[1:], **keywords)
    return context


class approx:  # noqa: N801 - pytest's name
    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> None:
        self._expected, self._relative, self._absolute, self._nan_ok = expected, rel, abs, nan_ok

    def _near(self, expected: Any, got: Any) -> bool:
        if type(expected) is dict:
            return (
                isinstance(got, dict)
                and expected.keys() == got.keys()
                and all(self._near(expected[k], got[k]) for k in got)
            )
        if isinstance(expected, (list, tuple)):
            return (
                isinstance(got, (list, tuple))
                and len(expected) == len(got)
                and all(self._near(*pair) for pair in zip(expected, got, strict=True))
            )
        if not isinstance(expected, (int, float)) or not isinstance(got, (int, float)):
            return bool(expected == got)
        if math.isnan(expected) and math.isnan(got):
            return self._nan_ok
        absolute = 1e-12 if self._absolute is None else self._absolute
        relative = self._relative if self._relative is not None else 1e-6 if self._absolute is None else 0.0
        return expected == got or abs(expected - got) <= max(absolute, relative * abs(expected))

    def __eq__(self, other: object) -> bool:
        return self._near(self._expected, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"approx({self._expected!r})"


class _Mark:
    def __init__(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, function: Any) -> Any:
        function.pytestmark = [*getattr(function, "pytestmark", []), self]
        return function


class _Marks:
    def __getattr__(self, name: str) -> Any:
        def mark(*args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and callable(args[0]) and not kwargs:
                return _Mark(name, (), {})(args[0])
            return _Mark(name, args, kwargs)

        return mark


def skip(reason: str = "", **_: Any) -> None:
    raise Skipped(reason)


def fail(reason: str = "", **_: Any) -> None:
    raise Failed(reason)


class ParameterSet:
    """One row of parametrize."""

    def __init__(self, *values: Any, **_: Any) -> None:
        self.values = values


def offer() -> None:
    """From now on `import pytest` finds this, where it finds nothing else."""
    sys.meta_path.append(_Finder)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name != "pytest":
            return None
        import importlib.machinery

        return importlib.machinery.ModuleSpec("pytest", _Finder)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: Any) -> types.ModuleType:
        module = types.ModuleType("pytest")
        here = {"raises": raises, "approx": approx, "skip": skip, "fail": fail, "param": ParameterSet, "mark": _Marks()}
        module.__dict__.update(here)
        return module

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        """All is there."""
