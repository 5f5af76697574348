"""codejury's own protocol: verdicts, one (`/judge`) or many, as they come (`/judge_batch`).

Owns its wire format. A batch is a request whose items take turns like requests of their own, so that a large one does
not hold up others; each line of its answer is one item's, in the order in which they end.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

import msgspec

from codejury.errors import CodejuryError
from codejury.judging import given
from codejury.model import CaseResult, Checker, Comparison, Judgement, Limits, Problem, Submission
from codejury.sandbox.pool import Task
from codejury.service import refusals
from codejury.service.operations import Exchange, Operation, Reply, Service
from codejury.service.options import Options
from codejury.service.refusals import ErrorWords, Refusal
from codejury.service.turns import Gone

_SURROGATES = re.compile("[\ud800-\udfff]")


class CheckerGiven(msgspec.Struct, frozen=True, kw_only=True):
    """A program that decides whether an answer is right."""

    source: str
    kind: Literal["klear", "testlib", "kattis"] = "klear"
    language: str | None = None


class JudgeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program and its tests.

    `tests`: cases, inputs and outputs, test code, or a row of a data set, as `codejury.judge` takes them. `files`:
    more files of the program, in base64. `limits`: of each case; seconds and megabytes.
    """

    source: str
    tests: Any
    id: str = ""
    language: str | None = None
    fn_name: str | None = None
    checker: CheckerGiven | None = None
    compare: Comparison | Literal["default", "exact", "tokens", "floats", "unordered"] = "default"
    files: dict[str, str] = {}
    limits: Limits | None = None
    stop_on_first_failure: bool = False


class JudgeResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement: the first verdict, in case order, that is no success."""

    id: str
    verdict: Literal[
        "success",
        "wrong_answer",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "runtime_error",
        "compile_error",
        "format_error",
    ]
    passed: int
    total: int
    cpu_s: float
    memory_mb: float
    compile_message: str
    shared_process: bool
    cases: tuple[CaseResult, ...]


class BatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Many of them. `deadline_s`: after which the rest is an error of type `deadline`."""

    items: list[JudgeRequest]
    deadline_s: float | None = None


class BatchLine(msgspec.Struct, frozen=True, kw_only=True):
    """One item's answer. `index`: its place in the request. Either `judgement` or `error` is there."""

    index: int
    id: str
    judgement: JudgeResponse | None = None
    error: ErrorWords | None = None


def operations(service: Service) -> list[Operation]:
    return [
        Operation(
            path="/judge",
            method="POST",
            summary="Judge a program by its tests.",
            answer=_judge,
            takes=JudgeRequest,
            gives=JudgeResponse,
            tag="judge",
        ),
        Operation(
            path="/judge_batch",
            method="POST",
            summary="Judge many programs; a JSON line for each, as it ends.",
            answer=_judge_batch,
            takes=BatchRequest,
            gives=BatchLine,
            content_type="application/x-ndjson",
            tag="judge",
        ),
    ]


async def _judge(exchange: Exchange) -> Reply:
    request = await exchange.decoded(JudgeRequest)
    service = exchange.service
    _check(request, service.options)
    said = await exchange.turn(lambda task: _judged(service, request, task), deadline_s=service.options.deadline_s)
    service.results.add(said.verdict)
    return Reply(msgspec.json.encode(said))


def _judged(service: Service, request: JudgeRequest, task: Task) -> JudgeResponse:
    """In a thread. A failure of ours, or of what was asked, is raised."""
    try:
        submission, problem = _work(service, request)
    except RecursionError:
        raise Refusal("invalid", "expected tests that are not nested so deeply", field="tests") from None
    (said,) = service.jury.judge_each(
        [(submission, problem)],
        limits=_limits(request.limits or problem.limits or Limits(), service.options),
        stop_on_first_failure=request.stop_on_first_failure,
        task=task,
    )
    if isinstance(said, CodejuryError):
        raise said
    return _response(request.id, said)


def _work(service: Service, request: JudgeRequest) -> tuple[Submission, Problem]:
    checker = None
    if request.checker is not None:
        language = request.checker.language or ("python" if request.checker.kind == "klear" else None)
        checker = Checker(kind=request.checker.kind, source=request.checker.source, language=language)
    problem = given.problem(request.tests, fn_name=request.fn_name, checker=checker, compare=request.compare)
    if len(problem.cases) > service.options.items:
        raise Refusal("too_large", f"expected at most {service.options.items} tests", field="tests")
    files = {path: _content(path, content) for path, content in request.files.items()}
    return Submission(source=request.source, id=request.id, language=request.language, files=files), problem


