"""The limits that a statement states: "1 ≤ n, m ≤ 2·10^5" -> n and m, from 1 to 200000.

Owns the reading of such chains, in plain text, LaTeX or HTML, and of the sentence that says what stands on the first
line. `bounds_of` gives what lies between two numbers; `chains_of` gives the chains as they stand, also those that are
open on one side ("K ≤ 10") or end in a name ("0 ≤ x < N"). What is not understood is passed over: a bound that is found
was stated, one that was stated may be missed. Statements are anybody's text: reading takes time linear in it, and
numbers are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_READ_CHARACTERS = 200_000
_MAX_EXPONENT = 30
_MAX_POWER = 1000  # 10^100 is stated now and then
_MAX_TERMS = 12

_LE, _LT, _GE, _GT = "≤", "<", "≥", ">"
_WORDS = {
    r"\leqslant": _LE, r"\leq": _LE, r"\le": _LE, "⩽": _LE, "&le;": _LE, "<=": _LE, "=<": _LE, "≦": _LE,
    r"\lt": _LT, "&lt;": _LT,
    r"\geqslant": _GE, r"\geq": _GE, r"\ge": _GE, "⩾": _GE, "&ge;": _GE, ">=": _GE, "≧": _GE,
    r"\gt": _GT, "&gt;": _GT,
    r"\cdot": "*", r"\times": "*", "×": "*", "·": "*", "∙": "*", "⋅": "*", "&times;": "*",
    "**": "^", "<sup>": "^", "</sup>": " ", "−": "-", "–": "-",
    r"\,": "", r"\;": "", r"\:": "", r"\ ": " ", "~": " ", "$": "", "{,}": "", "`": "", "{": "", "}": "",
    r"\ldots": "…", r"\dots": "…", "&nbsp;": " ", "\u00a0": " ", "\u202f": " ", "\u2009": " ",
    r"\left": "", r"\right": "",
}  # fmt: skip
_WORD = re.compile("|".join(re.escape(word) for word in sorted(_WORDS, key=len, reverse=True)))
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}")
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:[ ,]\d{3})+(?!\d)")
_NAME = r"[A-Za-z][A-Za-z]{0,15}(?:_\w{1,8})?(?:\[[\w, ]{1,8}\])?(?:\.(?:length|size)(?:\(\))?)?"
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,40}}(?:e\d{{1,2}}\b)?)|(?P<name>\|?{_NAME}\|?)|(?P<sign>[≤<≥>*^,+-])|(?P<other>\S)"
)
_FIRST_LINE = re.compile(r"\bfirst line\b(?! of (?:each|every|the (?:test|description)))([^.\n]{0,300})", re.IGNORECASE)
_LISTED = re.compile(
    rf"\b(?:integers?|numbers?|values?)\b:?\s+(?P<names>{_NAME}(?:\s*(?:,\s*and|,|and)\s*{_NAME}){{0,9}})(?![A-Za-z])"
)
_SEPARATOR = re.compile(r"\s*(?:,\s*and\b|,|\band\b)\s*")


class Bound(msgspec.Struct, frozen=True):
    """What a name may be, both ends included."""

    name: str
    low: int
    high: int


class Term(msgspec.Struct, frozen=True):
    """A number (`name` empty), or a name with what is added to it."""

    name: str
    number: int


class Chain(msgspec.Struct, frozen=True):
    """`groups[k]` ≤ `groups[k + 1]`, or < where `strict[k]`; the terms of a group stand beside each other ("n, m")."""

    groups: tuple[tuple[Term, ...], ...]
    strict: tuple[bool, ...]


def bounds_of(statement: str) -> list[Bound]:
    """The bounds in the order of the text, each once."""
    tokens = [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(plain(statement))]
    found: dict[Bound, None] = {}
    at = 0
    while at < len(tokens):
        chain, end = _chain(tokens, at)
        found |= dict.fromkeys(chain)
        at = end if chain else at + 1
    return list(found)


def chains_of(statement: str) -> list[Chain]:
    """All chains of comparisons in the order of the text; those with ≥ are turned round."""
    tokens = [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(plain(statement))]
    found = []
    at = 0
    while at < len(tokens):
        groups, signs, end = _comparisons(tokens, at)
        if not signs:
            at = max(end, at + 1)
            continue
        if signs[0] in (_GE, _GT):
            groups, signs = groups[::-1], signs[::-1]
        found.append(Chain(tuple(groups), tuple(sign in (_LT, _GT) for sign in signs)))
        at = end
    return found


def first_line_names(statement: str) -> tuple[str, ...]:
    """What stands on the first line of the input, where a sentence says so."""
    for sentence in _FIRST_LINE.finditer(plain(statement)):
        if listed := _LISTED.search(sentence[1]):
            return tuple(_SEPARATOR.split(listed["names"]))
    return ()


def plain(statement: str) -> str:
    """The text with one spelling for each sign, no mathematics marks, and numbers in one piece."""
    text = _WORD.sub(lambda match: _WORDS[match[0]], statement[:_READ_CHARACTERS])
    text = _RAISED.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    return _THOUSANDS.sub(lambda match: match[0].replace(" ", "").replace(",", ""), text)


def _chain(tokens: Sequence[tuple[str, str]], at: int) -> tuple[list[Bound], int]:
    """number ≤ name [, name] [≤ name …] ≤ number, and the place behind it."""
    low, at = _number(tokens, at)
    if low is None or not _is_less(tokens, at):
        return [], at
    low += tokens[at][1] == _LT
    names: list[str] = []
    while True:
        at += 1  # behind a comparison or a comma
        high, end = _number(tokens, at)
        if high is not None and names and _is_less(tokens, at - 1):
            high -= tokens[at - 1][1] == _LT
            return [Bound(name, low, high) for name in names if low < high], end
        if at >= len(tokens) or tokens[at][0] != "name":
            return [], at
        names.append(tokens[at][1])
        at += 1
        if not (_is_less(tokens, at) or (at < len(tokens) and tokens[at][1] == ",")):
            return [], at


def _comparisons(tokens: Sequence[tuple[str, str]], at: int) -> tuple[list[tuple[Term, ...]], list[str], int]:
    """group (≤ group)…, all signs pointing the same way, and the place behind it."""
    groups: list[tuple[Term, ...]] = []
    signs: list[str] = []
    while len(groups) < _MAX_TERMS:
        group, end = _group(tokens, at)
        if not group:
            signs = signs[: len(groups) - 1]
            break
        groups.append(group)
        at = end
        sign = tokens[at][1] if at < len(tokens) else ""
        if sign not in (_LE, _LT, _GE, _GT) or (signs and (sign in (_LE, _LT)) != (signs[0] in (_LE, _LT))):
            break
        signs.append(sign)
        at += 1
    return groups, signs[: max(len(groups) - 1, 0)], at


def _group(tokens: Sequence[tuple[str, str]], at: int) -> tuple[tuple[Term, ...], int]:
    """A number, or names with commas between them; a name may have a small number added."""
    number, end = _number(tokens, at)
    if number is not None:
        return (Term("", number),), end
    terms: list[Term] = []
    while at < len(tokens) and tokens[at][0] == "name":
        name, added = tokens[at][1], 0
        at += 1
        if at + 1 < len(tokens) and tokens[at][1] in "+-" and tokens[at + 1][0] == "number":
            small, end = _power(tokens, at + 1)
            if small is not None and small < 1000:
                added, at = (small if tokens[at][1] == "+" else -small), end
        terms.append(Term(name, added))
        behind_comma = at + 1 < len(tokens) and tokens[at][1] == "," and tokens[at + 1][0] == "name"
        if not behind_comma or len(terms) == _MAX_TERMS:
            break
        at += 1
    return tuple(terms), at


def _is_less(tokens: Sequence[tuple[str, str]], at: int) -> bool:
    return at < len(tokens) and tokens[at][1] in (_LE, _LT)


def _number(tokens: Sequence[tuple[str, str]], at: int) -> tuple[int | None, int]:
    """[-] power [* power] [± small], and the place behind it; None where there is no number here."""
    start = at
    negative = at < len(tokens) and tokens[at][1] == "-"
    value, at = _power(tokens, at + negative)
    if value is None:
        return None, start
    if at < len(tokens) and tokens[at][1] == "*":
        factor, end = _power(tokens, at + 1)
        if factor is not None:
            value, at = value * factor, end
    value = -value if negative else value
    if at + 1 < len(tokens) and tokens[at][1] in "+-" and tokens[at + 1][0] == "number":
        small, end = _power(tokens, at + 1)
        if small is not None and small < 1000:
            value, at = (value + small if tokens[at][1] == "+" else value - small), end
    return value, at


def _power(tokens: Sequence[tuple[str, str]], at: int) -> tuple[int | None, int]:
    if at >= len(tokens) or tokens[at][0] != "number":
        return None, at
    digits, _, exponent = tokens[at][1].partition("e")
    value = int(digits) * 10 ** min(int(exponent or 0), _MAX_EXPONENT)
    if at + 2 < len(tokens) and tokens[at + 1][1] == "^" and tokens[at + 2][0] == "number":
        exponent = tokens[at + 2][1]
        if exponent.isdecimal() and int(exponent) <= _MAX_POWER and value < 10**4:
            return value ** int(exponent), at + 3
    return value, at + 1
