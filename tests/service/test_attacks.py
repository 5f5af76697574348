"""What hostile clients send: each ends as a clear refusal, and the service serves the next one."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import socket
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from service.conftest import Make, Running
from service.wire import Client, head, read, until

from codejury.errors import SettingsError, UsageError
from codejury.service.options import Options
from codejury.service.server import check
from codejury.settings import Secret, parse_token

TOKEN = "a-token-of-this-test"
RUN = {"code": "print(1)", "language": "python"}


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A service with little patience."""
    running = Running(
        workers=1,
        body_mb=0.25,
        held_mb=1,
        request_s=1,
        least_bytes_s=1e9,
        idle_s=2,
        unread_s=1,
        connections=40,
        head_kb=16,
    )
    yield running
    running.stop()


@pytest.fixture
def serves(small: Running) -> Iterator[None]:
    """After the attack, as before it."""
    yield
    until(lambda: _is_served(small))


def _is_served(small: Running) -> bool:
    """On a busy host our own requests may come too late for it, too."""
    with contextlib.suppress(ConnectionError):
        answer = small.client.post("/run_code", {"code": "print(6 * 7)", "language": "python"})
        if answer.status == 200:
            assert answer.json["run_result"]["stdout"] == "42\n"
            return small.metric("codejury_held_bytes") == 0
        assert answer.error in ("timeout", "overloaded")
    return False


# --- paths -----------------------------------------------------------------------------------------------------------

PATHS = ["/etc/passwd", "../up", "a/../../up", "a//b", "./a", "", "a/", "/", "..", "a\0b", "\ud800"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("field", ["files", "fetch_files"])
def test_paths_stay_inside_the_runs_directory(service: Running, path: str, field: str) -> None:
    given: Any = {path: base64.b64encode(b"x").decode()} if field == "files" else [path]
    answer = service.client.post("/run_code", {**RUN, field: given})
    assert (answer.status, answer.error) == (422, "invalid")


def test_a_path_as_long_as_no_file_system_takes_it(service: Running) -> None:
    for path in ("a" * 300, "/".join(["a"] * 3000)):
        answer = service.client.post("/run_code", {**RUN, "files": {path: ""}})
        assert (answer.status, answer.error) == (422, "invalid")


def test_a_link_to_the_outside_is_not_fetched(service: Running) -> None:
    code = "import os\nos.symlink('/etc/passwd', 'link')\nos.symlink('/etc', 'd')"
    assert service.client.run(code, fetch_files=["link", "d/passwd"])["files"] == {}


def test_paths_of_judged_programs(service: Running) -> None:
    body = {"source": "print(1)", "language": "python", "tests": [{"input": "", "output": "1"}]}
    answer = service.client.post("/judge", {**body, "files": {"../x": ""}})
    assert (answer.status, answer.error) == (422, "invalid")


def test_a_text_for_tests_is_no_path(service: Running) -> None:
    answer = service.client.post("/judge", {"source": "print(1)", "language": "python", "tests": "/etc/passwd"})
    assert (answer.status, answer.error) == (422, "invalid")
    assert "root:" not in answer.body.decode()


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_a_hundred_thousand_files(service: Running) -> None:
    for path, body in (("/run_code", RUN), ("/judge", {"source": "", "tests": []})):
        answer = service.client.post(path, {**body, "files": {f"f{n}": "" for n in range(100_000)}})
        assert (answer.status, answer.error) == (413, "too_large")


def test_a_body_that_is_announced_too_large_is_not_read(small: Running, serves: None) -> None:
    with small.client.connect() as connection:
        connection.sendall(head("/run_code", length=1 << 40))
        answer = read(connection)  # though not a byte of it was sent
    assert (answer.status, answer.error, answer.headers["connection"]) == (413, "too_large", "close")


def test_a_body_that_is_too_large_and_says_nothing_of_it(small: Running, serves: None) -> None:
    with small.client.connect() as connection:
        connection.sendall(head("/run_code", Transfer_Encoding="chunked"))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                connection.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        assert read(connection).status == 413


def test_chunks_made_of_everything_but_a_body(small: Running, serves: None) -> None:
    sent = 0
    with small.client.connect() as connection:
        connection.sendall(head("/run_code", Transfer_Encoding="chunked"))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 200 << 20:
                connection.sendall(b"1;" + b"x" * 60_000 + b"\r\n \r\n")
                sent += 60_000
    assert sent < 200 << 20


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb(small: Running, serves: None, encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    bomb = pack(b" " * (20 << 20))
    assert len(bomb) < 100_000
    answer = small.client.send(bomb, Content_Encoding=encoding)
    assert (answer.status, answer.error) == (413, "too_large")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_packed_request(service: Running, encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    answer = service.client.send(pack(json.dumps(RUN).encode()), Content_Encoding=encoding)
    assert (answer.status, answer.json["status"]) == (200, "Success")


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [
        (b"no gzip", "gzip", 422),
        (gzip.compress(b"{}", mtime=0)[:-6], "gzip", 422),
        (gzip.compress(b"{}", mtime=0) * 2, "gzip", 422),
        (b"{}", "br", 415),
        (b"{}", "gzip, gzip", 415),
    ],
)
def test_what_does_not_unpack(service: Running, body: bytes, encoding: str, status: int) -> None:
    assert service.client.send(body, Content_Encoding=encoding).status == status


def test_bodies_of_all_requests_together(small: Running, serves: None) -> None:
    """Many that are each small enough: no more of them are read than there is room for."""
    held = []
    for _ in range(8):
        connection = small.client.connect()
        connection.sendall(head("/run_code", length=200_000) + b" " * 199_999)
        held.append(connection)
    answers = [_answer(connection) for connection in held]
    assert {answer.status for answer in answers if answer} <= {408, 503}
    assert any(answer and answer.error == "overloaded" and answer.headers["retry-after"] for answer in answers)


def _answer(connection: socket.socket) -> Any:
    with connection, contextlib.suppress(ConnectionError):
        return read(connection)


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 50_000, b'{"code":"' + b"\\" * 9, b"\xff\xfe", b"", b"nul"]
)
def test_json_that_is_none(service: Running, body: bytes) -> None:
    for path in ("/run_code", "/judge", "/judge_batch", "/execute_batch", "/submit"):
        answer = service.client.send(body, path=path)
        assert (answer.status, answer.error) == (422, "invalid")


