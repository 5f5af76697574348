"""Services in threads of this process, each on a port of its own; most tests share one."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from service.wire import Client, head

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from codejury.service.options import Options
from codejury.service.server import Server, serve

SLOW = {"code": "import time; time.sleep(60)", "language": "python", "run_timeout": 120}


class Running:
    """A server, and how to end it."""

    def __init__(self, **options: Any) -> None:
        self.options = Options(**{"port": 0, "workers": 2, "grace_s": 10, **options})
        self.failed: BaseException | None = None
        self.server: Server | None = None
        self.port = 0
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._is_up.wait(120)
        if self.server is None:
            raise AssertionError("the service did not start") from self.failed

    def _run(self) -> None:
        try:
            serve(self.options, started=self._started)
        except BaseException as error:  # noqa: BLE001 - told by whoever waits
            self.failed = error
        finally:
            self._is_up.set()

    def _started(self, server: Server, port: int) -> None:
        self.server, self.port = server, port
        self._is_up.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self) -> Client:
        return Client(self.port)

    def metric(self, name: str) -> float:
        """Of one line of /metrics, by its name and labels."""
        text = self.client.get("/metrics").body.decode()
        return next(
            (float(line.rpartition(" ")[2]) for line in text.splitlines() if line.rpartition(" ")[0] == name), 0
        )

    @property
    def live_streams(self) -> int:
        assert self.server is not None
        assert self.server.site.live is not None
        return self.server.site.live.streams

    def stop(self) -> None:
        assert self.server is not None
        self.server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive(), "the service has not ended"


Make = Callable[..., Running]


@pytest.fixture
def make_service() -> Iterator[Make]:
    made: list[Running] = []

    def make(**options: Any) -> Running:
        made.append(Running(**options))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture(scope="session")
def service() -> Iterator[Running]:
    running = Running()
    yield running
    running.stop()


@contextlib.contextmanager
def busy(service: Running, count: int, body: Any = SLOW, **headers: str) -> Iterator[None]:
    """Requests under way, of clients that leave in the end."""
    raw = json.dumps(body).encode()
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(service.client.connect())
            connection.sendall(head("/run_code", length=len(raw), **headers) + raw)
        yield
