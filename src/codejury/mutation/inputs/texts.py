"""Input texts of a format, made to find wrong programs: boundaries, small cases, growing sizes, mutations of samples.

Owns which instances are worth having and in which order; `draw` makes each. All methods of one Texts share what was
already given, so no text comes twice, and every text keeps the format. The same format, samples and seed give the same
texts in the same order.

    boundaries   a finite lattice: each number at its ends and beside them, smallest and largest, all equal, zero
    small        tiny cases, exhaustive where they can be counted, then at random: most wrong programs fail on one
    ramp         sizes and magnitudes growing geometrically to the bounds, in several structures
    grow         without end: changes of samples and of earlier texts, and fresh ones of every style
    near         the neighbours of one text
    mixed        all of them in turn
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from codejury.mutation.inputs.check import violation
from codejury.mutation.inputs.draw import GRAPH_STYLES, NUMBER_STYLES, WORD_STYLES, Plan, TooLarge, draw
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
    fields_of,
    governing,
    loops_of,
)

_EXHAUSTIVE = 400
_CORNERS = 300
_STALE = 400  # so many draws without a new text: there are no more
_POOL = 300
_RAMP_FACTOR = 4
_RARE = 8  # one in so many texts has a 0 where no sample has one
_WIDE = 8  # a field of so many values can do without one
_NOTABLE = (2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**15, 2**16, 2**7, 2**8, 10**9 + 7, 46341, 65536, 10**5)


class Texts:
    """`max_bytes`: no text is longer."""

    def __init__(self, format: Format, samples: Sequence[str], *, seed: int = 0, max_bytes: int = 1_000_000) -> None:
        self._format, self._seed = format, seed
        self._max_bytes = min(max_bytes, format.longest or max_bytes)
        self._given = set(samples)
        self._samples = []
        for sample in samples:
            try:
                self._samples.append(format.parse(sample))
            except Mismatch:
                continue
        self._pool: list[Instance] = list(self._samples)
        self._fields = list(fields_of(format.nodes))
        self._governs = governing(format.nodes)
        self._scalars = _scalars(format.nodes)
        # Where a text itself says how much there is, nothing drawn may read as something else.
        self._is_loose = any(loop.size is None for loop in loops_of(format.nodes))
        self._is_loose |= any(field.kind == "line" for field in self._fields)
        self._counts = [field for field in self._fields if field.id in self._governs]
        self._never_zero = self._without_zero()
        self._with_zero = self._made = 0

    def _without_zero(self) -> set[int]:
        """Fields that may be 0 by their bounds, and are not in any sample. Statements say `0 ≤ x` lightly: that it is
        never meant, validators know, and now and then programs. So it is one case, not a share of them."""
        found = {
            field.id
            for field in self._fields
            if field.kind in ("int", "float") and field.low == 0 and field.high >= _WIDE * field.step
        }
        for sample in self._samples:
            found -= {path[0] for path, value in sample.values.items() if value == 0}
        return found - self._governs if self._samples else set()

    # --- the methods ---

    def boundaries(self) -> Iterator[str]:
        rng = self._rng("boundaries")
        for plan, base in self._boundary_plans(rng):
            yield from self._one(rng, plan, base=base)

    def small(self) -> Iterator[str]:
        rng = self._rng("small")
        yield from self._exhaustive(rng)
        stale = 0
        for size in itertools.chain((1, 2, 2, 3, 3, 3), itertools.cycle((2, 3, 4, 5, 6))):
            for span in (1, 2, 4, 9, 3, 20):
                plan = Plan(
                    numbers=rng.choice(("uniform", "uniform", "small", "mixed", "edges", "two")),
                    words="mixed",
                    graphs=rng.choice(GRAPH_STYLES),
                    span=span,
                    longest=rng.choice((2, 3, 5, 8)),
                    cap=size,
                )
                before = stale
                for text in self._one(rng, plan):
                    stale = 0
                    yield text
                stale = before + 1 if stale == before else 0
            if stale > _STALE:
                return

    def ramp(self) -> Iterator[str]:
        rng = self._rng("ramp")
        yield from self._sizes(rng)
        yield from self._magnitudes(rng)

    def grow(self) -> Iterator[str]:
        """Ends only where nothing new can be made."""
        rng = self._rng("grow")
        stale = 0
        while stale < _STALE:
            made = list(self._grown(rng))
            stale = 0 if made else stale + 1
            yield from made

    def near(self, text: str) -> Iterator[str]:
        """Mismatch where the text does not have the format."""
        base = self._format.parse(text)
        rng = self._rng("near")
        for change in self._changes(base, rng):
            yield from self._one(rng, change, base=base)
        for _ in range(60):
            yield from self._mutated(rng, base)

    def mixed(self) -> Iterator[str]:
        """All methods in turn, the more productive ones more often; ends where they all do."""
        turns = [
            (2, self.boundaries()),
            (3, self.small()),
            (1, self.ramp()),
            (2, self.grow()),
        ]
        while turns:
            left = []
            for times, source in turns:
                texts = list(itertools.islice(source, times))
                yield from texts
                if len(texts) == times:
                    left.append((times, source))
            turns = left

    # --- making one ---

    def _rng(self, method: str) -> random.Random:
        return random.Random(f"{self._seed} {method}")

    def _one(self, rng: random.Random, plan: Plan, *, base: Instance | None = None) -> Iterator[str]:
        """The text, where it is new and keeps the format."""
        try:
            instance = draw(self._format, rng, plan, base=base, max_bytes=self._max_bytes)
        except (Mismatch, TooLarge):
            return
        yield from self._new(rng, instance)

    def _new(self, rng: random.Random, instance: Instance) -> Iterator[str]:
        text = self._format.render(instance)
        if text in self._given or len(text.encode(errors="surrogateescape")) > self._max_bytes:
            return
        self._given.add(text)
        if violation(self._format, instance) is not None or (self._is_loose and not self._format.accepts(text)):
            return
        if self._never_zero and not self._is_fair(instance):
            return
        if len(text) < 2000:
            if len(self._pool) < _POOL:
                self._pool.append(instance)
            else:
                self._pool[rng.randrange(len(self._samples), _POOL)] = instance
        yield text

    def _is_fair(self, instance: Instance) -> bool:
        """Has no 0 that samples do not have, or is one of the few that may."""
        has_zero = any(value == 0 and path[0] in self._never_zero for path, value in instance.values.items())
        if has_zero and self._with_zero > self._made // _RARE:
            return False
        self._made += 1
        self._with_zero += has_zero
        return True

    # --- boundaries ---

    def _boundary_plans(self, rng: random.Random) -> Iterator[tuple[Plan, Instance | None]]:
        numbers = [field for field in self._scalars if field.kind in ("int", "float")]
        for cap in (0, 1, 2):
            for style in ("min", "zero", "max"):
                yield Plan(numbers=style, words="first", length="shortest", cap=cap), None
        values = {field.id: self._lattice(field) for field in numbers}
        depth = max((len(each) for each in values.values()), default=0)
        # Each field through its lattice, the others as in a sample, least, or greatest; the outer values first.
        for at in range(depth):
            for field in numbers:
                if at >= len(values[field.id]):
                    continue
                fixed: dict[int, Value] = {field.id: values[field.id][at]}
                for sample in self._samples[:3]:
                    yield Plan(fixed=dict(fixed), numbers="mixed"), sample
                if len(numbers) > 1 or self._counts:
                    for style in ("min", "max"):
                        yield Plan(fixed=dict(fixed), numbers=style, words="random", cap=3), None
        if 2 <= len(numbers) <= 6:
            ends = [self._lattice(field)[:4] for field in numbers]
            corners = list(itertools.islice(itertools.product(*ends), 4096))
            rng.shuffle(corners)
            for corner in corners[:_CORNERS]:
                yield Plan(fixed=dict(zip((field.id for field in numbers), corner, strict=True)), cap=3), None
        for cap in (1, 2, 3, 6):
            for number_style in ("equal", "edges", "max", "min", "ascending", "descending", "near-max", "powers"):
                for word_style in ("equal", "first", "last") if self._has_words() else ("random",):
                    yield Plan(numbers=number_style, words=word_style, cap=cap, graphs=rng.choice(GRAPH_STYLES)), None
        if self._has_words():
            for length in ("shortest", "longest"):
                for word_style in WORD_STYLES:
                    yield Plan(words=word_style, length=length, cap=3), None
            for field in self._fields:
                for word in field.vocabulary:
                    yield Plan(fixed={field.id: word}, cap=3), None
                if field.kind == "word" and not field.vocabulary and not field.skeletons and field.length is None:
                    for letter in field.alphabet:
                        yield Plan(fixed={field.id: letter * field.shortest}, cap=1), None

    def _lattice(self, field: Field) -> list[int]:
        """Ends first, then beside them, then where arithmetic turns."""
        low, high, step = field.low, field.high, field.step
        wanted = [low, high, low + step, high - step, 0, 1, -1, 2, (low + high) // 2, low + 2 * step, high - 2 * step]
        notable = [each + offset for each in _NOTABLE for offset in (0, -1, 1)]
        if low < 0:
            notable += [-each for each in notable]
        powers = [10**power for power in range(1, min(len(str(high)), 40))]
        return [
            each
            for each in dict.fromkeys([*wanted, *notable, *powers, *(power - 1 for power in powers)])
            if low <= each <= high and each % step == 0
        ]

    def _has_words(self) -> bool:
        return any(field.kind in ("word", "line") for field in self._fields)

    # --- small ---

    def _exhaustive(self, rng: random.Random) -> Iterator[str]:
        """All small values of a few numbers; all short words over few letters."""
        if not all(isinstance(node, Line) for node in self._format.nodes) or list(loops_of(self._format.nodes)):
            return
        numbers = [field for field in self._scalars if field.kind in ("int", "float")]
        if len(numbers) == len(self._fields) and numbers:
            side = max(2, int(_EXHAUSTIVE ** (1 / len(numbers)) + 1e-9))
            ranges = [_first_values(field, side) for field in numbers]
            places = list(itertools.islice(itertools.product(*(range(len(each)) for each in ranges)), 4096))
            for place in sorted(places, key=lambda each: (max(each), sum(each), each)):
                fixed = {field.id: ranges[at][place[at]] for at, field in enumerate(numbers)}
                yield from self._one(rng, Plan(fixed=fixed))  # type: ignore[arg-type]
        elif len(self._fields) == 1 and self._fields[0].alphabet and not self._fields[0].skeletons:
            field = self._fields[0]
            letters = field.alphabet[:4] if len(field.alphabet) <= 6 else rng.sample(field.alphabet, 3)
            words = (
                "".join(word)
                for length in range(field.shortest, field.shortest + 7)
                for word in itertools.product(letters, repeat=length)
                if length <= field.longest
            )
            for word in itertools.islice(words, _EXHAUSTIVE):
                yield from self._one(rng, Plan(fixed={field.id: word}))

    # --- ramp ---

    def _sizes(self, rng: random.Random) -> Iterator[str]:
        """Counts growing to their bounds, together and one at a time, in all structures; the largest last."""
        if not self._counts and not any(field.longest > 10 for field in self._fields):
            return
        most = max([field.high for field in self._counts] + [field.longest for field in self._fields])
        sizes = []
        size = _RAMP_FACTOR
        while size < min(most, self._max_bytes):
            sizes.append(size)
            size *= _RAMP_FACTOR
        sizes.append(min(most, self._max_bytes))
        for size in sizes:
            for style, words, graphs in _structures(rng):
                plan = Plan(numbers=style, words=words, graphs=graphs, cap=3, longest=size)
                plan.length = "longest" if rng.random() < 0.7 else "random"
                tall = rng.choice([None, *self._counts]) if len(self._counts) > 1 else None
                for field in self._counts:
                    if tall is None or field.id == tall.id:
                        plan.sizes[field.id] = size
                yield from self._fitting(rng, plan)

    def _fitting(self, rng: random.Random, plan: Plan) -> Iterator[str]:
        """The plan, or where its text is too long the same with smaller counts."""
        for _ in range(24):
            try:
                instance = draw(self._format, rng, plan, max_bytes=self._max_bytes)
            except TooLarge:
                plan.sizes = {field: max(1, size // 2) for field, size in plan.sizes.items()}
                plan.longest = max(1, (plan.longest or 2) // 2) if not plan.sizes else plan.longest
            except Mismatch:
                return
            else:
                yield from self._new(rng, instance)
                return

    def _magnitudes(self, rng: random.Random) -> Iterator[str]:
        """Numbers growing by factors, all together and each alone."""
        numbers = [field for field in self._fields if field.kind in ("int", "float") and field.id not in self._governs]
        most = max((field.high for field in numbers), default=0)
        power = 4
        while power < most:
            for choice in [None, *numbers[:6]]:
                fixed: dict[int, Value] = {}
                for field in numbers:
                    if choice is None or choice.id == field.id:
                        fixed[field.id] = rng.randint(power // 2, power)
                if len(numbers) == len(self._scalars):
                    yield from self._one(rng, Plan(fixed=fixed, numbers="uniform"))
                else:
                    yield from self._one(rng, Plan(numbers="uniform", span=power, cap=rng.choice((3, 10, 30))))
            power *= 8

    # --- grow ---

    def _grown(self, rng: random.Random) -> Iterator[str]:
        dice = rng.random()
        if dice < 0.55 and self._pool:
            base = rng.choice(self._samples) if self._samples and rng.random() < 0.4 else rng.choice(self._pool)
            yield from self._mutated(rng, base)
            return
        plan = Plan(
            numbers=rng.choice(NUMBER_STYLES),
            words=rng.choice(WORD_STYLES),
            graphs=rng.choice(GRAPH_STYLES),
            length=rng.choice(("random", "random", "random", "longest", "shortest")),
            cap=rng.choice((2, 4, 4, 8, 8, 15, 30)),
        )
        if dice < 0.75:
            plan.span = rng.choice((1, 3, 10, 100))
            plan.longest = rng.choice((3, 6, 12, 30))
        if dice < 0.65:
            plan.numbers, plan.words = "mixed", "mixed"
        yield from self._one(rng, plan)

    def _mutated(self, rng: random.Random, base: Instance) -> Iterator[str]:
        """One to three changes of an instance."""
        plan = Plan(cap=4)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            changed = self._change(base, rng)
            if changed is not None:
                base, more = changed
                plan.at |= more
        yield from self._one(rng, plan, base=base)

    def _change(self, base: Instance, rng: random.Random) -> tuple[Instance, dict[Path, Value]] | None:
        paths = list(base.values)
        if not paths:
            return None
        by_id = {field.id: field for field in self._fields}
        loops = [path for path, size in base.sizes.items() if size]
        dice = rng.random()
        if dice < 0.3 and loops:
            loop, index = (path := rng.choice(loops))[0], path[1:]
            edits: tuple[Callable[[int], list[int]], ...] = (
                lambda size: [*range(gone := rng.randrange(size)), *range(gone + 1, size)],
                lambda size: [*range(size), rng.randrange(size)],
                lambda size: list(range(size))[::-1],
                lambda size: rng.sample(range(size), size),
                lambda size: sorted(rng.choices(range(size), k=size)),
            )
            return reordered(self._format, base, loop, index, rng.choice(edits)(base.sizes[path])), {}
        path = rng.choice(paths)
        field = by_id.get(path[0])
        if field is None:
            return base, {}
        value = base.values[path]
        if isinstance(value, int):
            return base, {path: self._changed_number(field, value, base, rng)}
        return base, {path: _changed_word(field, value, rng)}

    def _changed_number(self, field: Field, value: int, base: Instance, rng: random.Random) -> int:
        others = [each for each in base.values.values() if isinstance(each, int)]
        choices = [
            value + field.step,
            value - field.step,
            value * 2,
            value // 2,
            -value,
            field.low,
            field.high,
            rng.choice(others),
            value + rng.randint(-10, 10) * field.step,
        ]
        if field.id not in self._governs:
            choices.append(rng.randint(field.low, field.high))
        return min(max(rng.choice(choices), field.low), field.high)

    # --- near ---

    def _changes(self, base: Instance, rng: random.Random) -> Iterator[Plan]:
        by_id = {field.id: field for field in self._fields}
        paths = [path for path in base.values if path[0] in by_id]
        for path in paths if len(paths) <= 60 else rng.sample(paths, 60):
            field, value = by_id[path[0]], base.values[path]
            if isinstance(value, int):
                for other in (value + field.step, value - field.step, field.low, field.high, 0):
                    yield Plan(at={path: other}, cap=3)
            else:
                for _ in range(3):
                    yield Plan(at={path: _changed_word(field, value, rng)}, cap=3)


def reordered(format: Format, base: Instance, loop: int, index: Path, order: Sequence[int]) -> Instance:
    """The base with the rounds of one loop in another order, some gone or twice. The field that governs it follows, and
    with it the other loops that it governs."""
    node = next(each for each in loops_of(format.nodes) if each.id == loop)
    values, sizes = dict(base.values), dict(base.sizes)
    moved = {loop}
    size = node.size
    change = len(order) - base.sizes[(loop, *index)]
    if size is not None and change and (len(size.fields) != 1 or size.total):
        return base
    if size is not None and change:
        governor = size.fields[0]
        path = next((p for k in range(len(index), -1, -1) if (p := (governor, *index[:k])) in values), None)
        if path is None:
            return base
        values[path] = int(values[path]) + change
        for other in loops_of(format.nodes):
            if other.size == size and (other.id, *index) in sizes:
                moved.add(other.id)
    for each in loops_of(format.nodes):
        if each.id in moved:
            inside = _inside(each)
            values = _moved(values, inside, index, order)
            sizes = _moved(sizes, inside, index, order)
            sizes[(each.id, *index)] = len(order)
    return Instance(values, sizes)


def _moved(table: dict[Path, Any], inside: set[int], index: Path, order: Sequence[int]) -> dict[Path, Any]:
    depth = 1 + len(index)
    kept: dict[Path, Any] = {}
    rounds: dict[int, list[tuple[Path, Any]]] = {}
    for path, value in table.items():
        if path[0] in inside and path[1:depth] == index:
            rounds.setdefault(path[depth], []).append((path, value))
        else:
            kept[path] = value
    for new, number in enumerate(order):
        for path, value in rounds.get(number, ()):
            kept[(*path[:depth], new, *path[depth + 1 :])] = value
    return kept


def _inside(loop: Loop | Run) -> set[int]:
    """The fields, loops and choices within it."""
    if isinstance(loop, Run):
        return {field.id for field in loop.items}
    inner = {each.id for each in loops_of(loop.body)}
    return inner | {field.id for field in fields_of(loop.body)} | _choice_ids(loop.body)


def _choice_ids(nodes: Sequence[Node]) -> set[int]:
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, Choice):
            found.add(node.id)
        elif isinstance(node, Loop):
            found |= _choice_ids(node.body)
    return found


def _scalars(nodes: Sequence[Node]) -> list[Field]:
    """The fields that stand once in a text."""
    return [item for node in nodes if isinstance(node, Line) for item in node.items if isinstance(item, Field)]


def _first_values(field: Field, count: int) -> list[int]:
    if field.low < 0 < field.high:
        around = [0] + [sign * each * field.step for each in range(1, count // 2 + 1) for sign in (1, -1)]
        return [each for each in around if field.low <= each <= field.high][:count]
    return list(itertools.islice(range(field.low, field.high + 1, field.step), count))


def _structures(rng: random.Random) -> list[tuple[str, str, str]]:
    numbers = ["uniform", "ascending", "descending", "equal", "two", "max", "min", "mixed", "alternating", "near-max"]
    words = ["random", "equal", "two", "palindrome", "periodic", "first", "last", "blocks"]
    graphs = list(GRAPH_STYLES)
    rng.shuffle(words)
    rng.shuffle(graphs)
    return [(style, words[at % len(words)], graphs[at % len(graphs)]) for at, style in enumerate(numbers)]


def _changed_word(field: Field, word: str, rng: random.Random) -> str:
    """A neighbour: a letter changed, added, dropped or moved. The alphabet's; the length as governed."""
    if field.vocabulary:
        return rng.choice(field.vocabulary)
    if not word or not field.alphabet:
        return rng.choice(field.alphabet) if field.alphabet else word
    at = rng.randrange(len(word))
    letter = rng.choice(field.alphabet)
    if field.skeletons:  # within the piece
        same = list("abcdefghijklmnopqrstuvwxyz") if word[at].islower() else list("0123456789")
        if not word[at].isalnum() or word[at].isupper():
            return word
        return word[:at] + rng.choice(same) + word[at + 1 :]
    edits = [word[:at] + letter + word[at + 1 :], word[::-1], "".join(rng.sample(word, len(word)))]
    if field.length is None:
        edits += [word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word + word, word[: at + 1], word[at:]]
        if field.samples:
            edits.append(rng.choice(field.samples))
    fitting = [each for each in edits if field.length is not None or field.shortest <= len(each) <= field.longest]
    return rng.choice(fitting or [word])
