"""The queue by itself: order, bounds, giving up, the end. No program is run, so that each moment is ours."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

import codejury
from codejury.sandbox.pool import Task
from codejury.service.metrics import Metrics
from codejury.service.refusals import Refusal
from codejury.service.turns import Gone, Turn, Turns

LONG_S = 600.0


@pytest.fixture(scope="module")
def sandbox() -> Iterator[codejury.Sandbox]:
    """Of one worker, which is never needed."""
    with codejury.Sandbox(workers=1) as made:
        yield made


def queued(
    sandbox: codejury.Sandbox, story: Callable[[Turns, threading.Event], Coroutine[Any, Any, None]], places: int = 100
) -> None:
    """The story, with every thread busy until the event."""

    async def told() -> None:
        turns, release = Turns(sandbox, places=places, metrics=Metrics()), threading.Event()
        try:
            busy = [turns.offer(("busy", ""), lambda task: release.wait(60), left_s=LONG_S) for _ in range(3)]
            assert turns.waiting == 0
            await story(turns, release)
            release.set()
            await asyncio.gather(*(turn.answer for turn in busy))
        finally:
            release.set()
            await asyncio.to_thread(turns.close)

    asyncio.run(told())


def order_of(turns: Turns, clients: list[tuple[str, str]]) -> tuple[list[Turn], list[tuple[str, str]]]:
    done: list[tuple[str, str]] = []

    def call(client: tuple[str, str]) -> Callable[[Task], None]:
        return lambda task: done.append(client)

    return [turns.offer(client, call(client), left_s=LONG_S) for client in clients], done


def test_clients_take_turns(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        waiting, done = order_of(turns, [("a", "")] * 6 + [("b", "")] * 2 + [("c", "")])
        release.set()
        await asyncio.gather(*(turn.answer for turn in waiting))
        # Two threads run at once: neighbours may change places, and no more.
        assert {client for client, _ in done[:4]} == {"a", "b", "c"}
        assert done[-3:] == [("a", "")] * 3

    queued(sandbox, story)


def test_names_divide_what_their_address_has(sandbox: codejury.Sandbox) -> None:
    """One who gives himself ten names has no more turns than one who gives none."""

    async def story(turns: Turns, release: threading.Event) -> None:
        waiting, done = order_of(turns, [("many", str(n)) for n in range(10)] + [("one", "")] * 5)
        release.set()
        await asyncio.gather(*(turn.answer for turn in waiting))
        assert sum(client == "one" for client, _ in done[:10]) >= 4

    queued(sandbox, story)


def test_a_full_queue_refuses_at_once(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        order_of(turns, [("a", "")] * 5)
        with pytest.raises(Refusal) as refused:
            turns.offer(("a", ""), lambda task: None, left_s=LONG_S)
        assert (refused.value.type, refused.value.status) == ("overloaded", 503)
        assert dict(refused.value.headers)[b"retry-after"].isdigit()

    queued(sandbox, story, places=5)


def test_one_client_cannot_keep_the_others_out(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        greedy, _ = order_of(turns, [("greedy", "")] * 6)
        modest, done = order_of(turns, [("modest", "")] * 3)
        for turn in greedy[:2:-1]:
            with pytest.raises(Refusal) as refused:  # the last that it took
                await turn.answer
            assert refused.value.type == "overloaded"
        with pytest.raises(Refusal):
            turns.offer(("modest", ""), lambda task: None, left_s=LONG_S)
        release.set()
        await asyncio.gather(*(turn.answer for turn in [*greedy[:3], *modest]))
        assert len(done) == 3

    queued(sandbox, story, places=6)


def test_within_an_address_too(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        greedy, _ = order_of(turns, [("here", "greedy")] * 4)
        turns.offer(("here", "modest"), lambda task: None, left_s=LONG_S)
        with pytest.raises(Refusal):
            await greedy[-1].answer

    queued(sandbox, story, places=4)


def test_who_leaves_frees_his_place(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        waiting, done = order_of(turns, [("a", "")] * 3)
        turns.abandon(waiting[1], Gone())
        assert turns.waiting == 2
        turns.offer(("a", ""), lambda task: None, left_s=LONG_S)
        release.set()
        await asyncio.gather(waiting[0].answer, waiting[2].answer)
        assert len(done) == 2
        with pytest.raises(Gone):
            await waiting[1].answer

    queued(sandbox, story, places=3)


def test_a_deadline_that_passes_in_the_queue(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        turn = turns.offer(("a", ""), lambda task: None, left_s=0.05)
        with pytest.raises(Refusal) as refused:
            await turn.answer
        assert (refused.value.type, refused.value.status, turns.waiting) == ("deadline", 504, 0)

    queued(sandbox, story)


def test_a_deadline_that_cannot_be_kept_is_refused_at_once(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        turns._mean_s = 10.0
        order_of(turns, [("a", "")] * 5)
        with pytest.raises(Refusal) as refused:
            turns.offer(("b", ""), lambda task: None, left_s=30)
        assert refused.value.type == "overloaded"
        turns.offer(("b", ""), lambda task: None, left_s=100)

    queued(sandbox, story)


def test_what_is_raised_comes_back(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        def call(task: Task) -> None:
            raise MemoryError

        turn = turns.offer(("a", ""), call, left_s=LONG_S)
        release.set()
        with pytest.raises(MemoryError):
            await turn.answer

    queued(sandbox, story)


def test_the_end_refuses_who_waits_and_finishes_what_runs(sandbox: codejury.Sandbox) -> None:
    async def story(turns: Turns, release: threading.Event) -> None:
        waiting, done = order_of(turns, [("a", "")] * 3)
        turns.stop()
        for turn in waiting:
            with pytest.raises(Refusal) as refused:
                await turn.answer
            assert (refused.value.type, refused.value.status) == ("stopping", 503)
        with pytest.raises(Refusal):
            turns.offer(("a", ""), lambda task: None, left_s=LONG_S)
        release.set()
        await turns.idle()
        assert done == []

    queued(sandbox, story)
