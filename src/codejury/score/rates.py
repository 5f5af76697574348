"""Rates: a number of hits out of a number of tries, and the interval that its true value lies in.

Owns Wilson's score interval, which holds for few tries and for rates near 0 and 1, where the usual one does not.
"""

from __future__ import annotations

import math

import msgspec

_Z = 1.959963984540054  # 95 %


class Rate(msgspec.Struct, frozen=True):
    """`hits` out of `total`."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.hits, self.total)

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.hits + other.hits, self.total + other.total)


def wilson(hits: float, total: float, *, z: float = _Z) -> tuple[float, float] | None:
    """The interval that holds the true rate in 95 of 100 cases; None where nothing was tried. Tries that are not
    independent count for fewer, so neither need be whole."""
    if not total:
        return None
    share = hits / total
    spread = z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)
