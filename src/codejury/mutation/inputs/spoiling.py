"""Inputs that are nearly valid: one valid input, spoilt in one way at a time.

Owns the ways, in three groups:

    never    in no form that the problem takes: nothing, words or fractions where whole numbers belong, words behind the
             end
    count    a number that says how many there are is off by one, or a line or a word is missing, or there twice
    bounds   a number beside what the statement allows; all else as it was, or, where the number says how many there
             are, an input with so many

What belongs where is known from the inferred format, so the last two are as right as that is: of an input whose end is
free, or whose counts are not found, there are none. The same text, format and seed give the same list.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from codejury.mutation.inputs.bounds import Bound
from codejury.mutation.inputs.draw import Plan, TooLarge, draw
from codejury.mutation.inputs.format import (
    Choice,
    Field,
    Format,
    Instance,
    Line,
    Loop,
    Mismatch,
    Node,
    Path,
    Run,
    Value,
    governing,
    loops_of,
    walk,
)

JUNK = "zq~junk"
KINDS: dict[str, str] = {
    "empty": "nothing at all",
    "one_word": "one word that means nothing",
    "word": "a word in place of a number",
    "letter": "a letter in a number",
    "fraction": "a fraction in place of a whole number",
    "extra_word": "a word behind the end of the last line",
    "extra_text": "a line of text behind the end",
    "count": "a count that is off by one",
    "missing_line": "the last line missing",
    "extra_line": "the last line twice",
    "missing_word": "the last number of a line missing",
    "extra_number": "one number more at the end of a line",
    "below": "a number below its lower bound",
    "above": "a number above its upper bound",
}
_MOST_CHARACTERS = 20_000  # of an input with a count beyond its bounds

Group = Literal["never", "count", "bounds"]


class SpoiltInput(msgspec.Struct, frozen=True, kw_only=True):
    """`detail`: which number, and how."""

    kind: str
    text: str
    group: Group
    detail: str = ""


def spoilt(text: str, format: Format, *, bounds: Sequence[Bound] = (), seed: int = 0) -> list[SpoiltInput]:
    """All of them, each text once. A text that the format does not read is spoilt in the simplest ways only."""
    try:
        instance = format.parse(text)
    except Mismatch:
        return [SpoiltInput(kind="empty", text="", group="never")] if text.strip() else []
    maker = _Maker(text, format, instance, bounds, random.Random(f"{seed}:{text}"))
    seen = {" ".join(text.split())}
    found = []
    for each in maker.all():
        gist = "\n".join(" ".join(line.split()) for line in each.text.strip().splitlines())
        if gist not in seen and each.text != text:
            seen.add(gist)
            found.append(each)
    return found


class _Maker:
    def __init__(
        self, text: str, format: Format, instance: Instance, bounds: Sequence[Bound], rng: random.Random
    ) -> None:
        self._text, self._format, self._instance, self._bounds, self._rng = text, format, instance, bounds, rng
        self._places = [(field, index, value) for field, index, value, _ in walk(format, instance)]
        self._whole = [place for place in self._places if place[0].kind == "int"]
        self._governs = governing(format.nodes)
        is_open = any(loop.size is None and not getattr(loop, "until", ()) for loop in loops_of(format.nodes))
        self._is_free = is_open or any(field.kind == "line" for field, _, _ in self._places)

    def all(self) -> Iterator[SpoiltInput]:
        if self._text.strip():
            yield SpoiltInput(kind="empty", text="", group="never")
        yield from self._never()
        if not self._is_free:
            yield from self._counts()
        yield from self._out_of_bounds()

    def _never(self) -> Iterator[SpoiltInput]:
        if not self._whole:
            return
        yield SpoiltInput(kind="one_word", text=f"{JUNK}\n", group="never")
        field, index, value = self._rng.choice(self._whole)
        yield self._edited("word", "never", field, index, JUNK)
        digits = str(value)
        at = self._rng.randrange(1, len(digits) + 1)
        yield self._edited("letter", "never", field, index, f"{digits[:at]}x{digits[at:]}")
        yield self._edited("fraction", "never", field, index, f"{digits}.5")
        if not self._is_free:
            body = self._text.rstrip()
            yield SpoiltInput(kind="extra_word", text=f"{body} {JUNK}\n", group="never")
            yield SpoiltInput(kind="extra_text", text=f"{body}\n{JUNK}\n", group="never")

    def _counts(self) -> Iterator[SpoiltInput]:
        counts = [place for place in self._whole if place[0].id in self._governs]
        if counts:
            field, index, value = self._rng.choice(counts)
            for by in (-1, 1):
                yield self._edited("count", "count", field, index, int(value) + by)
        lines = self._text.rstrip("\n").split("\n")
        if counts and len(lines) > 1:
            yield _of_lines("missing_line", lines[:-1])
            yield _of_lines("extra_line", [*lines, lines[-1]])
        numbers = [at for at, line in enumerate(lines) if line.split() and all(map(_is_whole, line.split()))]
        if numbers:
            at = self._rng.choice(numbers)
            words = lines[at].split()
            yield _of_lines("missing_word", [*lines[:at], " ".join(words[:-1]), *lines[at + 1 :]])
            yield _of_lines("extra_number", [*lines[:at], " ".join([*words, words[-1]]), *lines[at + 1 :]])

    def _out_of_bounds(self) -> Iterator[SpoiltInput]:
        by_field: dict[int, list[tuple[Field, Path, Value]]] = {}
        for place in self._places:
            if place[0].kind in ("int", "float"):
                by_field.setdefault(place[0].id, []).append(place)
        for places in by_field.values():
            field, index, _ = self._rng.choice(places)
            if not self._is_stated(field):
                continue
            for kind, value in (("below", field.low - 1), ("above", field.high + 1)):
                yield from self._beyond(kind, field, index, value)

    def _is_stated(self, field: Field) -> bool:
        stated = [bound for bound in self._bounds if field.name and field.name in (bound.name, _base(bound.name))]
        scale = 10**field.decimals
        return (
            bool(stated)
            and field.low == min(bound.low for bound in stated) * scale
            and field.high == max(bound.high for bound in stated) * scale
        )

    def _beyond(self, kind: str, field: Field, index: Path, value: int) -> Iterator[SpoiltInput]:
        if field.id not in self._governs:
            yield self._edited(kind, "bounds", field, index, value)
            return
        if value < 0:
            yield self._edited(kind, "bounds", field, index, value)
            return
        wider = msgspec.structs.replace(self._format, nodes=_bounded(self._format.nodes, field.id, value), longest=None)
        try:
            drawn = draw(wider, self._rng, Plan(sizes={field.id: value}), max_bytes=_MOST_CHARACTERS)
            text = wider.render(drawn)
        except (Mismatch, TooLarge, ValueError, KeyError, IndexError):
            return
        yield SpoiltInput(kind=kind, text=text, group="bounds", detail=f"{field.name or 'a count'} = {value}")

    def _edited(self, kind: str, group: Group, field: Field, index: Path, value: Value) -> SpoiltInput:
        values = {**self._instance.values, (field.id, *index): value}
        text = self._format.render(Instance(values, self._instance.sizes))
        shown = Instance({(field.id, *index): value}, {})
        return SpoiltInput(kind=kind, text=text, group=group, detail=_detail(field, shown, index))


def _base(name: str) -> str:
    """a_i, a[i] -> a: a sequence is named so in a format."""
    return name.partition("[")[0].partition("_")[0]


def _detail(field: Field, shown: Instance, index: Path) -> str:
    value = shown.values[(field.id, *index)]
    if field.kind == "float" and isinstance(value, int):
        return f"{field.name or 'a number'} beyond its bounds"
    return f"{field.name} = {value}" if field.name else f"{value}"


def _of_lines(kind: str, lines: Sequence[str]) -> SpoiltInput:
    return SpoiltInput(kind=kind, text="".join(f"{line}\n" for line in lines), group="count")


def _is_whole(word: str) -> bool:
    return word.removeprefix("-").isdecimal() and word.isascii()


def _bounded(nodes: Sequence[Node], field: int, value: int) -> tuple[Node, ...]:
    """The nodes, in which the field has this value and no other."""

    def item(old: Field | Run) -> Field | Run:
        if isinstance(old, Run):
            return msgspec.structs.replace(old, items=tuple(one(each) for each in old.items))
        return one(old)

    def one(old: Field) -> Field:
        if old.id != field:
            return old
        return msgspec.structs.replace(
            old, low=value, high=value, low_by=None, high_by=None, step=1, most_in_total=None, under=None
        )

    def node(old: Node) -> Node:
        if isinstance(old, Loop):
            return msgspec.structs.replace(old, body=tuple(node(each) for each in old.body))
        if isinstance(old, Choice):
            return msgspec.structs.replace(
                old, cases={word: Line(tuple(map(item, case.items))) for word, case in old.cases.items()}
            )
        return Line(tuple(map(item, old.items)))

    return tuple(map(node, nodes))
