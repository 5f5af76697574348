"""Items of a list, packed: what a page of the report is opened with, and no more of it than the report has room for.

    Sink.add(item) ─► pages of about 200 kB of JSON ─► gzip ─► base64, an element of the file each
                 └──► the list itself: columns of short values, packed the same way

A browser decodes the list when the report is opened and a page when somebody wants an item of it, so what opening costs
does not depend on how much there is. `allowance` is what the texts of one item may take, in characters: whoever adds an
item cuts them by it (blocks.cut) and a cut text says how long it was.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from codejury.report.markup import seen

_PAGE_BYTES = 200_000
_LEVEL = 6

ColumnKind = Literal["text", "number", "percent", "state"]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """state: a few words that a list can be filtered by. `tones`: the colour of each."""

    name: str
    kind: ColumnKind = "text"
    tones: dict[str, str] = {}


def packed(value: Any) -> str:
    try:
        raw = msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):  # half characters have no place in UTF-8
        raw = msgspec.json.encode(_whole(value))
    return base64.b64encode(gzip.compress(raw, _LEVEL, mtime=0)).decode()


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return seen(value)
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(each) for each in value]
    if isinstance(value, int) and abs(value) >= 2**63:
        return str(value)
    return value


class Sink:
    """Takes the items of one list.

    key         the name of the list in the file
    allowance   characters of one item's texts
    room_bytes  that all pages may take, packed; items after that are listed, and have no page
    """

    def __init__(self, key: str, columns: Sequence[Column], *, allowance: int, room_bytes: int) -> None:
        self.key = key
        self.columns = list(columns)
        self.allowance = allowance
        self.room_bytes = room_bytes
        self.chunks: dict[str, str] = {}
        self.bytes = 0
        self.items = 0
        self.without_page = 0
        self.cut = 0  # texts that are not whole
        self._ids: list[str] = []
        self._hints: list[str] = []
        self._values: list[list[Any]] = [[] for _ in columns]
        self._starts: list[int] = []
        self._page: list[Any] = []
        self._page_bytes = 0

    def add(self, name: str, values: Sequence[Any], blocks: Sequence[Any], *, hint: str = "") -> None:
        """`name`: the item's own. `values`: of the columns. `hint`: more that a search finds it by."""
        self.items += 1
        self._ids.append(seen(name[:200]))
        self._hints.append(seen(hint[:80]))
        for column, value in zip(self._values, values, strict=True):
            column.append(seen(value[:200]) if isinstance(value, str) else value)
        if self.bytes >= self.room_bytes:
            self._flush()
            self.without_page += 1
            return
        if not self._page:
            self._starts.append(self.items - 1)
        self._page.append(blocks)
        size, cut = _size(blocks)
        self._page_bytes += size
        self.cut += cut
        if self._page_bytes >= _PAGE_BYTES:
            self._flush()

    def place(self, name: str) -> str | None:
        """Where an item is, for a link."""
        return f"#{self.key}/{self._ids.index(name)}" if name in self._ids else None

    def close(self) -> None:
        self._flush()
        index = {
            "ids": self._ids,
            "hints": self._hints if any(self._hints) else [],
            "columns": [
                {"name": column.name, "kind": column.kind, "tones": column.tones, "values": values}
                for column, values in zip(self.columns, self._values, strict=True)
            ],
            "starts": self._starts,
            "with_page": self.items - self.without_page,
        }
        self._keep(f"{self.key}-list", index)

    def _flush(self) -> None:
        if self._page:
            self._keep(f"{self.key}-{len(self._starts) - 1}", self._page)
            self._page, self._page_bytes = [], 0

    def _keep(self, name: str, value: Any) -> None:
        self.chunks[name] = packed(value)
        self.bytes += len(self.chunks[name])


def _size(value: Any) -> tuple[int, int]:
    """Of the texts, about: what decides when a page is full; and how many of them are cut."""
    if isinstance(value, str):
        return len(value), 0
    if isinstance(value, dict):
        parts = list(map(_size, value.values()))
        return sum(size for size, _ in parts) + 8, sum(cut for _, cut in parts) + ("of" in value)
    if isinstance(value, (list, tuple)):
        parts = list(map(_size, value))
        return sum(size for size, _ in parts) + 2, sum(cut for _, cut in parts)
    return 4, 0
