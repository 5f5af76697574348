"""A reader of checktestdata scripts (.ctd), as problem packages have them for input validators: as much of the language
as packages use. Only for measuring; the scripts are interpreted, nothing is executed.

    accepts(script, text) -> bool
"""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(r'\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?|[A-Za-z_]\w*|&&|\|\||[<>=!]=|[-+*/%^<>!()\[\],=]')
_LEVELS = (("||",), ("&&",), ("==", "!=", "<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))


class Rejected(Exception):
    pass


def accepts(script: str, text: str) -> bool:
    try:
        run = _Run(script, text)
        run.commands(("",))
        return run.at == len(text)
    except Rejected:
        return False


class _Run:
    def __init__(self, script: str, text: str) -> None:
        found = [match[0] for match in _TOKEN.finditer(script)]
        self.tokens = [each for each in found if not each[0].isspace() and each[0] != "#"] + [""]
        self.text, self.at, self.place = text, 0, 0
        self.known: dict[str, Any] = {}

    def next(self, wanted: str | None = None) -> str:
        token = self.tokens[self.place]
        if wanted is not None and token != wanted:
            raise ValueError(f"a script with {token!r} where {wanted!r} was expected")
        self.place += 1
        return token

    def commands(self, until: tuple[str, ...]) -> str:
        while (word := self.next()) not in until:
            self.command(word)
        return word

    def skip(self, until: tuple[str, ...]) -> str:
        depth = 0
        while True:
            word = self.next()
            if not depth and word in until:
                return word
            depth += word in ("REP", "REPI", "WHILE", "WHILEI", "IF")
            depth -= word == "END"

    def command(self, word: str) -> None:
        if word in ("SPACE", "NEWLINE", "EOF"):
            if word == "EOF":
                if self.at != len(self.text):
                    raise Rejected
            else:
                self.take(" " if word == "SPACE" else "\n")
        elif word == "INT":
            low, high, *name = self.arguments(values=2)
            match = re.compile(r"0|-?[1-9][0-9]*").match(self.text, self.at)
            if match is None or not low <= int(match[0]) <= high:
                raise Rejected
            self.at = match.end()
            self.store(name, int(match[0]))
        elif word == "REGEX":
            pattern, *name = self.arguments(values=1)
            match = re.compile(pattern).match(self.text, self.at)
            if match is None:
                raise Rejected
            self.at = match.end()
            self.store(name, match[0])
        elif word in ("REP", "REPI"):
            self.repeat(word)
        elif word == "IF":
            self.next("(")
            holds = self.expression()
            self.next(")")
            if holds:
                if self.commands(("ELSE", "END")) == "ELSE":
                    self.skip(("END",))
            elif self.skip(("ELSE", "END")) == "ELSE":
                self.commands(("END",))
        elif word == "ASSERT":
            if not self.arguments(values=1)[0]:
                raise Rejected
        elif word == "SET":
            self.next("(")
            name = self.next()
            self.next("=")
            self.known[name] = self.expression()
            self.next(")")
        elif word == "UNSET":
            self.next("(")
            self.known.pop(self.next(), None)
            self.next(")")
        else:
            raise ValueError(f"a script with the unknown command {word!r}")

    def repeat(self, word: str) -> None:
        self.next("(")
        index = None
        if word == "REPI":
            index = self.next()
            self.next(",")
        times = self.expression()
        between = None
        if self.tokens[self.place] == ",":
            self.next()
            between = self.next()
        self.next(")")
        body = self.place
        if times <= 0:
            self.skip(("END",))
        for number in range(times):
            self.place = body
            if number and between:
                self.command(between)
            if index:
                self.known[index] = number
            self.commands(("END",))

    def arguments(self, *, values: int) -> list[Any]:
        """So many values; behind them the variable to store into, with its index if it has one."""
        self.next("(")
        found: list[Any] = []
        while True:
            if len(found) < values:
                found.append(self.expression())
            else:
                name = self.next()
                if self.tokens[self.place] == "[":
                    self.next()
                    self.known.setdefault(name, [])
                    found.append((name, self.expression()))
                    self.next("]")
                else:
                    found.append(name)
            if self.next() == ")":
                return found

    def store(self, names: list[Any], value: Any) -> None:
        for name in names:
            if isinstance(name, tuple):
                self.known[name[0]].append(value)
            else:
                self.known[name] = value

    def take(self, wanted: str) -> None:
        if not self.text.startswith(wanted, self.at):
            raise Rejected
        self.at += len(wanted)

    def expression(self, level: int = 0) -> Any:
        if level == len(_LEVELS):
            return self.power()
        left = self.expression(level + 1)
        while (sign := self.tokens[self.place]) in _LEVELS[level]:
            self.next()
            right = self.expression(level + 1)
            left = {
                "||": lambda a, b: a or b, "&&": lambda a, b: a and b, "==": lambda a, b: a == b,
                "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
                ">=": lambda a, b: a >= b, "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
                "/": lambda a, b: a // b, "%": lambda a, b: a % b,
            }[sign](left, right)  # fmt: skip
        return left

    def power(self) -> Any:
        value = self.atom()
        if self.tokens[self.place] == "^":
            self.next()
            value = value ** self.power()
        return value

    def atom(self) -> Any:
        token = self.next()
        if token == "-":
            return -self.atom()
        if token == "!":
            return not self.atom()
        if token == "(":
            value = self.expression()
            self.next(")")
            return value
        if token.startswith('"'):
            return token[1:-1].replace("\\n", "\n").replace('\\"', '"')
        if token == "UNIQUE":
            self.next("(")
            values = self.known[self.next()]
            self.next(")")
            return len(set(values)) == len(values)
        return int(token) if token.isdecimal() else self.known[token]
