"""Judging by test code: asserts, check(candidate), test functions, classes of unittest.

    examiner (the test, in one box)  ◄── values ──►  candidate (in another)
        └─► report                                                            ─► ScriptResult

Owns what of that is decided outside: which files go into which box, and what the two outcomes and the report amount
to. The test's process holds the expected values and decides; its report is a file of its own box, which the candidate
cannot reach, and without one that is whole nothing has passed. What the candidate's process says is data to it
(inside/examiner.py has the rules).

A test that needs the candidate's source or code in its own process (it inspects them) is refused, unless the caller
allows one process for both; then the candidate can do to the test what it likes, and the result says so.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from codejury.errors import InternalError, UsageError
from codejury.judging import drivers, values
from codejury.judging.calls import verdict_of
from codejury.languages.execute import Job, Sandbox
from codejury.model import Limits, Outcome, Verdict

_INSPECTING = frozenset(
    {
        "getsource",
        "getsourcelines",
        "getsourcefile",
        "getfile",
        "__code__",
        "__globals__",
        "__closure__",
        "getclosurevars",
    }
)
# The script that evalplus prints: its inputs are its own, and are looked at again by its reference after the call.
_EVALPLUS = re.compile(r"^for i, .* in enumerate\(.*inputs.*\):\s*$", re.MULTILINE)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one assert, or one test function."""

    name: str
    verdict: Verdict
    message: str = ""


class ScriptResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a test script: the first verdict that is no success, and all parts that were run.

    shared_process   the candidate ran in the test's process: a hostile one may have decided for itself
    """

    verdict: Verdict
    message: str = ""
    parts: tuple[Part, ...] = ()
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mb: float = 0.0
    shared_process: bool = False

    @property
    def passed(self) -> bool:
        return self.verdict == "success"


def judge_script(
    sandbox: Sandbox,
    source: str,
    tests: str | Sequence[str],
    *,
    setup: str = "",
    fn_name: str | None = None,
    limits: Limits | None = None,
    files: Mapping[str, str | bytes] | None = None,
    allow_shared_process: bool = False,
    sync_arguments: bool | None = None,
) -> ScriptResult:
    """Runs the tests, one after another in one process, on the candidate in another.

    tests            test code; several (MBPP's asserts) are parts of their own, and all of them are run
    setup            code that goes before them: imports
    fn_name          the function under test; None: told from the tests. It goes to check(candidate), and only a
                     function of this name may hide a builtin one
    limits           of the candidate; the test's process gets as much again, and the time that it waits
    files            laid beside the candidate
    sync_arguments   what the candidate does to lists and the like that it is given happens to the test's own as well;
                     None: unless the script goes on to use them as the question's (evalplus)
    """
    texts = [tests] if isinstance(tests, str) else list(tests)
    trees = [_parse(text, number) for number, text in enumerate([setup, *texts])]
    shared = False
    for tree in trees:
        found = _inspects(tree)
        if found is not None:
            if not allow_shared_process:
                raise UsageError(
                    f"tests: {found} looks at the candidate's own code, which is in another process; expected"
                    " allow_shared_process, with which a hostile candidate can decide the result"
                )
            shared = True
    sync = not any(map(_EVALPLUS.search, texts)) if sync_arguments is None else sync_arguments
    order = {
        "tests": texts,
        "setup": setup,
        "function": fn_name or infer_fn_name(trees),
        "sync": sync,
        "shared": shared,
    }
    limits = limits or Limits()
    solution = {"solution.py": source.encode("utf-8", "surrogatepass")}
    examiner = drivers.program(sandbox, "examiner")
    test_files = {**examiner.files, "codejury.cfg": values.encode(order)}
    # Named for the sandbox, which chooses an interpreter by the modules that it finds in the files.
    test_files["test.py"] = "\n".join([setup, *texts]).encode("utf-8", "surrogatepass")
    if shared:
        outcome = sandbox.run(
            examiner.source,
            language="python",
            files={**(files or {}), **test_files, **solution},
            limits=limits,
            fetch=("report",),
        )
        return _result(outcome, outcome, shared=True)
    candidate = drivers.program(sandbox, "candidate")
    first = Job(
        source=examiner.source, language="python", files=test_files, limits=_examiner_limits(limits), fetch=("report",)
    )
    second = Job(
        source=candidate.source,
        language="python",
        files={**(files or {}), **candidate.files, **solution},
        limits=limits,
    )
    return _result(*sandbox.run_pair(first, second), shared=False)


def _examiner_limits(limits: Limits) -> Limits:
    """More than the candidate's, so that what the candidate does meets its own limit first."""
    wall_s = limits.effective_wall_s
    return msgspec.structs.replace(
        limits,
        cpu_s=None if limits.cpu_s is None else 2 * limits.cpu_s + 5,
        wall_s=None if wall_s is None else 2 * wall_s + 5,
        memory_mb=None if limits.memory_mb is None else 2 * limits.memory_mb,
    )


def _result(test: Outcome, candidate: Outcome, *, shared: bool) -> ScriptResult:
    used: dict[str, Any] = {
        "cpu_s": candidate.cpu_s,
        "wall_s": test.wall_s,
        "memory_mb": candidate.memory_mb,
        "shared_process": shared,
    }
    exceeded = verdict_of(candidate)
    if exceeded is not None and exceeded != "runtime_error":
        return ScriptResult(verdict=exceeded, message=f"the candidate's process: {candidate.status}", **used)
    report = _report(test)
    if report is None:
        ended = verdict_of(test)
        if ended in ("time_limit_exceeded", "memory_limit_exceeded", "output_limit_exceeded"):
            return ScriptResult(verdict=ended, message=f"the test's process: {test.status}", **used)
        tail = test.stderr[-800:].decode("utf-8", "replace")
        if shared:
            return ScriptResult(verdict="runtime_error", message=f"the test did not come to its end\n{tail}", **used)
        raise InternalError(f"a test ended without a report: {test.status}, exit code {test.exit_code}: {tail}")
    if report["trouble"]:
        raise UsageError(f"tests: {report['trouble']}")
    parts = tuple(Part(name=name, verdict=verdict, message=message) for name, verdict, message in report["results"])
    bad = next((part for part in parts if part.verdict != "success"), None)
    if bad is not None:
        return ScriptResult(verdict=bad.verdict, message=bad.message, parts=parts, **used)
    if not parts:
        raise UsageError("tests: nothing was tested; expected asserts, check(candidate), or test functions")
    if exceeded is not None:
        message = f"the candidate's process ended with {candidate.status}, exit code {candidate.exit_code}"
        return ScriptResult(verdict=exceeded, message=message, parts=parts, **used)
    return ScriptResult(verdict="success", parts=parts, **used)


def _report(test: Outcome) -> dict[str, Any] | None:
    raw = test.fetched.get("report")
    if raw is None or not test.ok:
        return None
    report = values.decode(raw)
    return report if report.get("done") is True else None


# ── What a test is about ─────────────────────────────────────────────────────────────────────────────────────────────


def _parse(text: str, number: int) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        where = "setup" if number == 0 else f"tests[{number - 1}]"
        raise UsageError(f"{where}: expected Python, got {error}") from error


def _inspects(tree: ast.Module) -> str | None:
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in _INSPECTING or (name == "__file__" and isinstance(node, (ast.Name, ast.Attribute))):
            return f"line {getattr(node, 'lineno', 0)}: {name}"
        if isinstance(node, ast.ImportFrom) and node.module == "inspect":
            for alias in node.names:
                if alias.name in _INSPECTING:
                    return f"line {node.lineno}: {alias.name}"
    return None


def infer_fn_name(trees: Sequence[ast.Module]) -> str | None:
    """The function under test, as the tests call it: a name that they do not define, or, where there is none, a builtin
    one that is called with what a loop goes through (evalplus) or first in an assert."""
    defined: set[str] = set(dir(builtins))
    for tree in trees:
        for node in ast.walk(tree):
            defined.update(_defines(node))
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [(node.func.id, node) for node in calls if isinstance(node.func, ast.Name)]
    free = [name for name, _ in named if name not in defined]
    if free:
        return free[0]
    starred = [name for name, node in named if any(isinstance(arg, ast.Starred) for arg in node.args)]
    builtin = [name for name in starred if hasattr(builtins, name)]
    if builtin:
        return builtin[0]
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.Assert):
                for each in ast.walk(node.test):
                    if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
                        return each.func.id
    return None


def _defines(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "solution":
        for alias in node.names:
            yield (alias.asname or alias.name).partition(".")[0]
