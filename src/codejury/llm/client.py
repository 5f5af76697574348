"""One OpenAI-compatible chat API: questions in, replies out.

Owns time-outs, retries, pacing, the count of tokens and money, and that the key is seen by nobody but the server. What
is asked is `prompts`', what a reply is worth is `replies`'.

    ask ─► store? ──found──────────────────────────────────────────────► Reply(cached=True)
             └─► a place among `concurrency` ─► pace ─► POST ─► Reply ─► store
                                                 ▲        │ 408, 409, 425, 429, 5xx, no connection, no sense
                                                 └────────┘ at most `retries` times, within `total_s`

Requests run in an event loop in a thread of its own, because only there a deadline holds whatever the server does: a
header that comes a byte at a time resets every time-out of a socket. Callers come from any thread and are blocked. A
question that is being asked is not asked a second time: whoever comes later waits for the same answer.

The key is put into a request when it is sent, redirects are not followed, and wherever a server repeats the key (in
the words of a refusal, say), it is blotted out before anybody sees it.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import random
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.errors import ModelError, ModelTrouble, SettingsError, UsageError
from codejury.llm.pace import Pace
from codejury.llm.store import Exchange, Exchanges, Source, digest_of
from codejury.llm.wire import (
    SECRET_LENGTH,
    address_of,
    blotted,
    is_scripted,
    one_line,
    reply_of,
    retry_after_s,
    shown_url,
)
from codejury.settings import Secret, Settings, parse_key, parse_url

if TYPE_CHECKING:  # two hundred milliseconds to import, and nobody needs it before the first request
    import ssl

    import httpx

MAX_REPLY_BYTES = 32 << 20
MAX_SHOWN = 300  # characters of a server's words
LONGEST_BACKOFF_S = 30.0

_LOGGERS = ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))
_RETRIED = frozenset({408, 409, 425, 429})
_OURS = ("messages", "model", "n", "stream")  # fields of the body that nobody sets from outside

Messages = Sequence[Mapping[str, Any]]


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """Of a million tokens, in whatever currency the server's owner bills."""

    prompt: float = 0.0
    completion: float = 0.0


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said.

    finish_reason   the server's word: stop, length (cut off at max_tokens), content_filter, ...; "" where it gave none
    *_tokens        None where the server does not count
    source          live; scripted where the server says that it is; recorded where a store was kept as an example
    cached          from the store, nothing was paid
    digest          of the question: the exchange's name in the store
    """

    text: str
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    source: Source = "live"
    cached: bool = False
    digest: str = ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a client has used so far.

    requests   sent to the server, those that failed among them
    replies    that came of them;  uncounted: those without a count of tokens
    cached     replies from the store
    retries    requests that were sent again;  waited_s: back-off between them
    cost       by `prices`
    """

    requests: int = 0
    replies: int = 0
    uncounted: int = 0
    cached: int = 0
    retries: int = 0
    waited_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class Client:
    """A context manager; thread-safe.

    url                    of the API, up to /v1 or the like; with /chat/completions at its end or without
    concurrency            requests at a time
    requests_per_minute, tokens_per_minute    None: as fast as the server answers
    retries                after a failure that may pass
    connect_s, read_s      until there is a connection; between two pieces of an answer
    total_s                of a question from its first request on, with retries and waits
    backoff_s              the first wait between two requests, doubled each time, with jitter
    temperature, seed, max_tokens    None: the server's own
    extra                  more fields of the body
    exchanges              where exchanges are kept; None: nowhere
    prices                 what tokens cost
    max_calls, max_cost    after which nothing more is asked: requests to the server, and money
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | Secret | None = None,
        *,
        concurrency: int = 8,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        retries: int = 5,
        connect_s: float = 10.0,
        read_s: float = 120.0,
        total_s: float = 600.0,
        backoff_s: float = 0.5,
        temperature: float | None = None,
        seed: int | None = None,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
        exchanges: Exchanges | None = None,
        prices: Prices = Prices(),  # noqa: B008 (frozen)
        max_calls: int | None = None,
        max_cost: float | None = None,
    ) -> None:
        self._address = address_of(parse_url(url, where="url"))
        self.url = shown_url(self._address)
        if not model:
            raise UsageError("model: expected the name of a model, got nothing")
        self.model = model
        self._key = parse_key(key, where="key") if isinstance(key, str) and key else key or None
        self._concurrency = _whole("concurrency", concurrency, least=1)
        self._retries = _whole("retries", retries, least=0)
        self._connect_s = _seconds("connect_s", connect_s)
        self._read_s = _seconds("read_s", read_s)
        self._total_s = _seconds("total_s", total_s)
        self._backoff_s = _seconds("backoff_s", backoff_s)
        self._defaults: dict[str, Any] = {
            **_allowed(extra or {}, "extra"),
            **{
                name: value
                for name, value in (("temperature", temperature), ("seed", seed), ("max_tokens", max_tokens))
                if value is not None
            },
        }
        self._exchanges = exchanges
        self._prices = prices
        self._max_calls = None if max_calls is None else _whole("max_calls", max_calls, least=0)
        self._max_cost = max_cost
        self._pace = Pace(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
        self._usage = Usage()
        self._guard = threading.Lock()  # of the usage, the thread and the loop
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._http: httpx.AsyncClient | None = None
        self._places: asyncio.Semaphore | None = None
        self._asked: dict[str, asyncio.Task[Reply]] = {}  # the loop's alone
        self._closed = False

    @classmethod
    def from_settings(
        cls, settings: Settings, *, url: str | None = None, model: str | None = None, **options: Any
    ) -> Client:
        """What is given here goes before the settings."""
        url, model = url or settings.llm_url, model or settings.llm_model
        if not url:
            raise SettingsError("no address of a model's API: give it, or set CODEJURY_LLM_URL or OPENAI_BASE_URL")
        if not model:
            raise SettingsError("no name of a model: give it, or set CODEJURY_LLM_MODEL")
        return cls(url, model, **{"key": settings.llm_key, **options})

    def __repr__(self) -> str:
        return f"Client({self.url!r}, {self.model!r})"

    @property
    def usage(self) -> Usage:
        with self._guard:
            return self._usage

    def body_of(self, messages: Messages, **overrides: Any) -> dict[str, Any]:
        """The request's body, as it is sent and kept. An override of None takes a field out."""
        said = []
        for number, message in enumerate(messages):
            role, content = message.get("role"), message.get("content")
            if not isinstance(role, str) or not isinstance(content, str) or len(message) != 2:
                raise UsageError(f"message {number}: expected a role and a content, both texts, got {list(message)}")
            said.append({"role": role, "content": content})
        if not said:
            raise UsageError("messages: expected at least one")
        fields = {**self._defaults, **_allowed(overrides, "overrides")}
        return {"model": self.model, "messages": said, **{k: v for k, v in fields.items() if v is not None}}

    def ask(self, messages: Messages, *, sample: int = 0, **overrides: Any) -> Reply:
        """The model's reply. ModelError where there is none.

        sample      another number is another question with the same words, where several answers are wanted
        overrides   fields of the body, for this question alone
        """
        return self._answer(self._begin(messages, sample, overrides))

    def ask_many(
        self, conversations: Iterable[Messages], *, sample: int = 0, **overrides: Any
    ) -> list[Reply | ModelError]:
        """In the order of the questions. What has no answer has its error in that place."""
        begun = [self._begin(messages, sample, overrides) for messages in conversations]
        answers: list[Reply | ModelError] = []
        for each in begun:
            try:
                answers.append(self._answer(each))
            except ModelError as error:
                answers.append(error)
        return answers

    def close(self) -> None:
        """Gives up what is being asked."""
        with self._guard:
            self._closed = True
            thread, loop = self._thread, self._loop
            self._thread = self._loop = None
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(self._blot_record)
        if thread is not None and loop is not None:
            asyncio.run_coroutine_threadsafe(self._end(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ── A question ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, messages: Messages, sample: int, overrides: Mapping[str, Any]) -> Reply | Future[Reply]:
        """The store's answer, or one that is to come."""
        body = self.body_of(messages, **overrides)
        digest = digest_of(body, sample)
        try:
            content = msgspec.json.encode(body)
        except (TypeError, ValueError, UnicodeEncodeError) as error:
            raise UsageError(f"a request that JSON cannot hold: {error}") from None
        if self._key and len(self._key.reveal()) >= SECRET_LENGTH and self._key.reveal().encode() in content:
            raise UsageError("the request holds the key: it is sent in a header, and nowhere else")
        kept = self._kept(digest)
        if kept is not None:
            return kept
        if self._exchanges is not None and self._exchanges.mode == "replay":
            raise ModelError(
                "missing", f"{self._exchanges.folder}: only the store may answer, and it has no exchange {digest}"
            )
        with self._guard:  # with the lock: whatever is scheduled is scheduled before the end is
            loop = self._running()
            return asyncio.run_coroutine_threadsafe(self._shared(body, content, digest, sample), loop)

    @staticmethod
    def _answer(begun: Reply | Future[Reply]) -> Reply:
        if isinstance(begun, Reply):
            return begun
        try:
            return begun.result()
        except (CancelledError, asyncio.CancelledError):
            raise ModelError("unavailable", "the client was closed before there was an answer") from None
        except BaseException:
            begun.cancel()  # a caller who gives up (Ctrl-C) wants no answer any more
            raise

    def _kept(self, digest: str) -> Reply | None:
        found = self._exchanges.find(digest) if self._exchanges is not None else None
        if found is None:
            return None
        with self._guard:
            self._usage = msgspec.structs.replace(self._usage, cached=self._usage.cached + 1)
        return Reply(
            text=found.text,
            finish_reason=found.finish_reason,
            prompt_tokens=found.prompt_tokens,
            completion_tokens=found.completion_tokens,
            source=found.source,
            cached=True,
            digest=digest,
        )

    async def _shared(self, body: dict[str, Any], content: bytes, digest: str, sample: int) -> Reply:
        """One request for all who ask the same at the same time; not where everything is to be asked afresh."""
        if self._exchanges is not None and self._exchanges.mode == "fresh":
            return await self._ask(body, content, digest, sample)
        task = self._asked.get(digest)
        if task is None:
            if (kept := self._kept(digest)) is not None:  # somebody's answer came in between
                return kept
            task = self._asked[digest] = asyncio.ensure_future(self._ask(body, content, digest, sample))
            task.add_done_callback(lambda done: self._forget(digest, done))
            return await asyncio.shield(task)
        reply = await asyncio.shield(task)
        with self._guard:
            self._usage = msgspec.structs.replace(self._usage, cached=self._usage.cached + 1)
        return msgspec.structs.replace(reply, cached=True)

    def _forget(self, digest: str, done: asyncio.Task[Reply]) -> None:
        self._asked.pop(digest, None)
        if not done.cancelled():
            done.exception()  # seen, should nobody wait any more

    async def _ask(self, body: dict[str, Any], content: bytes, digest: str, sample: int) -> Reply:
        assert self._places is not None
        async with self._places:
            reply = await self._persist(body, content)
        exchange = Exchange(
            request=body,
            text=reply.text,
            finish_reason=reply.finish_reason,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            sample=sample,
            url=self.url,
            asked_at=round(time.time(), 3),
            source=reply.source,
        )
        if self._exchanges is not None:
            await asyncio.to_thread(self._exchanges.keep, exchange)
        return msgspec.structs.replace(reply, digest=digest)

    async def _persist(self, body: dict[str, Any], content: bytes) -> Reply:
        """Tries until there is a reply, a refusal, or no time left."""
        guess = _tokens_guessed(body)
        deadline: float | None = None  # of the first request on: waiting for a turn is not the server's fault
        for number in range(self._retries + 1):
            await self._turn(guess, deadline)
            if deadline is None:
                deadline = time.monotonic() + self._total_s
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    reply = await self._post(content)
            except TimeoutError:
                raise ModelError("unavailable", f"{self.url}: no whole reply within {self._total_s:g} s") from None
            except _Passing as trouble:
                wait = self._backoff_s * 2**number * (0.5 + random.random() / 2)
                wait = max(min(wait, LONGEST_BACKOFF_S), trouble.wait_s or 0.0)
                if number == self._retries:
                    raise trouble.after(f"tried {number + 1} times" if number else "") from None
                if time.monotonic() + wait >= deadline:
                    late = f"the next try would be in {wait:.1f} s, after the {self._total_s:g} s allowed"
                    raise trouble.after(late) from None
                if trouble.wait_s:
                    self._pace.hold(time.monotonic() + wait)  # what it says to one it says to all
                with self._guard:
                    now = self._usage
                    self._usage = msgspec.structs.replace(now, retries=now.retries + 1, waited_s=now.waited_s + wait)
                await asyncio.sleep(wait)
            else:
                used = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
                if used:
                    self._pace.settle(time.monotonic(), guess, used)
                self._count(reply)
                return reply
        raise AssertionError("the last try ends above")

    async def _turn(self, tokens: int, deadline: float | None) -> None:
        while wait := self._pace.wait_s(time.monotonic(), tokens):
            if deadline is not None and time.monotonic() + wait >= deadline:
                raise ModelError("unavailable", f"{self.url}: no turn within the {self._total_s:g} s allowed")
            await asyncio.sleep(wait)
        with self._guard:
            now = self._usage
            if self._max_calls is not None and now.requests >= self._max_calls:
                raise ModelError("spent", f"the {self._max_calls} calls that are allowed have been made")
            if self._max_cost is not None and now.cost >= self._max_cost:
                raise ModelError("spent", f"{now.cost:.4f} of the {self._max_cost:g} that are allowed have been spent")
            self._usage = msgspec.structs.replace(now, requests=now.requests + 1)

    def _count(self, reply: Reply) -> None:
        prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
        cost = (prompt * self._prices.prompt + completion * self._prices.completion) / 1e6
        with self._guard:
            now = self._usage
            self._usage = msgspec.structs.replace(
                now,
                replies=now.replies + 1,
                uncounted=now.uncounted + (reply.prompt_tokens is None or reply.completion_tokens is None),
                prompt_tokens=now.prompt_tokens + prompt,
                completion_tokens=now.completion_tokens + completion,
                cost=now.cost + cost,
            )

    # ── A request ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _post(self, content: bytes) -> Reply:
        import httpx

        assert self._http is not None
        try:
            async with self._http.stream(
                "POST", self._address, content=content, headers={"Content-Type": "application/json"}, auth=self._sign
            ) as response:
                raw = bytearray()
                async for piece in response.aiter_bytes():
                    raw += piece
                    if len(raw) > MAX_REPLY_BYTES:
                        raise _Passing(self._error("malformed", f"a reply of more than {MAX_REPLY_BYTES} bytes"))
                status = response.status_code
                wait_s = retry_after_s(response.headers.get("Retry-After", ""), now=time.time())
        except httpx.TimeoutException as error:
            raise _Passing(self._error("unavailable", f"too slow: {type(error).__name__}")) from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise _Passing(self._error("unavailable", f"{type(error).__name__}: {error}")) from None
        if status != 200:
            words = f"status {status}: {one_line(self._blotted(raw.decode(errors='replace')))[:MAX_SHOWN]}"
            if status in _RETRIED or status >= 500:
                raise _Passing(self._error("unavailable", words, status), wait_s=wait_s)
            raise self._error("refused", words, status)
        try:
            text, finish_reason, prompt_tokens, completion_tokens = reply_of(bytes(raw))
        except ValueError as error:
            shown = one_line(self._blotted(raw.decode(errors="replace")))[:MAX_SHOWN]
            raise _Passing(
                self._error("malformed", f"no chat completion: {error}; it begins {shown!r}", status)
            ) from None
        return Reply(
            text=self._blotted(text),
            finish_reason=self._blotted(finish_reason),
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            source="scripted" if is_scripted(bytes(raw)) else "live",
        )

    def _sign(self, request: httpx.Request) -> httpx.Request:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return request

    def _error(self, trouble: ModelTrouble, words: str, status: int | None = None) -> ModelError:
        return ModelError(trouble, self._blotted(f"{self.url}: model {self.model!r}: {words}"), status=status)

    def _blotted(self, text: str) -> str:
        return blotted(text, self._key.reveal() if self._key is not None else "")

    def _blot_record(self, record: logging.LogRecord) -> bool:
        """The HTTP client's log has every header that a server sends."""
        words = record.getMessage()
        if (clean := self._blotted(words)) != words:
            record.msg, record.args = clean, ()
        return True

    # ── The loop and its thread ──────────────────────────────────────────────────────────────────────────────────────

    def _running(self) -> asyncio.AbstractEventLoop:
        """The caller holds the lock."""
        if self._closed:
            raise UsageError("the client is closed")
        if self._loop is None:
            import httpx

            self._loop = asyncio.new_event_loop()
            self._places = asyncio.Semaphore(self._concurrency)
            self._http = httpx.AsyncClient(
                timeout=httpx.Timeout(self._read_s, connect=self._connect_s, pool=None),
                limits=httpx.Limits(max_connections=self._concurrency),
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
                verify=_trust(),
            )
            for name in _LOGGERS:
                logging.getLogger(name).addFilter(self._blot_record)
            self._thread = threading.Thread(target=self._loop.run_forever, name="codejury-llm", daemon=True)
            self._thread.start()
        return self._loop

    async def _end(self) -> None:
        assert self._http is not None
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._http.aclose()
        await asyncio.get_running_loop().shutdown_default_executor()


@functools.cache
def _trust() -> ssl.SSLContext:
    """Reading the certificates takes longer than all else in making a client."""
    import httpx

    return httpx.create_ssl_context()


class _Passing(Exception):
    """A failure that may pass; and how long the server wants to be left alone."""

    def __init__(self, error: ModelError, *, wait_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s

    def after(self, what: str) -> ModelError:
        """The error in the end, with what had been done about it."""
        words = f"{self.error} ({what})" if what else str(self.error)
        return ModelError(self.error.trouble, words, status=self.error.status)


# ── What the caller gave ─────────────────────────────────────────────────────────────────────────────────────────────


def _tokens_guessed(body: Mapping[str, Any]) -> int:
    """Of the question, a token for every three characters, and all that the answer may have."""
    characters = sum(len(message["content"]) for message in body["messages"])
    limit = body.get("max_tokens", body.get("max_completion_tokens"))
    return characters // 3 + (limit if isinstance(limit, int) else 1024)


def _allowed(fields: Mapping[str, Any], where: str) -> dict[str, Any]:
    for name in fields:
        if name in _OURS:
            raise UsageError(f"{where}: {name!r} cannot be set; only what comes beside {', '.join(_OURS)}")
    return dict(fields)


def _whole(name: str, value: object, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name}: expected a whole number from {least} on, got {value!r}")
    return value


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
        raise UsageError(f"{name}: expected a positive number of seconds, got {value!r}")
    return float(value)
