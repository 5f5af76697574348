"""The client, against a server on loopback that does everything wrong that servers do."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from llm.chat_server import After, ChatServer, Drip, Raw, Reset, Say, Stall, fail

from codejury import settings
from codejury.errors import ModelError, SettingsError, UsageError
from codejury.llm.client import Client, Prices, Reply
from codejury.llm.store import Exchanges

HELLO = [{"role": "user", "content": "hello"}]
KEY = 'sk-the/key-that+nobody"sees'  # with signs that JSON and addresses write in several ways


def client_of(server: ChatServer, **options: Any) -> Client:
    return Client(server.url, "small-coder", **{"backoff_s": 0.001, "retries": 2, "total_s": 20.0, **options})


def asked(*script: Any, **options: Any) -> Reply:
    with ChatServer(*script) as server, client_of(server, **options) as client:
        return client.ask(HELLO)


def failure(*script: Any, **options: Any) -> tuple[ModelError, int]:
    """The error, and how many requests had been sent."""
    with ChatServer(*script) as server, client_of(server, **options) as client:
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
        assert server.url in str(caught.value)
        return caught.value, len(server.requests)


# ── What is sent ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_question_and_its_reply() -> None:
    with ChatServer(Say("world", prompt_tokens=3, completion_tokens=2)) as server, client_of(server) as client:
        reply = client.ask(HELLO)
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("world", "stop", 3, 2)
    assert not reply.cached
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {"model": "small-coder", "messages": HELLO}
    assert "authorization" not in request.headers


def test_settings_of_the_client_and_of_one_question() -> None:
    options = {"temperature": 0.5, "seed": 7, "max_tokens": 100, "extra": {"top_p": 0.9, "stop": ["END"]}}
    with ChatServer(Say("")) as server, client_of(server, **options) as client:
        client.ask(HELLO)
        client.ask(HELLO, temperature=None, max_tokens=5, guided=True)
    first, second = (request.body for request in server.requests)
    assert first == {
        "model": "small-coder",
        "messages": HELLO,
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 100,
        "top_p": 0.9,
        "stop": ["END"],
    }
    del first["temperature"]
    assert second == {**first, "max_tokens": 5, "guided": True}


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions", "/chat/completions/"])
def test_the_address_may_end_in_several_ways(tail: str) -> None:
    with ChatServer(Say("")) as server, Client(server.url + tail + "?api-version=2", "m") as client:
        client.ask(HELLO)
        assert client.url == server.url + "/chat/completions"  # what follows a question mark is not shown
    assert server.requests[0].path == "/v1/chat/completions?api-version=2"


def test_the_key_is_sent_in_a_header() -> None:
    with ChatServer(Say("")) as server, client_of(server, key=KEY) as client:
        client.ask(HELLO)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(server.requests[0].body)


@pytest.mark.parametrize(
    "options",
    [
        {"url": "models.example"},
        {"url": "https://me:word@models.example"},
        {"model": ""},
        {"concurrency": 0},
        {"retries": -1},
        {"retries": True},
        {"total_s": 0},
        {"read_s": float("nan")},
        {"requests_per_minute": 0},
        {"tokens_per_minute": -1},
        {"extra": {"stream": True}},
        {"extra": {"messages": []}},
        {"key": "two words"},
        {"max_calls": -1},
    ],
    ids=str,
)
def test_a_wrong_option_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        Client(**{"url": "http://127.0.0.1:1/v1", "model": "m", **options})


@pytest.mark.parametrize(
    "messages",
    [[], [{"role": "user"}], [{"role": "user", "content": None}], [{"role": "user", "content": "x", "name": "y"}]],
    ids=str,
)
def test_wrong_messages_are_refused(messages: list[Any]) -> None:
    with Client("http://127.0.0.1:1/v1", "m") as client, pytest.raises(UsageError, match="message"):
        client.ask(messages)


@pytest.mark.parametrize("overrides", [{"n": 2}, {"x": float("nan")}, {"x": object}, {"stream": True}], ids=str)
def test_wrong_overrides_are_refused(overrides: dict[str, Any]) -> None:
    with Client("http://127.0.0.1:1/v1", "m") as client, pytest.raises(UsageError):
        client.ask(HELLO, **overrides)


def test_half_a_character_is_refused_before_it_is_sent() -> None:
    with Client("http://127.0.0.1:1/v1", "m") as client, pytest.raises(UsageError, match="JSON"):
        client.ask([{"role": "user", "content": "\ud800"}])


# ── Failures that pass ───────────────────────────────────────────────────────────────────────────────────────────────

PASSING = {
    "408": fail(408),
    "409": fail(409),
    "425": fail(425),
    "429": fail(429),
    "500": fail(500),
    "502": Raw(b"<html>bad gateway</html>", 502),
    "503": fail(503),
    "599": fail(599),
    "reset before the status": Reset(),
    "reset in the body": Reset(after=500),
    "no JSON": Raw(b"I am a proxy"),
    "nothing": Raw(b""),
    "truncated JSON": Raw(json.dumps(Say("world").body()).encode()[:60]),
    "no UTF-8": Raw(b'{"choices": [{"message": {"content": "\xff"}}]}'),
    "half a character": Raw(b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
    "deep": Raw(b"[" * 200_000),
    "a list": Raw(b"[]"),
    "an error with status 200": Raw(b'{"error": {"message": "overloaded"}}'),
    "no choices": Raw(b'{"choices": []}'),
    "choices of another type": Raw(b'{"choices": "none"}'),
    "a choice of another type": Raw(b'{"choices": ["none"]}'),
    "no message": Raw(b'{"choices": [{"text": "old API"}]}'),
    "a content of another type": Raw(b'{"choices": [{"message": {"content": 5}}]}'),
    "parts that are no text": Raw(b'{"choices": [{"message": {"content": [{"type": "image"}]}}]}'),
    "a finish reason of another type": Raw(b'{"choices": [{"message": {"content": "x"}, "finish_reason": 1}]}'),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_tried_again(step: Any) -> None:
    with ChatServer(step, step, Say("world")) as server, client_of(server) as client:
        assert client.ask(HELLO).text == "world"
        assert client.usage.retries == 2
        assert client.usage.requests == len(server.requests) == 3
    assert len({json.dumps(request.body) for request in server.requests}) == 1


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING)
def test_what_does_not_pass_is_an_error_after_the_last_try(step: Any) -> None:
    error, requests = failure(step)
    assert requests == 3
    assert "tried 3 times" in str(error)
    assert error.trouble == ("malformed" if isinstance(step, Raw) and step.status == 200 else "unavailable")


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with Client(url, "m", retries=1, backoff_s=0.001) as client, pytest.raises(ModelError) as caught:
            client.ask(HELLO)
    assert caught.value.trouble == "unavailable"
    assert "ConnectError" in str(caught.value)


def test_no_retries() -> None:
    assert failure(fail(500), Say("world"), retries=0)[1] == 1


def test_retry_after_is_waited_for() -> None:
    with ChatServer(fail(429, retry_after="0.3"), Say("world")) as server, client_of(server) as client:
        began = time.monotonic()
        assert client.ask(HELLO).text == "world"
        assert time.monotonic() - began >= 0.3  # never less: a lower bound holds on the slowest machine
        assert client.usage.waited_s >= 0.3


def test_retry_after_that_nobody_can_wait_for_is_an_error_at_once() -> None:
    error, requests = failure(fail(429, retry_after="3600"), Say("world"))
    assert requests == 1
    assert error.status == 429
    assert "3600.0 s" in str(error)


def test_retry_after_that_makes_no_sense_is_passed_over() -> None:
    assert asked(fail(429, retry_after="soon"), Say("world")).text == "world"


def test_what_the_server_says_to_one_it_says_to_all() -> None:
    """The second question waits as long as the first is told to."""
    with ChatServer(fail(429, retry_after="0.5"), Say("a"), Say("b")) as server, client_of(server) as client:
        pool = ThreadPoolExecutor()
        began = time.monotonic()
        first = pool.submit(client.ask, HELLO)
        while not client.usage.retries:
            time.sleep(0.001)
        client.ask([{"role": "user", "content": "me too"}])
        assert time.monotonic() - began >= 0.5
        first.result()
        pool.shutdown()


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422, 301, 302, 307, 204])
def test_a_refusal_is_an_error_at_once(status: int) -> None:
    words = "" if status == 204 else "such a model is not here " + "x" * 1000
    error, requests = failure(Raw(words.encode(), status), Say("world"))
    assert requests == 1
    assert (error.trouble, error.status) == ("refused", status)
    assert f"status {status}" in str(error)
    assert words[:300] in str(error)
    assert words[:301] not in str(error) or not words


def test_a_redirect_does_not_carry_the_key_elsewhere() -> None:
    with ChatServer(Say("thank you for the key")) as other:
        step = Raw(b"", 307, {"Location": other.url + "/chat/completions"})
        failure(step, key=KEY)
        assert other.requests == []


# ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("step", "options", "words"),
    [
        (Stall(), {"read_s": 0.2, "retries": 0}, "ReadTimeout"),
        (Stall(), {"total_s": 0.2, "retries": 3}, "within 0.2 s"),
        (Drip(), {"total_s": 0.3, "read_s": 5.0}, "within 0.3 s"),
        (Drip(headers=True), {"total_s": 0.3, "read_s": 5.0}, "within 0.3 s"),
        (fail(500), {"total_s": 10.0, "retries": 1000, "backoff_s": 100.0}, "10 s allowed"),
    ],
    ids=["stall, read", "stall, total", "drip", "drip of headers", "fails for ever"],
)
def test_every_question_ends(step: Any, options: dict[str, Any], words: str) -> None:
    error, _ = failure(step, **options)
    assert error.trouble == "unavailable"
    assert words in str(error)


def test_a_stall_is_tried_again() -> None:
    assert asked(Stall(), Say("world"), read_s=0.2).text == "world"


def test_an_endless_reply_is_not_taken_in() -> None:
    huge = Raw(b" " * (33 << 20))
    error, _ = failure(huge, retries=0)
    assert (error.trouble, "more than" in str(error)) == ("malformed", True)


# ── Replies that are unusual, and replies all the same ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None}, ""),
        ({}, ""),
        ({"content": None, "refusal": "I cannot help with that."}, "I cannot help with that."),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": "", "reasoning_content": "hm"}, ""),
    ],
    ids=str,
)
def test_contents_of_several_forms(message: dict[str, Any], text: str) -> None:
    body = {"choices": [{"message": message, "finish_reason": None}]}
    reply = asked(Raw(json.dumps(body).encode()))
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == (text, "", None, None)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "12"}, {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_counts_that_make_no_sense_are_none(usage: Any) -> None:
    body = {**Say("x").body(), "usage": usage}
    with ChatServer(Raw(json.dumps(body).encode())) as server, client_of(server) as client:
        assert client.ask(HELLO).prompt_tokens is None
        assert client.usage.uncounted == 1


# ── Several at a time ────────────────────────────────────────────────────────────────────────────────────────────────


def echo(body: Any) -> Any:
    text = body["messages"][-1]["content"]
    return fail(400, "not this one") if text == "3" else Say(text)


def questions(count: int) -> list[list[dict[str, str]]]:
    return [[{"role": "user", "content": str(number)}] for number in range(count)]


def test_many_keep_their_order_and_failures_stand_in_their_place() -> None:
    with ChatServer(echo) as server, client_of(server, concurrency=4) as client:
        answers = client.ask_many(questions(12))
    assert [each.text if isinstance(each, Reply) else each.trouble for each in answers] == [
        "refused" if number == 3 else str(number) for number in range(12)
    ]
    assert 1 <= server.most_at_once <= 4


def test_concurrency_is_used_and_not_exceeded() -> None:
    gate = threading.Event()
    with ChatServer(After(gate, Say("x"))) as server, client_of(server, concurrency=3) as client:
        pool = ThreadPoolExecutor()
        done = pool.submit(client.ask_many, questions(9))
        server.wait_for(3)
        time.sleep(0.05)
        assert len(server.requests) == 3
        gate.set()
        assert len(done.result()) == 9
        pool.shutdown()
    assert server.most_at_once == 3


def test_threads_share_a_client() -> None:
    with ChatServer(lambda body: Say(body["messages"][0]["content"])) as server, client_of(server) as client:
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(client.ask, questions(40)))
        assert [each.text for each in answers] == [str(number) for number in range(40)]
        assert client.usage.replies == 40


def test_the_same_question_at_the_same_time_is_asked_once() -> None:
    gate = threading.Event()
    with ChatServer(After(gate, Say("x"))) as server, client_of(server) as client, ThreadPoolExecutor() as pool:
        asking = [pool.submit(client.ask, HELLO) for _ in range(4)]
        server.wait_for(1)
        gate.set()
        replies = [each.result() for each in asking]
        other = client.ask(HELLO, sample=1)
        assert not other.cached
    assert {reply.text for reply in replies} == {"x"}
    assert [reply.cached for reply in replies].count(False) >= 1
    assert len(server.requests) == [*(reply.cached for reply in replies), other.cached].count(False)


def test_a_closed_client_says_so() -> None:
    with ChatServer(Stall()) as server, ThreadPoolExecutor() as pool:
        client = client_of(server)
        asking = pool.submit(client.ask, HELLO)
        server.wait_for(1)
        client.close()
        with pytest.raises(ModelError, match="closed"):
            asking.result()
        with pytest.raises(UsageError, match="closed"):
            client.ask(HELLO)
        client.close()


# ── What it costs ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_tokens_and_money_are_counted() -> None:
    prices = Prices(prompt=2.0, completion=10.0)
    script = [fail(500), Say("x", prompt_tokens=1000, completion_tokens=500)]
    with ChatServer(*script) as server, client_of(server, prices=prices) as client:
        client.ask_many(questions(2))
        usage = client.usage
    assert (usage.requests, usage.replies, usage.retries) == (3, 2, 1)
    assert (usage.prompt_tokens, usage.completion_tokens) == (2000, 1000)
    assert usage.cost == pytest.approx(2 * (1000 * 2.0 + 500 * 10.0) / 1e6)


def test_no_more_calls_than_allowed() -> None:
    with ChatServer(fail(500)) as server, client_of(server, max_calls=2, retries=10) as client:
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
        assert caught.value.trouble == "spent"
        assert len(server.requests) == 2


def test_no_more_money_than_allowed() -> None:
    options = {"prices": Prices(prompt=1e6), "max_cost": 20.0, "concurrency": 1}
    with ChatServer(Say("x", prompt_tokens=11)) as server, client_of(server, **options) as client:
        answers = client.ask_many(questions(5))
    assert [isinstance(each, Reply) for each in answers] == [True, True, False, False, False]
    assert len(server.requests) == 2


def test_requests_are_paced() -> None:
    """A bucket of twelve, then two a second."""
    with ChatServer(Say("x")) as server, client_of(server, requests_per_minute=120, concurrency=4) as client:
        began = time.monotonic()
        client.ask_many(questions(14))
        assert time.monotonic() - began >= (14 - 12 - 1) / 2
    assert len(server.requests) == 14


# ── The key ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def forms(key: str) -> list[str]:
    return [key, json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")]


def test_the_key_is_seen_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The server repeats it wherever it can; everything that can be looked at is looked through."""
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    repeated = json.dumps({"error": f"the key {KEY} is wrong"}).replace("/", "\\/").encode()
    script: list[Any] = [
        Raw(repeated, 500, {"X-Echo": KEY}),
        Raw(f"you sent {KEY}".encode()),
        Say(f"your key is {KEY}", finish_reason=KEY),
        Raw(repeated, 401),
        Raw(KEY.encode(), 404),
    ]
    with ChatServer(*script) as server, client_of(server, key=KEY, exchanges=Exchanges(tmp_path / "x")) as client:
        reply = client.ask(HELLO)
        assert reply.text == "your key is [key]"
        for number in (1, 2):
            with pytest.raises(ModelError) as caught:
                client.ask(HELLO, sample=number)
            seen.append("".join(traceback.format_exception(caught.value)))
            seen.append(repr(caught.value))
        seen += [repr(client), repr(reply), repr(client.usage), repr(vars(client)), repr(client._http)]
        seen += [repr(client._http.headers) if client._http else ""]
    assert "[key]" in seen[0]
    seen += [record.getMessage() + repr(record.args) for record in caplog.records]
    assert len(seen) > 20  # the log of the HTTP client was really on
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    seen += [path.read_text() for path in files]
    assert [text for text in seen for form in forms(KEY) if form in text] == []


