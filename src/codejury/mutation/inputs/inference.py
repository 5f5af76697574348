"""Finding the format of an input from samples of it, of which there may be only one or two.

Owns the search for the structure: lines, fields, what repeats and which earlier number says how often. Every hypothesis
is tried on all samples together, so what is found reads all of them. Of those that do, the cheapest in words is taken:
a repetition costs less than the lines that it explains, and less still where it explained different sizes, or where the
statement speaks of "$n$ lines". What fields may hold (kinds, bounds, relations) is `annotate`'s.

    infer ─► Search.run: states (nodes so far, where each sample is) in a heap, cheapest first
               ├─ a line: fixed fields, fields then so many more, lines by their first word
               ├─ a loop over one line, its lines of all samples seen together
               └─ a loop over several nodes (test cases), found on the first round and tried on all

Samples are anybody's texts: at most so many of them and so much of each steer the search, and its work is bounded.
Where the search ends with nothing, the format is one of lines and tokens alone.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterator, Sequence

import msgspec

from codejury.errors import UsageError
from codejury.mutation.inputs import annotate
from codejury.mutation.inputs import statement as statements
from codejury.mutation.inputs.format import Choice, Field, Format, Line, Loop, Mismatch, Node, Run, Size, loops_of

_SAMPLES = 12
_SAMPLE_BYTES = 1 << 20
_SEARCH_LINES = 3000
_WORK = 150_000
_EXPANSIONS = 400
_BODY_NODES = 4
_BODY_WIDTH = 6
_VISIBLE = 6  # the latest numbers; what governs more stands near
_INT = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_ENDINGS = re.compile(r"(?:0|-1|#|end|END|quit|exit|\*)(?: (?:0|-1))*")

_LINE, _FIELD, _LOOP, _RUN, _FREE, _TO_END, _UNTIL, _CHOICE = 1.0, 0.7, 1.2, 1.0, 5.0, 5.0, 3.0, 2.0

Tokens = list[str]
Known = dict[int, int]  # field -> its value; -field -> its sum over the loop before


def infer(samples: Sequence[str], *, statement: str = "") -> Format:
    """The most constrained format that reads all samples."""
    given = [each.replace("\r\n", "\n") for each in samples if each.strip() and len(each) <= _SAMPLE_BYTES]
    texts = ["\n".join(line.rstrip(" ") for line in each.split("\n")) for each in given]
    trailing = texts != given
    if not texts:
        raise UsageError("samples: expected at least one that is not empty, and none over 1 MB")
    said = statements.read(statement)
    steering = sorted(dict.fromkeys(texts), key=len)
    steering = steering[: _SAMPLES - 2] + steering[max(_SAMPLES - 2, len(steering) - 2) :]
    nodes = Search(steering, said).run() or _lines_alone(texts)
    format = Format(_numbered(nodes), newline=all(text.endswith("\n") for text in texts), trailing=trailing)
    try:
        return annotate.annotated(format, texts, said)
    except Mismatch:  # a sample that did not steer the search has another shape
        return annotate.annotated(msgspec.structs.replace(format, nodes=_numbered(_lines_alone(texts))), texts, said)


def _lines_alone(texts: Sequence[str]) -> tuple[Node, ...]:
    regular = all(_tokens(line) is not None for text in texts for line in _lines(text))
    line = Line((Run(2, None, (Field(3, "word"),)),)) if regular else Line((Field(3, "line"),))
    return (Loop(1, None, (line,)),)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _tokens(line: str) -> Tokens | None:
    """None where the spaces are not single ones between tokens: such a line is one text."""
    tokens = line.split(" ") if line else []
    return None if "" in tokens or "\t" in line else tokens


class State:
    """A prefix of a format, and where it has come to in each sample."""

    __slots__ = ("ats", "cost", "knowns", "nodes")

    def __init__(self, nodes: tuple[Node, ...], cost: float, ats: list[int], knowns: list[Known]) -> None:
        self.nodes, self.cost, self.ats, self.knowns = nodes, cost, ats, knowns


class Search:
    def __init__(self, texts: Sequence[str], said: statements.Statement) -> None:
        self._samples = [[_tokens(line) for line in _lines(text)] for text in texts]
        self._ids = itertools.count(1)
        self._work = _WORK
        self._body_cache: dict[object, list[tuple[float, tuple[Node, ...]]]] = {}
        self._counts = {
            (len(count.names), len(set(count.names)), count.plus) for count in said.counts if len(count.names) < 4
        }
        endings = {tuple(sample[-1] or ()) for sample in self._samples}
        ending = endings.pop() if len(endings) == 1 else ()
        self._ending = ending if ending and _ENDINGS.fullmatch(" ".join(ending)) else ()

    def run(self) -> tuple[Node, ...] | None:
        if max(len(sample) for sample in self._samples) > _SEARCH_LINES:
            self._samples = [sample for sample in self._samples if len(sample) <= _SEARCH_LINES]
            if not self._samples:
                return None
        start = State((), 0.0, [0] * len(self._samples), [{} for _ in self._samples])
        heap = [(0.0, 0, start)]
        ties = itertools.count(1)
        best: State | None = None
        for _ in range(_EXPANSIONS):
            if not heap or self._work <= 0:
                break
            _, _, state = heapq.heappop(heap)
            for following in self._following(state):
                left = sum(len(s) - at for at, s in zip(following.ats, self._samples, strict=True))
                if best is not None and following.cost >= best.cost + (1 if left else 0):
                    continue  # evidence that is still to come may make a prefix cheaper, but not by much
                if left == 0:
                    best = following
                    continue
                estimate = 0.3 * left / len(self._samples)
                heapq.heappush(heap, (following.cost + estimate, next(ties), following))
        return best.nodes if best else None

    # --- one node more ---

    def _following(self, state: State) -> Iterator[State]:
        yield from self._one_line(state)
        yield from self._loops(state)
        yield from self._endless(state)

    def _one_line(self, state: State) -> Iterator[State]:
        """The next line of each sample."""
        if any(at >= len(sample) for at, sample in zip(state.ats, self._samples, strict=True)):
            return
        pooled = [(s[at], known) for at, s, known in zip(state.ats, self._samples, state.knowns, strict=True)]
        for cost, line in self._shapes(pooled):
            knowns = []
            for tokens, known in pooled:
                known = dict(known)
                if not _take_line(line, tokens, known):
                    break
                knowns.append(known)
            else:
                yield State((*state.nodes, line), state.cost + cost, [at + 1 for at in state.ats], knowns)

    def _loops(self, state: State) -> Iterator[State]:
        """Loops that an earlier number governs, and long ones of a constant size."""
        lefts = [len(sample) - at for at, sample in zip(state.ats, self._samples, strict=True)]
        for size, cost, needs in self._sizes_at_most(state.knowns, lefts):
            pooled = [
                (tokens, known)
                for at, sample, known, need in zip(state.ats, self._samples, state.knowns, needs, strict=True)
                for tokens in sample[at : at + need]
            ]
            if not pooled:
                continue
            for line_cost, line in self._shapes(pooled)[:3]:
                loop = Loop(next(self._ids), size, (line,))
                yield from self._looped(state, loop, _LOOP + cost + line_cost)
            for choice_cost, choice in self._choices(pooled):
                yield from self._looped(state, Loop(next(self._ids), size, (choice,)), _LOOP + cost + choice_cost)
            near = not size.plus and not size.total and len(size.fields) == 1 and size.fields[0] in _last_fields(state)
            if near:
                for body_cost, body in self._bodies(state):
                    if max(needs) > 1 and any(each.size is not None for each in loops_of(body)):
                        body_cost -= 1.5  # sizes that come out right in every round are evidence too
                    yield from self._looped(state, Loop(next(self._ids), size, body), _LOOP + cost + body_cost)
        yield from self._constant(state, min(lefts))

    def _constant(self, state: State, left: int) -> Iterator[State]:
        """So many lines alike in all samples: to the end, where all samples end there."""
        constant = 1.5 if len(self._samples) > 1 else 4.0
        for cost, body in self._bodies(state) if len(self._samples) > 1 and len(state.nodes) < 3 else ():
            if any(each.size is not None for each in loops_of(body)):
                rounds = {
                    _rounds(body, s, at, known)
                    for at, s, known in zip(state.ats, self._samples, state.knowns, strict=True)
                }
                number = rounds.pop()
                if not rounds and number > 1:
                    loop = Loop(next(self._ids), Size((), number), body)
                    yield from self._looped(state, loop, _LOOP + constant + cost)
        if left < 6 or len({len(s) - at for at, s in zip(state.ats, self._samples, strict=True)}) != 1:
            return
        pooled = [
            (tokens, known)
            for at, sample, known in zip(state.ats, self._samples, state.knowns, strict=True)
            for tokens in sample[at:]
        ]
        if not _alike([tokens for tokens, _ in pooled]):
            return
        for cost, line in self._shapes(pooled)[:1]:
            loop = Loop(next(self._ids), Size((), left), (line,))
            yield from self._looped(state, loop, _LOOP + constant + cost)

    def _endless(self, state: State) -> Iterator[State]:
        """To the end of the text, or to the line that ends it."""
        stop = 1 if self._ending else 0
        pooled = [
            (tokens, known)
            for at, sample, known in zip(state.ats, self._samples, state.knowns, strict=True)
            for tokens in sample[at : len(sample) - stop]
        ]
        if not pooled:
            return
        lefts = {len(sample) - at for at, sample in zip(state.ats, self._samples, strict=True)}
        to_end = _TO_END + (4.0 if len(lefts) == 1 and len(self._samples) > 1 else 0.0)
        for until, extra in (((), to_end),) if not self._ending else ((self._ending, _UNTIL), ((), to_end + 2)):
            shapes: list[tuple[float, Line | Choice]] = [*self._shapes(pooled)[:2], *self._choices(pooled)]
            for cost, node in shapes:
                yield from self._looped(state, Loop(next(self._ids), None, (node,), until), _LOOP + extra + cost)
            for cost, body in self._bodies(state) if len(state.nodes) < 2 else ():
                if any(each.size is not None for each in loops_of(body)):
                    yield from self._looped(state, Loop(next(self._ids), None, body, until), _LOOP + extra + cost)

    def _looped(self, state: State, loop: Loop, cost: float) -> Iterator[State]:
        ats, knowns = [], []
        for at, sample, known in zip(state.ats, self._samples, state.knowns, strict=True):
            known = dict(known)
            self._work -= 5 + len(sample) - at
            end = _take((loop,), sample, at, known)
            if end is None:
                return
            ats.append(end)
            knowns.append(known)
        yield State((*state.nodes, loop), state.cost + cost, ats, knowns)

    def _bodies(self, state: State) -> list[tuple[float, tuple[Node, ...]]]:
        """Several nodes that read the first round in all samples."""
        key = (tuple(state.ats), tuple(tuple(known) for known in state.knowns))
        if key not in self._body_cache:
            self._body_cache[key] = list(self._found_bodies(state))
        return self._body_cache[key]

    def _found_bodies(self, state: State) -> Iterator[tuple[float, tuple[Node, ...]]]:
        start = State((), 0.0, state.ats, state.knowns)
        level = [start]
        for depth in range(_BODY_NODES):
            following: list[State] = []
            for each in level:
                found = [state for state in self._one_line(each) if not _is_free(state.nodes[-1])]
                if depth:
                    found += self._inner_loops(each)
                following += found
                if self._work <= 0:
                    return
            level = sorted(following, key=lambda each: each.cost)[:_BODY_WIDTH]
            for each in level:
                if depth or not isinstance(each.nodes[0], Line):
                    yield each.cost, each.nodes

    def _inner_loops(self, state: State) -> Iterator[State]:
        lefts = [len(sample) - at for at, sample in zip(state.ats, self._samples, strict=True)]
        for size, cost, needs in self._sizes_at_most(state.knowns, lefts, products=False):
            pooled = [
                (tokens, known)
                for at, sample, known, need in zip(state.ats, self._samples, state.knowns, needs, strict=True)
                for tokens in sample[at : at + need]
            ]
            for line_cost, line in self._shapes(pooled)[:2] if pooled else ():
                yield from self._looped(state, Loop(next(self._ids), size, (line,)), _LOOP + cost + line_cost)

    # --- shapes of a line ---

    def _shapes(self, pooled: Sequence[tuple[Tokens | None, Known]]) -> list[tuple[float, Line]]:
        """What one line may be that stands for all of these, cheapest first."""
        self._work -= 40 + sum(len(tokens or ()) for tokens, _ in pooled)
        if any(tokens is None for tokens, _ in pooled):
            return [(_LINE + _FREE + self._freedom(pooled), Line((Field(next(self._ids), "line"),)))]
        lines = [(tokens, known) for tokens, known in pooled if tokens is not None]
        lengths = [len(tokens) for tokens, _ in lines]
        found: list[tuple[float, Line]] = []
        if len(set(lengths)) == 1 and lengths[0] <= 40:
            fields = tuple(Field(next(self._ids), "word") for _ in range(lengths[0]))
            found.append((_LINE + _FIELD * len(fields), Line(fields)))
        for prefix in range(min(4, min(lengths) + 1)):
            heads = tuple(Field(next(self._ids), "word") for _ in range(prefix))
            knowns = []
            for tokens, known in lines:
                if prefix:
                    known = dict(known)
                    for field, token in zip(heads, tokens, strict=False):
                        if _INT.fullmatch(token):
                            known[field.id] = int(token)
                knowns.append(known)
            own = {field.id for field in heads}
            for width in (1, 2, 3) if prefix < 2 else (1,):
                rests = [length - prefix for length in lengths]
                if max(rests) == 0 or any(rest % width for rest in rests):
                    continue
                needs = [rest // width for rest in rests]
                for size, cost in self._sizes(needs, knowns, products=not prefix and width == 1):
                    if len(set(lengths)) == 1 and (prefix or cost >= 0) and not own & set(size.fields):
                        continue  # fixed fields explain it as well, and nothing speaks for the count
                    run = Run(next(self._ids), size, tuple(Field(next(self._ids), "word") for _ in range(width)))
                    total = _LINE + _FIELD * prefix + _RUN + cost + _FIELD * width + 0.5 * (width - 1)
                    found.append((total, Line((*heads, run))))
        if len(set(lengths)) > 1 or lengths[0] > 40:
            run = Run(next(self._ids), None, (Field(next(self._ids), "word"),))
            found.append((_LINE + _FREE + _RUN + self._freedom(pooled), Line((run,))))
        return sorted(found, key=lambda each: each[0])[:5]

    def _freedom(self, pooled: Sequence[tuple[Tokens | None, Known]]) -> float:
        """What is not explained costs by its amount."""
        return 0.5 * min(sum(len(tokens or "...") for tokens, _ in pooled) / len(self._samples), 1000)

    def _choices(self, pooled: Sequence[tuple[Tokens | None, Known]]) -> Iterator[tuple[float, Choice]]:
        """Lines that differ by their first token."""
        cases: dict[str, list[tuple[Tokens | None, Known]]] = {}
        for tokens, known in pooled:
            if not tokens:
                return
            cases.setdefault(tokens[0], []).append((tokens[1:], known))
            if len(cases) > 8:
                return
        lengths = {len(tokens) for tokens, _ in pooled if tokens}
        if len(cases) < 2 or len(lengths) < 2 or len(pooled) < len(cases) + 2:
            return
        cost, lines = _CHOICE, {}
        for word, case in cases.items():
            if all(not tokens for tokens, _ in case):
                lines[word] = Line(())
                continue
            if any(not tokens for tokens, _ in case):
                return
            shapes = self._shapes(case)
            if not shapes:
                return
            cost += shapes[0][0] - 0.5
            lines[word] = shapes[0][1]
        yield cost, Choice(next(self._ids), lines)

    # --- sizes ---

    def _sizes(self, needs: Sequence[int], knowns: Sequence[Known], *, products: bool) -> Iterator[tuple[Size, float]]:
        """Expressions of earlier numbers that give exactly these sizes."""
        if max(needs) == 0:
            return
        evidence = _evidence(needs)
        for size, cost in self._expressions(knowns, products=products):
            if all(_size(size, known) == need for known, need in zip(knowns, needs, strict=True)):
                yield size, cost - evidence

    def _sizes_at_most(
        self, knowns: Sequence[Known], lefts: Sequence[int], *, products: bool = True
    ) -> Iterator[tuple[Size, float, list[int]]]:
        for size, cost in self._expressions(knowns, products=products):
            needs = [_size(size, known) for known in knowns]
            if all(0 <= need <= left for need, left in zip(needs, lefts, strict=True)) and max(needs) > 0:
                yield size, cost - _evidence(needs), needs

    def _expressions(self, knowns: Sequence[Known], *, products: bool) -> Iterator[tuple[Size, float]]:
        common = sorted(knowns[0])
        if any(known.keys() != knowns[0].keys() for known in knowns):
            common = sorted(set.intersection(*(set(known) for known in knowns)))
        fields = [each for each in common if each > 0][-_VISIBLE:]
        for field in fields:
            yield Size((field,)), -1.2 if (1, 1, 0) in self._counts else 0.0
        for plus in (1, -1):
            for field in fields:
                yield Size((field,), plus), -1.2 if (1, 1, plus) in self._counts else 1.5
        for power in (2, 3):
            if (power, 1, 0) in self._counts:
                for field in fields:
                    yield Size((field,) * power), 0.0
        for one, other in itertools.combinations(fields[-4:], 2) if products else ():
            yield Size((one, other)), 0.2 if (2, 2, 0) in self._counts else 3.0
        for field in common:
            if field < 0:
                yield Size((-field,), 0, True), 1.5


def _is_free(node: Node) -> bool:
    return any(isinstance(item, Run) and item.size is None for item in node.items) if isinstance(node, Line) else False


def _last_fields(state: State) -> set[int]:
    """The single fields of the line before: a number of test cases stands right before them."""
    last = state.nodes[-1] if state.nodes else None
    return {item.id for item in last.items if isinstance(item, Field)} if isinstance(last, Line) else set()


def _alike(lines: Sequence[Tokens | None]) -> bool:
    """Each column is of one kind: whole numbers, or none."""
    if any(tokens is None for tokens in lines) or len({len(tokens or ()) for tokens in lines}) != 1:
        return False
    return all(
        len({bool(_INT.fullmatch(token)) for token in column}) == 1 for column in zip(*filter(None, lines), strict=True)
    )


def _evidence(needs: Sequence[int]) -> float:
    """How much it says that these sizes came out right: different ones more than the same again, 1 nothing."""
    distinct = len(set(needs))
    return min(1.5 * (distinct - 1), 3.0) + 0.5 * (max(needs) >= 3) + 0.5 * (max(needs) >= 4)


def _size(size: Size, known: Known) -> int:
    if size.total:
        return known.get(-size.fields[0], -1) + size.plus
    product = 1
    for field in size.fields:
        product *= known.get(field, -1)
        if abs(product) > 1 << 40:
            return -1
    return product + size.plus if size.fields else size.plus


# --- reading with kinds yet unknown ----------------------------------------------------------------------------------


def _take(nodes: Sequence[Node], lines: Sequence[Tokens | None], at: int, known: Known) -> int | None:
    """Where the nodes end that begin at `at`; None where they do not fit."""
    for node in nodes:
        if isinstance(node, Loop):
            end = _take_loop(node, lines, at, known)
            if end is None:
                return None
            at = end
            continue
        if at >= len(lines):
            return None
        tokens = lines[at]
        at += 1
        if isinstance(node, Choice):
            if not tokens or tokens[0] not in node.cases:
                return None
            node, tokens = node.cases[tokens[0]], tokens[1:]
        if not _take_line(node, tokens, known):
            return None
    return at


def _take_loop(loop: Loop, lines: Sequence[Tokens | None], at: int, known: Known) -> int | None:
    inner = dict(known)
    rounds = 0
    if loop.size is not None:
        size = _size(loop.size, known)
        if size < 0 or size > len(lines) - at:
            return None
    sums: Known = {}
    while rounds < size if loop.size is not None else at < len(lines):
        if loop.until and lines[at] == list(loop.until) and at == len(lines) - 1:
            known.update(sums)
            return at + 1
        end = _take(loop.body, lines, at, inner)
        if end is None or end == at:
            return None
        for field in _direct(loop.body):
            if field in inner:
                sums[-field] = sums.get(-field, 0) + inner[field]
        at, rounds = end, rounds + 1
    if loop.until:
        return None
    known.update(sums)
    return at


def _rounds(body: Sequence[Node], lines: Sequence[Tokens | None], at: int, known: Known) -> int:
    """How often the body fits up to the end; 0 where it does not come out even."""
    inner, rounds = dict(known), 0
    while at < len(lines):
        end = _take(body, lines, at, inner)
        if end is None or end == at:
            return 0
        at, rounds = end, rounds + 1
    return rounds


def _direct(body: Sequence[Node]) -> Iterator[int]:
    for node in body:
        if isinstance(node, Line):
            yield from (item.id for item in node.items if isinstance(item, Field))


def _take_line(line: Line, tokens: Tokens | None, known: Known) -> bool:
    if tokens is None or (len(line.items) == 1 and isinstance(line.items[0], Field) and line.items[0].kind == "line"):
        return len(line.items) == 1 and isinstance(line.items[0], Field) and line.items[0].kind == "line"
    at = 0
    for item in line.items:
        if isinstance(item, Field):
            if at >= len(tokens):
                return False
            known.pop(item.id, None)
            if _INT.fullmatch(tokens[at]):
                known[item.id] = int(tokens[at])
            at += 1
            continue
        left = len(tokens) - at
        size = _size(item.size, known) if item.size is not None else left // len(item.items)
        if size < 0 or size * len(item.items) > left:
            return False
        for offset, field in enumerate(item.items):
            column = tokens[at + offset : at + size * len(item.items) : len(item.items)]
            known.pop(-field.id, None)
            if len(item.items) == 1 and 0 < len(column) <= 50 and all(map(_INT.fullmatch, column)):
                known[-field.id] = sum(map(int, column))
        at += size * len(item.items)
    return at == len(tokens)


# --- ids in the order of the text ------------------------------------------------------------------------------------


def _numbered(nodes: Sequence[Node]) -> tuple[Node, ...]:
    ids: dict[int, int] = {}

    def new(old: int) -> int:
        return ids.setdefault(old, len(ids) + 1)

    def size(old: Size | None) -> Size | None:
        return None if old is None else Size(tuple(new(field) for field in old.fields), old.plus, old.total)

    def line(old: Line) -> Line:
        items: list[Field | Run] = []
        for item in old.items:
            if isinstance(item, Field):
                items.append(Field(new(item.id), item.kind))
            else:
                fields = tuple(Field(new(field.id), field.kind) for field in item.items)
                items.append(Run(new(item.id), size(item.size), fields))
        return Line(tuple(items))

    def node(old: Node) -> Node:
        if isinstance(old, Line):
            return line(old)
        if isinstance(old, Choice):
            return Choice(new(old.id), {word: line(case) for word, case in old.cases.items()})
        return Loop(new(old.id), size(old.size), tuple(node(each) for each in old.body), old.until)

    return tuple(node(each) for each in nodes)
