"""Frames on the pipes between the two processes of a test script. Runs inside the sandbox, on both sides.

    frame := length (4 bytes)  token (8 bytes)  kind (1 byte)  content

    examiner                         candidate
       ── Q question ────────────────►          one at a time; its token is drawn anew
       ◄──────────── V value, X raised ──       the answer has the question's token; D: digest of one too large to send
       ◄──────────── K call back ─────── }      between question and answer, any number of times: the candidate
       ── v value, x raised ─────────► }      calls what it was given; both may nest

Owns reading, writing and the largest size. Invariant: a frame that is cut off, too large, or not what has to come now
raises Broken: there is no way to go on after it.
"""

from __future__ import annotations

import os
import struct

MAX_BYTES = 128 << 20
_HEAD = struct.Struct("<I8sc")


class Broken(BaseException):
    """The other side is gone, or does not keep to the protocol. No test code catches this with `except Exception`."""


class Pipe:
    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._in, self._out = read_fd, write_fd
        self._left = b""
        self._read, self._write = os.read, os.write  # as they are now

    def send(self, token: bytes, kind: bytes, content: bytes) -> None:
        data = _HEAD.pack(len(content), token, kind) + content
        try:
            done = self._write(self._out, data)
            while done < len(data):
                done += self._write(self._out, data[done : done + (1 << 20)])
        except OSError as error:
            raise Broken(f"the other side does not read any more: {error}") from None

    def receive(self) -> tuple[bytes, bytes, bytes]:
        """Token, kind, content."""
        while len(self._left) < 13:
            self._more(65536)
        size, token, kind = _HEAD.unpack_from(self._left)
        if size > MAX_BYTES:
            raise Broken(f"a frame of {size} bytes")
        end = 13 + size
        if len(self._left) < end:
            parts, have = [self._left], len(self._left)
            while have < end:
                part = self._part(min(end - have + 65536, 1 << 20))
                parts.append(part)
                have += len(part)
            self._left = b"".join(parts)
        content = self._left[13:end]
        self._left = self._left[end:]
        return token, kind, content

    def _part(self, size: int) -> bytes:
        try:
            part = self._read(self._in, size)
        except OSError as error:
            raise Broken(f"nothing can be read any more: {error}") from None
        if not part:
            raise Broken("the other side has ended")
        return part

    def _more(self, size: int) -> None:
        self._left += self._part(size)

    def quiet(self) -> bool:
        """Nothing has been received that nobody asked for."""
        return not self._left
