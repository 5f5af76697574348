"""Drawing one instance of a format: from the front to the back, each value within what is allowed at its place.

Owns the styles of values, words and graphs, and the repair of what holds among several values (order, distinctness,
permutations, trees). Which instances are worth drawing is `inputs`'.

A Plan says what is wanted. Where there is a base instance, its values are kept wherever the plan does not say otherwise
and they are still allowed; so a change of one count, or of one value, gives a whole that is right again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from codejury.mutation.inputs.check import graph_wrong
from codejury.mutation.inputs.format import (
    Choice,
    Env,
    Field,
    Format,
    Graph,
    Grid,
    Instance,
    Line,
    Loop,
    Mismatch,
    Node,
    Path,
    Run,
    Size,
    Value,
    fields_of,
    governing,
    interval,
    loops_of,
    skeleton_of,
)

NUMBER_STYLES = (
    "mixed", "uniform", "small", "min", "max", "equal", "two", "ascending", "descending", "alternating", "edges",
    "near-max", "powers", "zero",
)  # fmt: skip
WORD_STYLES = ("mixed", "random", "equal", "two", "first", "last", "palindrome", "periodic", "known", "blocks")
GRAPH_STYLES = ("random", "chain", "star", "caterpillar", "binary", "dense", "shuffled chain")
_TRIES = 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class TooLarge(Exception):
    """The text would be longer than allowed."""


class Plan(msgspec.Struct):
    """What is wanted. `sizes`: of governing fields; `fixed`: of a field everywhere; `at`: of one place. `span`: numbers
    lie within so much of their least (or of 0 where that is inside). `cap`: a governing field that has no size is at
    most so much."""

    numbers: str = "mixed"
    words: str = "mixed"
    graphs: str = "random"
    length: str = "random"
    sizes: dict[int, int] = {}
    fixed: dict[int, Value] = {}
    at: dict[Path, Value] = {}
    span: int | None = None
    longest: int | None = None
    cap: int = 8


def draw(
    format: Format, rng: random.Random, plan: Plan, *, base: Instance | None = None, max_bytes: int = 1 << 20
) -> Instance:
    """Mismatch where the plan cannot be met, TooLarge where the text would be too long."""
    return _Drawer(format, rng, plan, base, max_bytes).instance()


class _Drawer:
    def __init__(self, format: Format, rng: random.Random, plan: Plan, base: Instance | None, max_bytes: int) -> None:
        self.format, self.rng, self.plan, self.base = format, rng, plan, base
        self.left = max_bytes
        self.env = Env()
        self.made = Instance({}, {})
        self.governs = governing(format.nodes)
        self.caps = _caps(format)
        self.graphs = {graph.loop: graph for graph in format.graphs}
        self.grids = {grid.loop: grid for grid in format.grids}
        self.distinct = _distinct_by(format)
        self.graph_sizes = _graph_sizes(format)
        self.memo: dict[int, list[Value]] = {}
        self.totals: dict[int, int] = {}
        self.recent: list[int] = []
        self.words: list[str] = []

    def instance(self) -> Instance:
        self._nodes(self.format.nodes, ())
        return self.made

    def _spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise TooLarge

    def _nodes(self, nodes: Sequence[Node], index: Path) -> None:
        for node in nodes:
            if isinstance(node, Line):
                self._line(node, index)
            elif isinstance(node, Choice):
                words = list(node.cases)
                path = (node.id, *index)
                kept = self._kept(path)
                word = kept if isinstance(kept, str) and kept in node.cases else self.rng.choice(words)
                self.made.values[path] = word
                self._spend(len(word) + 1)
                self._line(node.cases[word], index)
            else:
                self._loop(node, index)

    def _loop(self, loop: Loop, index: Path) -> None:
        for field in fields_of(loop.body):
            self.env.sums.pop(field.id, None)
        size = self._size(loop, loop.size, index, loop.most)
        self._spend(size)
        for number in range(size):
            self._nodes(loop.body, (*index, number))
        self.made.sizes[(loop.id, *index)] = size
        direct = [
            item for node in loop.body if isinstance(node, Line) for item in node.items if isinstance(item, Field)
        ]
        self._settle(loop, direct, index, size)

    def _line(self, line: Line, index: Path) -> None:
        for item in line.items:
            if isinstance(item, Field):
                self._put(item, index)
                continue
            for field in item.items:
                self.env.sums.pop(field.id, None)
            size = self._size(item, item.size, index, item.longest)
            for number in range(size):
                for field in item.items:
                    self._put(field, (*index, number))
            self.made.sizes[(item.id, *index)] = size
            self._settle(item, item.items, index, size)

    def _size(self, loop: Loop | Run, size: Size | None, index: Path, seen: int) -> int:
        if size is not None:
            wanted = self.env.size(size)
            if wanted < 0:
                raise Mismatch
            self._spend(wanted)
            return wanted
        path = (loop.id, *index)
        if path in self.plan.at:
            return int(self.plan.at[path])
        if self.base is not None and path in self.base.sizes:
            return self.base.sizes[path]
        return self.rng.randint(1, max(1, min(seen + seen // 2, self.plan.cap * 4)))

    def _kept(self, path: Path) -> Value | None:
        """What the plan or the base says for this place."""
        if path in self.plan.at:
            return self.plan.at[path]
        return None if self.base is None else self.base.values.get(path)

    def _put(self, field: Field, index: Path) -> None:
        path = (field.id, *index)
        if field.kind in ("int", "float"):
            value: Value = self._number(field, path)
        else:
            value = self._word(field, path)
        self.made.values[path] = value
        if isinstance(value, int) and field.kind == "int":
            self.env.put(field.id, value)
            self._spend(1 + value.bit_length() // 3)
        else:
            self._spend(1 + len(value) if isinstance(value, str) else 6)

    # --- numbers ---

    def _number(self, field: Field, path: Path) -> int:
        low, high = interval(field, self.env, path[1:])
        cap = self.caps.get(field.id)
        if cap is not None:
            high = min(high, cap)
        for other, plus in self.distinct.get(field.id, ()):
            least, most = interval(other, self.env, (*path[1:], 0))
            high = min(high, max(0, most - least + 1) - plus)
        if field.id in self.graph_sizes:
            graph, plus = self.graph_sizes[field.id]
            n = self.env.size(graph.vertices)
            if all(each in self.env.last for each in graph.vertices.fields) and not graph.multiple:
                high = min(high, n * (n - 1) // 2 + (n if graph.loops else 0) - plus)
        if field.most_in_total is not None:
            high = min(high, field.most_in_total - self.totals.get(field.id, 0))
        if low > high:
            raise Mismatch
        value = self._stepped(field, self._choose(field, path, low, high), low, high)
        if field.most_in_total is not None:
            self.totals[field.id] = self.totals.get(field.id, 0) + value
        return value

    def _choose(self, field: Field, path: Path, low: int, high: int) -> int:
        for wanted in (self.plan.at.get(path), self.plan.fixed.get(field.id), self.plan.sizes.get(field.id)):
            if isinstance(wanted, int):
                return min(max(wanted, low), high)
        kept = None if self.base is None else self.base.values.get(path)
        if isinstance(kept, int):
            return min(max(kept, low), high)
        if field.id in self.governs:
            most = min(high, max(low, self.plan.cap))
            if low == 0 < most and self.rng.random() < 0.9:
                low = 1  # nothing at all is one case, not a share of them
            return self.rng.randint(low, most)
        if self.plan.span is not None:
            if low < 0 < high:
                low, high = max(low, -self.plan.span), min(high, self.plan.span)
            else:
                high = min(high, low + self.plan.span * field.step)
        return self._styled(field, path, low, high)

    def _styled(self, field: Field, path: Path, low: int, high: int) -> int:
        rng, style = self.rng, self.plan.numbers
        if style == "min":
            return low
        if style == "max":
            return high
        if style == "zero":
            return min(max(0, low), high)
        if style == "uniform":
            return rng.randint(low, high)
        if style == "small":
            return self._small(low, high)
        if style == "near-max":
            return rng.randint(max(low, high - 5), high)
        if style == "edges":
            return rng.choice((low, min(low + 1, high), max(high - 1, low), high))
        if style in ("ascending", "descending"):
            place = path[-1] if len(path) > 1 else 0
            step = max(1, (high - low) // 1000) if high - low < 10**6 else max(1, (high - low) >> 18)
            value = low + place * step if style == "ascending" else high - place * step
            return min(max(value, low), high)
        if style in ("equal", "two", "alternating"):
            known = self.memo.get(field.id)
            if known is None:
                known = self.memo[field.id] = [self._any(low, high) for _ in range(1 if style == "equal" else 2)]
            place = path[-1] if len(path) > 1 else 0
            pick = known[place % len(known)] if style == "alternating" else rng.choice(known)
            return min(max(int(pick), low), high)
        if style == "powers":
            power = 1 << rng.randint(0, max(1, high.bit_length()))
            return min(max(power + rng.choice((-1, 0, 0, 1)), low), high)
        return self._any(low, high)

    def _small(self, low: int, high: int) -> int:
        if low < 0 < high:
            return self.rng.randint(max(low, -4), min(high, 4))
        return self.rng.randint(low, min(high, low + 5))

    def _any(self, low: int, high: int) -> int:
        rng = self.rng
        dice = rng.random()
        if dice < 0.12:
            value = rng.choice((low, low + 1, high - 1, high))
        elif dice < 0.45:
            value = rng.randint(low, high)
        elif dice < 0.65:
            value = self._small(low, high)
        elif dice < 0.82 or not self.recent:
            value = rng.randint(0, 1 << rng.randint(1, max(2, abs(high).bit_length())))
            value = -value if low < 0 and rng.random() < 0.5 else value
        else:
            value = rng.choice(self.recent) + rng.choice((-1, 0, 0, 0, 1))
        value = min(max(value, low), high)
        if len(self.recent) < 50:
            self.recent.append(value)
        return value

    @staticmethod
    def _stepped(field: Field, value: int, low: int, high: int) -> int:
        if field.step <= 1 or value % field.step == 0:
            return value
        value -= value % field.step
        value += field.step if value < low else 0
        if value > high:
            raise Mismatch
        return value

    # --- words ---

    def _word(self, field: Field, path: Path) -> str:
        rng = self.rng
        wanted = self.plan.at.get(path, self.plan.fixed.get(field.id))
        if isinstance(wanted, str):
            return wanted
        length = None if field.length is None else self.env.size(field.length)
        kept = None if self.base is None else self.base.values.get(path)
        if isinstance(kept, str) and length in (None, len(kept)):
            return kept
        if isinstance(kept, str) and length is not None and not field.vocabulary:
            return kept[:length] + self._letters(field, max(0, length - len(kept)))
        if field.vocabulary:
            return rng.choice(field.vocabulary)
        if field.skeletons:
            return self._shaped(field)
        if length is None:
            if self.plan.words in ("known", "mixed") and field.samples and rng.random() < 0.3:
                return rng.choice((*field.samples, *self.words[-10:]))
            length = self._length(field)
        if length < 0 or length > self.left:
            raise TooLarge
        word = self._letters(field, length)
        if len(self.words) < 50 and field.length is None:
            self.words.append(word)
        return word

    def _length(self, field: Field) -> int:
        low, high = field.shortest, field.longest
        if self.plan.longest is not None:
            high = max(low, min(high, self.plan.longest))
        if self.plan.length == "shortest":
            return low
        if self.plan.length == "longest":
            return high
        if self.rng.random() < 0.6:
            high = min(high, low + 9)
        return self.rng.randint(low, high)

    def _letters(self, field: Field, length: int) -> str:
        rng, alphabet, style = self.rng, field.alphabet or "a", self.plan.words
        if length <= 0:
            return ""
        if style in ("mixed", "known"):
            style = rng.choice(("random", "random", "random", "equal", "two", "palindrome", "periodic", "blocks"))
        if style == "equal":
            return rng.choice(alphabet) * length
        if style == "first":
            return alphabet[0] * length
        if style == "last":
            return alphabet[-1] * length
        if style == "two":
            few = rng.sample(alphabet, min(2, len(alphabet)))
            share = rng.choice((0.5, 0.5, 0.9, 0.1))
            return "".join(few[0] if rng.random() < share else few[-1] for _ in range(length))
        if style == "palindrome":
            half = "".join(rng.choices(alphabet, k=(length + 1) // 2))
            return half[: length // 2] + half[::-1]
        if style == "periodic":
            period = "".join(rng.choices(alphabet, k=rng.randint(1, 3)))
            return (period * (length // len(period) + 1))[:length]
        if style == "blocks":
            word = ""
            while len(word) < length:
                word += rng.choice(alphabet) * rng.randint(1, max(1, length // 2))
            return word[:length]
        return "".join(rng.choices(alphabet, k=length))

    def _shaped(self, field: Field) -> str:
        """A word with the punctuation of one that was seen."""
        rng = self.rng
        if self.plan.words == "known":
            return rng.choice(field.samples)
        for _ in range(8):
            number = rng.randrange(len(field.skeletons))
            skeleton = field.skeletons[number]
            at = sum(_piece_count(each) for each in field.skeletons[:number])
            word, last = "", at + _piece_count(skeleton) - 1
            for letter in skeleton:
                if letter.isascii() and letter.isalnum():
                    word += self._piece(*field.pieces[at], last=at == last)
                    at += 1
                else:
                    word += letter
            fits = field.shortest <= len(word) <= field.longest and set(word) <= set(field.alphabet)
            if fits and skeleton_of(word) == skeleton:
                return word
        return rng.choice(field.samples)

    def _piece(self, kind: str, shortest: int, longest: int, *, last: bool) -> str:
        rng = self.rng
        length = rng.randint(shortest if last or kind == "0" else 1, longest)
        if kind == "h":
            return "0x" + "".join(rng.choices("0123456789abcdef", k=max(1, length - 2)))
        if kind == "0":
            digits = "".join(rng.choices("0123456789", k=length))
            return rng.choice("123456789") + digits[1:] if length > 1 else digits
        letters = {"a": _LETTERS, "A": _LETTERS.upper(), "b": _LETTERS + _LETTERS.upper(), "x": _LETTERS + "0123456789"}
        return "".join(rng.choices(letters[kind], k=length))

    # --- what holds among several ---

    def _settle(self, loop: Loop | Run, fields: Sequence[Field], index: Path, size: int) -> None:
        if loop.id in self.graphs:
            self._graph(self.graphs[loop.id], index, size)
        if loop.id in self.grids:
            self._grid(self.grids[loop.id], index, size)
        for field in fields:
            paths = [(field.id, *index, number) for number in range(size)]
            if field.permutation:
                self._permute(field, paths)
                continue
            if field.distinct:
                self._distinct(field, paths)
            if field.order:
                values = sorted(self.made.values[path] for path in paths)
                for path, value in zip(paths, values if field.order == "ascending" else values[::-1], strict=True):
                    self.made.values[path] = value
            if field.head_nonzero and size > 1 and self.made.values[paths[0]] == 0:
                self.made.values[paths[0]] = self.rng.choice(
                    [each for each in (1, -1) if field.low <= each <= field.high]
                )

    def _permute(self, field: Field, paths: Sequence[Path]) -> None:
        values = [self.made.values[path] for path in paths]
        first = field.low if field.low in (0, 1) else 1
        if sorted(map(str, values)) == sorted(str(first + each) for each in range(len(values))):
            return
        ranked = sorted(range(len(paths)), key=lambda each: (int(values[each]), self.rng.random()))
        for rank, each in enumerate(ranked):
            self.made.values[paths[each]] = first + rank

    def _distinct(self, field: Field, paths: Sequence[Path]) -> None:
        seen: set[Value] = set()
        for path in paths:
            value = self.made.values[path]
            tries = 0
            while value in seen:
                tries += 1
                if tries > _TRIES:
                    value = self._unused(field, path, seen)
                    break
                if isinstance(value, int):
                    low, high = interval(field, self.env, path[1:])
                    if low > high:
                        raise Mismatch
                    value = self._stepped(field, self.rng.randint(low, high), low, high)
                elif field.vocabulary:
                    value = self.rng.choice(field.vocabulary)
                elif field.skeletons:
                    value = self._shaped(field)
                else:
                    length = len(value) if field.length else self._length(field)
                    value = "".join(self.rng.choices(field.alphabet, k=length))
            seen.add(value)
            self.made.values[path] = value

    def _unused(self, field: Field, path: Path, seen: set[Value]) -> Value:
        if field.vocabulary:
            left: list[Value] = [each for each in field.vocabulary if each not in seen]
        elif field.kind in ("int", "float"):
            low, high = interval(field, self.env, path[1:])
            left = [each for each in range(low, min(high, low + 4 * len(seen) + 4) + 1, field.step) if each not in seen]
        else:
            left = []
        if not left:
            raise Mismatch
        return self.rng.choice(left)

    def _grid(self, grid: Grid, index: Path, size: int) -> None:
        paths = [(grid.field, *index, number) for number in range(size)]
        rows = [list(str(self.made.values[path])) for path in paths]
        cells = [(y, x) for y, row in enumerate(rows) for x in range(len(row))]
        text = "".join(map("".join, rows))
        if all(text.count(each) == 1 for each in grid.once) and all(each in text for each in grid.some):
            return
        if len(cells) < len(grid.once) + len(grid.some):
            raise Mismatch
        field = next(each for each in fields_of(self.format.nodes) if each.id == grid.field)
        others = [each for each in field.alphabet if each not in grid.once] or list(field.alphabet)
        for y, x in cells:
            if rows[y][x] in grid.once:
                rows[y][x] = self.rng.choice(others)
        for (y, x), letter in zip(self.rng.sample(cells, len(grid.once)), grid.once, strict=True):
            rows[y][x] = letter
        text = "".join(map("".join, rows))
        free = [(y, x) for y, x in cells if rows[y][x] not in grid.once]
        for letter in grid.some:
            if letter not in text and free:
                y, x = free.pop(self.rng.randrange(len(free)))
                rows[y][x] = letter
        for path, row in zip(paths, rows, strict=True):
            self.made.values[path] = "".join(row)

    def _graph(self, graph: Graph, index: Path, size: int) -> None:
        paths = [((graph.u, *index, number), (graph.v, *index, number)) for number in range(size)]
        pairs = [(int(self.made.values[u]), int(self.made.values[v])) for u, v in paths]
        n = self.env.size(graph.vertices)
        keeps = self.base is not None and graph_wrong(graph, pairs, n) is None
        if not keeps:
            pairs = self._edges(graph, n, size)
        for (u, v), (a, b) in zip(paths, pairs, strict=True):
            self.made.values[u], self.made.values[v] = a, b

    def _edges(self, graph: Graph, n: int, m: int) -> list[tuple[int, int]]:
        rng, style = self.rng, self.plan.graphs
        most = n * (n - 1) // 2 + (n if graph.loops else 0)
        if n < 1 or (m > most and not graph.multiple) or (graph.tree and m > n - 1):
            if m == 0:
                return []
            raise Mismatch
        if m and n == 1 and not graph.loops:
            raise Mismatch
        edges: list[tuple[int, int]] = []
        if graph.tree or style in ("chain", "star", "caterpillar", "binary", "shuffled chain"):
            for child in range(1, min(n, m + 1)):
                parent = {
                    "chain": child - 1,
                    "shuffled chain": child - 1,
                    "star": 0,
                    "caterpillar": child - 1 if child < n // 2 else rng.randrange(max(1, n // 2)),
                    "binary": (child - 1) // 2,
                }.get(style, rng.randrange(max(0, child - 3) if style == "dense" else 0, child))
                edges.append((parent, child))
        seen = {(a, b) for a, b in edges}
        tries = 0
        while len(edges) < m:
            a, b = sorted((rng.randrange(n), rng.randrange(n)))
            tries += 1
            if tries > 30 * m + 100:
                every = [(x, y) for x in range(n) for y in range(x + (not graph.loops), n) if (x, y) not in seen]
                edges += rng.sample(every, m - len(edges))
                break
            if (a == b and not graph.loops) or ((a, b) in seen and not graph.multiple):
                continue
            seen.add((a, b))
            edges.append((a, b))
        labels = list(range(n))
        if style not in ("chain", "star") or rng.random() < 0.3:
            rng.shuffle(labels)
            rng.shuffle(edges)
        named = [(labels[a] + graph.base, labels[b] + graph.base) for a, b in edges]
        if graph.ordered:
            return [(min(pair), max(pair)) for pair in named]
        return [pair if rng.random() < 0.5 else pair[::-1] for pair in named]


def _piece_count(skeleton: str) -> int:
    return sum(letter.isascii() and letter.isalnum() for letter in skeleton)


def _caps(format: Format) -> dict[int, int]:
    """How large a count may be so that what it governs can be distinct."""
    caps: dict[int, int] = {}
    for loop in loops_of(format.nodes):
        if loop.size is None or len(loop.size.fields) != 1 or loop.size.total:
            continue
        if isinstance(loop, Run):
            fields = list(loop.items)
        else:
            fields = [i for node in loop.body if isinstance(node, Line) for i in node.items if isinstance(i, Field)]
        for field in fields:
            room = None
            if field.distinct and field.vocabulary:
                room = len(field.vocabulary)
            elif field.distinct and field.kind == "int" and not field.permutation and field.high_by is None:
                room = (field.high - field.low) // field.step + 1
            elif field.distinct and field.kind == "word" and field.longest <= 2:
                room = sum(len(field.alphabet) ** each for each in range(field.shortest, field.longest + 1))
            if room is not None:
                governor = loop.size.fields[0]
                caps[governor] = min(caps.get(governor, room), room - loop.size.plus)
    return caps


def _distinct_by(format: Format) -> dict[int, list[tuple[Field, int]]]:
    """Counts of distinct numbers on a line whose range depends on the place."""
    found: dict[int, list[tuple[Field, int]]] = {}
    for loop in loops_of(format.nodes):
        if isinstance(loop, Run) and loop.size is not None and len(loop.size.fields) == 1 and not loop.size.total:
            for field in loop.items:
                if field.distinct and field.under is not None:
                    found.setdefault(loop.size.fields[0], []).append((field, loop.size.plus))
    return found


def _graph_sizes(format: Format) -> dict[int, tuple[Graph, int]]:
    """The fields that say how many edges a graph has."""
    found = {}
    for graph in format.graphs:
        loop = next(each for each in loops_of(format.nodes) if each.id == graph.loop)
        if loop.size is not None and len(loop.size.fields) == 1 and loop.size.fields != graph.vertices.fields:
            found[loop.size.fields[0]] = (graph, loop.size.plus)
    return found
