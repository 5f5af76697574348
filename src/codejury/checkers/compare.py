"""An expected answer against the one that came: nothing, or the first difference.

Owns what "the same answer" means for each `Comparison`, and the words that tell a person where two answers part.

    default     lines, without the white space at their ends (so CRLF is LF), without blank lines at the end
    exact       every character
    tokens      what stands between white space
    floats      tokens; two that are both numbers are equal when they are near enough
    unordered   the lines of `default` in any order; blank lines do not count

White space is what C calls so: space, tab, newline, vertical tab, form feed, carriage return. A no-break space is a
character like any other. A line ends with a newline and with nothing else.

A number (`floats`) is decimal: an optional sign, digits with at most one point among or around them, an optional
exponent of at most 15 digits; or nan, inf, infinity in any case. 0x10, 1_000, 1,5 and ١ are text. Values are compared
as the decimals that they are, never as binary floats, so a number of a thousand digits keeps all of them and 1e400 is
not infinite. Equal is: |got - expected| at most `absolute`, or at most `relative` × |expected|. Neither given: 1e-6
for both; one given: the other is 0; both 0: equal as decimals, so 1.0 is 1 and 0.10 is 0.1. An integer is a number
like the others: 5.0 answers 5, and -0 answers 0. nan answers nan; an infinity answers itself.

Invariants: time and memory are linear in the texts whatever is in them, no text raises, and equal texts cost one
pass of memcmp. User checker programs are `program`'s.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

import msgspec

from codejury.errors import UsageError
from codejury.model import Comparison

if TYPE_CHECKING:
    from decimal import Decimal

DEFAULT_TOLERANCE = 1e-6

_SPACE = " \t\n\v\f\r"
_WINDOW = 4096  # lines or tokens that are held against each other at once
_BLOCK = 1 << 20  # bytes that are cut into tokens at once
_SHOWN = 80  # characters of an answer that a difference shows
_BEFORE = 30  # of these, before the spot
_BYTES_SPACE = re.compile(rb"[ \t\n\v\f\r]")
_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?(?=[0-9])0*+[0-9]{0,15})?")
_NO_FINITE = re.compile(rb"([+-]?)(?:(nan)|inf|infinity)", re.IGNORECASE)
_LONGEST_FLOAT = 40  # characters; a longer number goes straight to decimals: float() takes long for very long ones


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where two answers part first; `str()` of it is a sentence.

    line, column   from 1, in the answer that came; None where the answers have no common order
    token          from 1, where tokens were compared
    expected, got  what stands there, cut to a readable size around the spot; None: nothing more
    ordered        whether the order of lines counts
    note           what else is to be said: how far off, how often
    """

    line: int | None = None
    column: int | None = None
    token: int | None = None
    expected: str | None
    got: str | None
    ordered: bool = True
    note: str = ""

    def __str__(self) -> str:
        place = ""
        if self.line is not None:
            place = f"line {self.line}" + (f", column {self.column}" if self.column is not None else "")
        if self.token is not None:
            place = f"token {self.token} ({place})" if place else f"token {self.token}"
        no_more, nothing = ("the end of the answer", "nothing more") if self.ordered else ("no such line", "none")
        wanted = no_more if self.expected is None else _quoted(self.expected)
        came = nothing if self.got is None else _quoted(self.got)
        sentence = f"expected {wanted}, got {came}"
        return (f"{place}: " if place else "") + sentence + (f" ({self.note})" if self.note else "")


def compare(expected: str, got: str, how: Comparison = Comparison()) -> Difference | None:  # noqa: B008 - frozen
    """None where `got` is the `expected` answer; else where they part first."""
    if expected == got:
        return None
    if how.by == "exact":
        return _exact(expected, got, how)
    if how.by in ("default", "unordered") and expected.rstrip(_SPACE) == got.rstrip(_SPACE):
        return None
    if how.by == "default":
        return _lines(expected, got, how)
    if how.by in ("tokens", "floats"):
        return _tokens(expected, got, how)
    if how.by == "unordered":
        return _unordered(expected, got, how)
    raise UsageError(f"compare.by: expected default, exact, tokens, floats or unordered; got {how.by!r}")


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _exact(expected: str, got: str, how: Comparison) -> Difference | None:
    if how.ignore_case and expected.casefold() == got.casefold():
        return None
    at_expected, at_got = _parting(expected, got, how)
    line, column = _place(got, at_got)
    start_expected, start_got = expected.rfind("\n", 0, at_expected) + 1, got.rfind("\n", 0, at_got) + 1
    return Difference(
        line=line,
        column=column,
        expected=_excerpt(_line_at(expected, start_expected), at_expected - start_expected)
        if at_expected < len(expected)
        else None,
        got=_excerpt(_line_at(got, start_got), at_got - start_got) if at_got < len(got) else None,
    )


