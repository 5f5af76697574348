"""A Python source as a tree with places in bytes.

Owns `Code`: the nodes in the order of the source, their parents, and the bytes that each covers. What `ast` says of
columns is in bytes of UTF-8 already; lines end at \\n, \\r\\n and \\r as they do for the tokenizer.

The insides of f-strings have no places before Python 3.12 and are left out: an f-string is one leaf. So are
annotations, decorators, imports and patterns, in which a change would be idle or no program.
"""

from __future__ import annotations

import ast
import bisect
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While

_LINE_END = re.compile(rb"\r\n|\r|\n")
_MOST_NODES = 1_000_000


def parse(data: bytes) -> ast.Module | None:
    """The tree; None where there is none: no Python, or nested too deeply for the parser."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes in somebody's strings
            return ast.parse(data.decode(errors="surrogateescape").removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


class Code:
    """data: the source. nodes: those that rules may look at, in preorder. parents: node -> the one above."""

    def __init__(self, data: bytes, tree: ast.Module) -> None:
        self.data = data
        first = 3 if data.startswith(b"\xef\xbb\xbf") else 0  # a byte order mark is no column
        self._starts = [first, *(match.end() for match in _LINE_END.finditer(data))]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self._blocks: dict[ast.AST, tuple[list[ast.stmt], int]] = {}
        self._bound: dict[str, list[int]] = {}  # name -> where it is bound
        self.used: set[str] = set()  # names whose values somebody looks at
        stack: list[ast.AST] = [tree]
        while stack and len(self.nodes) < _MOST_NODES:
            node = stack.pop()
            self.nodes.append(node)
            below = list(_inside(node))
            for child in below:
                self.parents[child] = node
            stack += reversed(below)
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    self._blocks.update((each, (block, place)) for place, each in enumerate(block))
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._bound.setdefault(node.id, []).append(self.start(node))
            elif isinstance(node, ast.Name):
                self.used.add(node.id)
        for places in self._bound.values():
            places.sort()

    # -- places

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def start(self, node: Any) -> int:
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.AST) -> bytes:
        return self.data[self.start(node) : self.end(node)]

    def indent(self, node: ast.AST) -> bytes | None:
        """The white space before a statement; None where something else stands on its line before it."""
        start = self.start(node)
        before = self.data[start - getattr(node, "col_offset", 0) : start]
        return before if not before.strip() else None

    def operator(self, left: ast.AST, right: ast.AST, words: bytes) -> tuple[int, int] | None:
        """Where the operator between two operands stands. Between them there are only brackets, white space,
        comments and the operator; `words` are its words, with blanks between them."""
        pattern = re.compile(rb"[ \t\f\\\r\n]+".join(map(re.escape, words.split())))
        at, end = self.end(left), self.start(right)
        while at < end:
            if self.data[at : at + 1] == b"#":
                match = _LINE_END.search(self.data, at, end)
                at = match.end() if match else end
                continue
            found = pattern.match(self.data, at, end)
            if found:
                return found.span()
            at += 1
        return None

    # -- relations

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function(self, node: ast.AST) -> Function | None:
        return next((each for each in self.above(node) if isinstance(each, Function)), None)

    def next_statement(self, statement: ast.stmt) -> ast.stmt | None:
        """The one that comes after it in its block."""
        block, place = self._blocks.get(statement, ([], 0))
        return block[place + 1] if place + 1 < len(block) else None

    def is_bound(self, names: Iterable[str], start: int, end: int) -> bool:
        """Whether one of the names is bound between two places."""
        for name in names:
            places = self._bound.get(name, [])
            at = bisect.bisect_left(places, start)
            if at < len(places) and places[at] < end:
                return True
        return False

    def is_bound_in(self, names: Iterable[str], node: ast.AST) -> bool:
        return self.is_bound(names, self.start(node), self.end(node))

    def before_statement(self, statement: ast.stmt, added: bytes) -> bytes | None:
        """What to put where a statement starts, so that the simple statement `added` comes before it."""
        if is_simple(statement):
            return added + b"; "
        indent = self.indent(statement)
        return None if indent is None else added + b"\n" + indent

    def after_statement(self, statement: ast.stmt, added: bytes) -> bytes | None:
        """What to put where a statement ends, so that the simple statement `added` comes after it."""
        if is_simple(statement):
            return b"; " + added
        indent = self.indent(statement)
        return None if indent is None else b"\n" + indent + added


def is_simple(statement: ast.stmt) -> bool:
    return not hasattr(statement, "body") and not isinstance(statement, ast.Match)


def names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def called(node: ast.AST) -> str:
    """The last name of what a call calls: `sort` of `a.b.sort(x)`; empty where it is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return last_name(node.func)


def last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.pattern)):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "type_params", "ctx", "op", "ops"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
