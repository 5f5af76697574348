"""When the next request may go: requests and tokens a minute, and the server's own word to wait.

Owns no clock: every function is told what time it is. Two buckets that fill evenly; what a request takes out of the
one of tokens is a guess until the reply says how many there were, and is put right then. A request that asks for more
than a bucket can hold goes when the bucket is full, else it would never go.
"""

from __future__ import annotations

from codejury.errors import UsageError

BURST_S = 6.0  # a bucket holds what a tenth of a minute brings: servers count over less than a minute, too


class Pace:
    def __init__(self, *, requests_per_minute: float | None = None, tokens_per_minute: float | None = None) -> None:
        self._requests = _bucket(requests_per_minute, "requests_per_minute")
        self._tokens = _bucket(tokens_per_minute, "tokens_per_minute")
        self._held_until = 0.0

    def wait_s(self, now: float, tokens: int) -> float:
        """0: the request may go, and is counted. Else how long to wait before asking again; nothing is counted."""
        wait = max(
            self._held_until - now,
            self._requests.wait_s(now, 1) if self._requests else 0.0,
            self._tokens.wait_s(now, tokens) if self._tokens else 0.0,
        )
        if wait > 0:
            return wait
        if self._requests:
            self._requests.take(now, 1)
        if self._tokens:
            self._tokens.take(now, tokens)
        return 0.0

    def settle(self, now: float, guessed: int, used: int) -> None:
        """The reply says how many tokens there were."""
        if self._tokens:
            self._tokens.take(now, used - guessed)

    def hold(self, until: float) -> None:
        """The server wants nothing before that."""
        self._held_until = max(self._held_until, until)


class _Bucket:
    """May be overdrawn by a guess that was too low: then it has to fill up first."""

    def __init__(self, per_minute: float) -> None:
        self._per_s = per_minute / 60
        self._size = max(1.0, self._per_s * BURST_S)
        self._level = self._size
        self._at: float | None = None

    def wait_s(self, now: float, amount: float) -> float:
        self._fill(now)
        lacking = min(amount, self._size) - self._level
        return lacking / self._per_s if lacking > 1e-9 else 0.0

    def take(self, now: float, amount: float) -> None:
        self._fill(now)
        self._level = min(self._size, self._level - amount)

    def _fill(self, now: float) -> None:
        if self._at is not None and now > self._at:
            self._level = min(self._size, self._level + (now - self._at) * self._per_s)
        self._at = now if self._at is None else max(now, self._at)


def _bucket(per_minute: float | None, name: str) -> _Bucket | None:
    if per_minute is None:
        return None
    if not 0 < per_minute < 1e12:
        raise UsageError(f"{name}: expected a positive number or None, got {per_minute!r}")
    return _Bucket(per_minute)
