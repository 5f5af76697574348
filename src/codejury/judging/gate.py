"""Who may run now: many at a time, or one alone.

Owns the promise that a run which is to be measured alone has no other run of the same jury beside it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from types import TracebackType


class Gate:
    """Those who come together pass together; one who wants to be alone is let in when all are out, before newcomers."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._alone = False
        self._waiting = 0  # for being alone
        self._together = _Together(self)

    def together(self) -> _Together:
        """To be used by `with`. The same for all: this is passed twice in each run."""
        return self._together

    def _come(self) -> None:
        with self._changed:
            while self._alone or self._waiting:
                self._changed.wait()
            self._inside += 1

    def _go(self) -> None:
        with self._changed:
            self._inside -= 1
            if self._waiting:
                self._changed.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._alone and not self._inside)
            finally:
                self._waiting -= 1
                self._changed.notify_all()
            self._alone = True
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()


class _Together:
    def __init__(self, gate: Gate) -> None:
        self._come = gate._come
        self._go = gate._go

    def __enter__(self) -> None:
        self._come()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._go()
