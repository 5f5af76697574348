"""What a task's gold answers and how long that takes, kept by content: asked once, whatever the number of runs.

    <cache>/expected/<digest>.bin     an encoded dict: values, digests of those too large to be sent, CPU seconds a call

Owns the files and their bound. A name is a digest of all that decides the content: the gold, the function, the
arguments, how it is called, our version, the interpreter. An entry is whole or it is a miss; whatever is wrong with the
folder, the gold is asked. What others could have written is not used: it would decide verdicts.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from codejury import settings
from codejury.judging import values
from codejury.judging.calls import Answer
from codejury.judging.values import BadValue, Large

_LARGEST = 64 << 20  # bytes of an entry
_MAX_BYTES = 1 << 30  # of all together; then the oldest go


class Expected:
    """The answers to one list of inputs; `folder` is that of all."""

    def __init__(
        self, source: str, fn_name: str, inputs: Sequence[Any], *, how: str, folder: Path | None = None
    ) -> None:
        from codejury import __version__

        self._folder = folder or settings.load().cache / "expected"
        self._count = len(inputs)
        self._path: Path | None = None
        with contextlib.suppress(BadValue):
            given = values.encode({"source": source, "function": fn_name, "inputs": list(inputs), "how": how})
            made = hashlib.blake2b(f"{__version__} {sys.version}\n".encode(), digest_size=20)
            made.update(given)
            self._path = self._folder / f"{made.hexdigest()}.bin"

    def known(self) -> list[Answer] | None:
        if self._path is None:
            return None
        try:
            for place in (self._folder, self._path):
                state = place.stat()
                if state.st_uid != os.geteuid() or state.st_mode & 0o022:
                    return None
            told = values.decode(self._path.read_bytes())
            found = [Answer(value=value, cpu_s=used) for value, used in zip(told["values"], told["cpu_s"], strict=True)]
            for at, digest in told["digests"].items():
                found[at] = msgspec.structs.replace(found[at], value=Large(digest))
        except (OSError, BadValue, KeyError, TypeError, ValueError, AttributeError, IndexError):
            return None
        return found if len(found) == self._count else None

    def keep(self, answers: Sequence[Answer]) -> None:
        """Of a gold that has answered everything."""
        if self._path is None:
            return
        large = {at: each.value.digest for at, each in enumerate(answers) if isinstance(each.value, Large)}
        told = {
            "values": [None if at in large else each.value for at, each in enumerate(answers)],
            "digests": large,
            "cpu_s": [each.cpu_s for each in answers],
        }
        try:
            raw = values.encode(told)
        except BadValue:
            return
        if len(raw) > _LARGEST:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(len(raw))
            part = self._path.with_name(f"{secrets.token_hex(8)}.part")
            try:
                with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(raw)
                part.replace(self._path)
            finally:
                part.unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        found = []
        for each in self._folder.glob("*.bin"):
            with contextlib.suppress(OSError):
                state = each.stat()
                found.append((state.st_mtime, state.st_size, each))
        total = size + sum(each[1] for each in found)
        for _, freed, path in sorted(found):
            if total <= _MAX_BYTES:
                break
            path.unlink(missing_ok=True)
            total -= freed
