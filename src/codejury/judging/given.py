"""What callers give, as the judge's own words.

Owns the shapes that `codejury.judging` takes for tests and programs. Rows and files of data sets are read by `dataset`;
here is what somebody writes down in a call.

    a Problem                                                    as it is
    "assert f(1) == 2" or "def check(candidate): …"              a test script
    ["assert f(1) == 2", …]                                      the same in parts
    [TestCase(…), …]   [("1 2", "3"), …]   [{"input": "1 2", "output": "3"}, …]
    {"inputs": […], "outputs": […], "fn_name": …}                and whatever else `dataset` knows for tests
    {"custom_id": …, "question": …, …}                           a row of a data set
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from codejury.dataset.cases import Tests, cases_of, scripts_of
from codejury.dataset.problems import problem_of
from codejury.dataset.rows import BadRow
from codejury.errors import UsageError
from codejury.languages.catalog import Catalog
from codejury.languages.detect import detect
from codejury.model import Checker, CompareBy, Comparison, Problem, Submission, TestCase

_SCRIPT = re.compile(r"^\s*(assert\b|def\s+(test_|check\b)|class\s+\w+\(.*TestCase\)|import\s|from\s)", re.MULTILINE)


def submission(source: str | bytes | Path | Submission, language: str | None, catalog: Catalog) -> Submission:
    if isinstance(source, Submission):
        return source if language is None else msgspec.structs.replace(source, language=language)
    if isinstance(source, Path):
        try:
            text = source.read_bytes().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise UsageError(f"{source}: {error.strerror}") from error
        return Submission(source=text, language=language or detect(text, source.name, catalog).name)
    if isinstance(source, bytes):
        source = source.decode("utf-8", "surrogateescape")
    if not isinstance(source, str):
        raise UsageError(f"source: expected a program's text or the Path of its file, got {type(source).__name__}")
    return Submission(source=source, language=language)


def problem(
    tests: Any,
    *,
    fn_name: str | None = None,
    checker: Checker | str | None = None,
    compare: str | Comparison = "default",
) -> Problem:
    """`fn_name`, `checker` and `compare` say more than the tests do, and win over them."""
    found = _problem(tests, fn_name)
    changes: dict[str, Any] = {}
    if fn_name is not None:
        changes["fn_name"] = fn_name
        changes["kind"] = "script" if found.kind == "script" else "function"
    if checker is not None:
        changes["checker"] = (
            Checker(kind="klear", source=checker, language="python") if isinstance(checker, str) else checker
        )
    if compare != "default":
        changes["compare"] = comparison(compare)
    return msgspec.structs.replace(found, **changes) if changes else found


def comparison(how: str | Comparison) -> Comparison:
    if isinstance(how, Comparison):
        return how
    if how not in get_args(CompareBy):
        raise UsageError(f"compare: expected a Comparison or one of {', '.join(get_args(CompareBy))}, got {how!r}")
    return Comparison(by=how)  # type: ignore[arg-type]


def _problem(tests: Any, fn_name: str | None) -> Problem:
    if isinstance(tests, Problem):
        return tests
    if isinstance(tests, str) and _SCRIPT.search(tests):
        return _of(scripts_of([tests], fn_name=fn_name))
    if isinstance(tests, Mapping):
        try:
            return problem_of(tests, where="tests")
        except BadRow:
            return _of(cases_of(dict(tests), where="tests", fn_name=fn_name))
    if isinstance(tests, Sequence) and not isinstance(tests, (str, bytes)) and tests:
        if all(isinstance(test, TestCase) for test in tests):
            return Problem(kind="function" if fn_name else "stdin", cases=tuple(tests), fn_name=fn_name)
        if all(isinstance(test, str) and _SCRIPT.search(test) for test in tests):
            return _of(scripts_of(list(tests), fn_name=fn_name))
        if all(isinstance(test, tuple) and len(test) == 2 for test in tests):
            tests = {"inputs": [test[0] for test in tests], "outputs": [test[1] for test in tests]}
    return _of(cases_of(tests, where="tests", fn_name=fn_name))


def _of(tests: Tests) -> Problem:
    return Problem(kind=tests.kind, cases=tests.cases, fn_name=tests.fn_name, compare=tests.compare)
