"""What goes on, second by second, told to everybody who listens: the stream below the dashboard.

Owns the short history (some minutes, a fixed number of samples) and the streams. What is looked at is a `View`'s
business: the service's own (`dashboard`), or that of a long command (`aside`).

    a tick a second ─► view.sample() ─► history ─► one event for all ─► stream ─► stream ─► …

There is no queue for a listener: it gets what is new when it has taken what was sent before, and the whole history
again where it has missed something. So a slow one holds up nobody and costs no memory; one that takes nothing at all is
cut off by its connection's clock (`connection.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from typing import Any, Literal, Protocol

import msgspec

from codejury.sandbox.watch import Spread
from codejury.service.operations import Exchange
from codejury.service.refusals import Refusal

PATH = "/events"
EVERY_S = 1.0
KEPT = 300  # samples
RECENT = 60  # of them, for figures of the last minute
_RUNS = 64  # programs that are named; the others are counted
STREAMS = 64


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Of one second. `programs`: that ended; `results`: verdicts and outcomes that were given, or rows that were done.
    `p50_s`, `p99_s`: of what ended in this second; null where nothing did. `memory_mb`: of this process; `program_mb`:
    of the largest program that ended."""

    at: float
    results: float
    programs: int
    failures: int
    waiting: int
    running: int
    p50_s: float | None
    p99_s: float | None
    memory_mb: float
    program_mb: float


class Second(msgspec.Struct, frozen=True, kw_only=True):
    """What a view knows of the last second: the sample, and what its figures are made of."""

    sample: Sample
    took: Spread
    kinds: Counter[tuple[str, str]] = Counter()


class RunNow(msgspec.Struct, frozen=True, kw_only=True):
    """A program that runs. `client` and `kind` are those of the request that it runs for."""

    label: str
    seconds: float
    client: str = ""
    kind: str = ""


class ClientNow(msgspec.Struct, frozen=True, kw_only=True):
    """Of one client: requests that wait, and requests whose turn it is."""

    client: str
    waiting: int
    running: int


class QueueNow(msgspec.Struct, frozen=True, kw_only=True):
    """`clients`: those who have most; `more`: how many others there are."""

    waiting: int
    places: int
    running: int
    clients: list[ClientNow]
    more: int


class PartNow(msgspec.Struct, frozen=True, kw_only=True):
    """How far a part of a long command is. `share`: of all its work, from 0 to 1, where that is known."""

    name: str
    done: int
    total: int | None = None
    share: float | None = None
    counts: dict[str, float] = {}


class KindNow(msgspec.Struct, frozen=True, kw_only=True):
    """How often something happened, since the start and in the last minute. `group`: result, program, or refusal."""

    group: str
    name: str
    total: int
    recent: int


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Now. `level` and `layers`: of the last run, so null before the first."""

    title: str
    mode: Literal["service", "run"]
    version: str
    since: float
    at: float
    ready: bool
    workers: int
    waits_for_worker: int
    level: str | None
    layers: tuple[str, ...]
    runs: list[RunNow]
    runs_more: int
    kinds: list[KindNow]
    p50_s: float | None
    p99_s: float | None
    took_count: int
    program_mb: float
    queue: QueueNow | None = None
    parts: list[PartNow] = []


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is sent: the state, with the last sample, or with all of them where the listener has none."""

    state: State
    sample: Sample | None = None
    history: list[Sample] | None = None


class View(Protocol):
    def second(self, passed_s: float) -> Second:
        """Called once a second, and by nobody else."""
        ...

    def state(self) -> dict[str, Any]:
        """Fields of `State` that the view knows and `Live` does not."""
        ...


class Live:
    """Made in the event loop; `run` is its heart."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._since = time.time()
        self._seconds: deque[Second] = deque(maxlen=KEPT)
        self._totals: Counter[tuple[str, str]] = Counter()
        self._number = 0
        self._tick = asyncio.Event()
        self._stopping = False
        self.streams = 0
        self._events: dict[bool, bytes] = {}
        self._last = asyncio.get_running_loop().time()
        self._beat()

    async def run(self) -> None:
        while not self._stopping:
            await asyncio.sleep(EVERY_S)
            self._beat()

    def stop(self) -> None:
        self._stopping = True
        self._beat()

    def _beat(self) -> None:
        now = asyncio.get_running_loop().time()
        second = self._view.second(max(now - self._last, 1e-3))
        self._last = now
        self._seconds.append(second)
        self._totals.update(second.kinds)
        self._number += 1
        self._events.clear()
        before, self._tick = self._tick, asyncio.Event()
        before.set()

    # -- for listeners

    def stream(self, exchange: Exchange) -> AsyncIterator[bytes]:
        """Refusal: too many listen."""
        if self.streams >= STREAMS:
            raise Refusal("overloaded", f"expected at most {STREAMS} listeners at a time", retry_after_s=10)
        exchange.look_out()
        return self._pieces(exchange)

    async def _pieces(self, exchange: Exchange) -> AsyncIterator[bytes]:
        self.streams += 1
        heard = -1
        try:
            while not exchange.is_gone:
                tick, number = self._tick, self._number
                piece = self._event(whole=number != heard + 1)
                heard = number
                yield piece
                if self._stopping:
                    yield b"event: end\ndata: {}\n\n"
                    return
                if number == self._number:
                    await tick.wait()
        finally:
            self.streams -= 1

    def _event(self, *, whole: bool) -> bytes:
        """The same for everybody, so it is made once."""
        found = self._events.get(whole)
        if found is None:
            state = self._state()
            samples = [second.sample for second in self._seconds]
            event = Event(state=state, history=samples) if whole else Event(state=state, sample=samples[-1])
            found = self._events[whole] = b"event: state\ndata: " + msgspec.json.encode(event) + b"\n\n"
        return found

    def _state(self) -> State:
        from codejury import __version__

        recent = list(self._seconds)[-RECENT:]
        took = Spread()
        kinds: Counter[tuple[str, str]] = Counter()
        for second in recent:
            took.join(second.took)
            kinds.update(second.kinds)
        known = self._view.state()
        runs: list[RunNow] = known.pop("runs")
        return State(
            version=__version__,
            since=self._since,
            at=time.time(),
            runs=runs[:_RUNS],
            runs_more=max(0, len(runs) - _RUNS),
            kinds=[
                KindNow(group=group, name=name, total=total, recent=kinds[group, name])
                for (group, name), total in sorted(self._totals.items())
            ],
            p50_s=took.quantile(0.5),
            p99_s=took.quantile(0.99),
            took_count=took.total,
            program_mb=max((second.sample.program_mb for second in recent), default=0.0),
            **known,
        )
