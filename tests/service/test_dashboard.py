"""The dashboard below its page: the page's headers, who may see what, the stream, the box to try."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from service.conftest import Make, Running, busy
from service.wire import Client, head, until

from codejury.sandbox.watch import Spread
from codejury.service import live
from codejury.service.connection import Connection
from codejury.service.live import Live, Sample, Second
from codejury.settings import Secret

TOKEN = "a-token-of-this-test"
HTML = {"Accept": "text/html,application/xhtml+xml"}


class Listener:
    """A connection on which events come."""

    def __init__(self, client: Client, **headers: str) -> None:
        self.connection = client.connect()
        self.connection.sendall(head("/events", "GET", **headers))
        self._raw = b""
        self.head = self._until(b"\r\n\r\n").decode("latin-1")

    def _until(self, end: bytes) -> bytes:
        while end not in self._raw:
            more = self.connection.recv(1 << 16)
            if not more:
                raise ConnectionError(f"the stream was cut after {self._raw[-200:]!r}")
            self._raw += more
        found, _, self._raw = self._raw.partition(end)
        return found

    def next(self) -> tuple[str, Any]:
        """Name and data. Each event comes as one chunk."""
        size = int(self._until(b"\r\n"), 16)
        if not size:
            raise EOFError
        block = self._until(b"\n\n\r\n").decode()
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        return fields["event"], json.loads(fields["data"])

    def state(self, wanted: Any = lambda state: True) -> Any:
        """The first state from now on that is as wanted."""
        while True:
            name, data = self.next()
            assert name == "state"
            if wanted(data["state"]):
                return data["state"]

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def listen() -> Iterator[Any]:
    made: list[Listener] = []

    def one(client: Client, **headers: str) -> Listener:
        made.append(Listener(client, **headers))
        return made[-1]

    yield one
    for each in made:
        each.close()


# --- the page --------------------------------------------------------------------------------------------------------


def test_browsers_get_a_page_that_is_whole_and_closed(service: Running) -> None:
    answer = service.client.get("/", **HTML)
    text = answer.body.decode()
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*["']""", text), "nothing is fetched for it"
    assert set(re.findall(r"https?://[^'\"\s)]+", text)) == {"http://www.w3.org/2000/svg"}, "a name, no address"
    rules = dict(rule.strip().partition(" ")[::2] for rule in answer.headers["content-security-policy"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["form-action"] == rules["base-uri"] == "'none'"
    assert not any("unsafe" in rule for rule in rules.values())
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert " style=" not in text
    assert not re.search(r"\son[a-z]+=", text.partition("<script>")[0])


def test_other_programs_find_nothing_there(service: Running) -> None:
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        answer = service.client.get("/", **headers)
        assert (answer.status, answer.error) == (404, "not_found")
    assert service.client.send(b"{}", path="/", **HTML).error == "method_not_allowed"


def test_only_the_page_needs_no_token(make_service: Make) -> None:
    service = make_service(token=Secret(TOKEN))
    answer = service.client.get("/", **HTML)
    assert (answer.status, TOKEN in answer.body.decode()) == (200, False)
    assert b'data-token="needed"' in answer.body
    tried = {"source": "print(1)", "language": "python"}
    for headers in (HTML, {"Authorization": "Bearer wrong-token"}):
        assert service.client.get("/events", **headers).error == "unauthorized"
        assert service.client.get("/languages", **headers).error == "unauthorized"
        assert service.client.post("/try", tried, **headers).error == "unauthorized"
    assert service.client.get(f"/events?token={TOKEN}").error == "unauthorized", "never in an address"
    assert service.client.post("/try", tried, Authorization=f"Bearer {TOKEN}").json["stdout"] == "1\n"


def test_pages_of_others_get_nothing(service: Running) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        assert service.client.get("/events", **headers).error == "forbidden"
        assert service.client.post("/try", {"source": "", "language": "python"}, **headers).error == "forbidden"


# --- the stream ------------------------------------------------------------------------------------------------------


def test_the_first_event_has_the_history_the_next_one_sample(service: Running, listen: Any) -> None:
    listener = listen(service.client)
    assert "text/event-stream" in listener.head
    assert "no-store" in listener.head
    name, first = listener.next()
    assert (name, "sample" in first) == ("state", False)
    assert 1 <= len(first["history"]) <= live.KEPT
    assert (first["state"]["mode"], first["state"]["workers"], first["state"]["ready"]) == ("service", 2, True)
    name, second = listener.next()
    assert (name, "history" in second) == ("state", False)
    assert second["sample"]["at"] > first["history"][-1]["at"]


def test_what_runs_and_for_whom(make_service: Make, listen: Any) -> None:
    service = make_service(workers=1)
    listener = listen(service.client)
    hostile = "<b>trainer</b>"
    # One has the worker, its two followers are in hand, and the rest waits.
    with busy(service, 5, X_Client_Id=hostile):
        state = listener.state(lambda state: state["queue"]["waiting"] == 2 and state["waits_for_worker"])
        (run,) = state["runs"]
        assert (run["label"], run["kind"], run["client"]) == ("python", "/run_code", f"127.0.0.1 {hostile}")
        assert run["seconds"] >= 0
        assert state["queue"]["clients"] == [{"client": f"127.0.0.1 {hostile}", "waiting": 2, "running": 3}]
        assert (state["queue"]["places"], state["queue"]["more"]) == (1024, 0)
    listener.state(lambda state: not state["queue"]["clients"] and not state["runs"])


def test_cases_of_a_judgement_are_seen_too(make_service: Make, listen: Any) -> None:
    """They run in the jury's threads, not in those of the queue."""
    service = make_service(workers=1)
    listener = listen(service.client)
    body = {"source": "import time; time.sleep(30)", "language": "python", "tests": [{"input": "", "output": "1"}]}
    raw = json.dumps({**body, "limits": {"wall_s": 60}}).encode()
    with service.client.connect() as connection:
        connection.sendall(head("/judge", length=len(raw), X_Client_Id="me") + raw)
        state = listener.state(lambda state: state["runs"])
        assert [(run["kind"], run["client"]) for run in state["runs"]] == [("/judge", "127.0.0.1 me")]


def test_results_failures_and_refusals_by_kind(make_service: Make, listen: Any) -> None:
    service = make_service(workers=1)
    listener = listen(service.client)
    service.client.run("print(1)")
    service.client.run("1/0")
    assert service.client.post("/run_code", {"code": 1}).status == 422
    state = listener.state(lambda state: len(state["kinds"]) >= 5)
    found = {(kind["group"], kind["name"]): (kind["total"], kind["recent"]) for kind in state["kinds"]}
    assert found == {
        ("program", "ok"): (1, 1),
        ("program", "runtime_error"): (1, 1),
        ("refusal", "invalid"): (1, 1),
        ("result", "ok"): (1, 1),
        ("result", "runtime_error"): (1, 1),
    }
    assert (state["took_count"], state["level"] is not None) == (2, True)
    assert 0 < state["p50_s"] <= state["p99_s"]
    assert state["program_mb"] > 0


def test_a_stop_ends_streams(make_service: Make, listen: Any) -> None:
    service = make_service(workers=1, grace_s=300)
    listener = listen(service.client)
    listener.next()
    service.stop()
    names = []
    with contextlib.suppress(EOFError):
        while True:
            names.append(listener.next()[0])
    assert names[-1] == "end"


def test_one_who_takes_nothing_holds_up_nobody_and_no_stop(
    make_service: Make, listen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With seconds that are short and buffers that are small, so that they are soon full. In the end his connection's
    clock would cut him off, as everybody who does not take his answer."""
    monkeypatch.setattr(live, "EVERY_S", 0.001)
    service = make_service(workers=1, unread_s=300, grace_s=300)
    assert service.server is not None
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", service.port))
    deaf.sendall(head("/events", "GET"))
    connections = service.server.server_state.connections
    until(lambda: len(connections) == 1)
    (connection,) = connections
    assert isinstance(connection, Connection)
    connection.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    until(lambda: connection._unread is not None)
    other = listen(service.client)
    for _ in range(3):
        assert other.next()[0] == "state"
    assert service.client.run("print(1)")["run_result"]["stdout"] == "1\n"
    service.stop()
    deaf.close()


def test_listeners_that_leave_are_forgotten_and_there_are_only_so_many(
    make_service: Make, listen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STREAMS", 2)
    service = make_service(workers=1)
    first, _ = listen(service.client), listen(service.client)
    until(lambda: service.live_streams == 2)
    refused = service.client.get("/events")
    assert (refused.status, refused.error) == (503, "overloaded")
    first.close()
    until(lambda: service.live_streams == 1)
    assert listen(service.client).next()[0] == "state"


class Still:
    """A view in which nothing happens but what is put there."""

    def __init__(self) -> None:
        self.number = 0

    def second(self, passed_s: float) -> Second:
        self.number += 1
        took = Spread()
        took.add(self.number)
        sample = Sample(
            at=self.number,
            results=0,
            programs=0,
            failures=0,
            waiting=0,
            running=0,
            p50_s=None,
            p99_s=None,
            memory_mb=1,
            program_mb=self.number,
        )
        return Second(sample=sample, took=took, kinds=Counter({("result", "ok"): 1}))

    def state(self) -> dict[str, Any]:
        return {
            "title": "",
            "mode": "run",
            "ready": True,
            "workers": 0,
            "waits_for_worker": 0,
            "level": None,
            "layers": (),
            "runs": [live.RunNow(label=str(n), seconds=n) for n in range(1000)],
        }


def test_the_history_is_bounded_and_so_is_what_is_sent() -> None:
    async def told() -> Any:
        heart = Live(Still())
        for _ in range(2000):
            heart._beat()
        return json.loads(heart._event(whole=True).partition(b"data: ")[2])

    event = asyncio.run(told())
    assert [sample["at"] for sample in event["history"]] == list(range(2001 - live.KEPT + 1, 2002))
    state = event["state"]
    assert (len(state["runs"]), state["runs_more"]) == (64, 936)
    (kind,) = state["kinds"]
    assert (kind["total"], kind["recent"], state["took_count"]) == (2001, 60, 60)
    assert 1971 <= state["p50_s"] <= 1971 * 1.1
    assert state["program_mb"] == 2001


# --- the box to try --------------------------------------------------------------------------------------------------


def test_a_program_is_tried(service: Running) -> None:
    known = {each["name"]: each["title"] for each in service.client.get("/languages").json}
    assert known["python"] == "Python 3"
    source = "import sys\nprint(input()[::-1])\nsys.stderr.write('oh')\nsys.exit(3)"
    said = service.client.post("/try", {"source": source, "language": "python", "stdin": "abc\n"}).json
    assert (said["status"], said["exit_code"], said["signal"]) == ("runtime_error", 3, None)
    assert (said["stdout"], said["stderr"]) == ("cba\n", "oh")
    assert said["wall_s"] > 0
    assert said["memory_mb"] > 0
    assert "seccomp" in said["layers"]
    assert said["level"] in ("full", "rootless", "landlock")


def test_what_is_too_long_to_be_looked_at_is_cut(service: Running) -> None:
    said = service.client.post("/try", {"source": "print('é' * 2_000_000)", "language": "python"}).json
    assert (len(said["stdout"]), set(said["stdout"]), said["stdout_cut"]) == (1 << 18, {"é"}, True)
    assert (said["stderr"], said["stderr_cut"]) == ("", False)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"language": "klingon"}, "language"), ({"seconds": 601}, "seconds"), ({"seconds": 0}, "seconds")],
)
def test_what_cannot_be_tried_is_refused(service: Running, change: dict[str, Any], field: str) -> None:
    answer = service.client.post("/try", {"source": "", "language": "python", **change})
    assert (answer.status, answer.error, answer.json["detail"][0]["loc"]) == (422, "invalid", ["body", field])


def test_what_is_tried_has_limits_and_takes_turns(make_service: Make) -> None:
    service = make_service(workers=1, memory_mb=64)
    asked = {"source": "while True: pass", "language": "python", "seconds": 0.5}
    assert service.client.post("/try", asked).json["status"] in ("time_limit_exceeded", "wall_limit_exceeded")
    asked = {"source": "x = b'x' * (100 << 20)", "language": "python"}
    assert service.client.post("/try", asked).json["status"] == "memory_limit_exceeded"
    raw = json.dumps({"source": "print(1)", "language": "python"}).encode()
    with busy(service, 3), service.client.connect() as connection:
        until(lambda: service.metric("codejury_running") == 3)
        connection.sendall(head("/try", length=len(raw)) + raw)
        until(lambda: service.metric("codejury_waiting") == 1)
