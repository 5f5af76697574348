"""The SandboxFusion protocol: what its SDK, verl and evalscope call. Same fields, same words, same status codes.

Owns the wire format and how an Outcome reads in it. Errors are as the peer has them: a request of the wrong shape is
a 422, a program that fails is a 200 with `Failed`, and a failure of ours a 200 with `SandboxError`, which its clients
try again. What is put right: paths stay inside the run's directory, output is whole, memory is that of the program,
children end with it.

run_timeout and compile_timeout are seconds on the clock, less those in which the program waited for a core: a busy host
gives the same answers as an idle one.
"""

from __future__ import annotations

import base64
import binascii
import time
from typing import Any, Literal

import msgspec

from codejury.errors import CodejuryError, LanguageUnavailable, UsageError
from codejury.languages.execute import Job, Sandbox
from codejury.model import Comparison, Limits, Outcome
from codejury.sandbox.pool import Task
from codejury.service.operations import Exchange, Operation, Reply, Service
from codejury.service.options import Options
from codejury.service.refusals import Refusal

# The peer's names, and ours for what runs them. None: nothing here does; the client is told so, as a SandboxError.
LANGUAGES: dict[str, str | None] = {
    "python": "python",
    "python2": "python2",
    "cpp": "cpp17",
    "nodejs": "javascript",
    "go": "go",
    "go_test": None,
    "java": "java",
    "php": "php",
    "csharp": "csharp",
    "bash": "bash",
    "typescript": "typescript",
    "sql": None,
    "rust": "rust",
    "cuda": None,
    "lua": "lua",
    "R": "r",
    "perl": "perl",
    "D_ut": None,
    "ruby": "ruby",
    "scala": "scala",
    "julia": "julia",
    "pytest": "python",
    "junit": None,
    "kotlin_script": None,
    "jest": None,
    "verilog": None,
    "python_gpu": None,
    "lean": None,
    "swift": "swift",
    "racket": None,
    "gtest": None,
    "react": None,
}
_QUEUE_S = 9.0  # verl's client waits ten seconds more than the time limits, the queue included
_PYTEST = "import sys, pytest\nsys.exit(pytest.main(['-p', 'no:cacheprovider', *sys.argv[1:], 'test_solution.py']))\n"

_TIMED_OUT = ("time_limit_exceeded", "wall_limit_exceeded")


class RunCodeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run. `files`: path -> content in base64, laid beside it; `fetch_files`: paths to hand back."""

    code: str
    language: str
    compile_timeout: float = 10
    run_timeout: float = 10
    memory_limit_MB: float = -1  # noqa: N815 - the peer's name
    stdin: str | None = None
    files: dict[str, str | None] = {}
    fetch_files: list[str] = []
    args: list[str] = []


class CommandRunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one command did. `return_code` is null after a time-out, and negative for a signal."""

    status: Literal["Finished", "Error", "TimeLimitExceeded"]
    execution_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None


class RunCodeResponse(msgspec.Struct, frozen=True, kw_only=True):
    """`Success`: all commands ended with 0. `SandboxError`: a failure of the service's own, worth another try."""

    status: Literal["Success", "Failed", "SandboxError"]
    message: str = ""
    compile_result: CommandRunResult | None = None
    run_result: CommandRunResult | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = {}


class StdioTest(msgspec.Struct, frozen=True, kw_only=True):
    """`stdin` and `stdout` are the streams, other names are files."""

    input: dict[str, str] = {}
    output: dict[str, str] = {}


class SubmitRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of common_oj."""

    id: int | str = ""
    test: list[StdioTest] = []


class SubmitConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How to test. Rows of a data set come with the request (`provided_data`)."""

    language: str | None = None
    compile_timeout: float | None = None
    run_timeout: float | None = None
    dataset_type: str | None = None
    provided_data: SubmitRow | list[SubmitRow] | None = None
    extra: dict[str, Any] | None = None


class SubmitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A model's reply, to be tested by the tests of one row."""

    dataset: str
    id: int | str
    completion: str
    config: SubmitConfig = SubmitConfig()


