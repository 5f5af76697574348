"""What is broken in a benchmark, found by reading and by running it.

    kind                   found by
    reference fails        its own tests reject it
    not testable           its tests cannot be run, or test nothing
    no reference           there is nobody to ask
    flaky reference        asked again, in a new interpreter, it answers otherwise, or fails
    depends on order       its tests pass in their order and not in the opposite one
    depends on time        tests read the clock, or the reference fails in another year
    tests nothing          a function with an empty body passes all tests
    weak test              a function with an empty body passes it, but not all: worth a look, mostly no mistake
    solution in prompt     the statement holds the lines of the reference
    duplicate              the same statement, tests or reference as a task before it, in any of the files

Owns the findings. `weak test` is a note: a test may well expect None.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal

import msgspec

from codejury.benchmarks import evidence
from codejury.benchmarks.augment import judged, told
from codejury.benchmarks.recorded import calls_of
from codejury.errors import CodejuryError, UsageError
from codejury.judging import calls
from codejury.judging.jury import Jury
from codejury.model import Comparison, Limits, Problem, Submission

Kind = Literal[
    "reference fails",
    "not testable",
    "no reference",
    "flaky reference",
    "depends on order",
    "depends on time",
    "tests nothing",
    "weak test",
    "solution in prompt",
    "duplicate",
]
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
NOTES: tuple[Kind, ...] = ("weak test",)

_LIMITS = Limits(cpu_s=20.0)
_AGAIN = 3  # new interpreters that a reference is asked in
_CALLS = 40  # of a task, that it is asked there
_AHEAD = 4  # tasks under way for each worker
_MESSAGE = 300
_WORDS = 5  # of a statement that says something
_TESTS = 60  # characters of tests that nobody writes twice
_NODES = 30  # of a reference that two people would not write alike by chance
_LINE = 6  # characters of a line that counts, white space left out
_SOLUTION = 20  # of all such lines together
_CLOCK = re.compile(r"\b(?:time|datetime|date|calendar)\b")
_READS_CLOCK = (
    "time",
    "time_ns",
    "perf_counter",
    "perf_counter_ns",
    "monotonic",
    "now",
    "today",
    "utcnow",
    "localtime",
)

# The clock of a program 401 days and some hours later. What was imported from the modules before is not reached; what
# comes after is.
_LATER = """\
def _codejury_later():
    import datetime, time
    ahead = 401 * 86400 + 5 * 3600 + 7
    before = {name: getattr(time, name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime")}
    time.time = lambda: before["time"]() + ahead
    time.time_ns = lambda: before["time_ns"]() + ahead * 10**9
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, lambda at=None, name=name: before[name](time.time() if at is None else at))
    class Date(datetime.date):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())
    class Moment(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())
        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)
    datetime.date, datetime.datetime = Date, Moment
