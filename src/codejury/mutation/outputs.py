"""Outputs that are nearly right: one right output, spoilt in one way at a time.

Owns the ways. A spoilt output may be right all the same where a problem has several right ones: who uses it has to know
(`testgen/trust` has the rule). Of two groups that can be said here:

    never    no problem takes it: nothing at all, words where numbers belong, words behind the end
    range    a number far from all others: right only where numbers may be of any size and sign

The others ("") change values, lines and order, and keep the look of an output.

The same output, neighbours and seed give the same list. A text is read once, and a long one is spoilt in a few places
only, so the work is linear in it.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

JUNK = "zq~junk"
HUGE = 10**18 + 7  # fits into 64 bits: a checker that reads it without an error has to look at the value
STEPS = (1e-1, 1e-3)  # by which numbers with a fraction are moved, of their size and at least of 1

Group = Literal["never", "range", ""]
_T = TypeVar("_T")
_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)
_WORDS = 6  # other words that are tried in the place of one

KINDS: dict[str, str] = {
    "empty": "nothing at all",
    "one_word": "one word that means nothing",
    "words": "a word that means nothing in place of every word",
    "word": "a word that means nothing in place of one",
    "letter": "a letter behind a number",
    "superscript": "a digit that is none: ²",
    "extra_word": "a word that means nothing behind the end",
    "long_word": "a word of 10,000 letters in place of one",
    "nan": "nan in place of a number",
    "inf": "inf in place of a number",
    "huge": "a number far too large",
    "negative": "a number below nought",
    "wrapped": "a number less one of the input: counted from the other end",
    "balanced": "one number much larger, another smaller by as much",
    "value": "a number that is off by one",
    "step": "a number with a fraction, moved a little",
    "other_word": "another word that outputs have",
    "changed_letter": "a letter of a word changed to another that it has",
    "repeated_value": "a number in place of its neighbour",
    "swapped_words": "two words swapped",
    "shuffled": "the words of a line in another order",
    "missing_word": "the last word missing",
    "extra_number": "one number more at the end",
    "dropped_line": "a line missing",
    "swapped_lines": "two lines swapped",
    "repeated_line": "a line twice",
    "truncated": "the second half missing",
    "twice": "all of it twice",
    "another_test": "the output of another test",
}


class Spoilt(msgspec.Struct, frozen=True, kw_only=True):
    """`place`: which part differs from the right output, in words; "" where it is no single one, or something is
    missing or too much."""

    kind: str
    text: str
    group: Group = ""
    place: str = ""


class _Word(msgspec.Struct, frozen=True):
    text: str
    begin: int
    end: int
    line: int  # among the lines that are not blank
    place: str

    @property
    def is_number(self) -> bool:
        return is_number(self.text)


def is_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None


def spoilt(output: str, *, others: Sequence[str] = (), input: str = "", seed: int = 0) -> list[Spoilt]:
    """All of them, each text once, none of which has the words of `output` in its order.

    others   right outputs of other tests
    input    of this test: its first numbers are where indices end
    """
    maker = _Maker(output, others, input, random.Random(f"{seed}:{output}"))
    seen = {_gist(output)}
    found = []
    for each in maker.all():
        gist = _gist(each.text)
        if gist not in seen:
            seen.add(gist)
            found.append(each)
    return found


def _gist(text: str) -> str:
    return " ".join(text.split())


class _Maker:
    def __init__(self, output: str, others: Sequence[str], input: str, rng: random.Random) -> None:
        self._output, self._others, self._input, self._rng = output, others, input, rng
        self._lines = [line for line in output.splitlines() if line.strip()]
        self._words = list(_words(output))
        self._numbers = [word for word in self._words if word.is_number]

    def all(self) -> Iterator[Spoilt]:
        yield Spoilt(kind="one_word", text=f"{JUNK}\n", group="never")
        if self._words:
            yield from self._never()
            yield from self._range()
            yield from self._values()
            yield from self._order()
        for other in self._pick(list(self._others), 2):
            yield Spoilt(kind="another_test", text=other)

    # -- no problem takes these

    def _never(self) -> Iterator[Spoilt]:
        yield Spoilt(kind="empty", text="", group="never")
        yield Spoilt(kind="words", text=_TOKEN.sub(JUNK, self._output), group="never")
        yield Spoilt(kind="extra_word", text=f"{self._output.rstrip()} {JUNK}\n", group="never")
        for word in self._one_of_each_place(self._words):
            yield self._put(word, JUNK, "word", group="never")
        for word in self._pick(self._numbers, 1):
            yield self._put(word, f"{word.text}x", "letter", group="never")
            yield self._put(word, "²", "superscript", group="never")
            yield self._put(word, "nan", "nan", group="never")
            yield self._put(word, "inf", "inf", group="never")
        for word in self._pick(self._words, 1):
            yield self._put(word, "~" * 10_000, "long_word", group="never")

    # -- numbers far from all others

    def _range(self) -> Iterator[Spoilt]:
        whole = [word for word in self._numbers if _INTEGER.fullmatch(word.text)]
        for word in self._one_of_each_place(self._numbers):
            yield self._put(word, str(HUGE), "huge", group="range")
        for word in self._pick(whole, 2):
            value = int(word.text)
            yield self._put(word, str(-value if value > 0 else value - 1), "negative", group="range")
        for size in self._sizes():
            for word in self._one_of_each_place([word for word in whole if 0 <= int(word.text) <= size]):
                yield self._put(word, str(int(word.text) - size), "wrapped", group="range")
                if int(word.text) == size:  # counted from 0, the last is not there, and -1 would be it
                    yield self._put(word, "-1", "wrapped", group="range")
        by_line: dict[int, list[_Word]] = {}
        for word in whole:
            by_line.setdefault(word.line, []).append(word)
        for words in self._pick([words for words in by_line.values() if len(words) > 1], 1):
            one, other = sorted(self._rng.sample(words, 2), key=lambda word: word.begin)
            by = 10**6 + max(abs(int(word.text)) for word in words)
            yield self._put_two(one, str(int(one.text) + by), other, str(int(other.text) - by), "balanced", "range")

    def _sizes(self) -> list[int]:
        """The first numbers of the input that could be a length."""
        found = [int(word) for word in self._input[:2000].split()[:4] if _INTEGER.fullmatch(word)]
        return list(dict.fromkeys(each for each in found if 1 < each < 10**7))[:2]

    # -- other values

    def _values(self) -> Iterator[Spoilt]:
        for word in self._one_of_each_place(self._numbers):
            yield self._put(word, _moved(word.text, self._rng.choice((-1, 1))), "value")
            if "." in word.text:
                for step in STEPS:
                    yield self._put(word, _stepped(word.text, step), "step")
        yield from self._other_words()
        longer = [word for word in self._words if not word.is_number and len(set(word.text)) > 1]
        for word in self._pick(longer, 2):
            at = self._rng.randrange(len(word.text))
            letter = self._rng.choice(sorted(set(word.text) - {word.text[at]}))
            yield self._put(word, word.text[:at] + letter + word.text[at + 1 :], "changed_letter")
        for at in self._pick(range(1, len(self._words)), 1):
            one, other = self._words[at - 1], self._words[at]
            if one.is_number and other.is_number:
                yield self._put(other, one.text, "repeated_value")

    def _other_words(self) -> Iterator[Spoilt]:
        known = {word: None for text in self._others for word in _TOKEN.findall(text[:10_000]) if not is_number(word)}
        own = [word for word in self._words if not word.is_number]
        for word in self._one_of_each_place(own):
            known_others = [each for each in list(known)[:_WORDS] if each != word.text]
            for each in self._pick(known_others, 1):
                yield self._put(word, each, "other_word")

    # -- lines and order

    def _order(self) -> Iterator[Spoilt]:
        words, lines = self._words, self._lines
        if len(words) > 1:
            one, other = self._two_unlike()
            if one is not None and other is not None:
                yield self._put_two(one, other.text, other, one.text, "swapped_words", "")
            last = words[-1]
            missing = self._output[: last.begin].rstrip() + "\n"
            yield Spoilt(kind="missing_word", text=missing)
            yield Spoilt(kind="truncated", text=_cut(self._output, words[len(words) // 2].begin))
        if self._numbers:
            extra = self._rng.choice(self._numbers).text
            yield Spoilt(kind="extra_number", text=f"{self._output.rstrip()} {extra}\n")
        for at in self._pick([at for at, line in enumerate(lines) if len(line.split()) > 2], 1):
            shuffled = lines[at].split()
            self._rng.shuffle(shuffled)
            yield self._with_lines("shuffled", [*lines[:at], " ".join(shuffled), *lines[at + 1 :]], at)
        if len(lines) > 1:
            for at in sorted({0, self._rng.randrange(len(lines)), len(lines) - 1}):
                yield self._with_lines("dropped_line", [*lines[:at], *lines[at + 1 :]], None)
            one_at, other_at = sorted(self._rng.sample(range(len(lines)), 2))
            swapped = list(lines)
            swapped[one_at], swapped[other_at] = swapped[other_at], swapped[one_at]
            yield self._with_lines("swapped_lines", swapped, None)
        at = self._rng.randrange(len(lines))
        yield self._with_lines("repeated_line", [*lines[: at + 1], *lines[at:]], None)
        yield self._with_lines("twice", [*lines, *lines], None)

    def _two_unlike(self) -> tuple[_Word | None, _Word | None]:
        one = self._rng.choice(self._words)
        unlike = [word for word in self._words if word.text != one.text]
        if not unlike:
            return None, None
        one, other = sorted((one, self._rng.choice(unlike)), key=lambda word: word.begin)
        return one, other

    def _with_lines(self, kind: str, lines: list[str], at: int | None) -> Spoilt:
        place = "" if at is None else _line_place(at, len(self._lines))
        return Spoilt(kind=kind, text="".join(f"{line}\n" for line in lines), place=place)

    # -- putting words in

    def _put(self, word: _Word, text: str, kind: str, *, group: Group = "") -> Spoilt:
        changed = self._output[: word.begin] + text + self._output[word.end :]
        return Spoilt(kind=kind, text=changed, group=group, place=word.place)

    def _put_two(self, one: _Word, text: str, other: _Word, text_of_other: str, kind: str, group: Group) -> Spoilt:
        changed = (
            self._output[: one.begin]
            + text
            + self._output[one.end : other.begin]
            + text_of_other
            + self._output[other.end :]
        )
        return Spoilt(kind=kind, text=changed, group=group, place=one.place if one.place == other.place else "")

    def _one_of_each_place(self, words: Sequence[_Word]) -> list[_Word]:
        by_place: dict[str, list[_Word]] = {}
        for word in words:
            by_place.setdefault(word.place, []).append(word)
        return [self._rng.choice(each) for each in by_place.values()]

    def _pick(self, things: Sequence[_T], count: int) -> list[_T]:
        return self._rng.sample(list(things), min(count, len(things)))


def _words(text: str) -> Iterator[_Word]:
    places: list[tuple[int, int, int, int]] = []  # begin, end, line, place in the line
    line = -1
    at = 0
    for row in text.splitlines(keepends=True):
        found = list(_TOKEN.finditer(row))
        line += bool(found)
        places += [(at + each.start(), at + each.end(), line, column) for column, each in enumerate(found)]
        at += len(row)
    lines = line + 1
    for number, (begin, end, line, _) in enumerate(places):
        place = _line_place(line, lines) if lines > 1 else _word_place(number, len(places))
        yield _Word(text[begin:end], begin, end, line, place)


def _line_place(line: int, lines: int) -> str:
    if lines == 1:
        return ""
    return "the first line" if line == 0 else "the last line" if line == lines - 1 else "the lines between"


def _word_place(number: int, words: int) -> str:
    if words == 1:
        return "the only word"
    return "the first word" if number == 0 else "the last word" if number == words - 1 else "the words between"


def _cut(text: str, at: int) -> str:
    return text[:at].rstrip() + "\n"


def _moved(number: str, by: int) -> str:
    if _INTEGER.fullmatch(number):
        return str(int(number) + by)
    return _shown(float(number) + by, number)


def _stepped(number: str, step: float) -> str:
    value = float(number)
    return _shown(value + step * max(1.0, abs(value)), number)


def _shown(value: float, like: str) -> str:
    """With as many digits as the one that it stands for, and enough to tell it from that."""
    if not math.isfinite(value):
        return like
    digits = len(like.partition(".")[2]) if "e" not in like.lower() else 12
    return f"{value:.{max(4, min(digits, 18))}f}"
