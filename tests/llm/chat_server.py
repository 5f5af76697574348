"""A chat server on loopback that answers as its script says: real sockets, no model.

    with ChatServer(Say("hello"), Fail(429, retry_after="0"), Cut()) as server:
        Client(server.url, "m").ask(...)

Each request takes the next step of the script; after the last one the last one stays. A function in the script is
called with the request's body and gives a step. `requests` are the requests that came: body, headers.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Say:
    """A reply as it should be."""

    text: str | None
    finish_reason: str | None = "stop"
    prompt_tokens: int = 11
    completion_tokens: int = 7

    def answer(self, server: ChatServer, handler: Handler) -> None:
        handler.give(200, json.dumps(self.body()).encode())

    def body(self) -> dict[str, Any]:
        return {
            "id": "chat-1",
            "object": "chat.completion",
            "system_fingerprint": "scripted",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": self.text},
                    "finish_reason": self.finish_reason,
                }
            ],
            "usage": {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens},
        }


@dataclass(frozen=True)
class Raw:
    """These bytes with this status, whatever they are."""

    content: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def answer(self, server: ChatServer, handler: Handler) -> None:
        handler.give(self.status, self.content, self.headers)


def fail(status: int, words: str = "no", **headers: str) -> Raw:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Raw(json.dumps({"error": {"message": words}}).encode(), status, named)


@dataclass(frozen=True)
class Reset:
    """The connection is cut, before the status or in the middle of the body."""

    after: int | None = None  # bytes of a body that was announced as larger

    def answer(self, server: ChatServer, handler: Handler) -> None:
        if self.after is not None:
            handler.send_response(200)
            handler.send_header("Content-Length", "100000")
            handler.end_headers()
            handler.wfile.write(b"{" * self.after)
            handler.wfile.flush()
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True


@dataclass(frozen=True)
class Stall:
    """Nothing comes, until the server is closed."""

    def answer(self, server: ChatServer, handler: Handler) -> None:
        server.closing.wait()
        handler.close_connection = True


@dataclass(frozen=True)
class Drip:
    """A byte now and then, for ever: in the headers, or in the body."""

    every_s: float = 0.02
    headers: bool = False

    def answer(self, server: ChatServer, handler: Handler) -> None:
        start = b"HTTP/1.1 200 OK\r\nX-Slow: " if self.headers else b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        handler.close_connection = True
        with contextlib.suppress(OSError):
            handler.wfile.write(start)
            while not server.closing.wait(self.every_s):
                handler.wfile.write(b" ")
                handler.wfile.flush()


@dataclass(frozen=True)
class After:
    """Another step, when the gate is open: for requests that must be under way at the same time."""

    gate: threading.Event
    then: Any

    def answer(self, server: ChatServer, handler: Handler) -> None:
        self.gate.wait(30)
        self.then.answer(server, handler)


@dataclass(frozen=True)
class Request:
    body: Any
    headers: dict[str, str]
    path: str


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        owner: ChatServer = self.server.owner
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(json.loads(raw), {name.lower(): value for name, value in self.headers.items()}, self.path)
        step = owner.next_step(request)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            try:
                step.answer(owner, self)
            finally:
                owner.left()

    def give(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Not into the tests' output."""


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the script."""


class ChatServer:
    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.closing = threading.Event()
        self.came = threading.Condition()
        self._inside = 0
        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def next_step(self, request: Request) -> Any:
        with self.came:
            step = self.script[min(len(self.requests), len(self.script) - 1)]
            self.requests.append(request)
            self._inside += 1
            self.most_at_once = max(self.most_at_once, self._inside)
            self.came.notify_all()
        return step(request.body) if isinstance(step, Callable) and not hasattr(step, "answer") else step

    def left(self) -> None:
        with self.came:
            self._inside -= 1

    def wait_for(self, count: int) -> None:
        """Until so many requests have come."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.requests) >= count, 30)

    def __enter__(self) -> ChatServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
