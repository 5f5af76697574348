"""Python literals out of a text: None, booleans, numbers, texts, bytes, lists, tuples, sets, dictionaries.

For files that were written with print() or repr(). The standard library's way takes a syntax tree first, of some 450
bytes for each byte of a text like "[1,1,…": a file of 40 MB ends the machine. Here values are made as they are read,
and take what they take. Depth is bounded.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

_MAX_DEPTH = 200

_SPACE = re.compile(r"[ \t\r\n\f]*+")
_TEXT = re.compile(
    r"(?P<prefix>[rRuUbB]{0,2})(?:"
    r"'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''|\"\"\"[^\"\\]*+(?:(?:\\.|\"(?!\"\"))[^\"\\]*+)*\"\"\""
    r"|'(?:[^'\\\n]++|\\.)*+'|\"(?:[^\"\\\n]++|\\.)*+\")",
    re.DOTALL,
)
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
    r"|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?[jJ]?)"
)
_NAME = re.compile(r"None|True|False|set\(\)")
# A short text with the usual escapes is worth a way of its own: a list of inputs has thousands of them.
_SHORT = 400
_SIMPLE = re.compile(r"(?:'(?!')|\"(?!\"))(?:[^\\]++|\\[nrt'\"\\])*+")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
_NAMED = {"None": None, "True": True, "False": False}


def literal_of(text: str) -> Any:
    """The value. ValueError where the text is no literal."""
    value, at = _value(text, _skip(text, 0), 0)
    if at != len(text):
        raise ValueError(f"a literal that ends at {at}, with more behind it")
    return value


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """A value and the place behind it and the white space after it."""
    if depth > _MAX_DEPTH:
        raise ValueError("a literal that is nested too deeply")
    first = text[at : at + 1]
    if first == "[":
        items, end, _ = _items(text, at + 1, "]", depth)
        return items, end
    if first == "(":
        items, end, comma = _items(text, at + 1, ")", depth)
        return (items[0] if len(items) == 1 and not comma else tuple(items)), end
    if first == "{":
        return _braces(text, at + 1, depth)
    if match := _TEXT.match(text, at):
        return _string(match), _skip(text, match.end())
    if match := _NUMBER.match(text, at):
        return _number(text, match)
    if match := _NAME.match(text, at):
        return _NAMED.get(match[0], set() if match[0] == "set()" else None), _skip(text, match.end())
    raise ValueError(f"no literal at {at}: {text[at : at + 20]!r}")


def _items(text: str, at: int, close: str, depth: int) -> tuple[list[Any], int, bool]:
    """The items, the place behind them, and whether a comma stood behind the last: (1,) is a tuple, (1) is not."""
    items: list[Any] = []
    comma = False
    at = _skip(text, at)
    while text[at : at + 1] != close:
        value, at = _value(text, at, depth + 1)
        items.append(value)
        comma = text[at : at + 1] == ","
        at = _separated(text, at, close)
    return items, _skip(text, at + 1), comma


def _braces(text: str, at: int, depth: int) -> tuple[Any, int]:
    keys: list[Any] = []
    values: list[Any] = []
    at = _skip(text, at)
    while text[at : at + 1] != "}":
        key, at = _value(text, at, depth + 1)
        keys.append(key)
        if text[at : at + 1] == ":":
            value, at = _value(text, _skip(text, at + 1), depth + 1)
            values.append(value)
        at = _separated(text, at, "}")
    if values and len(values) != len(keys):
        raise ValueError("a dictionary with a key that has no value")
    try:
        made: Any = dict(zip(keys, values, strict=True)) if values or not keys else set(keys)
    except TypeError as error:  # a list as a key
        raise ValueError(str(error)) from None
    return made, _skip(text, at + 1)


def _separated(text: str, at: int, close: str) -> int:
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != close:
        raise ValueError(f"expected a comma or {close} at {at}")
    return at


def _string(match: re.Match[str]) -> Any:
    token = match[0]
    if not match["prefix"] and "\\" not in token:
        quotes = 3 if token.startswith(("'''", '"""')) and len(token) >= 6 else 1
        return token[quotes:-quotes]
    if len(token) < _SHORT and _SIMPLE.fullmatch(token):
        return _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], token[1:-1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in somebody else's text
            return ast.literal_eval(token)  # one token, one node
    except (SyntaxError, MemoryError) as error:
        raise ValueError(str(error)) from None


def _number(text: str, match: re.Match[str]) -> tuple[Any, int]:
    value, at = _numeral(match[0]), _skip(text, match.end())
    if text[at : at + 1] in ("+", "-") and not isinstance(value, complex):  # 1+2j
        sign = -1 if text[at] == "-" else 1
        second = _NUMBER.match(text, _skip(text, at + 1))
        imaginary = _numeral(second[0]) if second else None
        if second is None or not isinstance(imaginary, complex):
            raise ValueError(f"no literal at {at}: a sum")
        return complex(value, sign * imaginary.imag), _skip(text, second.end())
    return value, at


def _numeral(token: str) -> int | float | complex:
    lower = token.lower()
    if lower.endswith("j"):
        return complex(lower.replace("_", ""))
    if lower.lstrip("+-").startswith(("0x", "0o", "0b")):
        return int(lower, 0)
    if "." in lower or "e" in lower:
        return float(lower)
    return int(lower)