_codejury_later()
"""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`file`: as it was named; empty where there is none."""

    kind: Kind
    task: str
    message: str = ""
    file: str = ""

    @property
    def is_note(self) -> bool:
        return self.kind in NOTES


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was looked at. `error`: what we failed in; then its findings are not all."""

    task: str
    file: str = ""
    findings: tuple[Finding, ...] = ()
    error: str = ""


def verify(jury: Jury, problems: Iterator[tuple[str, Problem]] | Sequence[tuple[str, Problem]]) -> Iterator[Verified]:
    """Pairs of a file's name and a problem to what is wrong with it, in their order. What is kept of a task is a few
    digests."""
    seen: dict[str, str] = {}
    workers = jury.sandbox.workers
    under_way: deque[tuple[str, Problem, Future[Verified]]] = deque()

    def finished() -> Verified:
        file, problem, future = under_way.popleft()
        said = future.result()
        again = _duplicate(problem, file, seen)
        found = (*said.findings, again) if again is not None else said.findings
        return msgspec.structs.replace(
            said, file=file, findings=tuple(msgspec.structs.replace(each, file=file) for each in found)
        )

    with ThreadPoolExecutor(workers, thread_name_prefix="codejury-verify") as threads:
        try:
            for file, problem in problems:
                under_way.append((file, problem, threads.submit(_one, jury, problem)))
                if len(under_way) >= _AHEAD * workers:
                    yield finished()
            while under_way:
                yield finished()
        finally:
            for _, _, future in under_way:
                future.cancel()


def _one(jury: Jury, problem: Problem) -> Verified:
    found: list[Finding] = []
    error = ""
    try:
        problem = msgspec.structs.replace(problem, cases=tuple(problem.cases))
        for kind, message in _findings(jury, problem):
            found.append(Finding(kind=kind, task=problem.id, message=message.strip()[-_MESSAGE:]))
    except CodejuryError as failure:
        error = str(failure)
    return Verified(task=problem.id, findings=tuple(found), error=error)


def _findings(jury: Jury, problem: Problem) -> Iterator[tuple[Kind, str]]:
    if prompt_has_solution(problem):
        yield "solution in prompt", "the statement holds the lines of the reference"
    if not problem.golds:
        yield "no reference", ""
        return
    gold = problem.golds[0]
    if problem.kind == "function" and problem.outputs == "gold":
        yield from _of_calls(jury, problem)
        return
    said = judged(jury, gold, problem)
    if isinstance(said, UsageError):
        yield "not testable", str(said)
        return
    if not said.accepted:
        yield "reference fails", told(said)
        return
    parts = apart(problem)
    yield from _by_empty(jury, parts)
    backwards = judged(jury, gold, msgspec.structs.replace(parts, cases=tuple(reversed(parts.cases))))
    again = judged(jury, gold, problem)
    if isinstance(again, UsageError) or not again.accepted:
        yield "flaky reference", f"run again: {again if isinstance(again, UsageError) else told(again)}"
    elif isinstance(backwards, UsageError) or not backwards.accepted:
        words = str(backwards) if isinstance(backwards, UsageError) else told(backwards)
        yield "depends on order", f"the last test first: {words}"
    if problem.kind == "script":
        yield from _unsteady(jury, problem)
        yield from _by_clock(jury, problem)


# ── By running ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _of_calls(jury: Jury, problem: Problem) -> Iterator[tuple[Kind, str]]:
    """Tests that are inputs alone: the reference must answer, alike whenever it is asked and in whatever order."""
    inputs = [list(case.input) for case in problem.cases]
    if not inputs:
        yield "not testable", "it has no tests"
        return
    first = _answers(jury, problem, inputs)
    bad = next((at for at, each in enumerate(first) if each.verdict is not None), None)
    if bad is not None:
        yield "reference fails", f"test {bad}: {first[bad].verdict}: {first[bad].message}"
        return
    empty = [
        at
        for at, (args, each) in enumerate(zip(inputs, first, strict=True))
        if calls.compare_values(each.value, None, problem.compare, args=args) is None
    ]
    yield from _told_empty(empty, len(inputs))
    for fresh, kind in ((True, "flaky reference"), (False, "depends on order")):
        again = _answers(jury, problem, inputs[::-1], fresh=fresh)[::-1]
        for at, (one, other) in enumerate(zip(first, again, strict=True)):
            if _differ(one, other, problem.compare, inputs[at]):
                yield kind, f"test {at}: {calls.shown(one.value)}, then {_words(other)}"  # type: ignore[misc]
                return


def _answers(
    jury: Jury, problem: Problem, inputs: Sequence[list[Any]], *, fresh: bool = False, fn_name: str | None = None
) -> list[calls.Answer]:
    return calls.gold_answers(
        jury.sandbox,
        problem.golds[0].source,
        fn_name or problem.fn_name or "",
        inputs,
        limits=_LIMITS,
        starter_code=problem.starter_code,
        matches=problem.compare.oracle == "not_none",
        fresh=fresh,
    )


def _differ(one: calls.Answer, other: calls.Answer, compare: Comparison, args: list[Any]) -> bool:
    if one.verdict is not None or other.verdict is not None:
        return one.verdict != other.verdict
    return calls.compare_values(one.value, other.value, compare, args=args) is not None


def _words(answer: calls.Answer) -> str:
    return answer.message[-100:] if answer.verdict is not None else calls.shown(answer.value)


def _by_empty(jury: Jury, problem: Problem) -> Iterator[tuple[Kind, str]]:
    source = problem.golds[0].source
    name = problem.fn_name or evidence.function_of(source, [str(case.input) for case in problem.cases])
    if name is None:
        return
    empty = Submission(source=f"def {name}(*args, **keywords):\n    pass\n", language="python")
    said = judged(jury, empty, problem)
    if isinstance(said, UsageError):
        return
    passed = [case.index for case in said.cases if case.verdict == "success"]
    yield from _told_empty(passed, len(said.cases))


def _told_empty(passed: list[int], count: int) -> Iterator[tuple[Kind, str]]:
    if passed and len(passed) >= count:
        yield "tests nothing", f"a function with an empty body passes all {count} tests"
    elif passed:
        some = ", ".join(map(str, passed[:8])) + (", …" if len(passed) > 8 else "")
        yield "weak test", f"a function with an empty body passes {len(passed)} of {count}: {some}"


def _unsteady(jury: Jury, problem: Problem) -> Iterator[tuple[Kind, str]]:
    """What the tests' calls come to in new interpreters; compared as the tests compare."""
    texts = [str(case.input) for case in problem.cases]
    name = problem.fn_name or evidence.function_of(problem.golds[0].source, texts)
    if name is None:
        return
    inputs = list(calls_of(jury.sandbox, problem, name, limits=_LIMITS).calls)[:_CALLS]
    if not inputs:
        return
    shown = evidence.shown(texts, (name, "candidate"))
    compare = Comparison(absolute=shown.absolute or None, relative=shown.relative or None, oracle=shown.oracle)
    first = _answers(jury, problem, inputs, fn_name=name)
    for _ in range(_AGAIN):
        for args, one, other in zip(
            inputs, first, _answers(jury, problem, inputs, fresh=True, fn_name=name), strict=True
        ):
            if _differ(one, other, compare, args):
                yield "flaky reference", f"{calls.shown(args, 80)}: {calls.shown(one.value, 80)}, then {_words(other)}"
                return


