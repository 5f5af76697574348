"""Every exchange with a model, kept by its content: whoever asks the same again gets the same answer and pays nothing.

    FOLDER/
      3f/3fa2…c9.json     one exchange; its name is the digest of what was asked
      3f/.3fa2….97be.new  one that is being written; a killed process may leave it, nobody reads it

What was asked is the body of the request (model, messages, settings) and the number of the sample. The address is not
part of it: the same model behind another port is the same model. The key is not in the body.

Invariant: a file with the name of an exchange is a whole one. It is written under another name, flushed to the disk,
and renamed; two processes that write the same one write it twice, and the later stays. A file that was changed
afterwards is no answer: its request must still have the digest that it is named for.

Modes:  cache    what is there answers; what is not is asked and kept
        fresh    everything is asked and kept, in the place of what was there
        replay   what is there answers; what is not is an error
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.errors import UsageError

Mode = Literal["cache", "fresh", "replay"]
MODES: tuple[Mode, ...] = ("cache", "fresh", "replay")
Source = Literal["live", "recorded", "scripted"]

_VERSION = 1


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A question and its answer.

    request   the body as it was sent
    sample    which of several answers to the same question
    url       the address, without what follows a question mark
    asked_at  seconds since 1970
    source    live: asked by the run that wants it; recorded: kept with a test or an example; scripted: no model said it
    """

    request: dict[str, Any]
    text: str
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    sample: int = 0
    url: str = ""
    asked_at: float = 0.0
    source: Source = "live"
    version: int = _VERSION


def digest_of(request: Mapping[str, Any], sample: int = 0) -> str:
    """Of what is asked: fields in any order are the same question."""
    try:
        text = json.dumps([_VERSION, sample, request], sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"a request that JSON cannot hold: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()


class Exchanges:
    """Safe from several threads and processes."""

    def __init__(self, folder: str | os.PathLike[str], *, mode: Mode = "cache") -> None:
        if mode not in MODES:
            raise UsageError(f"mode: expected {', '.join(MODES)}; got {mode!r}")
        self.folder = Path(folder)
        self.mode: Mode = mode
        if mode == "replay" and not self.folder.is_dir():
            raise UsageError(f"{self.folder}: expected the folder of a store of exchanges, as only it may answer")

    def path_of(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"

    def find(self, digest: str) -> Exchange | None:
        """What answers now, by the mode."""
        return None if self.mode == "fresh" else self.get(digest)

    def get(self, digest: str) -> Exchange | None:
        """The exchange with this digest, whatever the mode. One that was tampered with is none."""
        path = self.path_of(digest)
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Exchange)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if found.version != _VERSION or digest_of(found.request, found.sample) != digest:
            return None
        return found

    def keep(self, exchange: Exchange) -> str:
        """When this returns, the exchange outlives this process. Gives its digest."""
        digest = digest_of(exchange.request, exchange.sample)
        path = self.path_of(digest)
        beside = path.with_name(f".{digest[:16]}.{os.urandom(6).hex()}.new")
        content = msgspec.json.format(msgspec.json.encode(exchange), indent=1) + b"\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(beside, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
        return digest

    def __iter__(self) -> Iterator[str]:
        """The digests that are there, in order."""
        for path in sorted(self.folder.glob("??/*.json")):
            if not path.name.startswith("."):
                yield path.stem
