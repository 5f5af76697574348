"""`codejury serve` as a process: it starts, says where, stops at a signal, and refuses what it must."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from service.wire import Answer, Client, head, read, until


class Process:
    def __init__(self, *options: str, **env: str) -> None:
        command = [sys.executable, "-m", "codejury.cli", "serve", "--port", "0", "--workers", "1", *options]
        self.child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
        assert self.child.stderr is not None
        self.said = self.child.stderr.readline()

    @property
    def client(self) -> Client:
        return Client(int(self.said.rsplit(":", 1)[1]))

    def end(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait(60)
        assert self.child.stderr is not None
        self.child.stderr.close()


@pytest.fixture
def process() -> Iterator[Process]:
    one = Process()
    yield one
    one.end()


SLOW = {"code": "import time; time.sleep(1); print('done')", "language": "python", "run_timeout": 60}


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_lets_what_runs_finish(process: Process, sent: int, code: int) -> None:
    client, answers = process.client, list[Answer]()
    raw = json.dumps(SLOW).encode()
    with client.connect() as kept, client.connect() as running:
        kept.sendall(head("/healthz", "GET"))  # it has had an answer, and would ask for more
        assert read(kept).status == 200
        running.sendall(head("/run_code", length=len(raw)) + raw)
        until(lambda: b"codejury_running 1\n" in client.get("/metrics").body)
        process.child.send_signal(sent)
        until(lambda: _refused(client))
        assert kept.recv(1) == b""  # closed, since it had nothing under way
        waiting = threading.Thread(target=lambda: answers.append(read(running)))
        waiting.start()
        assert process.child.wait(60) == code
        waiting.join(60)
    assert (answers[0].status, answers[0].json["run_result"]["stdout"]) == (200, "done\n")
    assert answers[0].headers["connection"] == "close"


def _refused(client: Client) -> bool:
    try:
        client.connect().close()
    except ConnectionRefusedError:
        return True
    return False


def test_what_does_not_finish_is_ended(process: Process) -> None:
    process.end()
    process = Process("--grace-s", "1")
    raw = json.dumps({**SLOW, "code": "while True: pass", "run_timeout": 500}).encode()
    with process.client.connect() as connection:
        connection.sendall(head("/run_code", length=len(raw)) + raw)
        until(lambda: b"codejury_running 1\n" in process.client.get("/metrics").body)
        process.child.terminate()
        assert process.child.wait(60) == 0
    process.end()


def test_other_addresses_demand_a_token() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "codejury.cli", "serve", "--host", "0.0.0.0", "--port", "0"],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "CODEJURY_TOKEN"},
        timeout=120,
    )
    assert done.returncode == 2
    assert "--token" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_token_comes_from_the_environment_too() -> None:
    process = Process(CODEJURY_TOKEN="a-token-of-this-test")
    try:
        body = {"code": "print(1)", "language": "python"}
        assert process.client.post("/run_code", body).status == 401
        assert process.client.post("/run_code", body, Authorization="Bearer a-token-of-this-test").status == 200
    finally:
        process.end()


def test_a_port_that_is_taken(process: Process) -> None:
    port = str(process.client.port)
    done = subprocess.run(
        [sys.executable, "-m", "codejury.cli", "serve", "--port", port], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert "cannot be listened on" in done.stderr
