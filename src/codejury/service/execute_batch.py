"""open-r1's router: `/execute_batch`, scripts in, what each came to out.

Owns its wire format, which two of that project's clients read: one takes `text` and `exception_str`, the other
`execution`, in the shape of a notebook's result. A script's text is the value of its last expression, as in a
notebook, else the last line that it printed. Scripts of other languages have only the latter.
"""

from __future__ import annotations

import asyncio

import msgspec

from codejury.errors import CodejuryError
from codejury.languages.execute import Job, Sandbox
from codejury.model import Limits, Outcome
from codejury.service import refusals
from codejury.service.operations import Exchange, Operation, Reply, Service
from codejury.service.refusals import Refusal

_MARGIN_S = 1.0  # for the answer's way back

# Inside the sandbox: the script's last expression, where it has one, is kept in a file.
_NOTEBOOK = """\
import ast
with open("script.py", encoding="utf-8", errors="surrogateescape") as file:
    tree = ast.parse(file.read(), "script.py")
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
scope = {"__name__": "__main__", "__file__": "script.py", "__builtins__": __builtins__}
exec(compile(tree, "script.py", "exec"), scope)
if last is not None:
    value = eval(compile(ast.Expression(last.value), "script.py", "eval"), scope)
    if value is not None:
        with open("value.txt", "w", encoding="utf-8", errors="replace") as file:
            file.write(repr(value))
"""


class ExecuteBatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`timeout`: seconds for each script. `request_timeout`: seconds that the client waits for all of them."""

    scripts: list[str]
    languages: list[str] | None = None
    timeout: float = 300
    request_timeout: float | None = None


class Logs(msgspec.Struct, frozen=True, kw_only=True):
    """What was written, as a notebook has it."""

    stdout: list[str] = []
    stderr: list[str] = []


class ExecutionError(msgspec.Struct, frozen=True, kw_only=True):
    """What ended the script."""

    name: str
    value: str
    traceback: str


class ExecutionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The value of the last expression."""

    text: str
    is_main_result: bool = True


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the shape of a notebook's."""

    results: list[ExecutionResult] = []
    logs: Logs = Logs()
    error: ExecutionError | None = None
    execution_count: int | None = 1


class ScriptResult(msgspec.Struct, frozen=True, kw_only=True):
    """Of one script. Where there is no `execution`, `exception_str` says why it could not be run."""

    text: str | None = None
    exception_str: str | None = None
    execution: Execution | None = None


def operations(service: Service) -> list[Operation]:
    return [
        Operation(
            path="/execute_batch",
            method="POST",
            summary="Run many scripts (open-r1's router).",
            answer=_execute_batch,
            takes=ExecuteBatchRequest,
            gives=list[ScriptResult],
            tag="sandbox",
        )
    ]


async def _execute_batch(exchange: Exchange) -> Reply:
    request = await exchange.decoded(ExecuteBatchRequest)
    service = exchange.service
    options, sandbox = service.options, service.sandbox
    languages = request.languages or ["python"] * len(request.scripts)
    if len(languages) != len(request.scripts):
        message = f"expected as many as scripts ({len(request.scripts)}), got {len(languages)}"
        raise Refusal("invalid", message, field="languages")
    if len(request.scripts) > options.items:
        raise Refusal("too_large", f"expected at most {options.items} scripts", field="scripts")
    if not 0 < request.timeout <= options.timeout_s:
        message = f"expected seconds, more than 0 and at most {options.timeout_s:g}"
        raise Refusal("invalid", message, field="timeout")
    deadline_s = options.deadline_s
    if request.request_timeout is not None:
        if not 0 < request.request_timeout < 2**31:
            raise Refusal("invalid", "expected a positive number of seconds", field="request_timeout")
        deadline_s = max(request.request_timeout / 2, request.request_timeout - _MARGIN_S)
    for language in languages:
        if language not in sandbox.catalog:
            raise Refusal("invalid", f"no language is called {language[:60]!r}", field="languages")
    limits = Limits(cpu_s=request.timeout, wall_s=request.timeout, memory_mb=options.memory_mb, processes=256)
    service.turns.check_room()
    ahead = asyncio.Semaphore(2 * sandbox.workers + 2)

    async def one(script: str, language: str) -> ScriptResult:
        async with ahead:
            try:
                return await exchange.patient_turn(
                    lambda task: executed(sandbox, script, language, limits), deadline_s=deadline_s
                )
            except (Refusal, CodejuryError) as error:
                words = refusals.of(error).words
                service.results.add("not_run")
                return ScriptResult(exception_str=f"codejury: {words.type}: {words.message}")

    # Not a TaskGroup: what the first of them raises is what the request comes to, and its end ends the others.
    results = await asyncio.gather(*(one(*each) for each in zip(request.scripts, languages, strict=True)))
    return Reply(msgspec.json.encode(results))


def executed(sandbox: Sandbox, script: str, language: str, limits: Limits) -> ScriptResult:
    """In a thread. Failures of ours are raised."""
    if sandbox.catalog.get(language).name == "python":
        text = script.encode("utf-8", "surrogatepass")
        job = Job(source=_NOTEBOOK, language=language, files={"script.py": text}, limits=limits, fetch=("value.txt",))
    else:
        job = Job(source=script, language=language, limits=limits)
    return _result(sandbox.run_job(job))


def _result(outcome: Outcome) -> ScriptResult:
    stdout, stderr = outcome.stdout.decode(errors="replace"), outcome.stderr.decode(errors="replace")
    value = outcome.fetched.get("value.txt", b"").decode(errors="replace")
    error = None
    if not outcome.ok:
        last = stderr.rstrip().rpartition("\n")[2]
        name, _, words = last.partition(": ") if outcome.status == "runtime_error" else (outcome.status, "", "")
        error = ExecutionError(name=name or outcome.status, value=words, traceback=stderr)
    lines = stdout.rstrip().splitlines()
    execution = Execution(
        results=[ExecutionResult(text=value)] if value and error is None else [],
        logs=Logs(stdout=[stdout] if stdout else [], stderr=[stderr] if stderr else []),
        error=error,
    )
    return ScriptResult(
        text=None if error is not None else value or (lines[-1] if lines else None),
        exception_str=None if error is None else f"{error.name}: {error.value}".rstrip(": "),
        execution=execution,
    )