def test_tests_nested_deeply(service: Running) -> None:
    tests = b"[" * 900 + b"]" * 900
    body = b'{"source": "x", "language": "python", "fn_name": "f", "tests": [{"input": %s, "output": 1}]}' % tests
    assert service.client.send(body, path="/judge").status in (200, 422)


def test_too_many_items(make_service: Make) -> None:
    service = make_service(workers=1, items=3)
    item = {"source": "", "tests": []}
    for path, body in (("/judge_batch", {"items": [item] * 4}), ("/execute_batch", {"scripts": [""] * 4})):
        answer = service.client.post(path, body)
        assert (answer.status, answer.error) == (413, "too_large")


def test_limits_beyond_the_services_own(make_service: Make) -> None:
    service = make_service(workers=1, timeout_s=0.5, memory_mb=64)
    for limits in ({"cpu_s": 1e6, "wall_s": 1e6}, {"cpu_s": None, "wall_s": None}):
        body = {"source": "while True: pass", "language": "python", "tests": [{"input": "", "output": ""}]}
        answer = service.client.post("/judge", {**body, "limits": limits})
        assert answer.json["verdict"] == "time_limit_exceeded"
    row = {"input_output": '{"inputs": [""], "outputs": [""]}', "time-limit": 1e6, "type": "stdin", "custom_id": "1"}
    body = {"source": "while True: pass", "language": "python", "tests": {**row, "question": "", "solutions": []}}
    assert service.client.post("/judge", body).json["verdict"] == "time_limit_exceeded"
    assert service.client.run("x = bytearray(200 << 20)", run_timeout=0.5, compile_timeout=0.5)["message"] == (
        "memory_limit_exceeded"
    )


# --- slowness --------------------------------------------------------------------------------------------------------


def test_heads_that_never_end(small: Running, serves: None) -> None:
    """Slow-loris: half a head, and now and then a byte more."""
    connections = [small.client.connect() for _ in range(10)]
    for connection in connections:
        connection.sendall(b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nX: ")
    for connection in connections:
        with connection:
            answer = read(connection)
            assert (answer.status, answer.error) == (408, "timeout")


def test_a_head_that_trickles(small: Running, serves: None) -> None:
    with small.client.connect() as connection:
        connection.settimeout(0.1)
        connection.sendall(b"POST /run_code HTTP/1.1\r\n")
        raw = b""
        for _ in range(600):
            with contextlib.suppress(OSError):
                connection.sendall(b"X-A: b\r\n")
            with contextlib.suppress(TimeoutError):
                raw = connection.recv(9999)
                break
        assert raw.startswith(b"HTTP/1.1 408 ")


def test_bodies_that_trickle(small: Running, serves: None) -> None:
    with small.client.connect() as connection:
        connection.sendall(head("/run_code", length=1000) + b'{"code": ')
        answer = read(connection)
    assert (answer.status, answer.error) == (408, "timeout")


def test_a_second_request_that_never_ends(small: Running, serves: None) -> None:
    body = json.dumps(RUN).encode()
    with small.client.connect() as connection:
        connection.sendall(head("/run_code", length=len(body)) + body)
        assert read(connection).status == 200
        connection.sendall(b"POST /run_code HTTP/1.1\r\nHost")
        assert read(connection).error == "timeout"


@pytest.mark.parametrize("first", [b"", json.dumps(RUN).encode()])
def test_connections_on_which_nothing_is_said(small: Running, serves: None, first: bytes) -> None:
    with small.client.connect() as connection:
        if first:
            connection.sendall(head("/run_code", length=len(first)) + first)
            assert read(connection).status == 200
        assert connection.recv(1) == b""


def test_an_answer_that_nobody_takes(small: Running, serves: None) -> None:
    """Many megabytes for one who does not read: they are not kept for long."""
    body = json.dumps({"code": "print('x' * (30 << 20))", "language": "python", "run_timeout": 60}).encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", small.port))
        connection.sendall(head("/run_code", length=len(body)) + body)
        connection.settimeout(60)
        assert connection.recv(1)  # the answer is on its way, and we stop reading
        until(lambda: _is_reset(connection))


def _is_reset(connection: socket.socket) -> bool:
    """Without reading: an aborted connection is an error of its socket."""
    return connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def test_connections_without_number(small: Running, serves: None) -> None:
    held = [small.client.connect() for _ in range(60)]
    refused = 0
    for connection in held:
        with connection:
            connection.settimeout(30)
            with contextlib.suppress(ConnectionError):
                answer = read(connection)  # who was let in is told nothing, and is closed for saying nothing
                refused += answer.error == "overloaded"
    assert refused >= 20


# --- heads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [b"X: " + b"y" * (1 << 20), b"X: y\r\n" * 200_000, b"y" * (1 << 20)],
    ids=["one long header", "many headers", "a long line"],
)
def test_heads_without_end(small: Running, serves: None, lines: bytes) -> None:
    with small.client.connect() as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(b"POST /run_code HTTP/1.1\r\nHost: localhost\r\n" + lines)
        with contextlib.suppress(ConnectionError):
            assert read(connection).status in (400, 431)


