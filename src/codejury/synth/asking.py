"""Where a problem's replies come from.

Owns the two ways: a server with the store before it, and the store alone. Whoever asks gets an Exchange, which says
what was asked, what came and how (live, recorded, scripted), or `Waiting`, which carries the request that has no answer
yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from codejury.llm.client import Client
from codejury.llm.store import Exchange, Exchanges, digest_of

Messages = Sequence[Mapping[str, Any]]
_BOLD = 0.8  # the temperature, at least, where another answer is wanted than those that came


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A question as it would be sent."""

    problem: str
    body: dict[str, Any]
    sample: int
    digest: str

    @property
    def custom_id(self) -> str:
        return f"{self.problem}#{self.digest[:16]}"


class Waiting(Exception):
    """The problem cannot go on before these are answered."""

    def __init__(self, requests: Sequence[Request]) -> None:
        super().__init__(f"{len(requests)} requests have no answer yet")
        self.requests = list(requests)


class Asker(Protocol):
    """`defers`: what is not known raises Waiting, and all that will be wanted had better be asked for at once."""

    defers: bool

    def ask(self, problem: str, messages: Messages, *, sample: int, bold: bool = False) -> tuple[str, Exchange]:
        """The exchange and its digest. Waiting, or ModelError, where there is none. `bold`: with a temperature by which
        the answer is another one, where the temperature is ours to say."""
        ...


def _body_of(client: Client, messages: Messages, bold: bool) -> dict[str, Any]:
    body = client.body_of(messages)
    usual = body.get("temperature")
    return {**body, "temperature": max(_BOLD, usual)} if bold and isinstance(usual, (int, float)) else body


class Live:
    """A client, whose store answers first."""

    defers = False

    def __init__(self, client: Client, exchanges: Exchanges) -> None:
        self._client = client
        self._exchanges = exchanges

    def ask(self, problem: str, messages: Messages, *, sample: int, bold: bool = False) -> tuple[str, Exchange]:
        body = _body_of(self._client, messages, bold)
        reply = self._client.ask(messages, sample=sample, temperature=body.get("temperature"))
        kept = self._exchanges.get(reply.digest)
        if kept is None:  # somebody cleared the store meanwhile
            kept = Exchange(
                request=body,
                text=reply.text,
                finish_reason=reply.finish_reason,
                sample=sample,
                source=reply.source,
            )
        return reply.digest, kept


class Kept:
    """The store alone, and answers that a batch brought, which go into the store when they are wanted.

    answers   by custom_id
    """

    defers = True

    def __init__(self, client: Client, exchanges: Exchanges, answers: Mapping[str, Exchange] | None = None) -> None:
        self._client = client  # it says what a request looks like; nothing is sent
        self._exchanges = exchanges
        self._answers = answers or {}
        self.taken: set[str] = set()

    def ask(self, problem: str, messages: Messages, *, sample: int, bold: bool = False) -> tuple[str, Exchange]:
        body = _body_of(self._client, messages, bold)
        digest = digest_of(body, sample)
        found = self._exchanges.get(digest)
        if found is not None:
            return digest, found
        wanted = Request(problem=problem, body=body, sample=sample, digest=digest)
        answer = self._answers.get(wanted.custom_id)
        if answer is None:
            raise Waiting([wanted])
        kept = msgspec.structs.replace(answer, request=body, sample=sample)
        self._exchanges.keep(kept)
        self.taken.add(wanted.custom_id)
        return digest, kept
