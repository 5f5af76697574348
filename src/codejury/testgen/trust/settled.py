"""What is settled of a problem's outputs: golds, who are free to differ, agree on it in all tests.

Owns what that can be: a place (the first word, say), the number of words, or all of it where three golds never differ.
Numbers agree within the tolerance that the statement states.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from codejury.model import TestCase
from codejury.mutation.inputs.bounds import plain
from codejury.mutation.outputs import is_number

_SETTLED_CASES = 3
_AGREE = 1e-6
_DIFFER = 1e-4
_LARGE = 10**15

_POWER = re.compile(r"10 ?\^ ?\(?- ?(\d{1,2})|(?<![\d.])1e-(\d{1,2})")
_DECIMAL = re.compile(
    r"(?:error|tolerance|precis\w*|accura\w*|off by|differ\w*|fel|noggrann\w*|skekkj\w*|nákvæmni)"
    r"[^.\n]{0,80}?(0[.]0*1)\b",
    re.IGNORECASE,
)


def stated_tolerance(statement: str) -> float | None:
    """The largest error that the statement allows, where it speaks of one."""
    text = plain(statement)
    found = [10.0 ** -int(match[1] or match[2]) for match in _POWER.finditer(text)]
    found += [float(match[1]) for match in _DECIMAL.finditer(text)]
    return max((each for each in found if 0 < each < 1), default=None)


class Settled:
    """What golds agree on in all tests, though they could differ.

    range   all numbers of inputs and outputs are from 0 to 10^15, so that others are out of range
    """

    def __init__(
        self, cases: Sequence[TestCase], gold_outputs: Sequence[Sequence[str | None]], statement: str = ""
    ) -> None:
        tolerance = stated_tolerance(statement)
        self._agree = max(_AGREE, 2 * (tolerance or 0))
        self._differ = max(_DIFFER, 5 * (tolerance or 0))
        self._has_tolerance = tolerance is not None
        votes: list[list[list[list[str]]]] = []
        for at, case in enumerate(cases):
            texts = [text for each in gold_outputs if (text := each[at]) is not None]
            if case.output is not None and case.output.split() not in [text.split() for text in texts]:
                texts.append(case.output)  # somebody else's
            votes.append([_table(text) for text in texts])
        self.range = not any(
            _is_out_of_range(word)
            for case, tables in zip(cases, votes, strict=True)
            for text in (case.input[:20_000], *(" ".join(itertools.chain(*table)) for table in tables))
            for word in text.split()
        )
        several = [tables for tables in votes if len(tables) > 1]
        enough = len(several) >= _SETTLED_CASES
        self._golds = min((len(tables) for tables in several), default=0)
        self._never_differ = enough and all(self._same(tables[0], each) for tables in several for each in tables[1:])
        self._count = enough and all(len({sum(map(len, table)) for table in tables}) == 1 for tables in several)
        self._places = self._agreed_places(several) if enough and not self._never_differ else set()

    def differs(self, expected: str, output: str) -> bool:
        """Whether the output differs from the expected one in what is settled."""
        known, given = _table(expected), _table(output)
        words, given_words = list(itertools.chain(*known)), list(itertools.chain(*given))
        if self._count and len(words) != len(given_words):
            return True
        if self._never_differ:
            if len(words) != len(given_words):
                return True
            pairs = zip(words, given_words, strict=True)
            if self._golds >= 3:
                return any(self._unlike(one, other) for one, other in pairs)
            # Two golds may break ties alike; but fractions and words do not come out alike by chance.
            return any(("." in one or not is_number(one)) and self._unlike(one, other) for one, other in pairs)
        at_places, given_at_places = _at_places(known), _at_places(given)
        return any(
            place not in given_at_places or self._unlike(at_places[place], given_at_places[place])
            for place in self._places
            if place in at_places
        )

    def _agreed_places(self, several: list[list[list[list[str]]]]) -> set[tuple[int, int]]:
        seen: dict[tuple[int, int], int] = {}
        split: set[tuple[int, int]] = set()
        for tables in several:
            found = [_at_places(table) for table in tables]
            for place in set().union(*found):
                words = [each.get(place) for each in found]
                first = words[0]
                if first is None or any(word is None or not self._is_like(first, word) for word in words[1:]):
                    split.add(place)
                seen[place] = seen.get(place, 0) + 1
        return {place for place, count in seen.items() if count >= _SETTLED_CASES and place not in split}

    def _same(self, one: list[list[str]], other: list[list[str]]) -> bool:
        words, others = list(itertools.chain(*one)), list(itertools.chain(*other))
        return len(words) == len(others) and all(map(self._is_like, words, others))

    def _is_like(self, one: str, other: str) -> bool:
        return _distance(one, other, exact=False) <= self._agree

    def _unlike(self, one: str, other: str) -> bool:
        return _distance(one, other, exact=not self._has_tolerance) > self._differ


def _distance(one: str, other: str, *, exact: bool) -> float:
    """Between two words: 0 for the same; of numbers, the part of the larger of 1 and their size. `exact`: whole numbers
    that are not the same are far from each other."""
    if one.casefold() == other.casefold():
        return 0.0
    if not (is_number(one) and is_number(other)):
        return float("inf")
    if exact and "." not in one + other:
        return float("inf")
    a, b = float(one), float(other)
    return abs(a - b) / max(1.0, abs(a)) if abs(a) != float("inf") != abs(b) else float("inf")


def _is_out_of_range(word: str) -> bool:
    return is_number(word) and not 0 <= float(word) < _LARGE


def _table(text: str) -> list[list[str]]:
    return [words for line in text.splitlines() if (words := line.split())]


def _at_places(table: list[list[str]]) -> dict[tuple[int, int], str]:
    """The first words of the first lines, and of the last line (-1): places that are the same in tests of any size."""
    found = {(row, column): word for row, line in enumerate(table[:3]) for column, word in enumerate(line[:4])}
    if len(table) > 1:
        found |= {(-1, column): word for column, word in enumerate(table[-1][:4])}
    return found
