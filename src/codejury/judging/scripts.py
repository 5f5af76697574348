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
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from codejury.errors import InternalError, UsageError
from codejury.judging import drivers, values
from codejury.judging.calls import verdict_of
from codejury.languages.execute import Job, Sandbox
from codejury.model import Limits, Outcome, Verdict

_INSPECTING = re.compile(
    r"getsource|getsourcelines|getsourcefile|getfile|getclosurevars|__code__|__globals__|__closure__|__file__"
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
    shared = False
    for text in (setup, *texts):
        found = _inspects(text)
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
        "function": fn_name,
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
        limits=_candidate_limits(limits),
    )
    return _result(*sandbox.run_pair(first, second), shared=False)


def _candidate_limits(limits: Limits) -> Limits:
    """Its clock goes on while it waits for a test that computes; where the caller set that clock, it is as set."""
    if limits.cpu_s is None or limits.wall_s is not None:
        return limits
    return msgspec.structs.replace(limits, wall_s=4 * limits.cpu_s + 7)


def _examiner_limits(limits: Limits) -> Limits:
    """More than the candidate's, so that what the candidate does meets its own limit first."""
    wall_s = _candidate_limits(limits).effective_wall_s
    return msgspec.structs.replace(
        limits,
        cpu_s=None if limits.cpu_s is None else 2 * limits.cpu_s + 5,
        wall_s=None if wall_s is None else wall_s + 5,
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


# ── Tests that look at code ──────────────────────────────────────────────────────────────────────────────────────────


def _inspects(text: str) -> str | None:
    """Where the test looks at the candidate's code; mostly none of the words is there, and nothing is parsed."""
    if not _INSPECTING.search(text):
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"tests: expected Python, got {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.ImportFrom) and node.module == "inspect":
            name = next((alias.name for alias in node.names if _INSPECTING.fullmatch(alias.name)), "")
        else:
            continue
        if _INSPECTING.fullmatch(name):
            return f"line {node.lineno}: {name}"
    return None
