"""Who runs next: a bounded, fair queue in front of a few threads.

Owns waiting, running, giving up. Clients take turns: first the addresses that they come from, then, of one address,
the names that they give themselves; each of them in the order in which it asked. A name costs nothing, so it divides
only what its address has. When every place is taken, one who has fewer places than another takes the other's last;
who has most is refused.

    offered ─► waiting ─► in a thread ─► over
       │          ├─ abandoned: the place is free at once
       │          └─ displaced, or the service stops: refused
       └─ refused       in a thread ─ abandoned ─► ended after a moment, if it has not ended by itself

Everything but the calls themselves happens in the event loop's thread, so that there is no lock that all runs would
meet at.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from codejury.languages.execute import Sandbox
from codejury.sandbox.pool import Task
from codejury.sandbox.watch import Spread
from codejury.service.metrics import Metrics
from codejury.service.refusals import Refusal

Client = tuple[str, str]  # an address, and a name

_MOMENT_S = 0.25  # a short program ends by itself; to end it costs its worker, and another has to be made
_LONGEST_RETRY_S = 60


class Gone(Exception):
    """The client is not there any more: nobody is to be told."""


class Turn:
    """One call for one client. `answer` is what it came to."""

    __slots__ = ("answer", "began", "call", "client", "clock", "over", "running", "task")

    def __init__(self, client: Client, call: Callable[[Task], Any], answer: asyncio.Future[Any], now: float) -> None:
        self.client = client
        self.call = call
        self.answer = answer
        self.task = Task()
        self.began = now
        self.clock: asyncio.TimerHandle | None = None
        self.running = False
        self.over = False


class Turns:
    """Made in the event loop that it serves."""

    def __init__(self, sandbox: Sandbox, *, places: int, metrics: Metrics) -> None:
        self._sandbox = sandbox
        self._places = places
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[str, dict[str, dict[Turn, None]]] = {}
        self._count = 0
        self._running: set[Turn] = set()
        # One more than workers: while they run, the next has its command ready.
        self._threads = sandbox.workers + 1
        self._free = self._threads + 1  # and one more in hand, so that no thread waits for the loop
        self._mean_s = 0.01
        self.stopping = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._hands: queue.SimpleQueue[Turn | None] = queue.SimpleQueue()
        self._ends: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._crew = [
            threading.Thread(target=self._serve, name="codejury-turn", daemon=True) for _ in range(self._threads)
        ]
        self._crew.append(threading.Thread(target=self._end, name="codejury-end", daemon=True))
        for thread in self._crew:
            thread.start()
        metrics.gauge("codejury_waiting", "Requests that wait for their turn.", lambda: self._count)
        metrics.gauge("codejury_running", "Requests whose turn it is.", lambda: len(self._running))
        metrics.gauge("codejury_places", "Requests that may wait.", lambda: self._places)
        self._waited = metrics.histogram("codejury_wait_seconds", "Time in the queue.")
        self.lasted = Spread()  # from the offer to the answer; taken away by who looks on
        self._took = metrics.histogram("codejury_turn_seconds", "Time in a thread: compiling, running, judging.")
        self._abandoned = metrics.counter("codejury_abandoned_total", "Turns whose client left, or ran out of time.")

    @property
    def waiting(self) -> int:
        return self._count

    @property
    def places(self) -> int:
        return self._places

    def clients(self) -> dict[Client, tuple[int, int]]:
        """Those who have something here: how much of it waits, and how much runs."""
        found = {
            (address, name): (len(turns), 0)
            for address, names in self._waiting.items()
            for name, turns in names.items()
        }
        for turn in self._running:
            waiting, running = found.get(turn.client, (0, 0))
            found[turn.client] = (waiting, running + 1)
        return found

    # -- what callers do

    def check_room(self) -> None:
        """For a batch, before its first part is offered."""
        if self.stopping:
            raise stopping()
        if self._count >= self._places:
            raise self._full()

    def offer(self, client: Client, call: Callable[[Task], Any], *, left_s: float, kind: str = "") -> Turn:
        """A turn, whose answer comes by itself. `left_s`: after which nobody wants it any more. `kind`: what it is, for
        who looks on.

        Refusal: the service stops, or there is no place, or no hope to be served in time."""
        if self.stopping:
            raise stopping()
        hopeless = self._count * self._mean_s / self._sandbox.workers > left_s
        if hopeless or (self._count >= self._places and not self._displaced_for(client)):
            raise self._full()
        now = self._loop.time()
        turn = Turn(client, call, self._loop.create_future(), now)
        turn.task.label = (*client, kind)
        turn.clock = self._loop.call_later(left_s, self._late, turn)
        address, name = client
        self._waiting.setdefault(address, {}).setdefault(name, {})[turn] = None
        self._count += 1
        self._dispatch()
        return turn

    def abandon(self, turn: Turn, why: Exception) -> None:
        """Nobody wants the answer: the place is free, and what runs is ended."""
        if turn.over:
            return
        self._settle(turn, why)
        if turn.running:
            self._abandoned.add()
            turn.task.given_up = True  # what has not begun does not begin
            self._loop.call_later(_MOMENT_S, self._make_end, turn)
        else:
            self._remove(turn)
            turn.over = True

    # -- the queue

    def _full(self) -> Refusal:
        wait_s = self._count * self._mean_s / self._sandbox.workers
        return Refusal(
            "overloaded",
            f"{self._count} requests are waiting, for about {wait_s:.1f} s; there is room for {self._places}",
            retry_after_s=max(1, min(_LONGEST_RETRY_S, round(wait_s))),
        )

    def _displaced_for(self, client: Client) -> bool:
        """Somebody with more places than this one would have gives one up: the last that he took."""
        address, name = client
        most = max(self._waiting, key=self._of_address)
        mine = self._of_address(address) if address in self._waiting else 0
        if address != most:
            if mine + 1 >= self._of_address(most):
                return False
            largest = max(self._waiting[most].values(), key=len)
        else:
            largest = max(self._waiting[address].values(), key=len)
            if len(self._waiting[address].get(name, ())) + 1 >= len(largest):
                return False
        turn = next(reversed(largest))
        self._settle(turn, self._full())
        self._remove(turn)
        turn.over = True
        return True

    def _of_address(self, address: str) -> int:
        return sum(map(len, self._waiting[address].values()))

    def _remove(self, turn: Turn) -> None:
        address, name = turn.client
        names = self._waiting[address]
        turns = names[name]
        del turns[turn]
        self._count -= 1
        if not turns:
            del names[name]
            if not names:
                del self._waiting[address]

    def _next(self) -> Turn:
        """The first of those who have waited longest since their last turn; they go to the end of the line."""
        address = next(iter(self._waiting))
        names = self._waiting.pop(address)
        name = next(iter(names))
        turns = names.pop(name)
        turn = next(iter(turns))
        del turns[turn]
        self._count -= 1
        if turns:
            names[name] = turns
        if names:
            self._waiting[address] = names
        return turn

    def _dispatch(self) -> None:
        while self._free and self._count:
            turn = self._next()
            self._free -= 1
            turn.running = True
            self._running.add(turn)
            self._idle.clear()
            self._waited.observe(self._loop.time() - turn.began)
            self._hands.put(turn)

    def _late(self, turn: Turn) -> None:
        self.abandon(turn, Refusal("deadline", "the time that the client waits was over before there was an answer"))

    def _settle(self, turn: Turn, what: Any) -> None:
        if turn.clock is not None:
            turn.clock.cancel()
            turn.clock = None
        if turn.answer.done():
            return
        if isinstance(what, BaseException):
            turn.answer.set_exception(what)
            turn.answer.exception()  # who left does not come to look at it
        else:
            turn.answer.set_result(what)

    def _over(self, turn: Turn, what: Any, took_s: float) -> None:
        self._free += 1
        turn.over = True
        self._running.discard(turn)
        if not self._running:
            self._idle.set()
        self._mean_s += (took_s - self._mean_s) / 16
        self._took.observe(took_s)
        self.lasted.add(self._loop.time() - turn.began)
        self._settle(turn, what)
        self._dispatch()

    def _make_end(self, turn: Turn) -> None:
        if not turn.over:
            self._ends.put(turn.task)

    # -- the threads

    def _serve(self) -> None:
        while (turn := self._hands.get()) is not None:
            began = time.monotonic()
            what: Any
            try:
                if turn.task.given_up:
                    raise Gone
                what = self._sandbox.run_for(turn.task, lambda turn=turn: turn.call(turn.task))  # type: ignore[misc]
            except BaseException as error:  # noqa: BLE001 - one bad turn must not end the thread
                what = error
            with contextlib.suppress(RuntimeError):  # the loop has been closed: nobody is left to be told
                self._loop.call_soon_threadsafe(self._over, turn, what, time.monotonic() - began)
            del turn, what

    def _end(self) -> None:
        """Ending a run is to wait for its worker's end: nothing for the loop."""
        while (task := self._ends.get()) is not None:
            task.give_up()

    # -- the end

    def stop(self) -> None:
        """No more turns: who waits is refused, what runs goes on."""
        self.stopping = True
        while self._count:
            turn = self._next()
            turn.over = True
            self._settle(turn, stopping())

    async def idle(self) -> None:
        await self._idle.wait()

    def close(self) -> None:
        """Ends what still runs, and the threads."""
        self.stop()
        for turn in list(self._running):
            self._settle(turn, stopping())
            self._ends.put(turn.task)
        self._ends.put(None)
        for _ in range(self._threads):
            self._hands.put(None)
        for thread in self._crew:
            thread.join(15)


def stopping() -> Refusal:
    return Refusal("stopping", "the service is about to end")
