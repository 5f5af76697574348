"""A request's body: read piece by piece, and no further than it may go.

Owns the bounds on what a client sends: its announced length is looked at before the first byte, what comes is counted,
and what is packed is unpacked in small pieces that are counted too. `Room` is what all requests together may hold.
How long a body may take is the connection's (`connection.py`).
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable

from starlette.types import Receive

from codejury.service.refusals import Refusal
from codejury.service.turns import Gone

_PIECE = 1 << 18
Headers = Iterable[tuple[bytes, bytes]]


class Room:
    """Bytes that all requests together hold."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0

    def take(self, size: int) -> None:
        if self.held + size > self.most:
            raise Refusal(
                "overloaded", f"requests under way hold {self.held >> 20} MB; there is room for {self.most >> 20} MB"
            )
        self.held += size


class Body:
    """Of one request. `close` gives back the room that it took."""

    def __init__(self, headers: Headers, receive: Receive, room: Room, most: int) -> None:
        self._receive = receive
        self._room = room
        self._most = most
        self._taken = 0
        self.is_read = False
        self._length: int | None = None
        self._encoding = b""
        for name, value in headers:
            if name == b"content-length":
                self._length = int(value) if value.isdigit() else None
            elif name == b"content-encoding":
                self._encoding += value.strip().lower()

    async def read(self) -> bytes:
        if self._length is not None and self._length > self._most:
            raise self._too_large(f"{self._length} bytes")
        if self._encoding in (b"", b"identity"):
            return await self._plain()
        if self._encoding in (b"gzip", b"x-gzip", b"deflate"):
            return await self._unpacked()
        raise Refusal("unsupported", f"expected a body as it is, or gzip or deflate; got {self._encoding[:40]!r}")

    async def _plain(self) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while not self.is_read:
            piece = await self._piece()
            size += len(piece)
            if size > self._most:
                raise self._too_large("more")
            self._take(len(piece))
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def _unpacked(self) -> bytes:
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 32 if self._encoding != b"deflate" else zlib.MAX_WBITS)
        pieces: list[bytes] = []
        size = packed = 0
        try:
            while not self.is_read:
                piece = await self._piece()
                packed += len(piece)
                if packed > self._most:
                    raise self._too_large("more")
                while piece and not unpack.eof:
                    made = unpack.decompress(piece, _PIECE)
                    piece = unpack.unconsumed_tail
                    size += len(made)
                    if size > self._most:
                        raise self._too_large("more, unpacked")
                    self._take(len(made))
                    pieces.append(made)
                    if piece:
                        await asyncio.sleep(0)  # the others wait no longer than for one piece
        except zlib.error as error:
            raise Refusal("invalid", f"expected a body in {self._encoding.decode()}: {error}") from None
        if not unpack.eof or unpack.unused_data:
            raise Refusal("invalid", f"expected one whole body in {self._encoding.decode()}")
        return b"".join(pieces)

    async def _piece(self) -> bytes:
        message = await self._receive()
        if message["type"] != "http.request":
            raise Gone
        self.is_read = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body

    def _take(self, size: int) -> None:
        self._room.take(size)
        self._taken += size

    def _too_large(self, what: str) -> Refusal:
        return Refusal("too_large", f"expected a body of at most {self._most} bytes, got {what}")

    async def discard(self, *, most: int = 1 << 22, seconds: float = 1.0) -> None:
        """A little more, thrown away: who writes his whole request before he reads would else not see the answer."""
        left = most
        try:
            async with asyncio.timeout(seconds):
                while left > 0 and not self.is_read:
                    left -= len(await self._piece())
        except (TimeoutError, Gone):
            pass

    def hold(self, size: int) -> None:
        """An answer counts too; it is there already, so that it is those who come next that are refused."""
        self._room.held += size
        self._taken += size

    def close(self) -> None:
        self._room.held -= self._taken
        self._taken = 0