class EvalTestCase(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a submission."""

    passed: bool
    exec_info: RunCodeResponse
    test_info: StdioTest | None = None


class EvalResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission came to."""

    id: int | str
    accepted: bool
    extracted_code: str
    full_code: str | None = None
    test_code: str | None = None
    tests: list[EvalTestCase]
    extracted_type: Literal["fenced", "incomplete_fenced", "heuristic", "empty"] | None = None
    extra: dict[str, Any] | None = None


def operations(service: Service) -> list[Operation]:
    return [
        Operation(
            path="/run_code",
            method="POST",
            summary="Run a program (SandboxFusion).",
            answer=_run_code,
            takes=RunCodeRequest,
            gives=RunCodeResponse,
            tag="sandbox",
        ),
        Operation(
            path="/submit",
            method="POST",
            summary="Test a model's reply by standard input and output (SandboxFusion, common_oj).",
            answer=_submit,
            takes=SubmitRequest,
            gives=EvalResult,
            tag="datasets",
        ),
        Operation(path="/v1/ping", method="GET", summary="pong", answer=_ping, gives=str, tag="sandbox"),
    ]


async def _ping(exchange: Exchange) -> Reply:
    return Reply(b'"pong"')


async def _run_code(exchange: Exchange) -> Reply:
    request = await exchange.decoded(RunCodeRequest)
    options = exchange.service.options
    job = job_of(request, options, exchange.service.sandbox)
    if isinstance(job, RunCodeResponse):
        exchange.service.results.add("language_unavailable")
        return Reply(msgspec.json.encode(job))
    sandbox = exchange.service.sandbox
    wait_s = request.compile_timeout + request.run_timeout + _QUEUE_S

    def call(task: Task) -> tuple[str, bytes]:
        what, response = run(sandbox, job)
        return what, msgspec.json.encode(response)

    what, body = await exchange.turn(call, deadline_s=wait_s)
    exchange.service.results.add(what)
    return Reply(body)


def run(sandbox: Sandbox, job: Job) -> tuple[str, RunCodeResponse]:
    """A word for the metrics, and the answer. What the caller gave wrong is raised, all else is in the answer."""
    began = time.monotonic()
    try:
        outcome = sandbox.run_job(job)
    except LanguageUnavailable as error:
        return "language_unavailable", RunCodeResponse(status="SandboxError", message=str(error))
    except UsageError:
        raise
    except CodejuryError as error:
        return "infrastructure", RunCodeResponse(status="SandboxError", message=f"{type(error).__name__}: {error}")
    language = sandbox.catalog.get(job.language or "")
    return outcome.status, response_of(outcome, compiled=language.compiled, elapsed_s=time.monotonic() - began)


# ── What is asked ────────────────────────────────────────────────────────────────────────────────────────────────────


def job_of(request: RunCodeRequest, options: Options, sandbox: Sandbox) -> Job | RunCodeResponse:
    """The job; or, where this host has no such language, the answer that says so."""
    compile_s = _time(request.compile_timeout, "compile_timeout", options)
    run_s = _time(request.run_timeout, "run_timeout", options)
    language = language_of(request.language, sandbox)
    if language is None:
        message = f"the language {request.language!r} is not supported by this service"
        return RunCodeResponse(status="SandboxError", message=message)
    source, files = request.code, files_of(request.files, options)
    if request.language == "pytest":
        source, files = _PYTEST, {**files, "test_solution.py": request.code.encode("utf-8", "surrogatepass")}
    memory_mb = options.memory_mb
    if 0 < request.memory_limit_MB < memory_mb:
        memory_mb = request.memory_limit_MB
    return Job(
        source=source,
        language=language,
        stdin=request.stdin or b"",
        args=tuple(request.args) if request.language == "pytest" else (),
        files=files,
        limits=Limits(cpu_s=run_s, wall_s=run_s, memory_mb=memory_mb, processes=256),
        fetch=tuple(_pattern(path) for path in request.fetch_files),
        compile_s=compile_s,
    )


def language_of(name: str, sandbox: Sandbox) -> str | None:
    """Ours for the peer's; and our own names are taken too."""
    if name in LANGUAGES:
        return LANGUAGES[name]
    if name in sandbox.catalog:
        return name
    raise Refusal("invalid", f"expected one of {', '.join(LANGUAGES)}, got {name[:60]!r}", field="language")


def _time(value: float, field: str, options: Options) -> float:
    if not 0 < value <= options.timeout_s:
        raise Refusal("invalid", f"expected seconds, more than 0 and at most {options.timeout_s:g}", field=field)
    return value


def files_of(given: dict[str, str | None], options: Options) -> dict[str, bytes]:
    """Decoded. A null stands for no file, as with the peer."""
    if len(given) > options.files:
        raise Refusal("too_large", f"files: expected at most {options.files} files, got {len(given)}", field="files")
    files: dict[str, bytes] = {}
    for path, content in given.items():
        _check_path(path, "files")
        if content is None:
            continue
        try:
            files[path] = base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError) as error:
            raise Refusal("invalid", f"{path[:80]!r}: expected base64: {error}", field="files") from None
    return files