def _content(path: str, content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refusal("invalid", f"{path[:80]!r}: expected base64: {error}", field="files") from None


def _check(request: JudgeRequest, options: Options) -> None:
    if len(request.files) > options.files:
        raise Refusal("too_large", f"expected at most {options.files} files, got {len(request.files)}", field="files")


def _limits(limits: Limits, options: Options) -> Limits:
    """No limit is lifted, and none is beyond the service's own, whoever names it: the request, or the row in it."""
    wall_s = limits.effective_wall_s
    return msgspec.structs.replace(
        limits,
        cpu_s=min(limits.cpu_s or options.timeout_s, options.timeout_s),
        wall_s=min(wall_s or options.timeout_s, options.timeout_s),
        memory_mb=min(limits.memory_mb or options.memory_mb, options.memory_mb),
        output_mb=min(limits.output_mb or 64, 64),
        processes=min(limits.processes or 1024, 1024),
        disk_mb=min(limits.disk_mb or 1024, 1024),
        open_files=min(limits.open_files or 4096, 4096),
    )


def _response(id: str, said: Judgement) -> JudgeResponse:
    cases = tuple(
        case if case.output is None else msgspec.structs.replace(case, output=_printable(case.output))
        for case in said.cases
    )
    return JudgeResponse(
        id=id,
        verdict=said.verdict,
        passed=said.passed,
        total=said.total,
        cpu_s=said.cpu_s,
        memory_mb=said.memory_mb,
        compile_message=_printable(said.compile_message),
        shared_process=said.shared_process,
        cases=tuple(msgspec.structs.replace(case, message=_printable(case.message)) for case in cases),
    )


def _printable(text: str) -> str:
    """Bytes of a program that are no UTF-8 stand in texts as lone surrogates, which JSON cannot carry."""
    return _SURROGATES.sub("\ufffd", text)


# ── Many ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _judge_batch(exchange: Exchange) -> Reply:
    request = await exchange.decoded(BatchRequest)
    options = exchange.service.options
    if len(request.items) > options.items:
        raise Refusal("too_large", f"expected at most {options.items} items, got {len(request.items)}", field="items")
    for item in request.items:
        _check(item, options)
    deadline_s = options.deadline_s
    if request.deadline_s is not None:
        if not 0 < request.deadline_s < 2**31:
            raise Refusal("invalid", "expected a positive number of seconds", field="deadline_s")
        deadline_s = request.deadline_s
    exchange.service.turns.check_room()
    return Reply(stream=_lines(exchange, request.items, deadline_s), content_type=b"application/x-ndjson")


async def _lines(exchange: Exchange, items: list[JudgeRequest], deadline_s: float) -> AsyncIterator[bytes]:
    """A few are in the queue at a time: as many as keep the workers busy while others take their turns."""
    service = exchange.service
    coming = iter(enumerate(items))
    lines: asyncio.Queue[bytes | Gone] = asyncio.Queue()

    async def some() -> None:
        for index, item in coming:
            said: JudgeResponse | Exception
            try:
                said = await exchange.patient_turn(_call(service, item), deadline_s=deadline_s)
                service.results.add(said.verdict)
            except Gone as gone:
                lines.put_nowait(gone)
                return
            except Exception as error:  # noqa: BLE001 - one bad item must not end the others
                said = error
                service.results.add("not_judged")
            lines.put_nowait(_line(index, item.id, said))

    tasks = [asyncio.create_task(some()) for _ in range(min(len(items), 2 * service.sandbox.workers + 2))]
    try:
        for _ in items:
            line = await lines.get()
            if isinstance(line, Gone):
                raise line
            yield line
    finally:
        for task in tasks:
            task.cancel()


def _call(service: Service, item: JudgeRequest) -> Callable[[Task], JudgeResponse]:
    return lambda task: _judged(service, item, task)


def _line(index: int, id: str, said: JudgeResponse | Exception) -> bytes:
    if isinstance(said, JudgeResponse):
        line = BatchLine(index=index, id=id, judgement=said)
    else:
        line = BatchLine(index=index, id=id, error=refusals.of(said).words)
    return msgspec.json.encode(line) + b"\n"
