"""The dashboard: a page for people at `/`, what it shows (`/events`), and its box to try programs (`/try`).

Owns the page's headers and what the service shows of itself. The page holds nothing but its own text, style and script,
so everybody may have it; what it asks for is behind the token like all else. It runs nothing but its own script, by the
rules that it is sent with, fetches from nowhere else, and shows all texts as text.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections import Counter
from html import escape
from importlib import resources
from typing import Any

import msgspec

from codejury.languages.execute import Job
from codejury.model import Level, Limits, Outcome, Status
from codejury.sandbox.pool import Task
from codejury.sandbox.watch import Ended, Look, Spread, Watch
from codejury.service.live import PATH as EVENTS
from codejury.service.live import ClientNow, Event, Live, QueueNow, RunNow, Sample, Second
from codejury.service.operations import Exchange, Operation, Reply, Service, Site
from codejury.service.refusals import Refusal
from codejury.service.status import resident_bytes

_CLIENTS = 20  # that are named; the others are counted
_SHOWN = 1 << 18  # characters of each stream
_MEMORY_MB = 1024
_QUEUE_S = 60.0
_GOOD = frozenset({"ok", "success"})


# ── The page ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def page_operation(site: Site, *, title: str) -> Operation:
    body, headers = page(title=title, needs_token=site.options.token is not None)

    async def answer(exchange: Exchange) -> Reply:
        return Reply(body, content_type=b"text/html; charset=utf-8", headers=headers)

    return Operation(
        path="/",
        method="GET",
        summary="The dashboard, for browsers.",
        answer=answer,
        content_type="text/html",
        page=True,
        tag="dashboard",
    )


def page(*, title: str, needs_token: bool) -> tuple[bytes, tuple[tuple[bytes, bytes], ...]]:
    """The document, and the headers that go with it."""
    style = _own("report", "report.css") + _own("service", "dashboard.css")
    script = _own("service", "dashboard.js")
    text = _own("service", "dashboard.html")
    for mark, content in (
        ("{title}", escape(title)),
        ("{token}", "needed" if needs_token else "none"),
        ("{style}", style),
        ("{script}", script),
    ):
        assert mark in text
        text = text.replace(mark, content)
    rules = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    headers = {
        "content-security-policy": rules,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "vary": "Accept",
    }
    return text.encode(), tuple((name.encode(), value.encode()) for name, value in headers.items())


def _own(room: str, name: str) -> str:
    return resources.files("codejury").joinpath(room, name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# ── What it shows ────────────────────────────────────────────────────────────────────────────────────────────────────


def events_operation() -> Operation:
    async def answer(exchange: Exchange) -> Reply:
        live = exchange.site.live
        if live is None:
            raise Refusal("stopping", "nothing is shown yet, or any more")
        return Reply(
            stream=live.stream(exchange),
            content_type=b"text/event-stream",
            headers=((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")),
        )

    return Operation(
        path=EVENTS,
        method="GET",
        summary="What goes on, once a second, as server-sent events: `state`, then `end` when the service stops.",
        answer=answer,
        gives=Event,
        content_type="text/event-stream",
        tag="dashboard",
    )


class ServiceView:
    """Of a service: its queue, its results, its refusals, and the programs below them."""

    def __init__(self, service: Service, watch: Watch) -> None:
        self._service = service
        self._watch = watch
        self._counted: Counter[tuple[str, str]] = Counter()

    def second(self, passed_s: float) -> Second:
        service = self._service
        now: Counter[tuple[str, str]] = Counter()
        for group, counter in (("result", service.results), ("refusal", service.refused)):
            for (name,), count in counter.values().items():
                now[group, name] = int(count)
        kinds, self._counted = now - self._counted, now
        results = sum(count for (group, _), count in kinds.items() if group == "result")
        took, service.turns.lasted = service.turns.lasted, Spread()
        return second_of(
            self._watch.look(),
            self._watch.take(),
            took=took,
            kinds=kinds,
            results=results / passed_s,
            failures=kinds.total() - sum(kinds["result", name] for name in _GOOD),
            waiting=service.turns.waiting,
        )

    def state(self) -> dict[str, Any]:
        service = self._service
        clients = sorted(service.turns.clients().items(), key=lambda each: each[1], reverse=True)
        queue = QueueNow(
            waiting=service.turns.waiting,
            places=service.turns.places,
            running=sum(running for _, (_, running) in clients),
            clients=[
                ClientNow(client=_named(*client), waiting=waiting, running=running)
                for client, (waiting, running) in clients[:_CLIENTS]
            ],
            more=max(0, len(clients) - _CLIENTS),
        )
        return {
            **state_of(self._watch.look()),
            "title": "codejury serve",
            "mode": "service",
            "ready": service.ready,
            "queue": queue,
        }


def second_of(
    look: Look,
    ended: Ended,
    *,
    took: Spread,
    kinds: Counter[tuple[str, str]],
    results: float,
    failures: int,
    waiting: int,
) -> Second:
    """Programs that ended are counted too, under the group `program`."""
    programs = Counter({("program", name): count for name, count in ended.counts.items()})
    sample = Sample(
        at=time.time(),
        results=results,
        programs=ended.counts.total(),
        failures=failures,
        waiting=waiting,
        running=len(look.runs),
        p50_s=took.quantile(0.5),
        p99_s=took.quantile(0.99),
        memory_mb=resident_bytes() / 2**20,
        program_mb=ended.memory_mb,
    )
    return Second(sample=sample, took=took, kinds=kinds + programs)


def state_of(look: Look) -> dict[str, Any]:
    return {
        "workers": look.workers,
        "waits_for_worker": look.waiting,
        "level": look.level,
        "layers": look.layers,
        "runs": [
            RunNow(
                label=each.label,
                seconds=each.seconds,
                client=_named(*each.of[:2]) if each.of else "",
                kind=each.of[2] if len(each.of) > 2 else "",
            )
            for each in look.runs
        ],
    }


def _named(address: str, name: str = "") -> str:
    return f"{address} {name}" if name else address


# ── The box to try ───────────────────────────────────────────────────────────────────────────────────────────────────


class LanguageThere(msgspec.Struct, frozen=True, kw_only=True):
    """A language that this host has."""

    name: str
    title: str


class TryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program to try. `language`: one of /languages. `seconds`: of CPU time and on the clock."""

    source: str
    language: str
    stdin: str = ""
    seconds: float = 10


class TryResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What it did, and how it was isolated. Output is cut where it is too long to be looked at."""

    status: Status
    exit_code: int | None
    signal: int | None
    stdout: str
    stderr: str
    stdout_cut: bool
    stderr_cut: bool
    cpu_s: float
    wall_s: float
    memory_mb: float
    level: Level
    layers: tuple[str, ...]


def operations(service: Service) -> list[Operation]:
    found: list[LanguageThere] = []

    async def languages(exchange: Exchange) -> Reply:
        if not found:
            there = await asyncio.to_thread(service.sandbox.available)
            found[:] = [LanguageThere(name=language.name, title=language.title) for language in there]
        return Reply(msgspec.json.encode(found))

    return [
        page_operation(service, title="codejury serve"),
        events_operation(),
        Operation(
            path="/languages",
            method="GET",
            summary="The languages that this host has.",
            answer=languages,
            gives=list[LanguageThere],
            tag="dashboard",
        ),
        Operation(
            path="/try",
            method="POST",
            summary="Run a program and see how it was isolated: the dashboard's box.",
            answer=_try,
            takes=TryRequest,
            gives=TryResponse,
            tag="dashboard",
        ),
    ]


async def _try(exchange: Exchange) -> Reply:
    request = await exchange.decoded(TryRequest)
    options, sandbox = exchange.service.options, exchange.service.sandbox
    if request.language not in sandbox.catalog:
        raise Refusal("invalid", f"no language is called {request.language[:60]!r}", field="language")
    if not 0 < request.seconds <= options.timeout_s:
        message = f"expected seconds, more than 0 and at most {options.timeout_s:g}"
        raise Refusal("invalid", message, field="seconds")
    job = Job(
        source=request.source,
        language=request.language,
        stdin=request.stdin,
        limits=Limits(
            cpu_s=request.seconds,
            wall_s=request.seconds,
            memory_mb=min(_MEMORY_MB, options.memory_mb),
            processes=256,
        ),
    )

    def call(task: Task) -> TryResponse:
        return _tried(sandbox.run_job(job))

    said = await exchange.turn(call, deadline_s=_QUEUE_S + 2 * request.seconds)
    exchange.service.results.add(said.status)
    return Reply(msgspec.json.encode(said))


def _tried(outcome: Outcome) -> TryResponse:
    stdout, stderr = (raw[: 4 * _SHOWN].decode(errors="replace") for raw in (outcome.stdout, outcome.stderr))
    return TryResponse(
        status=outcome.status,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        stdout=stdout[:_SHOWN],
        stderr=stderr[:_SHOWN],
        stdout_cut=outcome.stdout_truncated or len(stdout) > _SHOWN or len(outcome.stdout) > 4 * _SHOWN,
        stderr_cut=outcome.stderr_truncated or len(stderr) > _SHOWN or len(outcome.stderr) > 4 * _SHOWN,
        cpu_s=outcome.cpu_s,
        wall_s=outcome.wall_s,
        memory_mb=outcome.memory_mb,
        level=outcome.level,
        layers=outcome.layers,
    )


def live_of(service: Service, watch: Watch) -> Live:
    return Live(ServiceView(service, watch))
