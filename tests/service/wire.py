"""HTTP as tests need it: what a proper client would not send can be sent too, and what comes back is seen as it is."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Callable
from typing import Any

import msgspec

WAIT_S = 60.0


class Answer(msgspec.Struct):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The type of a refusal."""
        return str(self.json["error"]["type"])

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


class Client:
    """A new connection for each call."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(b"", path=path, method="GET", **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.send(json.dumps(body).encode(), path=path, **headers)

    def send(self, body: bytes, *, path: str = "/run_code", method: str = "POST", **headers: str) -> Answer:
        with self.connect() as connection:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before it was read whole
                connection.sendall(head(path, method, len(body), **headers) + body)
            return read(connection)

    def run(self, code: str, language: str = "python", **more: Any) -> Any:
        answer = self.post("/run_code", {"code": code, "language": language, **more})
        assert answer.status == 200, answer
        return answer.json


def head(path: str, method: str = "POST", length: int | None = None, **headers: str) -> bytes:
    named = {"Host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if length is not None and method == "POST":
        named["Content-Length"] = str(length)
    return "".join([f"{method} {path} HTTP/1.1\r\n", *(f"{k}: {v}\r\n" for k, v in named.items()), "\r\n"]).encode()


def read(connection: socket.socket) -> Answer:
    raw = b""
    while b"\r\n\r\n" not in raw:
        more = connection.recv(1 << 16)
        if not more:
            raise ConnectionError(f"the connection ended after {raw!r}")
        raw += more
    start, _, body = raw.partition(b"\r\n\r\n")
    lines = start.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    status = int(lines[0].split()[1])
    if headers.get("transfer-encoding") == "chunked":
        while not body.endswith(b"0\r\n\r\n"):
            more = connection.recv(1 << 16)
            if not more:
                raise ConnectionError("the answer was cut")
            body += more
        return Answer(status, headers, _unchunked(body))
    length = int(headers.get("content-length", "0"))
    while len(body) < length:
        more = connection.recv(1 << 16)
        if not more:
            raise ConnectionError("the answer was cut")
        body += more
    return Answer(status, headers, body)


def _unchunked(raw: bytes) -> bytes:
    made = b""
    while raw:
        size, _, raw = raw.partition(b"\r\n")
        made, raw = made + raw[: int(size, 16)], raw[int(size, 16) + 2 :]
    return made


def until(condition: Callable[[], bool], *, seconds: float = WAIT_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
