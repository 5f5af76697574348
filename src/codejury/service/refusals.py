"""Every way in which the service says no: a status and a type that programs can act on, and words for a person.

    type               status   retry   meaning
    unauthorized       401      no      no token, a wrong one, or two
    forbidden          403      no      a web page of another origin, or a host name that is not this service's
    not_found          404      no      no such path
    method_not_allowed 405      no      the path is there for another method
    timeout            408      yes     the request did not arrive in time
    too_large          413      no      body, files or items beyond a bound, packed or unpacked
    unsupported        415      no      a content encoding that is not known here
    head_too_large     431      no      first line and headers beyond a bound
    invalid            422      no      the request makes no sense: which field, what was expected
    internal           500      yes     a fault in the service itself
    overloaded         503      yes     no place to wait, or no hope to be served in time
    stopping           503      yes     the service ends
    infrastructure     503      yes     the sandbox failed, tries included; says nothing of the program
    deadline           504      yes     the client's time was over before there was an answer

The body is {"error": {"type", "message", "retry"}}; `invalid` has `detail` too, as FastAPI's clients expect it. What
may be tried again has a Retry-After.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from codejury.errors import CodejuryError, InternalError, UsageError

RefusalType = Literal[
    "unauthorized",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "timeout",
    "too_large",
    "unsupported",
    "head_too_large",
    "invalid",
    "internal",
    "overloaded",
    "stopping",
    "infrastructure",
    "deadline",
]

STATUS: dict[RefusalType, int] = {
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "timeout": 408,
    "too_large": 413,
    "unsupported": 415,
    "head_too_large": 431,
    "invalid": 422,
    "internal": 500,
    "overloaded": 503,
    "stopping": 503,
    "infrastructure": 503,
    "deadline": 504,
}
RETRIED: frozenset[RefusalType] = frozenset(
    {"timeout", "internal", "overloaded", "stopping", "infrastructure", "deadline"}
)


class ErrorWords(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong; `retry`: the same request may succeed later."""

    type: RefusalType
    message: str
    retry: bool


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of every refusal."""

    error: ErrorWords
    detail: list[dict[str, Any]] = []


class Refusal(Exception):
    """Raised anywhere below a request, answered at its boundary."""

    def __init__(
        self, type: RefusalType, message: str, *, field: str = "", retry_after_s: int = 1, allow: str = ""
    ) -> None:
        super().__init__(message)
        self.type: RefusalType = type
        self.message = message
        self.field = field
        self.retry_after_s = retry_after_s
        self.allow = allow

    @property
    def status(self) -> int:
        return STATUS[self.type]

    @property
    def words(self) -> ErrorWords:
        return ErrorWords(type=self.type, message=self.message, retry=self.type in RETRIED)

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        headers = [(b"content-type", b"application/json")]
        if self.type in RETRIED:
            headers.append((b"retry-after", str(self.retry_after_s).encode()))
        if self.type == "unauthorized":
            headers += [(b"www-authenticate", b"Bearer"), (b"www-authenticate", b'Basic realm="codejury"')]
        if self.allow:
            headers.append((b"allow", self.allow.encode()))
        return headers

    @property
    def body(self) -> bytes:
        detail: list[dict[str, Any]] = []
        if self.type == "invalid":
            place: list[str] = ["body", *self.field.split(".")] if self.field else ["body"]
            detail = [{"type": "value_error", "loc": place, "msg": self.message}]
        return msgspec.json.encode(ErrorBody(error=self.words, detail=detail))


def of(error: BaseException) -> Refusal:
    """Whatever was raised below a request, as what its client is told."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, UsageError):
        return Refusal("invalid", str(error))
    if isinstance(error, InternalError):
        return Refusal("infrastructure", f"{type(error).__name__}: {error}")
    if isinstance(error, (OSError, MemoryError)):  # out of descriptors, of disk, of memory
        return Refusal("infrastructure", f"{type(error).__name__}: {error}"[:300])
    if isinstance(error, CodejuryError):  # a level that the host does not give any more
        return Refusal("infrastructure", f"{type(error).__name__}: {error}", retry_after_s=10)
    return Refusal("internal", f"a fault in the service: {type(error).__name__}")