def _check_path(path: str, field: str) -> None:
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise Refusal("invalid", f"expected a relative path inside the run's directory, got {path[:80]!r}", field=field)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Refusal("invalid", f"expected a path in UTF-8, got {path[:80]!r}", field=field) from None


def _pattern(path: str) -> str:
    """A path that stands for itself alone, where globs are taken."""
    _check_path(path, "fetch_files")
    return "".join(f"\\{letter}" if letter in "\\*?[" else letter for letter in path)


# ── What came of it ──────────────────────────────────────────────────────────────────────────────────────────────────


def response_of(outcome: Outcome, *, compiled: bool, elapsed_s: float) -> RunCodeResponse:
    files = {path: base64.b64encode(content).decode() for path, content in outcome.fetched.items()}
    if outcome.status == "compile_error":
        return RunCodeResponse(status="Failed", compile_result=_refused(outcome, elapsed_s))
    built = None
    if compiled:  # in the cache, or by the compiler just now; what it said is not kept where it succeeds
        seconds = max(0.0, elapsed_s - outcome.wall_s)
        built = CommandRunResult(status="Finished", execution_time=seconds, return_code=0, stdout="", stderr="")
    stdout, stderr = _text(outcome.stdout), _text(outcome.stderr)
    if outcome.status in _TIMED_OUT:
        result = CommandRunResult(
            status="TimeLimitExceeded", execution_time=outcome.wall_s, stdout=stdout, stderr=stderr
        )
        return RunCodeResponse(status="Failed", compile_result=built, run_result=result, files=files)
    code = outcome.exit_code if outcome.exit_code is not None else -(outcome.signal or 9)
    message = ""
    if outcome.status not in ("ok", "runtime_error"):  # a limit of ours: said where a person looks
        code, message = code or -9, outcome.status
        stderr += f"\n[codejury] {outcome.status}\n"
    result = CommandRunResult(
        status="Finished", execution_time=outcome.wall_s, return_code=code, stdout=stdout, stderr=stderr
    )
    return RunCodeResponse(
        status="Success" if code == 0 else "Failed",
        message=message,
        compile_result=built,
        run_result=result,
        files=files,
    )


def _refused(outcome: Outcome, elapsed_s: float) -> CommandRunResult:
    words = _text(outcome.stderr)
    if outcome.exit_code is None and words.endswith(
        tuple(f"the compiler ended with {status}\n" for status in _TIMED_OUT)
    ):
        return CommandRunResult(status="TimeLimitExceeded", execution_time=elapsed_s, stdout="", stderr=words)
    code = outcome.exit_code or -(outcome.signal or 9)
    return CommandRunResult(status="Finished", execution_time=elapsed_s, return_code=code, stdout="", stderr=words)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


