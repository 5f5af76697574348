"""What the fields of a format may hold: kinds, bounds, alphabets, order, relations, graphs.

Owns the second half of inference. The structure is known; the samples are read by it, the statement's names are tied to
fields in their order, and each field gets the narrowest description that holds in all samples and that there is enough
evidence for. What the statement bounds is taken to those bounds; the rest is widened a little from what was seen.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Callable, Iterator, Sequence

import msgspec

from codejury.mutation.inputs.check import graph_wrong
from codejury.mutation.inputs.format import (
    Choice,
    Field,
    Format,
    Graph,
    Grid,
    Instance,
    Line,
    Loop,
    Node,
    Path,
    Run,
    Size,
    Value,
    fields_of,
    governing,
    loops_of,
    piece_class,
    skeleton_of,
)
from codejury.mutation.inputs.statement import Name, Statement

_INT = re.compile(r"-?(?:0|[1-9]\d{0,999})")
_FLOAT = re.compile(r"-?\d{1,40}(?:\.\d{1,20})?")
_PIECE = re.compile(r"[A-Za-z0-9]+")
_KEPT_SAMPLES = 60
replace = msgspec.structs.replace


class Place(msgspec.Struct, frozen=True):
    """Where a field stands: the loops around it (outermost first), and whether it repeats within one unit of text."""

    loops: tuple[Loop | Run, ...]
    repeated: bool


class Stated(msgspec.Struct):
    """What the chains say of a name. Bounds by other names: (name, plus)."""

    low: int | None = None
    high: int | None = None
    low_by: list[tuple[str, int]] = []
    high_by: list[tuple[str, int]] = []


def annotated(format: Format, texts: Sequence[str], said: Statement) -> Format:
    """Mismatch where a text does not have the shape."""
    governs = governing(format.nodes)
    format = _whole_lines(format, texts, governs)
    plain = _mapped(format, lambda field: replace(field, kind="int") if field.id in governs else field)
    rough = [plain.parse(text) for text in texts]
    kinds = {field.id: _kind(field, list(_all(rough, field.id))) for field in fields_of(plain.nodes)}
    typed = _mapped(plain, lambda field: replace(kinds[field.id], id=field.id))
    notes = Notes(typed, [typed.parse(text) for text in texts], said)
    noted = _mapped(typed, notes.field)
    noted = _sized(noted, notes)
    filled = _filled(noted, notes.samples)
    noted = _mapped(noted, lambda field: replace(field, low=max(field.low, 1)) if field.id in filled else field)
    graphs = tuple(notes.graphs(noted))
    ends = {end: graph for graph in graphs for end in (graph.u, graph.v)}
    fields = {field.id: field for field in fields_of(noted.nodes)}

    def end_of_edge(field: Field) -> Field:
        """The graph says what the ends of edges may be, all of it."""
        if field.id not in ends:
            return field
        graph = ends[field.id]
        most = fields[graph.vertices.fields[0]].high + graph.base - 1
        vertices = replace(graph.vertices, plus=graph.base - 1)
        return Field(field.id, "int", field.name, graph.base, max(most, field.high), high_by=vertices)

    noted = _mapped(noted, end_of_edge)
    noted = _mapped(noted, lambda field: notes.paired(field, fields, ends))
    return replace(
        noted,
        graphs=graphs,
        grids=tuple(notes.grids(noted)),
        bound_by_statement=bool(notes.tied and notes.stated),
        apart=notes.apart(),
        longest=said.in_all,
    )


def _whole_lines(format: Format, texts: Sequence[str], governs: set[int]) -> Format:
    """Where a word is a number in one sample and none in another, as in `9 + 7` and `"a" + "b"`, the fields of a line
    go together: the line is one text with pieces."""
    mixed = set()
    rough = _mapped(format, lambda field: replace(field, kind="int") if field.id in governs else field)
    samples = [rough.parse(text) for text in texts]
    for field in fields_of(format.nodes):
        words = [str(value) for value in _all(samples, field.id)]
        numbers = [bool(_FLOAT.fullmatch(word)) for word in words]
        if any(numbers) and not all(numbers) and field.id not in governs and len(set(words)) <= _KEPT_SAMPLES:
            mixed.add(field.id)

    def node(old: Node) -> Node:
        if isinstance(old, Loop):
            return replace(old, body=tuple(node(each) for each in old.body))
        if isinstance(old, Line) and len(old.items) > 1 and all(isinstance(item, Field) for item in old.items):
            ids = [item.id for item in old.items]
            if mixed & set(ids) and not governs & set(ids):
                return Line((Field(ids[0], "line"),))
        return old

    return replace(format, nodes=tuple(node(each) for each in format.nodes))


def _kind(field: Field, tokens: list[Value]) -> Field:
    texts = [str(token) for token in tokens]
    if field.kind == "line":
        return field
    if texts and all(_INT.fullmatch(text) and text != "-0" for text in texts):
        return replace(field, kind="int")
    if texts and all(_FLOAT.fullmatch(text) for text in texts) and any("." in text for text in texts):
        behind = {len(text.partition(".")[2]) for text in texts}
        fixed = len(behind) == 1
        return replace(field, kind="float", decimals=max(behind), fixed_decimals=fixed)
    return replace(field, kind="word")


class Notes:
    """All that is known of the fields of one format, from its samples and its statement."""

    def __init__(self, format: Format, samples: Sequence[Instance], said: Statement) -> None:
        self.format, self.samples, self.said = format, samples, said
        self.governs = governing(format.nodes)
        self.places = dict(_places(format.nodes, ()))
        self.fields = list(fields_of(format.nodes))
        self.order = {field.id: number for number, field in enumerate(self.fields)}
        self.stated = _stated(said)
        self.tied = self._tie()
        self.by_name = {name: field for field, name in self.tied.items()}

    # --- which name is which field ---

    def _tie(self) -> dict[int, str]:
        """Fields and names are both in the order of the text: the best alignment, some of either left over."""
        fields, names = self.fields[:40], self.said.names[:40]
        best = [[0.0] * (len(names) + 1) for _ in range(len(fields) + 1)]
        for at in range(len(fields) - 1, -1, -1):
            for to in range(len(names) - 1, -1, -1):
                best[at][to] = max(best[at + 1][to], best[at][to + 1] - 0.1)
                fit = self._fit(fields[at], names[to])
                if fit is not None:
                    best[at][to] = max(best[at][to], fit + best[at + 1][to + 1])
        tied: dict[int, str] = {}
        at = to = 0
        while at < len(fields) and to < len(names):
            fit = self._fit(fields[at], names[to])
            if fit is not None and best[at][to] == fit + best[at + 1][to + 1]:
                tied[fields[at].id] = names[to].name
                at, to = at + 1, to + 1
            elif best[at][to] == best[at + 1][to]:
                at += 1
            else:
                to += 1
        return tied

    def _fit(self, field: Field, name: Name) -> float | None:
        """How well they go together; None: the samples contradict the bounds."""
        values = list(_all(self.samples, field.id))
        stated, of_length = self.stated.get(name.name), self.stated.get(f"|{name.name}|")
        score = 2.0
        if field.kind in ("word", "line"):
            if of_length is not None:
                score += 2
            elif stated is not None:
                if not all(_within(len(str(value)), stated) for value in values):
                    return None
                score -= 0.5
        elif of_length is not None:
            return None
        elif stated is not None:
            scale = 10**field.decimals
            fits = all(_within(value, stated, scale) for value in values if isinstance(value, int))
            score += (1 if stated.high is not None else 0.3) if fits else -2  # samples outside of the limits do happen
        repeated = self.places[field.id].repeated
        score += 1 if name.sequence == repeated else -2 if name.sequence else -0.8
        counted = any(name.name in count.names for count in self.said.counts)
        if field.id in self.governs:
            score += 1 if counted else 0
        return score

    # --- one field ---

    def field(self, field: Field) -> Field:
        values = list(_all(self.samples, field.id))
        name = self.tied.get(field.id, "")
        field = replace(field, name=name)
        if field.kind in ("int", "float"):
            field = self._number(field, [value for value in values if isinstance(value, int)])
            return self._sequence(field)
        siblings = self._siblings(field)
        return self._sequence(
            self._word(field, [str(value) for each in siblings for value in _all(self.samples, each)])
        )

    def _number(self, field: Field, values: list[int]) -> Field:
        stated = self.stated.get(field.name) or Stated()
        scale = 10**field.decimals
        low, high = (None if each is None else each * scale for each in (stated.low, stated.high))
        low_by = self._by(field, stated.low_by, -1) if field.kind == "int" else None
        high_by = self._by(field, stated.high_by, 1) if field.kind == "int" else None
        least, most = min(values, default=0), max(values, default=0)
        if low is None and high is None and high_by is None:
            span = self._span(least, most, scale)
            if span is not None and (field.id not in self.governs or span[0] >= 0):
                low, high = span[0] * scale, span[1] * scale
        if high is None and high_by is not None:
            governor = self._bounds_of(high_by)
            high = governor if governor is not None else max(most * 2, 10)
        if high is None and field.kind == "int" and not field.name:
            index = self._index(field, values)
            if index is not None:
                high_by, high = index, max(self._bounds_of(index) or 0, most)
                low = min(least, 1)
        if low is None:
            low = -max(abs(least), abs(most)) if least < 0 else 0 if least == 0 else min(least, scale)
        if high is None:
            high = max(most if field.id in self.governs else most * 2, 10 * scale)
        low, high = min(low, least), max(high, most)
        field = replace(field, low=low, high=high, low_by=low_by, high_by=high_by)
        for step in self.said.divisors:
            if field.kind == "int" and step > 1 and values and all(value % step == 0 for value in values):
                steps = -(-low // step) * step, high // step * step
                field = replace(field, step=step, low=steps[0], high=max(steps))
                break
        if self.said.sums.get(field.name) is not None:
            total = self.said.sums[field.name]
            field = replace(field, most_in_total=total)
        return self._under(field)

    def _span(self, least: int, most: int, scale: int) -> tuple[int, int] | None:
        for span in self.said.spans:
            if span.low * scale <= least and most <= span.high * scale:
                return span.low, span.high
        return None

    def _bounds_of(self, size: Size) -> int | None:
        if len(size.fields) != 1 or size.total:
            return None
        other = next(field for field in self.fields if field.id == size.fields[0])
        stated = self.stated.get(self.tied.get(other.id, ""))
        if stated is not None and stated.high is not None:
            return stated.high + size.plus
        return None

    def _by(self, field: Field, others: Sequence[tuple[str, int]], sign: int) -> Size | None:
        """The first of the stated bounds by an earlier field that holds in all samples."""
        for name, plus in others:
            other = self.by_name.get(name)
            if other is None or other == field.id or self.order[other] > self.order[field.id]:
                continue
            if self._kind_of(other) == "int" and self._holds(field.id, other, plus, sign):
                return Size((other,), plus)
        return None

    def _holds(self, one: int, other: int, plus: int, sign: int) -> bool:
        pairs = list(self._pairs(one, other))
        return bool(pairs) and all((b + plus - a) * sign >= 0 for a, b in pairs)

    def _pairs(self, one: int, other: int) -> Iterator[tuple[int, int]]:
        """Values of one, each with the value of the other that is in force there."""
        for sample in self.samples:
            for path, value in sample.values.items():
                if path[0] != one or not isinstance(value, int):
                    continue
                near = _in_force(sample, other, path[1:])
                if near is not None:
                    yield value, near

    def _kind_of(self, field: int) -> str:
        return next(each.kind for each in self.fields if each.id == field)

    def _index(self, field: Field, values: list[int]) -> Size | None:
        """Values that look like places in something of a governed size: up to it, and it is reached."""
        if not self.places[field.id].repeated or len(values) < 3 or field.id in self.governs:
            return None
        for other in self.fields:
            if other.id not in self.governs or self.order[other.id] >= self.order[field.id]:
                continue
            pairs = list(self._pairs(field.id, other.id))
            if len(pairs) != len(values) or min(values) not in (0, 1):
                continue
            plus = -1 if min(values) == 0 else 0
            if all(a <= b + plus for a, b in pairs) and self._reached(field.id, other.id, plus):
                return Size((other.id,), plus)
        return None

    def _reached(self, one: int, other: int, plus: int) -> bool:
        """In every sample that has some of them."""
        return all(
            any(v == _in_force(sample, other, p[1:], plus) for p, v in sample.values.items() if p[0] == one)
            for sample in self.samples
            if any(p[0] == one for p in sample.values)
        )

    def _under(self, field: Field) -> Field:
        """At most the number of its line, or of its place: parents in a tree, what a step depends on."""
        if field.kind != "int" or field.id in self.governs:
            return field
        paths = [(p[1:], v) for s in self.samples for p, v in s.values.items() if p[0] == field.id]
        if len(paths) < 4 or not self.places[field.id].repeated:
            return field
        for level in range(1, len(self.places[field.id].loops) + 1):
            excess = [value - index[-level] for index, value in paths if isinstance(value, int)]
            spread = len({value for _, value in paths})
            reached = sum(each == max(excess) for each in excess)
            if max(excess) in (0, 1) and spread > 2 and reached >= 2 and self._are_places(field, level):
                return replace(field, under=level, under_plus=max(excess))
        return field

    def _are_places(self, field: Field, level: int = 1) -> bool:
        """Whether the values may be places among what they stand in. What the statement lets be negative, or more than
        there can be, is no place, however small the samples are."""
        stated = self.stated.get(field.name) or Stated()
        size = self.places[field.id].loops[-level].size
        most = self._bounds_of(size) if size is not None else None
        if stated.low is not None and stated.low < 0:
            return False
        return stated.high is None or most is None or stated.high <= most + 1

    def _sequence(self, field: Field) -> Field:
        """Order and distinctness among the values of one loop or run."""
        if not self.places[field.id].loops or field.kind == "line":
            return field
        groups: dict[tuple[int, Path], list[Value]] = {}
        for number, sample in enumerate(self.samples):
            for path, value in sorted((p, v) for p, v in sample.values.items() if p[0] == field.id):
                groups.setdefault((number, path[1:-1]), []).append(value)
        several = [values for values in groups.values() if len(values) > 1]
        if not several:
            return field
        distinct = all(len(set(values)) == len(values) for values in several)
        if field.kind == "word":
            says = distinct and (self.said.distinct or (not self.said.names and sum(map(len, several)) >= 4))
            return replace(field, distinct=says and field.length is None)
        numbers = [[value for value in values if isinstance(value, int)] for values in several]
        bits = sum(math.lgamma(len(set(values)) + 1) / math.log(2) for values in numbers)
        if field.under is None and bits >= (4 if self.said.sorted else 9):
            if all(values == sorted(values) for values in numbers):
                field = replace(field, order="ascending")
            elif all(values == sorted(values, reverse=True) for values in numbers):
                field = replace(field, order="descending")
        if distinct:
            pairs = sum(len(values) * (len(values) - 1) / 2 for values in numbers)
            spread = max(max(values) for values in numbers) - min(min(values) for values in numbers) + 1
            dense = all(min(values) in (0, 1) and max(values) - min(values) == len(values) - 1 for values in numbers)
            if (
                dense
                and len({min(values) for values in numbers}) == 1
                and sum(map(len, numbers)) >= 4
                and not field.order
                and self._are_places(field)
            ):
                return replace(field, permutation=True, distinct=True, under=None)
            if self.said.distinct or (pairs / spread > 1.5 and self._are_places(field)):
                field = replace(field, distinct=True)
        if distinct and field.under is not None and isinstance(self.places[field.id].loops[-1], Run):
            field = replace(field, distinct=True)  # a list of earlier things that something depends on
        if self.said.leading_nonzero and all(values[0] != 0 for values in numbers):
            field = replace(field, head_nonzero=True)
        return field

    # --- words ---

    def _siblings(self, field: Field) -> list[int]:
        """Words beside each other on a line, many of them and without names, are of one kind: cards, coins, colours."""
        for line in _all_lines(self.format.nodes):
            alike = [item.id for item in line.items if isinstance(item, Field) and item.kind == "word"]
            if field.id in alike and len(alike) >= 4 and len(alike) == len(line.items) and field.id not in self.tied:
                others = [
                    [item.id for item in other.items if isinstance(item, Field) and item.kind == "word"]
                    for other in _all_lines(self.format.nodes)
                ]
                return [each for ids in others if len(ids) == len(alike) for each in ids]
        return [field.id]

    def _word(self, field: Field, words: list[str]) -> Field:
        lengths = [len(word) for word in words]
        field = replace(
            field,
            samples=tuple(dict.fromkeys(words))[:_KEPT_SAMPLES],
            alphabet=self._alphabet(words),
            shortest=min(lengths, default=1),
            longest=max(lengths, default=1),
        )
        if field.kind == "word":
            governed = self._length(field)
            if governed is not None:
                return replace(field, length=governed)
            if self._is_vocabulary(words):
                return replace(field, vocabulary=tuple(dict.fromkeys(words)))
        field = self._lengths(field)
        letters = set("".join(words))
        punctuated = all(any(not c.isalnum() for c in word) for word in words)
        if (punctuated and len(letters) > 4 and any(c.isalnum() for c in letters)) or (
            field.kind == "line" or not letters <= set(string.printable)
        ):
            return replace(
                field,
                skeletons=tuple(dict.fromkeys(skeleton_of(word) for word in words)),
                pieces=tuple(_pieces(words)),
                longest=max(field.longest, max(lengths)),
            )
        return field

    def _alphabet(self, words: Sequence[str]) -> str:
        letters = set("".join(words))
        total = sum(map(len, words))
        if len(letters) <= 4 and total >= 3 * len(letters) and not self.said.lower and not self.said.upper:
            return "".join(sorted(letters))
        for group, also in (
            (string.ascii_lowercase, self.said.lower and bool(letters & set(string.ascii_letters))),
            (string.ascii_uppercase, self.said.upper and bool(letters & set(string.ascii_letters))),
            (string.digits, self.said.digits and bool(letters & set(string.ascii_letters))),
        ):
            seen = letters & set(group)
            if also or len(seen) > 2 or (seen and (total < 12 or len(letters) > 6)):
                letters |= set(group)
        return "".join(sorted(letters))

    def _lengths(self, field: Field) -> Field:
        stated = self.stated.get(f"|{field.name}|") or self.stated.get(field.name)
        if stated is not None and stated.high is not None and stated.high >= field.longest:
            low = stated.low if stated.low is not None else 1
            return replace(field, shortest=min(low, field.shortest), longest=stated.high)
        for low, high in self.said.lengths:
            if low <= field.shortest and field.longest <= high:
                return replace(field, shortest=min(max(low, 1), field.shortest), longest=high)
        if field.shortest == field.longest == 1:
            return field
        return replace(field, shortest=min(1, field.shortest), longest=max(field.longest * 2, 10))

    def _length(self, field: Field) -> Size | None:
        """An earlier number that is the length of each word; of several the one that governs nothing else yet."""
        found: list[tuple[bool, int, Size]] = []
        for other in self.fields:
            if other.kind != "int" or self.order[other.id] >= self.order[field.id]:
                continue
            pairs = [
                (len(str(value)), _in_force(sample, other.id, path[1:]))
                for sample in self.samples
                for path, value in sample.values.items()
                if path[0] == field.id
            ]
            sizes = {length for length, _ in pairs}
            if all(length == near for length, near in pairs) and (len(sizes) > 1 or max(sizes, default=0) > 2):
                found.append((other.id in self.governs, -self.order[other.id], Size((other.id,))))
        return min(found)[2] if found else None

    def _is_vocabulary(self, words: Sequence[str]) -> bool:
        distinct = set(words)
        if max(map(len, distinct), default=0) < 2 or len(distinct) > 200:
            return False
        if distinct <= set(self.said.quoted) and len(distinct) > 1:
            return True
        free = self.said.lower or self.said.upper
        return not free and len(words) >= 8 and len(distinct) <= 0.8 * len(words)

    # --- relations of several fields ---

    def paired(self, field: Field, fields: dict[int, Field], ends: dict[int, Graph]) -> Field:
        """The second of two numbers on a line that was never less than the first: the ends of a range."""
        for line in _all_lines(self.format.nodes):
            for one, other in itertools.pairwise(line.items):
                if not isinstance(one, Field) or not isinstance(other, Field) or {one.id, other.id} & set(ends):
                    continue
                if {one.kind, other.kind} != {"int"} or not self.places[other.id].repeated:
                    continue
                if {one.id, other.id} & self.governs or fields[one.id].high * 20 < fields[other.id].high:
                    continue
                pairs = list(self._pairs(other.id, one.id))
                if len(pairs) < 4 or len({b - a for a, b in pairs}) < 2 or any(a < b for a, b in pairs):
                    continue
                if field.id == other.id and field.low_by is None:
                    return replace(field, low_by=Size((one.id,), int(all(a > b for a, b in pairs))))
                if field.id == one.id and field.high_by is None:
                    return replace(field, high_by=fields[other.id].high_by)
        return field

    def graphs(self, format: Format) -> Iterator[Graph]:
        fields = {field.id: field for field in fields_of(format.nodes)}
        for loop in loops_of(format.nodes):
            if isinstance(loop, Run) or len(loop.body) != 1 or not isinstance(loop.body[0], Line):
                continue
            items = loop.body[0].items
            if not 2 <= len(items) <= 3 or not all(
                isinstance(each, Field) and each.kind == "int" for each in items[:2]
            ):
                continue
            if any(isinstance(each, Run) for each in items):
                continue
            graph = self._graph(loop, fields[items[0].id], fields[items[1].id])
            if graph is not None:
                yield graph

    def _graph(self, loop: Loop, u: Field, v: Field) -> Graph | None:
        if not self.said.graph or (self.tied.get(u.id) and u.high_by != v.high_by):
            return None
        for other in self.fields:
            if other.kind != "int" or self.order[other.id] >= self.order[u.id] or self.places[other.id].repeated:
                continue
            edges = list(self._edges(loop, u, v, other))
            if sum(len(pairs) for pairs, _ in edges) < 2:
                continue
            ends = [end for pairs, _ in edges for pair in pairs for end in pair]
            base = 0 if min(ends) == 0 else 1
            if min(ends) < 0 or any(end >= n + base for pairs, n in edges for pair in pairs for end in pair):
                continue
            stated = u.high_by is not None and u.high_by.fields == (other.id,)
            reached = any(max(max(pair) for pair in pairs) == n + base - 1 for pairs, n in edges if pairs)
            if not stated and not reached:
                continue
            flat = [pair for pairs, _ in edges for pair in pairs]
            loops = any(a == b for a, b in flat)
            if loops and not stated:
                continue  # more likely the ends of ranges
            multiple = any(len({frozenset(pair) for pair in pairs}) < len(pairs) for pairs, _ in edges)
            ordered = v.low_by is not None and v.low_by.fields == (u.id,)  # stated; samples put the less first anyway
            graph = Graph(loop.id, u.id, v.id, Size((other.id,)), base, True, loops, multiple, ordered)
            tree = loop.size == Size((other.id,), -1) and all(
                graph_wrong(graph, pairs, n) is None and len(pairs) == n - 1 for pairs, n in edges
            )
            return replace(graph, tree=tree)
        return None

    def _edges(self, loop: Loop, u: Field, v: Field, n: Field) -> Iterator[tuple[list[tuple[int, int]], int]]:
        for sample in self.samples:
            for path, size in sample.sizes.items():
                if path[0] != loop.id:
                    continue
                index = path[1:]
                vertices = _in_force(sample, n.id, index)
                pairs = [
                    (a, b)
                    for number in range(size)
                    if isinstance(a := sample.values[(u.id, *index, number)], int)
                    and isinstance(b := sample.values[(v.id, *index, number)], int)
                ]
                if vertices is not None:
                    yield pairs, vertices

    def apart(self) -> tuple[tuple[int, ...], ...]:
        """x_1, y_1 and x_2, y_2 are places; where the statement says that they differ, they do."""
        groups: dict[str, list[int]] = {}
        for field in self.fields:
            _, _, number = self.tied.get(field.id, "").partition("_")
            if number.isdecimal() and not self.places[field.id].loops:
                groups.setdefault(number, []).append(field.id)
        found = tuple(tuple(ids) for ids in groups.values())
        if not self.said.distinct or len(found) < 2 or len({len(ids) for ids in found}) != 1 or len(found[0]) < 2:
            return ()
        for sample in self.samples:
            if len({tuple(sample.values.get((each,)) for each in ids) for ids in found}) != len(found):
                return ()
        return found

    def grids(self, format: Format) -> Iterator[Grid]:
        for loop in loops_of(format.nodes):
            if isinstance(loop, Run) or len(loop.body) != 1 or not isinstance(loop.body[0], Line):
                continue
            items = loop.body[0].items
            if len(items) != 1 or not isinstance(items[0], Field) or items[0].length is None:
                continue
            field = items[0]
            texts = [
                "".join(str(sample.values[(field.id, *path[1:], number)]) for number in range(size))
                for sample in self.samples
                for path, size in sample.sizes.items()
                if path[0] == loop.id
            ]
            common = [letter for letter in field.alphabet if all(letter in text for text in texts)]
            once = [
                letter
                for letter in common
                if all(text.count(letter) == 1 for text in texts) and max(map(len, texts)) >= 6 and letter.isalpha()
            ]
            some = [letter for letter in common if letter not in once] if self.said.at_least_one else []
            if once or some:
                yield Grid(loop.id, field.id, "".join(once), "".join(some))


# --- the statement's chains, by name ---------------------------------------------------------------------------------


def _stated(said: Statement) -> dict[str, Stated]:
    found: dict[str, Stated] = {}
    lows: dict[str, list[tuple[bool, int]]] = {}
    highs: dict[str, list[tuple[bool, int]]] = {}
    for chain in said.chains:
        for at, group in enumerate(chain.groups):
            for term in group:
                if not term.name:
                    continue
                stated = found.setdefault(term.name, Stated())
                for step, sides in ((-1, lows), (1, highs)):
                    near = _nearest(chain.groups, chain.strict, at, step)
                    if near is not None:
                        bound, direct = near
                        sides.setdefault(term.name, []).append((direct, bound - term.number))
                for step, others in ((-1, stated.low_by), (1, stated.high_by)):
                    if 0 <= at + step < len(chain.groups):
                        strict = chain.strict[min(at, at + step)]
                        for other in chain.groups[at + step]:
                            if other.name:
                                others.append((other.name, other.number - term.number - strict * step))
    # A bound beside the name counts before one that follows through others; of several groups' the widest.
    for name, stated in found.items():
        stated.low = min(_foremost(lows.get(name, [])), default=None)
        stated.high = max(_foremost(highs.get(name, [])), default=None)
    return found


def _foremost(given: Sequence[tuple[bool, int]]) -> list[int]:
    return [bound for direct, bound in given if direct] or [bound for _, bound in given]


def _nearest(groups: Sequence[Sequence[object]], strict: Sequence[bool], at: int, step: int) -> tuple[int, bool] | None:
    """The number that bounds a group from one side, and whether it stands right beside it."""
    stricts = 0
    place = at
    while 0 <= place + step < len(groups):
        stricts += strict[min(place, place + step)]
        place += step
        term = groups[place][0]
        if not getattr(term, "name", ""):
            return int(getattr(term, "number", 0)) - stricts * step, place == at + step
    return None


def _within(value: int, stated: Stated, scale: int = 1) -> bool:
    return (stated.low is None or stated.low * scale <= value) and (stated.high is None or value <= stated.high * scale)


# --- the tree of nodes -----------------------------------------------------------------------------------------------


def _mapped(format: Format, change: Callable[[Field], Field]) -> Format:
    def line(old: Line) -> Line:
        return Line(
            tuple(
                change(item) if isinstance(item, Field) else replace(item, items=tuple(change(f) for f in item.items))
                for item in old.items
            )
        )

    def node(old: Node) -> Node:
        if isinstance(old, Line):
            return line(old)
        if isinstance(old, Choice):
            return replace(old, cases={word: line(case) for word, case in old.cases.items()})
        return replace(old, body=tuple(node(each) for each in old.body))

    return replace(format, nodes=tuple(node(each) for each in format.nodes))


def _sized(format: Format, notes: Notes) -> Format:
    """Free loops and runs learn how long they were."""
    most: dict[int, int] = {}
    for sample in notes.samples:
        for path, size in sample.sizes.items():
            most[path[0]] = max(most.get(path[0], 0), size)

    def line(old: Line) -> Line:
        return Line(tuple(replace(i, longest=most.get(i.id, 1)) if isinstance(i, Run) else i for i in old.items))

    def node(old: Node) -> Node:
        if isinstance(old, Line):
            return line(old)
        if isinstance(old, Choice):
            return replace(old, cases={word: line(case) for word, case in old.cases.items()})
        return replace(old, body=tuple(node(each) for each in old.body), most=most.get(old.id, 1))

    return replace(format, nodes=tuple(node(each) for each in format.nodes))


def _filled(format: Format, samples: Sequence[Instance]) -> set[int]:
    """Counts whose zero would leave a line blank that is blank in no sample: whether it is there at all then, nobody
    has said, and right programs differ on it."""
    found: set[int] = set()
    for line in _all_lines(format.nodes):
        item = line.items[0] if len(line.items) == 1 else None
        size = item.size if isinstance(item, Run) else item.length if item is not None else None
        if item is None or size is None or size.plus or size.total:
            continue
        sizes = (count for sample in samples for path, count in sample.sizes.items() if path[0] == item.id)
        if all(sizes if isinstance(item, Run) else _all(samples, item.id)):
            found |= {field for field in size.fields if all(_all(samples, field))}
    return found


def _all_lines(nodes: Sequence[Node]) -> Iterator[Line]:
    for node in nodes:
        if isinstance(node, Line):
            yield node
        else:
            yield from node.cases.values() if isinstance(node, Choice) else _all_lines(node.body)


def _places(nodes: Sequence[Node], loops: tuple[Loop | Run, ...]) -> Iterator[tuple[int, Place]]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from _places(node.body, (*loops, node))
            continue
        repeated = bool(loops) and isinstance(loops[-1], Loop) and len(loops[-1].body) == 1
        for line in (node,) if isinstance(node, Line) else node.cases.values():
            for item in line.items:
                if isinstance(item, Field):
                    yield item.id, Place(loops, repeated)
                else:
                    for field in item.items:
                        yield field.id, Place((*loops, item), True)


def _all(samples: Sequence[Instance], field: int) -> Iterator[Value]:
    for sample in samples:
        for path, value in sample.values.items():
            if path[0] == field:
                yield value


def _in_force(sample: Instance, field: int, index: Path, plus: int = 0) -> int | None:
    for depth in range(len(index), -1, -1):
        value = sample.values.get((field, *index[:depth]))
        if isinstance(value, int):
            return value + plus
    return None


def _pieces(words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Of each skeleton the pieces in their order: class, shortest, longest."""
    found: dict[str, list[list[str]]] = {}
    for word in words:
        found.setdefault(skeleton_of(word), []).append(_PIECE.findall(word))
    for columns in found.values():
        for column in zip(*columns, strict=True):
            lengths = [len(piece) for piece in column]
            yield piece_class(column[0]), min(lengths), max(lengths)
