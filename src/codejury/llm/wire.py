"""A chat API's wire format: where requests go, and what is read out of an answer. Pure functions on what came.

Everything here comes from a server that may be broken or hostile: whatever is not as expected is a ValueError that says
what was.
"""

from __future__ import annotations

import email.utils
import json
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

SECRET_LENGTH = 8  # a shorter key ("EMPTY") is no secret, and would be blotted out of ordinary words


def address_of(url: str) -> str:
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return parts._replace(path=path).geturl()


def shown_url(address: str) -> str:
    """What follows a question mark may be a secret."""
    return urlsplit(address)._replace(query="").geturl()


def blotted(text: str, key: str) -> str:
    """Without the key, however a server may have written it."""
    if len(key) < SECRET_LENGTH:
        return text
    escaped = json.dumps(key)[1:-1]
    for form in (key, escaped, escaped.replace("/", "\\/"), quote(key, safe="")):
        text = text.replace(form, "[key]")
    return text


def one_line(text: str) -> str:
    return " ".join(text.split())


def reply_of(raw: bytes) -> tuple[str, str, int | None, int | None]:
    """Text, finish reason and counts of tokens of a chat completion. ValueError says what is wrong with it.

    Servers differ: a content may be null (a refusal, or only thoughts came) or come in parts, a count may be missing.
    """
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, got {type(data).__name__}")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ValueError("expected `choices` with at least one")
    first = choices[0]
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise ValueError("expected `choices[0].message`, an object")
    finish = first.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise ValueError(f"expected `choices[0].finish_reason`, a text, got {type(finish).__name__}")
    usage = data.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return _content(message), finish or "", _tokens(counts, "prompt_tokens"), _tokens(counts, "completion_tokens")


def is_scripted(raw: bytes) -> bool:
    """Whether the server says itself that no model stands behind it (`"system_fingerprint": "scripted"`)."""
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("system_fingerprint") == "scripted"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if content is None:
        refusal = message.get("refusal")
        return refusal if isinstance(refusal, str) else ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        texts = [part for part in parts if isinstance(part, str)]
        if texts and len(texts) == len(parts):
            return "".join(texts)
    raise ValueError(f"expected `choices[0].message.content`, a text, got {type(content).__name__}")


def _tokens(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def retry_after_s(text: str, *, now: float) -> float | None:
    """Seconds, or a date as HTTP writes it. None where the header makes no sense."""
    text = text.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - now
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
        seconds = max(seconds, 0.0)
    return seconds if 0 <= seconds < 1e9 else None
