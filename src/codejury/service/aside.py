"""A dashboard beside a long command: the same page, on a port of its own, while the command does its work.

Owns that thread. It shows, and runs nothing: there is no box to try, and no path but the page and its events. The
command's work goes on in its own threads, and is looked at once a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from codejury.errors import InternalError
from codejury.sandbox.watch import Watch
from codejury.service.app import routed
from codejury.service.dashboard import events_operation, page_operation, second_of, state_of
from codejury.service.live import Live, PartNow, Second
from codejury.service.operations import Site
from codejury.service.options import Options
from codejury.service.server import Server, config_of, listen, quick_loop

_UP_S = 30.0


class RunView:
    """Of a command: how far its parts are, and the programs that it runs."""

    def __init__(self, title: str, watch: Watch, parts: Callable[[], list[PartNow]]) -> None:
        self._title, self._watch, self._parts = title, watch, parts
        self._done = 0

    def second(self, passed_s: float) -> Second:
        look, ended = self._watch.look(), self._watch.take()
        before, self._done = self._done, sum(part.done for part in self._parts())
        return second_of(
            look,
            ended,
            took=ended.took,
            kinds=Counter(),
            results=max(0, self._done - before) / passed_s,
            failures=ended.counts.total() - ended.counts["ok"],
            waiting=look.waiting,
        )

    def state(self) -> dict[str, Any]:
        return {
            **state_of(self._watch.look()),
            "title": self._title,
            "mode": "run",
            "ready": True,
            "parts": self._parts(),
        }


@contextlib.contextmanager
def shown(options: Options, title: str, watch: Watch, parts: Callable[[], list[PartNow]]) -> Iterator[int]:
    """While the block runs; gives the port. The last that is told is how it was at the end."""
    with listen(options) as listening:
        beside = _Beside(options, RunView(title, watch, parts))
        thread = threading.Thread(target=beside.run, args=(listening,), name="codejury-dashboard", daemon=True)
        thread.start()
        beside.is_up.wait(_UP_S)
        if beside.server is None:
            raise InternalError(f"the dashboard did not start: {beside.failed}")
        try:
            yield listening.getsockname()[1]
        finally:
            beside.server.should_exit = True
            thread.join(_UP_S)


class _Beside:
    def __init__(self, options: Options, view: RunView) -> None:
        self._options, self._view = options, view
        self.is_up = threading.Event()
        self.server: Server | None = None
        self.failed: BaseException | None = None

    def run(self, listening: Any) -> None:
        try:
            with asyncio.Runner(loop_factory=quick_loop()) as runner:
                runner.run(self._serve(listening))
        except BaseException as error:  # noqa: BLE001 - told by whoever waits; the command goes on without it
            self.failed = error
        finally:
            self.is_up.set()

    async def _serve(self, listening: Any) -> None:
        site = Site(self._options)
        site.live = Live(self._view)
        site.operations += [page_operation(site, title=self._view._title), events_operation()]
        self.server = Server(config_of(self._options, routed(site)), site)
        heart = asyncio.create_task(site.live.run())
        self.is_up.set()
        try:
            await self.server.serve([listening])
        finally:
            heart.cancel()
