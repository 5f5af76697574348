"""The table of what the service does, and how one row of it meets a request.

Owns `Operation` (a row), `Exchange` (a request being answered: its body, its deadline, its turn) and `Endpoint`, the
boundary at which whatever is raised becomes a typed refusal. A room that is to be served gives rows; nothing here
knows them.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
from starlette.types import Receive, Scope, Send

from codejury.judging.jury import Jury
from codejury.languages.execute import Sandbox
from codejury.sandbox.pool import Task
from codejury.service import refusals
from codejury.service.bodies import Body, Room
from codejury.service.metrics import Metrics
from codejury.service.options import Options
from codejury.service.refusals import Refusal
from codejury.service.turns import Gone, Turn, Turns

if TYPE_CHECKING:
    from codejury.service.live import Live

_T = TypeVar("_T")
_JSON = (b"content-type", b"application/json")
_log = logging.getLogger("codejury.service")


class Site:
    """What all requests share, whatever is served. Made in the event loop."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.metrics = Metrics()
        self.room = Room(options.held_bytes)
        self.operations: list[Operation] = []
        self.answered = self.metrics.counter(
            "codejury_requests_total", "Requests, by path and status.", ("path", "status")
        )
        self.refused = self.metrics.counter("codejury_refused_total", "Refusals, by type.", ("type",))
        self.metrics.gauge("codejury_held_bytes", "Bodies of requests under way.", lambda: self.room.held)
        self.live: Live | None = None

    def stop(self) -> None:
        """The end is near: streams that would go on for ever end now."""
        if self.live is not None:
            self.live.stop()


class Service(Site):
    """The same where programs are run for others; `sandbox` and `jury` belong to whoever made them."""

    def __init__(self, options: Options, sandbox: Sandbox, jury: Jury) -> None:
        super().__init__(options)
        self.sandbox = sandbox
        self.jury = jury
        self.turns = Turns(sandbox, places=options.places, metrics=self.metrics)
        self.results = self.metrics.counter("codejury_results_total", "What runs and cases came to.", ("result",))
        self.metrics.gauge("codejury_workers", "Programs at a time.", lambda: sandbox.workers)

    @property
    def ready(self) -> bool:
        return not self.turns.stopping

    def stop(self) -> None:
        self.turns.stop()
        super().stop()