def _line_at(text: str, start: int) -> str:
    """The line that starts there, its newline with it."""
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start : end + 1]


def _lines(expected: str, got: str, how: Comparison) -> Difference | None:
    skipped = _common(expected, got)
    skipped = expected.rfind("\n", 0, skipped) + 1  # whole lines
    wanted = _stripped_lines(_comparable(expected[skipped:], how))
    came = _stripped_lines(_comparable(got[skipped:], how))
    number = expected.count("\n", 0, skipped)
    while True:
        some_wanted, some_came = list(islice(wanted, _WINDOW)), list(islice(came, _WINDOW))
        if some_wanted == some_came:
            if not some_wanted:
                return None
            number += len(some_wanted)
            continue
        at = _first_unequal(some_wanted, some_came)
        # One side may be over and the other one have only blank lines left.
        if at >= len(some_wanted) and not any(some_came[at:]) and not any(came):
            return None
        if at >= len(some_came) and not any(some_wanted[at:]) and not any(wanted):
            return None
        return _line_difference(expected, got, number + at, how)


def _stripped_lines(raw: bytes) -> Iterator[bytes]:
    return map(bytes.rstrip, io.BytesIO(raw))


def _first_unequal(first: list[bytes], second: list[bytes]) -> int:
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return at
    return min(len(first), len(second))


def _line_difference(expected: str, got: str, index: int, how: Comparison) -> Difference:
    """The report on line `index`, counted from 0, from the texts as they were given."""
    wanted, came = _nth_line(expected, index), _nth_line(got, index)
    if wanted is None or came is None:
        over, rest = (expected, came) if wanted is None else (got, wanted)
        lines = len(over.rstrip(_SPACE).split("\n")) if over.strip(_SPACE) else 0
        whose = "the expected answer" if wanted is None else "the answer"
        note = f"{whose} ends after line {lines}" if lines else f"{whose} is empty"
        shown = _excerpt(rest or "", 0)
        return Difference(
            line=index + 1, expected=None if wanted is None else shown, got=None if came is None else shown, note=note
        )
    at_wanted, at_came = _parting(wanted, came, how)
    return Difference(
        line=index + 1,
        column=at_came + 1,
        expected=_excerpt(wanted, at_wanted),
        got=_excerpt(came, at_came),
    )


def _nth_line(text: str, index: int) -> str | None:
    """Line `index`, counted from 0, without the white space at its end; None behind the last one."""
    start = 0
    while index:
        end = start + _BLOCK
        newlines = text.count("\n", start, end)
        if newlines <= index and end < len(text):
            index -= newlines
        else:
            for _ in range(index):
                start = text.find("\n", start) + 1
                if not start:
                    return None
            break
        start = end
        if not index:  # in the middle of the line that is asked for
            start = text.rfind("\n", 0, start) + 1
    return _line_at(text, start).rstrip(_SPACE) if start < len(text) else None


def _unordered(expected: str, got: str, how: Comparison) -> Difference | None:
    if _lines(expected, got, how) is None:
        return None
    wanted = sorted(filter(None, _stripped_lines(_comparable(expected, how))))
    came = sorted(filter(None, _stripped_lines(_comparable(got, how))))
    if wanted == came:
        return None
    at = _first_unequal(wanted, came)
    line = min(lines[at] for lines in (wanted, came) if at < len(lines))  # the other side has fewer of it
    times_wanted, times_came = _times(wanted, line), _times(came, line)
    source = got if times_came else expected
    number = next(i for i, each in enumerate(_stripped_lines(_comparable(source, how))) if each == line)
    shown = _excerpt(_nth_line(source, number) or "", 0)
    return Difference(
        line=number + 1 if times_came else None,
        ordered=False,
        expected=shown if times_wanted else None,
        got=shown if times_came else None,
        note=f"in any order: expected {_said(times_wanted)}, came {_said(times_came)}",
    )