# ── Submissions ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _submit(exchange: Exchange) -> Reply:
    request = await exchange.decoded(SubmitRequest)
    options, sandbox = exchange.service.options, exchange.service.sandbox
    tests = _tests_of(request)
    if len(tests) > options.items:
        raise Refusal("too_large", f"expected at most {options.items} tests, got {len(tests)}", field="config")
    code, how = _extracted(request)
    config = request.config
    jobs: list[Job | RunCodeResponse] = []
    for test in tests:
        named = {name: text for name, text in test.input.items() if name != "stdin"}
        asked = RunCodeRequest(
            code=code,
            language=config.language or "python",
            compile_timeout=10 if config.compile_timeout is None else config.compile_timeout,
            run_timeout=10 if config.run_timeout is None else config.run_timeout,
            stdin=test.input.get("stdin"),
            files={name: base64.b64encode(_raw(text)).decode() for name, text in named.items()},
            fetch_files=[name for name in test.output if name != "stdout"],
        )
        jobs.append(job_of(asked, options, sandbox))
    run_all = bool((config.extra or {}).get("run_all_cases"))

    def call(task: Task) -> tuple[list[str], bytes]:
        words, done = _tested(sandbox, tests, jobs, run_all=run_all) if code else ([], [])
        accepted = bool(done) and len(done) == len(tests) and all(each.passed for each in done)
        result = EvalResult(
            id=request.id, accepted=accepted, extracted_code=code, full_code=code, tests=done, extracted_type=how
        )
        return words, msgspec.json.encode(result)

    each_s = (config.run_timeout or 10) + _QUEUE_S
    words, body = await exchange.turn(call, deadline_s=min(options.deadline_s, 10 + each_s * max(1, len(tests))))
    for word in words:
        exchange.service.results.add(word)
    return Reply(body)


def _tested(
    sandbox: Sandbox, tests: list[StdioTest], jobs: list[Job | RunCodeResponse], *, run_all: bool
) -> tuple[list[str], list[EvalTestCase]]:
    """The peer has no place for a failure of ours in this answer but the test's own `exec_info`, where a reader may
    take it for a wrong program: so it is raised instead, and the client tries again."""
    from codejury.checkers.compare import compare

    words: list[str] = []
    done: list[EvalTestCase] = []
    for test, job in zip(tests, jobs, strict=True):
        what, answer = ("infrastructure", job) if isinstance(job, RunCodeResponse) else run(sandbox, job)
        if answer.status == "SandboxError":
            raise Refusal("infrastructure", answer.message)
        passed = answer.status == "Success" and answer.run_result is not None
        for name, expected in test.output.items():
            got: str | None
            if name == "stdout":
                got = answer.run_result.stdout if answer.run_result is not None else None
            else:
                content = answer.files.get(name)
                got = None if content is None else _text(base64.b64decode(content))
            passed = passed and got is not None and compare(expected, got, Comparison()) is None
        words.append(what)
        done.append(EvalTestCase(passed=passed, exec_info=answer, test_info=test))
        if not passed and not run_all:
            break
    return words, done


def _tests_of(request: SubmitRequest) -> list[StdioTest]:
    given = request.config.provided_data
    rows = given if isinstance(given, list) else [given] if given is not None else []
    if not rows:
        message = "expected provided_data: this service keeps no data sets of its own"
        raise Refusal("invalid", message, field="config.provided_data")
    chosen = next((row for row in rows if str(row.id) == str(request.id)), rows[0] if len(rows) == 1 else None)
    if chosen is None:
        raise Refusal("invalid", f"expected a row of the id {request.id!r}", field="config.provided_data")
    if not chosen.test:
        raise Refusal("invalid", "expected tests, found none", field="config.provided_data.test")
    return chosen.test


def _extracted(request: SubmitRequest) -> tuple[str, Literal["fenced", "incomplete_fenced", "heuristic", "empty"]]:
    from codejury.llm.replies import code_of

    found = code_of(request.completion, language=request.config.language)
    if found.code is None:
        return "", "empty"
    if "```" not in request.completion:
        return found.code, "heuristic"
    return found.code, "incomplete_fenced" if found.is_cut else "fenced"


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
