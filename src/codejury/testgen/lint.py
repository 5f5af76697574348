"""What is weak in a problem's tests: found by reading them, and by giving its checker answers that are junk.

Owns the checks, and their words (`CHECKS`); reads each test once, and keeps a bounded amount of each. Nothing here says
that a test is wrong, but for `contradiction`, `checker_rejects` and `no_output`; the others say what a wrong program
could slip through. What a statement's limits are is `bounds`'.

How long golds took comes from the row's `test_provenance`, where there is one: {"tests": [{"cpu_s"}…]}, an object a
generated test, in their order, with the seconds of the slowest gold.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.errors import CheckerError, UsageError
from codejury.model import Limits, Problem, TestCase
from codejury.mutation.inputs.bounds import Bound, bounds_of, first_line_names

if TYPE_CHECKING:
    from codejury.languages.execute import Sandbox

CHECKS = {
    "no_tests": "the problem has no tests",
    "few_tests": "fewer tests than asked for",
    "failed": "the row says that its tests could not be made (error_info)",
    "no_output": "tests whose right answer nobody knows",
    "duplicates": "tests with the same input",
    "contradiction": "the same input with different answers, and no checker that could accept both",
    "constant_field": "a field of the input that has one value in all tests",
    "one_output": "one answer, or one of two possible ones, in all tests",
    "far_from_limits": "no test near a limit that the statement states",
    "slow_golds": "tests on which a gold comes close to the time limit",
    "checker_accepts_junk": "the checker accepts an answer that cannot be right",
    "checker_rejects": "the checker rejects the expected answer",
    "checker_fails": "the checker crashes, or says nothing",
}

MIN_TESTS = 10
CLOSE = 0.8  # of the time limit
NEAR = 0.9  # of a stated limit
_ENOUGH = 5  # distinct tests, before it means something that they agree
_LINES = _FIELDS = 20  # of an input, in which fields are compared
_LISTED = 20  # numbers of tests that a finding lists
_CHECKED = 3  # tests whose checker gets junk
_JUNK = "zq~junk"
_PAIRS = (("yes", "no"), ("true", "false"), ("possible", "impossible"), ("alice", "bob"), ("first", "second"))
_MINUS_ONE = re.compile(r"\b(?:print|output|return|report|write)s?\b[^.\n]{0,80}?(?<![\w.^])-\s?1\b", re.IGNORECASE)
_INTEGER = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_SHOWN = 40


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One weakness.

    check     one of CHECKS
    message   for a person
    tests     numbers of tests that show it, from 1, up to 20 of them
    count     how many tests it concerns, where it concerns some
    """

    check: str
    message: str
    tests: tuple[int, ...] = ()
    count: int | None = None


