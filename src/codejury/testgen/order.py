"""Which test comes first: the one that has rejected most programs so far.

Owns the counts of one problem. Where one rejection is enough, the order decides how many tests are run, never what is
said in the end.
"""

from __future__ import annotations

from collections.abc import Sequence


class Order:
    def __init__(self, tests: int) -> None:
        self._kills = [0] * tests
        self._places: Sequence[int] = range(tests)

    def places(self) -> Sequence[int]:
        """The tests by their places, the strongest first; of equals the first."""
        return self._places

    def killed(self, place: int) -> None:
        self._kills[place] += 1
        self._places = sorted(range(len(self._kills)), key=lambda at: -self._kills[at])

    def add(self, tests: int) -> None:
        """More tests, after the others."""
        self._kills += [0] * tests
        self._places = sorted(range(len(self._kills)), key=lambda at: -self._kills[at])
