"""The format of an input text: which lines and fields it has, and what governs how many there are.

Owns the structure, reading a text by it (`parse`), writing one (`render`), checking it (`accepts`) and saying it in
words (`describe`). How a format is found is `infer`'s; how texts are made from it is `draw`'s.

    Format ─► nodes:  Line ─► items: Field, Run (fields repeated on the line)
                      Loop ─► nodes repeated: so many times, or until a line that ends them, or to the end
                      Choice ─► a line whose first token says what else stands on it

A text read by a format is an Instance: a value for each (field, i, j, …) with the numbers of the repetitions around it,
and the size of each (loop, i, j, …). A count is a field like others: it stands before what it governs, so a text is
read, and made, from the front to the back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

Path = tuple[int, ...]
Value = int | str

MAX_TOKENS = 2_000_000
_INT = re.compile(r"-?(?:0|[1-9]\d{0,999})")
_FLOAT = re.compile(r"(-?)(\d{1,40})(?:\.(\d{1,20}))?")
_HEX = re.compile(r"0x[0-9a-f]+")
_PIECES = re.compile(r"[A-Za-z0-9]+")


class Size(msgspec.Struct, frozen=True):
    """The product of `fields` (none: 1 with `plus` alone meaning a constant), and `plus`. `total`: the sum of the one
    field over the loop that it stood in."""

    fields: tuple[int, ...] = ()
    plus: int = 0
    total: bool = False


class Field(msgspec.Struct, frozen=True):
    """A token. Bounds are of the value, for floats in units of the last decimal.

    low_by, high_by: bounds that depend on earlier fields.   under: at most the number (from 0) of the loop that is that
    many levels out, plus `under_plus`.   length: of a word, where it is governed.   skeletons: the shapes of words with
    punctuation, each piece of letters or digits as its class and its shortest and longest.
    """

    id: int
    kind: Literal["int", "float", "word", "line"]
    name: str = ""
    low: int = 0
    high: int = 0
    low_by: Size | None = None
    high_by: Size | None = None
    under: int | None = None
    under_plus: int = 0
    step: int = 1
    decimals: int = 0
    fixed_decimals: bool = False
    alphabet: str = ""
    vocabulary: tuple[str, ...] = ()
    skeletons: tuple[str, ...] = ()
    pieces: tuple[tuple[str, int, int], ...] = ()
    shortest: int = 1
    longest: int = 1
    length: Size | None = None
    order: Literal["", "ascending", "descending"] = ""
    distinct: bool = False
    permutation: bool = False
    head_nonzero: bool = False
    most_in_total: int | None = None
    samples: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True):
    """Fields repeated on a line. size None: as many as there are."""

    id: int
    size: Size | None
    items: tuple[Field, ...]
    longest: int = 0


class Line(msgspec.Struct, frozen=True, tag=True):
    items: tuple[Field | Run, ...]


class Choice(msgspec.Struct, frozen=True, tag=True):
    """Lines by their first token, whose field is `id`."""

    id: int
    cases: dict[str, Line]


class Loop(msgspec.Struct, frozen=True, tag=True):
    """`until`: the tokens of the line that ends it; with neither size nor until it goes to the end of the text."""

    id: int
    size: Size | None
    body: tuple[Line | Loop | Choice, ...]
    until: tuple[str, ...] = ()
    most: int = 0


Node = Line | Loop | Choice


class Graph(msgspec.Struct, frozen=True):
    """The fields u and v of loop `loop` are the ends of edges over `vertices` vertices counted from `base`."""

    loop: int
    u: int
    v: int
    vertices: Size
    base: int
    tree: bool
    loops: bool
    multiple: bool
    ordered: bool


class Grid(msgspec.Struct, frozen=True):
    """The words `field` of loop `loop`: letters that stand there once in all, and letters that do not lack."""

    loop: int
    field: int
    once: str
    some: str


class Instance(msgspec.Struct):
    values: dict[Path, Value]
    sizes: dict[Path, int]


class Mismatch(Exception):
    """The text, or what was drawn, does not keep the format."""


class Env:
    """What is known at a place: the last value of each integer field, and running sums."""

    __slots__ = ("last", "sums")

    def __init__(self) -> None:
        self.last: dict[int, int] = {}
        self.sums: dict[int, int] = {}

    def put(self, field: int, value: int) -> None:
        self.last[field] = value
        self.sums[field] = self.sums.get(field, 0) + value

    def size(self, size: Size) -> int:
        if size.total:
            return self.sums.get(size.fields[0], 0) + size.plus
        if not size.fields:
            return size.plus
        product = 1
        for field in size.fields:
            product *= self.last.get(field, 0)
        return product + size.plus


class Format(msgspec.Struct, frozen=True):
    """`apart`: groups of fields whose values must differ as a whole (points). `longest`: characters of a text, ends of
    lines included. `newline`: texts end with one. `trailing`: spaces at the end of a line are passed over, as samples
    have some. `bound_by_statement`: some field's bounds were stated."""

    nodes: tuple[Node, ...]
    graphs: tuple[Graph, ...] = ()
    grids: tuple[Grid, ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    longest: int | None = None
    newline: bool = True
    trailing: bool = False
    bound_by_statement: bool = False

    def accepts(self, text: str) -> bool:
        from codejury.mutation.inputs.check import violation

        if self.longest is not None and len(text) > self.longest:
            return False
        try:
            return violation(self, self.parse(text)) is None
        except Mismatch:
            return False

    def parse(self, text: str) -> Instance:
        """Mismatch where the text does not have this shape. Bounds are not looked at."""
        return Reader(self, text).read()

    def render(self, instance: Instance) -> str:
        lines: list[str] = []
        _render(self.nodes, instance, (), lines)
        return "\n".join(lines) + ("\n" if self.newline and lines else "")

    def describe(self) -> str:
        out: list[str] = []
        names = {each.id: each.name or f"f{each.id}" for each in fields_of(self.nodes)}
        _describe(self.nodes, names, "", out)
        for each in self.graphs:
            kind = "tree" if each.tree else "graph"
            extra = (
                ""
                if each.tree
                else "".join([", loops" if each.loops else "", ", multiple edges" if each.multiple else ""])
            )
            out.append(
                f"{names[each.u]}, {names[each.v]}: edges of a {kind} on {say_size(each.vertices, names)} vertices "
                f"from {each.base}{extra}"
            )
        for grid in self.grids:
            out += [f"{letter!r} stands once in each {names[grid.field]}" for letter in grid.once]
        return "\n".join(out)


# --- fields ----------------------------------------------------------------------------------------------------------


def fields_of(nodes: Sequence[Node]) -> Iterator[Field]:
    for node in nodes:
        if isinstance(node, Line):
            for item in node.items:
                yield from (item,) if isinstance(item, Field) else item.items
        elif isinstance(node, Choice):
            for line in node.cases.values():
                yield from fields_of((line,))
        else:
            yield from fields_of(node.body)


def loops_of(nodes: Sequence[Node]) -> Iterator[Loop | Run]:
    for node in nodes:
        if isinstance(node, Line):
            yield from (item for item in node.items if isinstance(item, Run))
        elif isinstance(node, Choice):
            yield from loops_of(tuple(node.cases.values()))
        else:
            yield node
            yield from loops_of(node.body)


def governing(nodes: Sequence[Node]) -> set[int]:
    """The fields that say how many there are of something, or how long a word is."""
    found: set[int] = set()
    for loop in loops_of(nodes):
        found |= set(loop.size.fields) if loop.size else set()
    for field in fields_of(nodes):
        found |= set(field.length.fields) if field.length else set()
    return found


def float_units(token: str, decimals: int) -> int | None:
    """A decimal in units of 10^-decimals; None where it is none, or finer."""
    match = _FLOAT.fullmatch(token)
    if match is None:
        return None
    behind = match[3] or ""
    if len(behind) > decimals:
        return None
    units = int(match[2] + behind.ljust(decimals, "0"))
    return -units if match[1] else units


def float_text(units: int, field: Field) -> str:
    digits = str(abs(units)).rjust(field.decimals + 1, "0")
    whole, behind = (digits[: -field.decimals], digits[-field.decimals :]) if field.decimals else (digits, "")
    if not field.fixed_decimals:
        behind = behind.rstrip("0")
    return ("-" if units < 0 else "") + whole + ("." + behind if behind else "")


def skeleton_of(word: str) -> str:
    """myndband.mp4 -> a.x: each piece as its class."""
    return _PIECES.sub(lambda match: piece_class(match[0]), word)


def piece_class(piece: str) -> str:
    if _HEX.fullmatch(piece):
        return "h"
    if piece.isdecimal():
        return "0"
    if piece.isalpha():
        return "a" if piece.islower() else "A" if piece.isupper() else "b"
    return "x"


def value_of(field: Field, token: str) -> Value:
    """Mismatch where the token is not of the field's kind."""
    if field.kind == "int":
        if not _INT.fullmatch(token) or token == "-0":
            raise Mismatch
        return int(token)
    if field.kind == "float":
        units = float_units(token, field.decimals)
        if units is None or (field.fixed_decimals and len(token.partition(".")[2]) != field.decimals):
            raise Mismatch
        return units
    return token


def text_of(field: Field, value: Value) -> str:
    if field.kind == "float" and isinstance(value, int):
        return float_text(value, field)
    return str(value)


# --- reading ---------------------------------------------------------------------------------------------------------


class Reader:
    """Reads one text from the front to the back."""

    def __init__(self, format: Format, text: str) -> None:
        self._format = format
        if format.trailing:
            text = "\n".join(line.rstrip(" ") for line in text.split("\n"))
        self._lines = text.removesuffix("\n").split("\n") if text else []
        self._at = 0
        self._env = Env()
        self._instance = Instance({}, {})

    def read(self) -> Instance:
        if len(self._lines) > MAX_TOKENS:
            raise Mismatch
        self._nodes(self._format.nodes, ())
        if self._at != len(self._lines):
            raise Mismatch
        return self._instance

    def _nodes(self, nodes: Sequence[Node], index: Path) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                self._loop(node, index)
            elif isinstance(node, Line):
                self._line(node, self._next(), index)
            else:
                line = self._next()
                first, _, rest = line.partition(" ")
                case = node.cases.get(first)
                if case is None or line.endswith(" "):
                    raise Mismatch
                self._instance.values[(node.id, *index)] = first
                self._line(case, rest, index)

    def _next(self) -> str:
        if self._at >= len(self._lines):
            raise Mismatch
        self._at += 1
        return self._lines[self._at - 1]

    def _loop(self, loop: Loop, index: Path) -> None:
        for field in fields_of(loop.body):
            self._env.sums.pop(field.id, None)
        if loop.size is not None:
            size = self._env.size(loop.size)
            if not 0 <= size <= len(self._lines) + 1 - self._at:
                raise Mismatch
            for number in range(size):
                self._nodes(loop.body, (*index, number))
        else:
            size, ending = 0, " ".join(loop.until)
            while self._at < len(self._lines) and not (loop.until and self._lines[self._at] == ending):
                self._nodes(loop.body, (*index, size))
                size += 1
            if loop.until:
                self._next()
        self._instance.sizes[(loop.id, *index)] = size

    def _line(self, line: Line, text: str, index: Path) -> None:
        if len(line.items) == 1 and isinstance(line.items[0], Field) and line.items[0].kind == "line":
            self._instance.values[(line.items[0].id, *index)] = text
            return
        tokens = text.split(" ") if text else []
        if "" in tokens:
            raise Mismatch
        at = 0
        for item in line.items:
            if isinstance(item, Field):
                if at >= len(tokens):
                    raise Mismatch
                self._put(item, tokens[at], index)
                at += 1
                continue
            for field in item.items:
                self._env.sums.pop(field.id, None)
            left = len(tokens) - at
            size = self._env.size(item.size) if item.size is not None else left // len(item.items)
            if size < 0 or size * len(item.items) > left:
                raise Mismatch
            for number in range(size):
                for field in item.items:
                    self._put(field, tokens[at], (*index, number))
                    at += 1
            self._instance.sizes[(item.id, *index)] = size
        if at != len(tokens):
            raise Mismatch

    def _put(self, field: Field, token: str, index: Path) -> None:
        value = value_of(field, token)
        self._instance.values[(field.id, *index)] = value
        if isinstance(value, int) and field.kind == "int":
            self._env.put(field.id, value)


# --- walking ---------------------------------------------------------------------------------------------------------


def walk(format: Format, instance: Instance) -> Iterator[tuple[Field, Path, Value, Env]]:
    """Each value in the order of the text, with the numbers around it and what is known before it."""
    return _walk(format.nodes, instance, (), Env())


def _walk(nodes: Sequence[Node], instance: Instance, index: Path, env: Env) -> Iterator[tuple[Field, Path, Value, Env]]:
    for node in nodes:
        if isinstance(node, Loop):
            for field in fields_of(node.body):
                env.sums.pop(field.id, None)
            for number in range(instance.sizes[(node.id, *index)]):
                yield from _walk(node.body, instance, (*index, number), env)
            continue
        line = node if isinstance(node, Line) else node.cases[str(instance.values[(node.id, *index)])]
        for item in line.items:
            if isinstance(item, Run):
                for field in item.items:
                    env.sums.pop(field.id, None)
                places = [(*index, number) for number in range(instance.sizes[(item.id, *index)])]
            else:
                places = [index]
            for place in places:
                for field in (item,) if isinstance(item, Field) else item.items:
                    value = instance.values[(field.id, *place)]
                    yield field, place, value, env
                    if field.kind == "int" and isinstance(value, int):
                        env.put(field.id, value)


def interval(field: Field, env: Env, index: Path) -> tuple[int, int]:
    """What a number may be at this place, both ends included; low > high where nothing may stand there."""
    low, high = field.low, field.high
    if field.low_by is not None:
        low = max(low, env.size(field.low_by))
    if field.high_by is not None:
        high = min(high, env.size(field.high_by))
    if field.under is not None and len(index) >= field.under:
        high = min(high, index[-field.under] + field.under_plus)
    return low, high


# --- writing ---------------------------------------------------------------------------------------------------------


def _render(nodes: Sequence[Node], instance: Instance, index: Path, lines: list[str]) -> None:
    for node in nodes:
        if isinstance(node, Loop):
            for number in range(instance.sizes[(node.id, *index)]):
                _render(node.body, instance, (*index, number), lines)
            if node.until:
                lines.append(" ".join(node.until))
        elif isinstance(node, Line):
            lines.append(" ".join(_tokens(node, instance, index)))
        else:
            first = str(instance.values[(node.id, *index)])
            lines.append(" ".join([first, *_tokens(node.cases[first], instance, index)]))


def _tokens(line: Line, instance: Instance, index: Path) -> Iterator[str]:
    for item in line.items:
        if isinstance(item, Field):
            yield text_of(item, instance.values[(item.id, *index)])
        else:
            for number in range(instance.sizes[(item.id, *index)]):
                for field in item.items:
                    yield text_of(field, instance.values[(field.id, *index, number)])


# --- words -----------------------------------------------------------------------------------------------------------


def say_size(size: Size | None, names: Mapping[int, str]) -> str:
    if size is None:
        return "some"
    if size.total:
        text = f"sum of {names[size.fields[0]]}"
    elif not size.fields:
        return str(size.plus)
    else:
        text = "·".join(names[field] for field in size.fields)
    return text + (f" {'+' if size.plus > 0 else '-'} {abs(size.plus)}" if size.plus else "")


def say_field(field: Field, names: Mapping[int, str]) -> str:
    label = names[field.id]
    if field.kind in ("int", "float"):
        low, high = text_of(field, field.low), text_of(field, field.high)
        parts = [f"{label}: {field.kind} {_short(low)}..{_short(high)}"]
        if field.low_by:
            parts.append(f"≥ {say_size(field.low_by, names)}")
        if field.high_by:
            parts.append(f"≤ {say_size(field.high_by, names)}")
        if field.step > 1:
            parts.append(f"multiple of {field.step}")
    elif field.vocabulary:
        parts = [f"{label}: one of {'|'.join(field.vocabulary[:6])}"]
    else:
        length = say_size(field.length, names) if field.length else f"{field.shortest}..{field.longest}"
        kind = "line" if field.kind == "line" else "word"
        parts = [f"{label}: {kind} of {length} over {_short(field.alphabet, 70)!r}"]
        if field.skeletons:
            parts.append(f"like {' '.join(field.skeletons[:4])}")
    parts += [each for each in (field.order, "permutation" if field.permutation else "") if each]
    parts += ["distinct"] if field.distinct and not field.permutation else []
    parts += [f"at most its line's number plus {field.under_plus}"] if field.under is not None else []
    return ", ".join(parts)


def _short(text: str, most: int = 24) -> str:
    return text if len(text) <= most else f"{text[:8]}…({len(text)} characters)"


def _describe(nodes: Sequence[Node], names: Mapping[int, str], indent: str, out: list[str]) -> None:
    for node in nodes:
        if isinstance(node, Line):
            parts = []
            for item in node.items:
                if isinstance(item, Field):
                    parts.append(f"[{say_field(item, names)}]")
                else:
                    inner = " ".join(f"[{say_field(field, names)}]" for field in item.items)
                    parts.append(f"({inner}) × {say_size(item.size, names)}")
            out.append(indent + "line " + " ".join(parts))
        elif isinstance(node, Choice):
            for word, case in node.cases.items():
                inner_lines: list[str] = []
                _describe((case,), names, "", inner_lines)
                out.append(f"{indent}line {word!r} then {inner_lines[0].removeprefix('line').strip() or 'nothing'}")
        else:
            ending = f" until {' '.join(node.until)!r}" if node.until else ""
            out.append(f"{indent}{say_size(node.size, names)} ×{ending}")
            _describe(node.body, names, indent + "  ", out)
