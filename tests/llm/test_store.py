"""The store of exchanges: the same question is paid for once, whatever happens to the process that asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm.chat_server import ChatServer, Raw, Say, fail

from codejury.errors import ModelError, UsageError
from codejury.llm.client import Client
from codejury.llm.store import Exchange, Exchanges, Mode, digest_of

HELLO = [{"role": "user", "content": "hello"}]


def client_of(server: ChatServer, folder: Path, mode: Mode = "cache", **options: Any) -> Client:
    return Client(server.url, "m", exchanges=Exchanges(folder, mode=mode), backoff_s=0.001, retries=1, **options)


def exchange(number: int = 0) -> Exchange:
    return Exchange(
        request={"model": "m", "messages": [{"role": "user", "content": str(number)}]}, text=f"reply {number}"
    )


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# ── Modes ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_question_is_paid_for_once(tmp_path: Path) -> None:
    with ChatServer(Say("first", "length"), Say("second")) as server:
        with client_of(server, tmp_path) as client:
            one = client.ask(HELLO)
            two = client.ask(HELLO)
            assert (client.usage.requests, client.usage.cached) == (1, 1)
        with client_of(server, tmp_path) as client:  # the next run
            three = client.ask(HELLO)
            assert client.usage.prompt_tokens == 0
        assert len(server.requests) == 1
    assert (one.cached, two.cached, three.cached) == (False, True, True)
    for reply in (two, three):
        assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.digest) == (
            "first",
            "length",
            11,
            one.digest,
        )


def test_the_store_says_what_was_asked_and_where(tmp_path: Path) -> None:
    with ChatServer(Say("world")) as server, client_of(server, tmp_path, temperature=0.5) as client:
        digest = client.ask(HELLO, sample=3).digest
    kept = Exchanges(tmp_path).get(digest)
    assert kept is not None
    assert kept.request == {"model": "m", "messages": HELLO, "temperature": 0.5}
    assert (kept.text, kept.sample, kept.url) == ("world", 3, server.url + "/chat/completions")
    assert kept.source == "scripted", "as the server of these tests says of itself"
    assert list(Exchanges(tmp_path)) == [digest]


def test_what_does_not_say_that_it_is_scripted_is_live(tmp_path: Path) -> None:
    answer = b'{"choices": [{"message": {"content": "world"}}]}'
    with ChatServer(Raw(answer)) as server, client_of(server, tmp_path) as client:
        reply = client.ask(HELLO)
    assert reply.source == "live"
    kept = Exchanges(tmp_path).get(reply.digest)
    assert kept is not None
    assert kept.source == "live"


def test_fresh_asks_again_and_keeps_the_later_answer(tmp_path: Path) -> None:
    with ChatServer(Say("first"), Say("second")) as server:
        for _ in range(2):
            with client_of(server, tmp_path, "fresh") as client:
                reply = client.ask(HELLO)
        assert (reply.text, reply.cached, len(server.requests)) == ("second", False, 2)
        with client_of(server, tmp_path, "replay") as client:
            assert client.ask(HELLO).text == "second"
        assert len(server.requests) == 2


def test_replay_fails_on_a_miss_and_asks_nobody(tmp_path: Path) -> None:
    with ChatServer(Say("first")) as server:
        with client_of(server, tmp_path) as client:
            client.ask(HELLO)
        with client_of(server, tmp_path, "replay") as client:
            assert client.ask(HELLO).text == "first"
            with pytest.raises(ModelError, match="only the store may answer") as caught:
                client.ask(HELLO, temperature=1.0)
            assert caught.value.trouble == "missing"
        assert len(server.requests) == 1


def test_replay_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not-there"):
        Exchanges(tmp_path / "not-there", mode="replay")


def test_a_mode_that_is_none() -> None:
    with pytest.raises(UsageError, match="cache, fresh, replay"):
        Exchanges("x", mode="reply")  # type: ignore[arg-type]


def test_what_failed_is_not_kept(tmp_path: Path) -> None:
    with ChatServer(fail(400), Say("later")) as server, client_of(server, tmp_path) as client:
        with pytest.raises(ModelError):
            client.ask(HELLO)
        assert files(tmp_path) == []
        assert client.ask(HELLO).text == "later"


# ── What is the same question ────────────────────────────────────────────────────────────────────────────────────────

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda each: st.lists(each, max_size=3))


@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_the_order_of_fields_does_not_matter(request: dict[str, Any]) -> None:
    assert digest_of(request) == digest_of(dict(reversed(request.items())))
    assert digest_of(request) != digest_of(request, 1)
    assert digest_of(request) != digest_of({**request, "one more": 1})


def test_a_text_is_not_a_number() -> None:
    assert len({digest_of({"x": value}) for value in (1, "1", 1.5, True, None, [1])}) == 6


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()], ids=["NaN", "a set", "an object"])
def test_a_request_that_json_cannot_hold(value: Any) -> None:
    with pytest.raises(UsageError, match="JSON"):
        digest_of({"x": value})


# ── Files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace('"0"', '"1"'),  # another question
        lambda text: text.replace('"version": 1', '"version": 2'),
        lambda text: text.replace('"reply 0"', "5"),
    ],
    ids=["torn", "empty", "no exchange", "another request", "another version", "another type"],
)
def test_a_spoilt_file_is_no_answer(spoil: Any, tmp_path: Path) -> None:
    store = Exchanges(tmp_path)
    digest = store.keep(exchange())
    assert store.get(digest) == exchange()
    path = store.path_of(digest)
    changed = spoil(path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    assert store.get(digest) is None
    store.keep(exchange())
    assert store.get(digest) == exchange()


def test_half_written_files_are_not_seen(tmp_path: Path) -> None:
    store = Exchanges(tmp_path)
    digest = store.keep(exchange())
    (store.path_of(digest).parent / f".{digest[:16]}.0123.new").write_text("{")
    assert list(store) == [digest]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        Exchanges(tmp_path / "file" / "store").keep(exchange())


def test_threads_write_the_same_exchange(tmp_path: Path) -> None:
    store = Exchanges(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        digests = set(pool.map(lambda number: store.keep(exchange(number % 2)), range(40)))
    assert set(store) == digests
    assert len(digests) == 2
    assert len(files(tmp_path)) == 2


WRITER = """
import sys
from codejury.llm.store import Exchange, Exchanges
store = Exchanges(sys.argv[1])
number = 0
while True:
    request = {"model": "m", "messages": [{"role": "user", "content": str(number % 50)}], "padding": "x" * 20000}
    print(store.keep(Exchange(request=request, text="y" * 20000)), flush=True)
    number += 1
