"""Numbers and texts changed by one step, by what they may mean: digits, words, numbers in texts, brackets, case.

Owns the steps. Which values may come of them is for the facts; what a step may use of other places is in `Ground`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random

import msgspec

from codejury.mutation.values.mined import Mined

_BRACKETS = "()[]{}<>"
_ODD_CHARACTERS = " \t\n!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~09azAZéßñЖ中🙂\x00"
EVERY_CHARACTER = "".join(map(chr, [*range(0x180), *range(0x370, 0x500), *range(0x2190, 0x2200)]))
_MOST_DIGITS = 40


class Ground(msgspec.Struct):
    """What steps draw on: chance, the gold's constants, and the values of all places by kind. `most` bounds the
    magnitude of new ints, `long` the length of new texts and series. `odd`: characters that seeds need not have."""

    rng: Random
    mined: Mined
    ints: list[int]
    floats: list[float]
    texts: list[str]
    most: int
    long: int
    odd: str = _ODD_CHARACTERS


def step_int(value: int, ground: Ground, met: list[int]) -> int:
    rng = ground.rng
    roll = rng.random()
    if roll < 0.22:
        return value + rng.choice((-1, 1, -1, 1, -2, 2, 3, -3, 10))
    if roll < 0.40:
        return new_int(ground, met)
    if roll < 0.55 and ground.mined.ints:
        constant = rng.choice(ground.mined.ints)
        return rng.choice((constant, constant - 1, constant + 1, value + constant, value * constant, -constant))
    if roll < 0.70 and ground.ints:
        other = rng.choice(ground.ints)
        return rng.choice((other, other + 1, other - 1, value + other, value - other, value * other))
    if roll < 0.78:
        return rng.choice((value * 2, value // 2, value * value, value * 10, value // 10, -value))
    if abs(value) < 10**_MOST_DIGITS:
        return _digits(value, rng)
    return value // 2


def _digits(value: int, rng: Random) -> int:
    digits = list(str(abs(value)))
    at = rng.randrange(len(digits))
    roll = rng.randrange(8)
    if roll == 0:
        digits[at] = rng.choice("0123456789")
    elif roll == 1:
        digits.insert(at, rng.choice("0123456789"))
    elif roll == 2:
        del digits[at]
    elif roll == 3:
        digits.reverse()
    elif roll == 4:
        digits.insert(at, digits[at])
    elif roll == 5:
        digits += digits[::-1]
    elif roll == 6:
        digits.sort()
    else:
        rng.shuffle(digits)
    return int("".join(digits[:_MOST_DIGITS]) or "0") * (-1 if value < 0 else 1)


def new_int(ground: Ground, met: list[int]) -> int:
    rng = ground.rng
    roll = rng.random()
    if roll < 0.40:
        return rng.randint(0, 20) if roll < 0.3 else rng.randint(-10, 0)
    if roll < 0.60 and met:
        low, high = min(met), max(met)
        return rng.randint(low - 2, min(high + 2 + (high - low), max(ground.most, high)))
    if roll < 0.70:
        return rng.randint(0, 120)
    if roll < 0.78:
        base = rng.choice((2, 3, 10, 7, 6))
        return int(base ** rng.randint(0, max(1, int(math.log(max(ground.most, 2), base))))) + rng.choice((-1, 0, 0, 1))
    if roll < 0.84:
        return rng.randint(0, 12) ** rng.choice((2, 2, 3))
    magnitude = int(10 ** (rng.random() * math.log10(max(ground.most, 10))))
    return magnitude if rng.random() < 0.8 else -magnitude


def step_float(value: float, ground: Ground, met: list[float]) -> float:
    rng = ground.rng
    roll = rng.random()
    if not math.isfinite(value) or roll < 0.2:
        return new_float(ground, met)
    if roll < 0.4:
        return _short(value + rng.choice((-1, 1, 0.5, -0.5, 0.1, -0.1, 0.01, -0.01)))
    if roll < 0.5:
        return _short(value * rng.choice((2, 0.5, -1, 10, 0.1, -1)))
    if roll < 0.6:
        return float(round(value, rng.choice((0, 0, 1, 2))))
    if roll < 0.8 and ground.floats:
        other = rng.choice(ground.floats)
        return _short(rng.choice((other, other, value + other, value - other, other + 0.1)))
    if roll < 0.9 and ground.mined.floats:
        constant = rng.choice(ground.mined.floats)
        return _short(rng.choice((constant, -constant, constant + 0.1, constant - 0.1)))
    if ground.mined.ints and roll < 0.95:
        return float(rng.choice(ground.mined.ints))
    return _short(value + rng.uniform(-1, 1))


def _short(value: float) -> float:
    """Few digits: a sum in another order is no other answer."""
    return round(value, 6) if abs(value) < 1e9 else value


def new_float(ground: Ground, met: list[float]) -> float:
    rng = ground.rng
    roll = rng.random()
    if roll < 0.3:
        return float(rng.randint(-10, 20))
    if roll < 0.6 and met:
        return round(rng.uniform(min(met) - 1, max(met) + 1), rng.choice((1, 2, 4)))
    if roll < 0.8:
        return float(rng.randint(-10, 30) + rng.choice((0.5, 0.25, 0.1, 0.9, 0.99)))
    return round(rng.uniform(-1, 1) * 10.0 ** rng.randint(0, 6), rng.choice((1, 2, 3)))


def step_text(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    """One step of a kind that the text has something for."""
    rng = ground.rng
    if not text:
        return new_text(ground, met, alphabet)
    steps: list[Callable[[str, Ground, list[str], str], str]] = [
        _characters,
        _characters,
        _characters,
        _slices,
        _slices,
        _case,
        _other,
    ]
    if re.search(r"\s", text.strip()):
        steps += [_words] * 4
    elif re.search(r"[,;:/_.|-]", text):
        steps += [_words] * 2
    if re.search(r"\d", text):
        steps += [_numbers] * 3
    if any(c in _BRACKETS for c in text):
        steps += [_brackets] * 3
    done = rng.choice(steps)(text, ground, met, alphabet)
    return done[: max(ground.long, len(text))]


def _characters(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    at = rng.randrange(len(text))
    new = rng.choice(alphabet) if alphabet and rng.random() < 0.85 else rng.choice(ground.odd)
    if rng.random() < 0.3:
        new = rng.choice(text)
    roll = rng.randrange(6)
    if roll == 0:
        return text[:at] + text[at + 1 :]
    if roll == 1:
        return text[:at] + new + text[at:]
    if roll == 2:
        return text[:at] + new + text[at + 1 :]
    if roll == 3:
        return text + new
    if roll == 4:
        return text[:at] + text[at] + text[at:]
    other = rng.randrange(len(text))
    items = list(text)
    items[at], items[other] = items[other], items[at]
    return "".join(items)


def _slices(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    start = rng.randrange(len(text))
    end = rng.randint(start + 1, len(text))
    piece = text[start:end]
    roll = rng.randrange(8)
    if roll == 0:
        return text[:start] + text[end:]
    if roll == 1:
        return piece
    if roll == 2:
        return text[:end] + piece + text[end:]
    if roll == 3:
        return text[:start] + piece[::-1] + text[end:]
    if roll == 4:
        return text + text[::-1]
    if roll == 5:
        return text + text[-2::-1]
    if roll == 6:
        return piece * (rng.randint(2, 4) if rng.random() < 0.8 else rng.randint(1, ground.long) // len(piece) + 1)
    return text[start:] + text[:start]


def _case(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    if rng.random() < 0.5:
        at = rng.randrange(len(text))
        return text[:at] + text[at].swapcase() + text[at + 1 :]
    return rng.choice((text.upper(), text.lower(), text.swapcase(), text.title(), text.capitalize()))


def _other(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    pool = [*ground.mined.texts, *ground.texts] if rng.random() < 0.7 else met
    other = rng.choice(pool or [text])
    at = rng.randint(0, len(text))
    roll = rng.randrange(6)
    if roll == 0:
        return text[:at] + other + text[at:]
    if roll == 1:
        return text + other
    if roll == 2:
        return text[:at] + other[rng.randint(0, len(other)) :]
    if roll == 3:
        return rng.choice((" " + text, text + " ", text.strip(), text.replace(" ", "")))
    if roll == 4 and len(other) == 1:
        return "".join(other if rng.random() < 0.4 else c for c in text)
    return other


def _words(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    between = re.findall(r"\s", text) or re.findall(r"[,;:/_.|-]", text) or [" "]
    separator: str = rng.choice(between)
    words = text.split(separator)
    at = rng.randrange(len(words))
    roll = rng.randrange(9)
    if roll == 0:
        del words[at]
    elif roll == 1:
        words.insert(at, words[at])
    elif roll == 2:
        rng.shuffle(words)
    elif roll == 3:
        words.reverse()
    elif roll == 4:
        words.insert(at, rng.choice(rng.choice(met or [text]).split(separator)))
    elif roll == 5:
        words[at] = words[at][::-1]
    elif roll == 6:
        words[at] = rng.choice((words[at].swapcase(), words[at][:1], words[at].title()))
    elif roll == 7:
        words[at] += separator  # two in a row
    else:
        words.insert(at, new_word(ground, alphabet.replace(separator, "")))
    return separator.join(words)


def new_word(ground: Ground, alphabet: str) -> str:
    return "".join(ground.rng.choice(alphabet or "ab") for _ in range(ground.rng.randint(1, 7)))


def _numbers(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    found = rng.choice(list(re.finditer(r"\d+", text)))
    old = found[0]
    if len(old) > _MOST_DIGITS or not old.isascii():
        return text[: found.start()] + text[found.end() :]
    new = str(abs(step_int(int(old), ground, [])))
    if rng.random() < 0.7:
        new = new.zfill(len(old)) if old.startswith("0") or rng.random() < 0.5 else new
        if rng.random() < 0.5:
            new = new[-len(old) :]  # dates and times have fields of fixed width
    return text[: found.start()] + new + text[found.end() :]


def _brackets(text: str, ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    places = [at for at, c in enumerate(text) if c in _BRACKETS]
    at = rng.choice(places)
    turned = _BRACKETS[_BRACKETS.index(text[at]) ^ 1]
    roll = rng.randrange(4)
    if roll == 0:
        return text[:at] + turned + text[at + 1 :]
    if roll == 1:
        return text[:at] + text[at + 1 :]
    opened = _BRACKETS[_BRACKETS.index(text[at]) & ~1]
    closing = _BRACKETS[_BRACKETS.index(opened) + 1]
    if roll == 2:
        return text[:at] + opened + closing + text[at:]
    return opened + text + closing


def new_text(ground: Ground, met: list[str], alphabet: str) -> str:
    rng = ground.rng
    roll = rng.random()
    if roll < 0.35 and met:
        return rng.choice(met)
    if roll < 0.5 and ground.mined.texts:
        return rng.choice(ground.mined.texts)
    if roll < 0.6 and ground.texts:
        return rng.choice(ground.texts)
    letters = alphabet or "abc"
    if rng.random() < 0.4:
        letters = "".join(rng.choice(letters) for _ in range(3))  # few letters: repeats, and palindromes
    length = rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 8, 13))
    return "".join(rng.choice(letters) for _ in range(min(length, ground.long)))