class Linted(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one problem. `distinct`: tests with inputs of their own; `bounds`: limits that were read."""

    id: str
    tests: int
    distinct: int
    bounds: int
    findings: tuple[Finding, ...]


def lint(problem: Problem, *, sandbox: Sandbox | None = None, min_tests: int = MIN_TESTS) -> Linted:
    """Looks over the tests of a problem. Without a sandbox the checker, if there is one, is not tried."""
    seen = _Seen(problem)
    for number, case in enumerate(problem.cases, 1):
        seen.add(number, case)
    findings = [
        *_numbers(problem, seen, min_tests),
        *_repetitions(problem, seen),
        *_constants(seen),
        *_outputs(problem, seen),
        *_limits(seen),
        *_slow(problem),
    ]
    if sandbox is not None and problem.checker is not None and problem.kind == "stdin":
        findings += _checker(problem, sandbox)
    return Linted(
        id=problem.id,
        tests=len(problem.cases),
        distinct=len(seen.first),
        bounds=len(seen.bounds),
        findings=tuple(findings),
    )


# ── One pass over the tests ──────────────────────────────────────────────────────────────────────────────────────────


class _Seen:
    """What is kept of the tests.

    first      input (its digest) -> the first test that has it
    same       number of a first test -> all tests with its input
    unlike     tests whose input was there before, with another answer
    values     (line, field) or (argument,) -> its value, None when it varies
    present    the same -> in how many distinct tests it is there
    """

    def __init__(self, problem: Problem) -> None:
        self.kind = problem.kind
        self.bounds = bounds_of(problem.statement) if problem.kind != "script" else []
        self.names = first_line_names(problem.statement) if problem.kind == "stdin" else ()
        self.first: dict[bytes, int] = {}
        self.same: dict[int, list[int]] = {}
        self.unlike: list[int] = []
        self.unknown: list[int] = []
        self.values: dict[tuple[int, ...], str | None] = {}
        self.present: dict[tuple[int, ...], int] = {}
        self.answers: dict[bytes, str] = {}
        self.words: set[str] = set()
        self.ranges: dict[str, tuple[int, int]] = {}  # of the fields of the first line that have a name
        self.named = bool(self.names)
        self.reached: set[Bound] = set()
        self._answer_of: dict[int, bytes] = {}

    def add(self, number: int, case: TestCase) -> None:
        answer = None if self.kind == "script" else self._answer(number, case)
        key = _key(case.input)
        if key in self.first:
            before = self.first[key]
            self.same[before].append(number)
            if answer is not None and answer != self._answer_of.get(before, answer):
                self.unlike.append(number)
            return
        self.first[key] = number
        self.same[number] = [number]
        if answer is not None:
            self._answer_of[number] = answer
        if self.kind == "stdin" and isinstance(case.input, str):
            self._lines(case.input)
        elif self.kind == "function" and isinstance(case.input, (list, tuple)):
            for position, value in enumerate(case.input[:_FIELDS], 1):
                self._value((position,), _short_repr(value))
            self._reach(_numbers_in(case.input), _lengths_in(case.input))

    def _answer(self, number: int, case: TestCase) -> bytes | None:
        if case.output is None and self.kind == "stdin":
            self.unknown.append(number)
            return None
        key = _key(case.output)
        if len(self.answers) < 2:
            self.answers[key] = _short_repr(case.output)
        if len(self.words) < 1000:
            text = case.output if isinstance(case.output, str) else repr(case.output)
            self.words.update(word.lower().strip("'\"[](),") for word in text[:100_000].split())
        return key

    def _lines(self, text: str) -> None:
        for line, content in enumerate(text.split("\n", _LINES)[:_LINES], 1):
            fields = content.split(None, _FIELDS)[:_FIELDS]
            if line == 1 and self.named:
                self._named_fields(content.split())
            for field, value in enumerate(fields, 1):
                self._value((line, field), value)
        if len(self.reached) < len(self.bounds):
            tokens = text.split()
            numbers = (int(token) for token in tokens if _INTEGER.fullmatch(token))
            self._reach(numbers, [len(tokens), *(len(token) for token in tokens if len(token) > 1)])

    def _named_fields(self, fields: list[str]) -> None:
        """The first line, if it has as many fields as the statement names; one that has not ends that reading."""
        if len(fields) != len(self.names) or not all(_INTEGER.fullmatch(field) for field in fields):
            self.named = False
            return
        for name, field in zip(self.names, fields, strict=True):
            low, high = self.ranges.get(name, (int(field), int(field)))
            self.ranges[name] = min(low, int(field)), max(high, int(field))

    def _value(self, place: tuple[int, ...], value: str) -> None:
        self.present[place] = self.present.get(place, 0) + 1
        if self.values.setdefault(place, value) != value:
            self.values[place] = None

    def _reach(self, numbers: Iterable[int], lengths: Iterable[int]) -> None:
        missing = [bound for bound in self.bounds if bound not in self.reached]
        of_size = [bound for bound in missing if _is_size(bound.name)]
        of_value = [bound for bound in missing if not _is_size(bound.name)]
        self.reached |= _near(of_size, set(lengths))
        self.reached |= _near(of_value, set(numbers)) if of_value else set()


def _near(bounds: list[Bound], numbers: set[int]) -> set[Bound]:
    found = set()
    for bound in bounds:
        from_here = _near_high(bound)
        if any(from_here <= number <= bound.high for number in numbers):
            found.add(bound)
    return found


def _near_high(bound: Bound) -> int:
    return bound.high - int((bound.high - max(bound.low, 0)) * (1 - NEAR))


def _is_size(name: str) -> bool:
    return name.startswith("|") or ".length" in name or ".size" in name


def _key(value: Any) -> bytes:
    """Equal for texts that differ in white space at the end only."""
    text = value.rstrip() if isinstance(value, str) else repr(value)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _short_repr(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else repr(value)
    # What is compared must be all of it, what is shown is its beginning.
    return text if len(text) <= _SHOWN else text[:_SHOWN] + f"… ({_key(value).hex()[:8]})"


def _numbers_in(value: Any) -> Iterator[int]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, int) and not isinstance(one, bool):
            yield one
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            yield len(one)  # an `n` that is no argument is the length of one
            waiting += one
        elif isinstance(one, str):
            yield len(one)


def _lengths_in(value: Any) -> Iterator[int]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (str, list, tuple, set, frozenset, dict)):
            yield len(one)
        if isinstance(one, (list, tuple)):
            waiting += one


# ── What it says ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _found(check: str, message: str, tests: list[int] | None = None) -> Finding:
    listed = tests or []
    return Finding(check=check, message=message, tests=tuple(listed[:_LISTED]), count=len(listed) if listed else None)


def _numbers(problem: Problem, seen: _Seen, min_tests: int) -> Iterator[Finding]:
    if error := problem.extra.get("error_info"):
        yield _found("failed", f"error_info: {str(error)[:200]}")
    count = len(problem.cases)
    if not count:
        yield _found("no_tests", "no tests")
    elif len(seen.first) < min_tests and problem.kind != "script":
        yield _found("few_tests", f"{len(seen.first)} distinct tests, asked for are {min_tests}")
    if seen.unknown:
        yield _found("no_output", f"{len(seen.unknown)} of {count} tests have no expected answer", seen.unknown)


def _repetitions(problem: Problem, seen: _Seen) -> Iterator[Finding]:
    repeated = [tests for tests in seen.same.values() if len(tests) > 1]
    if repeated:
        most = max(repeated, key=len)
        count = len(problem.cases)
        others = f", and {len(repeated) - 1} more inputs come several times" if len(repeated) > 1 else ""
        message = f"{len(most)} of {count} tests are identical{others}; {len(seen.first)} of {count} are distinct"
        yield _found("duplicates", message, [number for tests in repeated for number in tests[1:]])
    if seen.unlike and problem.checker is None and not problem.compare.oracle and problem.outputs == "given":
        yield _found(
            "contradiction", f"{len(seen.unlike)} tests have another answer for an input seen before", seen.unlike
        )


def _constants(seen: _Seen) -> Iterator[Finding]:
    distinct = len(seen.first)
    if distinct < _ENOUGH:
        return
    wanted = max(_ENOUGH, distinct / 2)
    fixed = [(place, value) for place, value in seen.values.items() if value is not None]
    for place, value in sorted(fixed):
        if seen.present[place] >= wanted:
            where = f"line {place[0]}, field {place[1]}" if len(place) == 2 else f"argument {place[0]}"
            if place[0] == 1 and len(place) == 2 and seen.named and place[1] <= len(seen.names):
                where += f" ({seen.names[place[1] - 1]})"
            shown = value[:_SHOWN]
            yield _found("constant_field", f"{where} is always {shown} in {seen.present[place]} distinct tests")


def _outputs(problem: Problem, seen: _Seen) -> Iterator[Finding]:
    if len(seen.first) < _ENOUGH or problem.kind == "script" or problem.outputs != "given":
        return
    if len(seen.answers) == 1:
        (answer,) = seen.answers.values()
        yield _found("one_output", f"every test has the answer {answer[:_SHOWN] or '(nothing)'}")
        return
    for pair in _PAIRS:
        both = all(_is_said(word, problem.statement) for word in pair)
        there = [word for word in pair if word in seen.words]
        if both and len(there) == 1:
            missing = next(word for word in pair if word not in seen.words)
            yield _found("one_output", f"the statement has the answers {pair[0]} and {pair[1]}; no test has {missing}")
    statement = problem.statement.replace("$", "").replace("−", "-")
    if _MINUS_ONE.search(statement) and "-1" not in seen.words and len(seen.words) < 1000:
        yield _found("one_output", "the statement has the answer -1; no test has it")


def _is_said(word: str, statement: str) -> bool:
    """As an answer: in quotes, or in capitals."""
    quotes = "\"“”'‘’`*"
    return bool(
        re.search(rf"[{quotes}]{word}[.{quotes}]", statement, re.IGNORECASE)
        or re.search(rf"\b{word.upper()}\b", statement)
    )


def _limits(seen: _Seen) -> Iterator[Finding]:
    if len(seen.first) < _ENOUGH:
        return
    far = []
    for bound in seen.bounds:
        if seen.named and bound.name in seen.ranges:
            low, high = seen.ranges[bound.name]
            if high < _near_high(bound):
                far.append(f"{bound.name} is at most {high}, the limit is {bound.high}")
            if low > bound.low + max(1, (bound.high - bound.low) // 100):
                far.append(f"{bound.name} is at least {low}, the limit is {bound.low}")
        elif bound not in seen.reached:
            far.append(f"no number is near {bound.high}, the limit of {bound.name}")
    for message in dict.fromkeys(far):
        yield _found("far_from_limits", message)


def _slow(problem: Problem) -> Iterator[Finding]:
    limit_s = (problem.limits or Limits()).cpu_s
    if limit_s is None:
        return
    slow = {number: took_s for number, took_s in _gold_times(problem) if took_s >= CLOSE * limit_s}
    if slow:
        worst = max(slow.values())
        yield _found("slow_golds", f"a gold takes up to {worst:.3g} s of {limit_s:g} s", list(slow))


def _gold_times(problem: Problem) -> Iterator[tuple[int, float]]:
    """Number of a test -> seconds of the slowest gold, as far as the row says it. Public tests come first, without."""
    account = problem.extra.get("test_provenance")
    rows = account.get("tests") if isinstance(account, dict) else None
    if not isinstance(rows, list) or len(rows) > len(problem.cases):
        return
    for number, row in enumerate(rows, len(problem.cases) - len(rows) + 1):
        took_s = row.get("cpu_s") if isinstance(row, dict) else None
        if isinstance(took_s, (int, float)) and not isinstance(took_s, bool):
            yield number, float(took_s)


# ── The checker ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _checker(problem: Problem, sandbox: Sandbox) -> Iterator[Finding]:
    """Tries the checker on a few tests: with the expected answer, and with answers that nobody can mean."""
    from codejury.checkers.program import Answer, check_many

    assert problem.checker is not None
    tried = list(_trials(problem))
    answers = [Answer(input=each[2][0], output=each[2][1], expected=each[2][2]) for each in tried]
    accepted: dict[str, list[int]] = {}
    rejected: list[int] = []
    failed: dict[str, list[int]] = {}
    try:
        for (number, name, _), said in zip(tried, check_many(sandbox, problem.checker, answers), strict=True):
            if isinstance(said, CheckerError):
                failed.setdefault(f"{name}: {said}", []).append(number)
            elif name == "the expected answer" and not said.accepted:
                rejected.append(number)
            elif name != "the expected answer" and said.accepted:
                accepted.setdefault(name, []).append(number)
    except UsageError as error:  # a language that is not here, a kind that is not known
        failed[str(error)] = []
    for name, tests in accepted.items():
        yield _found("checker_accepts_junk", f"the checker accepts {name}", tests)
    if rejected:
        yield _found("checker_rejects", "the checker rejects the expected answer", rejected)
    for message, tests in failed.items():
        yield _found("checker_fails", message[:300], tests)


def _trials(problem: Problem) -> Iterator[tuple[int, str, tuple[str, str, str]]]:
    count = len(problem.cases)
    for number in sorted({0, count // 2, count - 1} if count else ())[:_CHECKED]:
        case = problem.cases[number]
        if not isinstance(case.input, str) or not isinstance(case.output, str):
            continue
        for name, answer in junk_for(case.output):
            yield number + 1, name, (case.input, answer, case.output)
        yield number + 1, "the expected answer", (case.input, case.output, case.output)


def junk_for(expected: str) -> Iterator[tuple[str, str]]:
    """Answers that cannot be right where `expected` is, each with a name. None of them is a mere other value: where
    several answers are right, another value may be one of them."""
    tokens = expected.split()
    if tokens:
        yield "nothing at all", ""
        yield "the expected answer with a word after it", f"{expected.rstrip()} {_JUNK}\n"
        yield "a word in place of every word", re.sub(r"\S+", _JUNK, expected)
    yield "one word", f"{_JUNK}\n"
    numbers = [token for token in tokens if re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]+)?", token)]
    if numbers:
        yield "nan in place of every number", re.sub(r"[+-]?[0-9]+(?:\.[0-9]+)?", "nan", expected)
