"""What is settled of a problem's outputs: golds, who are free to differ, agree on it in all tests.

Owns what that can be:

    a place     a word at the beginning of one of the first lines, or of the last: no two golds ever differ there; or
                whether it is a number
    the count   of words
    fractions, and words that several tests have (YES, none), wherever they stand, where no two golds ever differ at all
    everything  where three golds never differ in five tests
    the number  where every output is one number, some with a fraction; also with a single gold

Numbers agree within the tolerance that the statement states.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from codejury.model import TestCase
from codejury.mutation.inputs.bounds import plain
from codejury.mutation.outputs import is_number

_SETTLED_CASES = 3
_ALL_SETTLED_CASES = 5
_AGREE = 1e-6
_DIFFER = 1e-4
_LARGE = 10**15

_POWER = re.compile(r"10 ?\^ ?\(?- ?(\d{1,2})|(?<![\d.])1e-(\d{1,2})")
_DECIMAL = re.compile(
    r"(?:error|tolerance|precis\w{0,8}|accura\w{0,8}|off by|differ\w{0,8}|fel|noggrann\w{0,8}|skekkj\w{0,8}|nákvæmni)"
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
        words = [list(itertools.chain(*table)) for tables in votes for table in tables]
        is_one = all(len(each) == 1 for each in words) and any("." in each[0] for each in words)
        several = [tables for tables in votes if len(tables) > 1]
        enough = len(several) >= _SETTLED_CASES
        golds = min((len(tables) for tables in several), default=0)
        agree = all(self._same(tables[0], each) for tables in several for each in tables[1:])
        self._one_number = is_one and agree
        self._all = agree and golds >= 3 and len(several) >= _ALL_SETTLED_CASES
        self._words = _common_words(votes) if agree and enough else frozenset()
        self._fractions = agree and enough
        self._count = enough and all(len({sum(map(len, table)) for table in tables}) == 1 for tables in several)
        self._places = self._agreed(several, self._is_like) if enough and not agree else set()
        self._looks = self._agreed(several, lambda one, other: is_number(one) == is_number(other)) if enough else set()

    def differs(self, expected: str, output: str) -> bool:
        """Whether the output differs from the expected one in what is settled."""
        known, given = _table(expected), _table(output)
        words, given_words = list(itertools.chain(*known)), list(itertools.chain(*given))
        if len(words) != len(given_words):
            if self._count or self._one_number or self._all:
                return True
        elif any(
            self._unlike(one, other) and self._is_settled(one) for one, other in zip(words, given_words, strict=True)
        ):
            return True
        at, given_at = _at_places(known), _at_places(given)
        return any(
            place not in given_at or self._unlike(at[place], given_at[place]) for place in self._places if place in at
        ) or any(
            is_number(at[place]) != is_number(given_at[place])
            for place in self._looks
            if place in at and place in given_at
        )

    def _is_settled(self, word: str) -> bool:
        """Wherever it stands. Golds may break ties alike; but fractions do not come out alike by chance, nor do they
        choose the same of a few words."""
        if self._all or self._one_number:
            return True
        return (self._fractions and "." in word) or word.casefold() in self._words

    def _agreed(
        self, several: Sequence[Sequence[list[list[str]]]], is_like: Callable[[str, str], bool]
    ) -> set[tuple[int, int]]:
        """The places at which all golds have a word in every test, and like ones."""
        seen: dict[tuple[int, int], int] = {}
        split: set[tuple[int, int]] = set()
        for tables in several:
            found = [_at_places(table) for table in tables]
            for place in set().union(*found):
                words = [each.get(place) for each in found]
                first = words[0]
                if first is None or any(word is None or not is_like(first, word) for word in words[1:]):
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


def _common_words(votes: Sequence[Sequence[list[list[str]]]]) -> frozenset[str]:
    """Words that stand in the outputs of two tests: YES, none. A text that a test has for itself is none of them."""
    seen: Counter[str] = Counter()
    for tables in votes:
        seen.update({word.casefold() for table in tables for word in itertools.chain(*table) if not is_number(word)})
    return frozenset(word for word, count in seen.items() if count > 1)


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