class Reply(msgspec.Struct, frozen=True):
    """An answer. `stream`: the body comes in pieces instead. `headers`: more of them."""

    body: bytes = b""
    status: int = 200
    content_type: bytes = b"application/json"
    stream: AsyncIterator[bytes] | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One row.

    takes, gives   types of the bodies, for decoding and for the OpenAPI document; `gives` None: text
    content_type   of the answer
    open           needs no token: for those who ask whether the service lives
    page           of a person: whoever takes HTML gets it without a token, since it holds nothing; for others there is
                   no such path
    """

    path: str
    method: Literal["GET", "POST"]
    summary: str
    answer: Callable[[Exchange], Awaitable[Reply]]
    takes: Any = None
    gives: Any = None
    content_type: str = "application/json"
    open: bool = False
    page: bool = False
    tag: str = "service"


class Exchange:
    """One request."""

    __slots__ = ("_body", "_deadline", "_receive", "_turns", "_watch", "began", "client", "is_gone", "path", "site")

    def __init__(self, site: Site, scope: Scope, receive: Receive) -> None:
        self.site = site
        self.path: str = scope.get("codejury.path", "")
        self.is_gone = False
        self.began = asyncio.get_running_loop().time()
        self._receive = receive
        self._turns: set[Turn] = set()
        self._watch: asyncio.Task[None] | None = None
        self._deadline: float | None = None
        name = ""
        for header, value in scope["headers"]:
            if header == b"x-client-id":
                name = value[:64].decode("latin-1")
            elif header == b"x-deadline-s":
                self._deadline = _seconds(value)
        peer = scope.get("client")
        self.client = (peer[0] if peer else "", name)
        self._body = Body(scope["headers"], receive, site.room, site.options.body_bytes)

    @property
    def service(self) -> Service:
        assert isinstance(self.site, Service)
        return self.site

    async def decoded(self, type: type[_T]) -> _T:
        """The body as this type, or a refusal that names the field."""
        raw = await self._body.read()
        try:
            return msgspec.json.decode(raw, type=type)
        except msgspec.ValidationError as error:
            words, _, place = str(error).partition(" - at `$")
            raise Refusal("invalid", words, field=place.strip("`").strip(".")) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Refusal("invalid", f"expected JSON in UTF-8: {error}"[:300]) from None
        except RecursionError:
            raise Refusal("invalid", "expected JSON that is not nested so deeply") from None

    # -- turns

    def left_s(self, usual_s: float) -> float:
        """Of the client's time: what its header says, else what is usual for such a request."""
        whole = self._deadline if self._deadline is not None else usual_s
        return self.began + whole - asyncio.get_running_loop().time()

    async def turn(self, call: Callable[[Task], _T], *, deadline_s: float) -> _T:
        """What the call returns, in a thread, when it is this client's turn."""
        turn = self.offer(call, deadline_s=deadline_s)
        try:
            answer: _T = await turn.answer
            return answer
        finally:
            self._turns.discard(turn)
            self.service.turns.abandon(turn, Gone())  # where we were cancelled; else it is over

    async def patient_turn(self, call: Callable[[Task], _T], *, deadline_s: float) -> _T:
        """The same for a part of a batch: where there is no place, it asks again, for as long as its client waits."""
        pause_s = 0.05
        while True:
            try:
                return await self.turn(call, deadline_s=deadline_s)
            except Refusal as refusal:
                if refusal.type != "overloaded" or self.left_s(deadline_s) < pause_s:
                    raise
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 1.0)

    def offer(self, call: Callable[[Task], _T], *, deadline_s: float) -> Turn:
        """The same, and its answer is awaited by the caller."""
        turn = self.service.turns.offer(self.client, call, left_s=max(0.0, self.left_s(deadline_s)), kind=self.path)
        self._turns.add(turn)
        self.look_out()
        return turn

    def look_out(self) -> None:
        """For the client's leaving: then `is_gone`, and nothing more is run for it."""
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._watched())

    async def _watched(self) -> None:
        """Until the client leaves, or has its answer."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        for turn in list(self._turns):
            self.service.turns.abandon(turn, Gone())

    # -- the answer

    async def send(self, reply: Reply, send: Send) -> None:
        headers = [(b"content-type", reply.content_type), *reply.headers]
        if reply.stream is None:
            headers.append((b"content-length", str(len(reply.body)).encode()))
            self._body.hold(len(reply.body))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        if reply.stream is not None:
            async for piece in reply.stream:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": reply.body})

    async def refuse(self, refusal: Refusal, send: Send) -> None:
        body = refusal.body
        headers = [*refusal.headers, (b"content-length", str(len(body)).encode())]
        if self._body.is_read:
            await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await self._body.discard()
        await send({"type": "http.response.body", "body": b""})

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        for turn in list(self._turns):
            self.service.turns.abandon(turn, Gone())
        self._body.close()


class Endpoint:
    """An operation as an ASGI application: the boundary of a request."""

    def __init__(self, site: Site, operation: Operation) -> None:
        self._site = site
        self._operation = operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["codejury.path"] = self._operation.path
        exchange: Exchange | None = None
        begun = False

        async def noted(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            exchange = Exchange(self._site, scope, receive)
            reply = await self._operation.answer(exchange)
            await exchange.send(reply, noted)
        except Gone:
            pass
        except Exception as error:
            refusal = refusals.of(error)
            if refusal.type == "internal":
                _log.exception("%s: a fault in the service", self._operation.path)
            self._site.refused.add(refusal.type)
            if begun:
                raise  # half an answer: all that is left is to cut the connection
            if exchange is None:
                exchange = Exchange(self._site, {**scope, "headers": []}, receive)
            await exchange.refuse(refusal, send)
        finally:
            if exchange is not None:
                exchange.close()


def _seconds(value: bytes) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < 2**31:
        raise Refusal("invalid", "X-Deadline-S: expected a positive number of seconds", field="X-Deadline-S")
    return seconds