def test_a_request_that_holds_the_key_is_refused(tmp_path: Path) -> None:
    key = "sk-in-the-body"
    with Client("http://127.0.0.1:1/v1", "m", key, extra={"api_key": key}, exchanges=Exchanges(tmp_path)) as client:
        with pytest.raises(UsageError) as caught:
            client.ask(HELLO)
        assert key not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_placeholder_is_no_secret() -> None:
    assert asked(Say("the list is EMPTY"), key="EMPTY").text == "the list is EMPTY"


# ── Settings and imports ─────────────────────────────────────────────────────────────────────────────────────────────


def test_from_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(Say("x")) as server:
        monkeypatch.setenv("CODEJURY_LLM_URL", server.url)
        monkeypatch.setenv("CODEJURY_LLM_MODEL", "from-settings")
        monkeypatch.setenv("CODEJURY_LLM_KEY", KEY)
        with Client.from_settings(settings.load()) as client:
            client.ask(HELLO)
        with Client.from_settings(settings.load(), model="given", key=None, max_tokens=9) as client:
            client.ask(HELLO)
    first, second = server.requests
    assert (first.body["model"], first.headers.get("authorization")) == ("from-settings", f"Bearer {KEY}")
    assert (second.body["model"], second.headers.get("authorization")) == ("given", None)
    assert second.body["max_tokens"] == 9


@pytest.mark.parametrize("name", ["CODEJURY_LLM_URL", "CODEJURY_LLM_MODEL"])
def test_from_settings_says_what_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("CODEJURY_LLM_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("CODEJURY_LLM_MODEL", "m")
    monkeypatch.delenv(name)
    with pytest.raises(SettingsError, match=name):
        Client.from_settings(settings.load())


@pytest.mark.parametrize("module", ["codejury", "codejury.cli", "codejury.llm", "codejury.llm.client"])
def test_importing_does_not_load_the_http_client(module: str) -> None:
    child = f"import sys, {module}; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", child], check=False).returncode == 0
