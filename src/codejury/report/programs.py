"""Programs that are named in results, by their ids: for showing what a survivor looks like."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from codejury.dataset.submissions import read_submissions

_MOST_BYTES = 64 << 20  # of sources that are held; a report shows a small part of them


class Programs:
    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._bytes = 0

    def read(self, paths: Iterable[Path], *, complain: Any) -> None:
        for path in paths:
            for entry in read_submissions(path, on_error=complain):
                self._bytes += len(entry.submission.source)
                if self._bytes <= _MOST_BYTES:
                    self._by_id.setdefault(entry.submission.id, entry.submission.source)

    def source(self, name: str) -> str:
        return self._by_id.get(name, "")