def _times(lines: list[bytes], line: bytes) -> int:
    from bisect import bisect_left, bisect_right

    return bisect_right(lines, line) - bisect_left(lines, line)


def _said(times: int) -> str:
    return ("never", "once", "twice")[times] if times < 3 else f"{times} times"


# ── Tokens and numbers ───────────────────────────────────────────────────────────────────────────────────────────────


def _tokens(expected: str, got: str, how: Comparison) -> Difference | None:
    near = _Near(how) if how.by == "floats" else None
    skipped = _whole_tokens(expected, _common(expected, got))
    wanted, came = _split(_comparable(expected[skipped:], how)), _split(_comparable(got[skipped:], how))
    number = 0  # of those behind `skipped`
    while True:
        some_wanted, some_came = list(islice(wanted, _WINDOW)), list(islice(came, _WINDOW))
        if some_wanted != some_came:
            for at, (one, other) in enumerate(zip(some_wanted, some_came, strict=False)):
                if one != other and not (near and near(one, other)):
                    return _token_difference(
                        expected, got, skipped, number + at, near.note(one, other) if near else "", how
                    )
            if len(some_wanted) != len(some_came):
                at = min(len(some_wanted), len(some_came))
                return _token_difference(expected, got, skipped, number + at, "", how)
        if not some_wanted:
            return None
        number += len(some_wanted)


def _whole_tokens(text: str, common: int) -> int:
    """The start of the last token of the first `common` characters: all before it are common too."""
    return max(text.rfind(space, 0, common) for space in _SPACE) + 1


def _split(raw: bytes) -> Iterator[bytes]:
    return chain.from_iterable(block.split() for block in _blocks(raw))


def _blocks(raw: bytes) -> Iterator[bytes]:
    """Pieces that end where a token does: all tokens of a large text at once would take many times its memory."""
    start = 0
    while start < len(raw):
        space = _BYTES_SPACE.search(raw, start + _BLOCK)
        end = space.start() if space else len(raw)
        yield raw[start:end]
        start = end


def _token_difference(expected: str, got: str, skipped: int, index: int, note: str, how: Comparison) -> Difference:
    """The report on token `index`, counted from 0 behind the `skipped` characters, from the texts as given."""
    wanted = next(islice(_TOKEN.finditer(expected, skipped), index, None), None)
    came = next(islice(_TOKEN.finditer(got, skipped), index, None), None)
    index += sum(len(block.split()) for block in _blocks(_comparable(expected[:skipped], how)))
    if wanted and came:
        at_wanted, at_came = _parting(wanted[0], came[0], how)
    else:
        at_wanted = at_came = 0
        whose = "the expected answer" if wanted is None else "the answer"
        note = f"{whose} has {index} token{'' if index == 1 else 's'}"
    line, column = _place(got, came.start() if came else len(got.rstrip(_SPACE)))
    return Difference(
        line=line,
        column=column,
        token=index + 1,
        expected=_excerpt(wanted[0], at_wanted) if wanted else None,
        got=_excerpt(came[0], at_came) if came else None,
        note=note,
    )