@pytest.mark.parametrize(
    "raw",
    [
        b"GARBAGE\r\n\r\n",
        b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\nhello",
        b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://other/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT other:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /run_code HTTP/1.1\r\nHost: localhost\r\nX-Deadline-S: nan\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_requests_that_are_none(small: Running, serves: None, raw: bytes) -> None:
    with small.client.connect() as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            answer = read(connection)
            assert 400 <= answer.status < 500 or (answer.status == 200 and b"ok" in answer.body)


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded() -> Iterator[Running]:
    running = Running(workers=1, token=Secret(TOKEN))
    yield running
    running.stop()


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer  {TOKEN} ", _basic("", TOKEN), _basic("me", TOKEN)])
def test_the_token_lets_in(guarded: Running, given: str) -> None:
    assert guarded.client.post("/run_code", RUN, Authorization=given).status == 200


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN.upper()}",
        TOKEN,
        f"Token {TOKEN}",
        f"Bearer {TOKEN}, Bearer x",
        f"Bearer {TOKEN}\r\nAuthorization: Bearer x",
        "Bearer \xff",
        _basic(TOKEN, ""),
        "Basic %%%",
        "Basic " + base64.b64encode(TOKEN.encode()).decode(),
    ],
)
def test_nothing_else_does(guarded: Running, given: str) -> None:
    with guarded.client.connect() as connection:
        body = json.dumps(RUN).encode()
        connection.sendall(head("/run_code", length=len(body), Authorization=given).decode().encode("latin-1") + body)
        answer = read(connection)
    assert (answer.status, answer.error) == (401, "unauthorized")
    assert TOKEN not in answer.body.decode()


def test_what_needs_no_token(guarded: Running) -> None:
    paths = ("/healthz", "/readyz", "/v1/ping", "/metrics", "/openapi.json", "/", "/healthz/../metrics", "//healthz")
    found = {path: guarded.client.get(path).status for path in paths}
    assert {path for path, status in found.items() if status != 401} == {"/healthz", "/readyz"}


def test_web_pages_cannot_use_a_service_without_a_token(service: Running) -> None:
    """A page in a browser of this host: cross-site, or by a name that was made to mean this host."""
    own = {"Origin": "http://localhost"}
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}, {"Host": ""}):
        answer = service.client.post("/run_code", RUN, **headers)
        assert (answer.status, answer.error) == (403, "forbidden"), headers
    for headers in (own, {"Host": "127.0.0.1:1"}, {"Host": "[::1]:80"}, {"Host": "localhost:8080"}):
        assert service.client.post("/run_code", RUN, **headers).status == 200, headers


def test_other_addresses_demand_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "some.host", ""):
        with pytest.raises(UsageError, match="--token"):
            check(Options(host=host))
        check(Options(host=host, token=Secret(TOKEN)))
        check(Options(host=host, insecure=True))
    for host in ("127.0.0.1", "127.0.0.53", "::1", "localhost"):
        check(Options(host=host))


@pytest.mark.parametrize("token", ["", "short", "with blank in it", "späte-tokens"])
def test_tokens_that_are_none(token: str) -> None:
    with pytest.raises(SettingsError, match="--token"):
        parse_token(token, where="--token")


def test_no_header_of_a_client_makes_it_somebody_else(make_service: Make) -> None:
    """Names divide what an address has; a forged address is none."""
    service = make_service(workers=1)
    client = Client(service.port)
    for headers in ({"X-Forwarded-For": "1.2.3.4"}, {"X-Client-Id": "x" * 10_000}, {"X-Client-Id": "\xff"}):
        assert client.post("/run_code", RUN, **headers).status == 200
