"""The files of providers' batch APIs: requests out, responses in.

    out   {"custom_id": "ID#digest", "body": {"model", "messages", "max_tokens", "temperature", …}}
    in    {"custom_id", "response": {"status_code": 200, "body": {a chat completion}}}     as OpenAI writes it
          {"custom_id", "body" | "response": {a chat completion}}                          as others do
          {"custom_id", "error": …}                                                        no answer: asked again

Owns both forms. Which request an answer belongs to is not looked up anywhere: the run comes to the same question again,
whose custom_id is made of it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from codejury.errors import UsageError
from codejury.llm.store import Exchange
from codejury.llm.wire import is_scripted, reply_of
from codejury.synth.asking import Request


def write(path: Path, requests: Sequence[Request]) -> None:
    """All of them, in place of what was there; whole or not at all."""
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8") as stream:
            for request in requests:
                stream.write(json.dumps({"custom_id": request.custom_id, "body": request.body}) + "\n")
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def read(path: Path, *, note: Callable[[str], None]) -> dict[str, Exchange]:
    """The answers by custom_id; `note` is told of lines that hold none."""
    found: dict[str, Exchange] = {}
    try:
        stream = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    with stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                name, answer = _answer(line)
            except ValueError as error:
                note(f"{path}, line {number}: no answer: {error}")
            else:
                found[name] = answer
    return found


def _answer(line: bytes) -> tuple[str, Exchange]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected a JSON object: {error}") from None
    if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
        raise ValueError("expected an object with a custom_id")
    response = row.get("response", row.get("body"))
    status = response.get("status_code") if isinstance(response, dict) else None
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        response = response["body"]
    if row.get("error") or (isinstance(status, int) and status != 200) or not isinstance(response, dict):
        told = row.get("error") or response
        raise ValueError(f"{row['custom_id']}: the batch has {json.dumps(told)[:200]} for it")
    raw = msgspec.json.encode(response)
    text, finish_reason, prompt_tokens, completion_tokens = reply_of(raw)
    exchange = Exchange(
        request={},  # put in when it is known which one this answers
        text=text,
        finish_reason=finish_reason,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        url="batch",
        asked_at=round(time.time(), 3),
        source="scripted" if is_scripted(raw) else "live",
    )
    return row["custom_id"], exchange