class _Near:
    """Whether two tokens are numbers within the tolerances; the first one is the expected one."""

    def __init__(self, how: Comparison) -> None:
        from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

        absolute, relative = how.absolute, how.relative
        if absolute is None and relative is None:
            absolute = relative = DEFAULT_TOLERANCE
        for name, value in (("absolute", absolute), ("relative", relative)):
            if value is not None and not 0 <= value < float("inf"):
                raise UsageError(f"compare.{name}: expected a tolerance from 0, got {value!r}")
        self._float_absolute, self._float_relative = float(absolute or 0), float(relative or 0)
        # By way of repr: who writes 1e-6 means the decimal, not the binary number next to it.
        self.absolute, self.relative = Decimal(repr(self._float_absolute)), Decimal(repr(self._float_relative))
        # Operands are exact whatever their length; only results are rounded, to far more digits than a tolerance has.
        # No traps: nothing here is exceptional.
        self._context = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
        self._brief = Context(prec=3, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
        self._decimal = Decimal

    def __call__(self, expected: bytes, got: bytes) -> bool:
        if len(expected) <= _LONGEST_FLOAT and len(got) <= _LONGEST_FLOAT:
            near = self._surely(expected, got)
            if near is not None:
                return near
        if _NUMBER.fullmatch(expected) and _NUMBER.fullmatch(got):
            return self._exactly(expected, got)
        one, other = _no_finite(expected), _no_finite(got)
        return one is not None and one == other

    def _surely(self, expected: bytes, got: bytes) -> bool | None:
        """What binary floats can tell, far from the bound on either side; None for whatever is not that easy."""
        try:
            wanted, came = float(expected), float(got)
        except ValueError:
            return None
        size = max(abs(wanted), abs(came))
        if not size < 1e300 or b"_" in expected or b"_" in got:  # 1_000 is a number to Python alone
            return None
        off, allowed = abs(wanted - came), max(self._float_absolute, self._float_relative * abs(wanted))
        unsure = size * 1e-15 + 1e-300
        if off + unsure < allowed * 0.999:
            return True
        return False if off - unsure > allowed * 1.001 else None

    def _exactly(self, expected: bytes, got: bytes) -> bool:
        wanted, came = self._value(expected), self._value(got)
        off = self._context.subtract(wanted, came).copy_abs()
        if not off:
            return True
        return off <= self.absolute or off <= self._context.multiply(self.relative, wanted.copy_abs())

    def _value(self, token: bytes) -> Decimal:
        return self._decimal(token.decode("ascii"))

    def note(self, expected: bytes, got: bytes) -> str:
        """How far off a number is."""
        if not (_NUMBER.fullmatch(expected) and _NUMBER.fullmatch(got)):
            return "" if not _NUMBER.fullmatch(expected) else "not a number"
        wanted, came = self._value(expected), self._value(got)
        off = self._context.subtract(wanted, came).copy_abs()
        share = f", {self._rounded(self._context.divide(off, wanted.copy_abs()))} of it" if wanted else ""
        allowed = f"{self._float_absolute:g} or {self._float_relative:g} of it"
        return f"off by {self._rounded(off)}{share}; allowed {allowed}"

    def _rounded(self, value: Decimal) -> str:
        """For people: three digits."""
        return str(self._brief.plus(value).normalize(self._brief))


def _no_finite(token: bytes) -> str | None:
    """nan, inf or -inf, for the tokens that say so."""
    match = _NO_FINITE.fullmatch(token) if len(token) < 10 else None
    if not match:
        return None
    return "nan" if match[2] else "-inf" if match[1] == b"-" else "inf"


# ── Texts, positions, excerpts ───────────────────────────────────────────────────────────────────────────────────────


def _comparable(text: str, how: Comparison) -> bytes:
    """Bytes, whose split() and rstrip() know the white space that is meant here and no other."""
    return (text.casefold() if how.ignore_case else text).encode("utf-8", "surrogatepass")


def _parting(first: str, second: str, how: Comparison) -> tuple[int, int]:
    """How many characters of each stand before the first difference. The same number, but where case is ignored: ß is
    one character and its other case two."""
    if not how.ignore_case:
        at = _common(first, second)
        return at, at
    if first.isascii() and second.isascii():
        at = _common(first.lower(), second.lower())
        return at, at
    at = _common(first.casefold(), second.casefold())
    return _unfolded(first, at), _unfolded(second, at)


def _unfolded(text: str, at: int) -> int:
    """The character of `text` that the folded text's character `at` came from."""
    for index, char in enumerate(text):
        at -= len(char.casefold())
        if at < 0:
            return index
    return len(text)


def _common(first: str, second: str) -> int:
    """The length of the common beginning, found by halving: each step is a memcmp."""
    start, step = 0, 1 << 16
    end = min(len(first), len(second))
    while start + step <= end and first[start : start + step] == second[start : start + step]:
        start += step
    stop = min(start + step, end)
    while start < stop:
        middle = (start + stop + 1) // 2
        if first[start:middle] == second[start:middle]:
            start = middle
        else:
            stop = middle - 1
    return start


def _place(text: str, at: int) -> tuple[int, int]:
    """Line and column of a position, from 1."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


def _excerpt(text: str, at: int) -> str:
    """The part of `text` around position `at` that a person wants to see."""
    if len(text) <= _SHOWN:
        return text
    start = max(0, min(at - _BEFORE, len(text) - _SHOWN))
    end = start + _SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _quoted(text: str) -> str:
    """With what does not show (white space at the end, a carriage return, a lone surrogate) made visible."""
    return repr(text)