def _by_clock(jury: Jury, problem: Problem) -> Iterator[tuple[Kind, str]]:
    for at, case in enumerate(problem.cases):
        line = reads_clock(str(case.input))
        if line is not None:
            yield "depends on time", f"test {at}, line {line}: reads the clock"
            return
    gold = problem.golds[0]
    if not _CLOCK.search(gold.source + problem.setup) or "__future__" in gold.source:
        return
    later = msgspec.structs.replace(gold, source=_LATER + gold.source)
    said = judged(jury, later, msgspec.structs.replace(problem, setup=_LATER + problem.setup))
    if not isinstance(said, UsageError) and not said.accepted:
        yield "depends on time", f"the reference, a year later: {told(said)}"


# ── By reading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def reads_clock(text: str) -> int | None:
    """The line of a test where it asks what time it is."""
    tree = evidence.parsed(text) if _CLOCK.search(text) else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READS_CLOCK:
            return node.lineno
    return None


def apart(problem: Problem) -> Problem:
    """With the asserts of check(candidate) as tests of their own, where there is nothing else in it."""
    if problem.kind != "script" or len(problem.cases) != 1 or problem.fn_name is None:
        return problem
    tree = evidence.parsed(str(problem.cases[0].input))
    check = (
        next((each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "check"), None)
        if tree
        else None
    )
    if tree is None or check is None or not all(isinstance(each, ast.Assert) for each in check.body):
        return problem
    others = [each for each in tree.body if each is not check]
    cases = []
    for statement in check.body:
        alone = copy.copy(check)
        alone.body = [statement]
        text = f"{ast.unparse(ast.Module(body=[*others, alone], type_ignores=[]))}\ncheck({problem.fn_name})\n"
        cases.append(msgspec.structs.replace(problem.cases[0], input=text))
    return msgspec.structs.replace(problem, cases=tuple(cases))


def prompt_has_solution(problem: Problem) -> bool:
    """Whether each line of the reference that says something stands in the statement."""
    if not problem.golds:
        return False
    source = problem.golds[0].source
    statement = problem.statement
    if source.startswith(statement):
        source = source[len(statement) :]
    tree = evidence.parsed(source)
    text = ast.unparse(_without_texts(tree)) if tree is not None else source
    lines = [_bare(line) for line in text.splitlines()]
    lines = [line for line in lines if len(line) >= _LINE and not line.startswith(("def", "import", "from", "#"))]
    given = _bare(statement)
    return sum(map(len, lines)) >= _SOLUTION and all(line in given for line in lines)


def _bare(text: str) -> str:
    """Without what people write in several ways: white space, quotes, parentheses."""
    return re.sub(r"[\s'\"()]+", "", text)


def _without_texts(tree: ast.Module) -> ast.Module:
    """No docstrings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del body[0]
    return tree


# ── Duplicates ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _duplicate(problem: Problem, file: str, seen: dict[str, str]) -> Finding | None:
    where = f"{problem.id} in {file}" if file else problem.id
    found = None
    for what, key in _keys(problem):
        first = seen.setdefault(hashlib.sha256(f"{what} {key}".encode("utf-8", "replace")).hexdigest(), where)
        if first != where and found is None:
            found = Finding(kind="duplicate", task=problem.id, message=f"the same {what} as {first}")
    return found


def _keys(problem: Problem) -> Iterator[tuple[str, str]]:
    words = re.findall(r"[a-z0-9]+", problem.statement.lower())
    if len(words) >= _WORDS:
        yield "statement", " ".join(words)
    source = problem.golds[0].source if problem.golds else ""
    texts = [str(case.input) if problem.kind == "script" else repr(case.input) for case in problem.cases]
    name = problem.fn_name or evidence.function_of(source, texts)
    if texts:
        if name:
            texts = [re.sub(rf"\b{re.escape(name)}\b", "_", text) for text in texts]
        if sum(map(len, texts)) >= _TESTS:
            yield "tests", "\n".join(sorted(re.sub(r"\s+", "", text) for text in texts))
    form = _form(source)
    if form:
        yield "reference", form


def _form(source: str) -> str:
    """A source without its names and texts that explain; nothing where it is too short to tell."""
    tree = evidence.parsed(source)
    if tree is None or sum(1 for _ in ast.walk(tree)) < _NODES:
        return ""
    names: dict[str, str] = {}

    def plain(name: str) -> str:
        return names.setdefault(name, f"n{len(names)}")

    tree = _without_texts(tree)
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    given = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own = defined | stored | given
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = plain(node.id)
        elif isinstance(node, ast.arg):
            node.arg, node.annotation = plain(node.arg), None
        elif isinstance(node, ast.FunctionDef):
            node.name, node.returns = plain(node.name), None
    return ast.dump(tree)
