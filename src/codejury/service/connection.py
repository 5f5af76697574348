"""One connection: uvicorn's, with clocks and bounds on what comes before the application sees a request.

Owns the defences below HTTP: a head that never ends, a body that trickles, an answer that nobody takes, connections
without number. The application's own bounds are in `bodies` and `turns`.

    made ─► head ─► body ─► answer ─► idle ─► head …
      └──────┴───────┴ request_s          └ idle_s (uvicorn's)
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from codejury.service.live import PATH as EVENTS
from codejury.service.options import Options
from codejury.service.refusals import Refusal

_AT_ONCE = struct.pack("ii", 1, 0)
_LENGTH = b"\r\ncontent-length: "
_SMALL = 64 << 10


class Connection(HttpToolsProtocol):
    """Made by `bound`, which gives it its options."""

    options = Options()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clock: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._arriving = False  # a request has begun, and is not whole
        self._head_done = False
        self._since = 0.0
        self._bytes = 0
        self._refused = False

    # -- from the transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.options.connections:
            self._cut(Refusal("overloaded", f"expected at most {self.options.connections} connections at a time"))
            return
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if not self._arriving:
            self._begin()
        self._bytes += len(data)
        super().data_received(data)
        if not self._arriving or self._refused:
            return
        if not self._head_done and self._bytes > self.options.head_kb << 10:
            self._cut(Refusal("head_too_large", f"expected a head of at most {self.options.head_kb} KB"))
        elif self._bytes > 4 * self.options.body_bytes + (1 << 20):  # chunks, mostly made of what is not body
            self._cut(Refusal("too_large", f"expected a body of at most {self.options.body_bytes} bytes"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.options.unread_s, self._reset)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def end_stream(self) -> None:
        """One that would go on for ever, to a client that takes nothing: it would not see the end of it either."""
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)
        if self._unread is not None and cycle is not None and cycle.scope["path"] == EVENTS:
            self._reset()

    def _reset(self) -> None:
        """Nothing of what was not taken stays, in the kernel neither."""
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()

    # -- from the parser

    def on_message_begin(self) -> None:
        if not self._arriving:  # one more in the same piece
            self._begin()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_done = True
        super().on_headers_complete()
        if self.cycle is not None:
            self.cycle.transport = _Whole(self.cycle.transport)  # type: ignore[assignment]

    def on_message_complete(self) -> None:
        self._arriving = False
        self._stop_clock()
        super().on_message_complete()

    # -- the clock

    def _begin(self) -> None:
        self._arriving = True
        self._head_done = False
        self._bytes = 0
        self._since = self.loop.time()
        self._stop_clock()
        self._clock = self.loop.call_later(self.options.request_s, self._late)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _late(self) -> None:
        if self.transport.is_closing():
            return
        passed = self.loop.time() - self._since
        if self.flow.read_paused or (self._head_done and self._bytes >= self.options.least_bytes_s * passed):
            self._clock = self.loop.call_later(self.options.request_s, self._late)
            return
        if not self._bytes:
            self.transport.close()  # it never said anything
            return
        self._cut(Refusal("timeout", f"the request was not there after {passed:.0f} s"))

    def _cut(self, refusal: Refusal) -> None:
        """Ends the connection, with words where none have been said yet."""
        self._refused = True
        self._stop_clock()
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)  # none before the first head
        if cycle is None or cycle.response_complete:
            self.transport.write(_raw(refusal))
        else:
            if not cycle.response_started:
                self.transport.write(_raw(refusal))
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()


class _Whole:
    """A transport for one answer: a head that announces a length waits for the body, and both leave in one write. Two
    would wake the client twice."""

    __slots__ = ("_head", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""

    def write(self, data: bytes) -> None:
        if self._head:
            head, self._head = self._head, b""
            if len(data) < _SMALL:
                data = head + data
            else:  # to copy it would cost more than a write
                self._transport.write(head)
        elif _LENGTH in data and data.startswith(b"HTTP/1.1 "):
            self._head = data
            return
        self._transport.write(data)

    def close(self) -> None:
        if self._head:
            self._transport.write(self._head)
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


def _raw(refusal: Refusal) -> bytes:
    body = refusal.body
    head = [f"HTTP/1.1 {refusal.status} {refusal.type}".encode()]
    head += [name + b": " + value for name, value in refusal.headers]
    head += [b"content-length: " + str(len(body)).encode(), b"connection: close", b"", body]
    return b"\r\n".join(head)


def bound(options: Options) -> type[Connection]:
    return type("Connection", (Connection,), {"options": options})