"""


@pytest.mark.parametrize("rounds", [3])
def test_two_processes_and_kill_9(rounds: int, tmp_path: Path) -> None:
    """Both write the same exchanges all the time, and are killed in the middle of it. What they said to be kept is
    there and whole."""
    said: set[str] = set()
    for _ in range(rounds):
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            said.add(writer.stdout.readline().strip())
        time.sleep(0.05)
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
            rest = writer.communicate()[0]
            said |= set(rest.split("\n")[:-1])  # the last line may be torn
    store = Exchanges(tmp_path)
    said.discard("")
    assert said
    assert [digest for digest in said if store.get(digest) is None] == []
    assert [digest for digest in store if store.get(digest) is None] == []


def test_a_killed_run_asks_nothing_twice(tmp_path: Path) -> None:
    """A run of ten questions, killed after each of them, resumed each time."""
    child = (
        "import sys\nfrom codejury.llm.client import Client\nfrom codejury.llm.store import Exchanges\n"
        "client = Client(sys.argv[1], 'm', exchanges=Exchanges(sys.argv[2]))\n"
        "for number in range(10):\n"
        "    print(client.ask([{'role': 'user', 'content': str(number)}]).text, flush=True)\n"
    )
    with ChatServer(lambda body: Say("reply to " + body["messages"][0]["content"])) as server:
        answered: set[str] = set()
        for count in (1, 5, 10):
            before = len(server.requests)
            command = [sys.executable, "-c", child, server.url, str(tmp_path)]
            run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert run.stdout is not None
            lines = [run.stdout.readline() for _ in range(count)]
            os.kill(run.pid, signal.SIGKILL)
            run.communicate()
            assert lines == [f"reply to {number}\n" for number in range(count)]
            asked = {request.body["messages"][0]["content"] for request in server.requests[before:]}
            assert asked
            assert asked & answered == set()  # nothing that had been answered
            answered = {str(number) for number in range(count)}
    kept = [Exchanges(tmp_path).get(digest) for digest in Exchanges(tmp_path)]
    assert {each.request["messages"][0]["content"] for each in kept if each} == {str(number) for number in range(10)}
