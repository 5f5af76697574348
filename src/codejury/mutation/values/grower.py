"""Arguments of functions, grown from seeds: edges first, then without an end.

    seeds ─► shapes, facts ┐
    gold's source ─► mined ┴─► boundaries()   finite: one argument at a time, then pairs
                               grow()         endless: steps from what is there, facts mostly kept
                               near(args)     around one input, for aiming
                  accept(args), reject(args) ◄─ what the caller found

Owns what comes when, and that nothing comes twice. Pure and deterministic: the same seeds, source, seed and answers
give the same inputs in every process. Whether an input is valid only the caller can find out; what it tells through
`accept` and `reject` is material for further steps, and shows which facts are rules and which only looked like it.

    shapes, facts      what seeds have in common            scalars, growth   steps
    boundaries         the edges of one place               shrinking         the way back
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import isqrt
from random import Random
from typing import Any

from codejury.judging.values import BadValue
from codejury.mutation.values import boundaries, facts, growth, parts, shapes
from codejury.mutation.values.mined import Mined, mine
from codejury.mutation.values.scalars import EVERY_CHARACTER, Ground
from codejury.mutation.values.shapes import Shape

Args = list[Any]

_SMALLEST_LONG = 150  # elements of what is very long, where seeds are short
_LONGEST = 1000
_PAIR_EDGES = 12  # edges of an argument that are crossed with those of another
_FRUITLESS = 3000  # attempts without anything new after which everything has been made
_KEPT = 400  # accepted inputs that steps start from
_FAULTS = (ArithmeticError, LookupError, TypeError, ValueError)
_STEPS = (1, 1, 2, 2, 3, 4, 6)
_BASES = 3  # seeds whose arguments are changed one at a time


class Values:
    """`seeds` are argument lists. `breaking` is the share of grown inputs that break a fact which holds in all seeds;
    with none, edges that do are left out too. `max_size` bounds elements and characters of an input, `max_int` the
    magnitude of its numbers; None: by what seeds have, far more than that for numbers."""

    def __init__(
        self,
        seeds: Sequence[Sequence[Any]],
        *,
        source: str = "",
        fn_name: str | None = None,
        contract: str = "",
        seed: int = 0,
        breaking: float = 0.2,
        max_size: int | None = None,
        max_int: int | None = None,
    ) -> None:
        self._seeds = [list(args) for args in seeds]
        self._rng = Random(seed)
        self._breaking = breaking
        self.mined: Mined = mine(source, fn_name, contract)
        self.shapes: list[Shape] = shapes.shapes_of(self._seeds, self.mined)
        self.between: list[facts.Fact] = facts.learn(self.shapes, self._seeds, self.mined)
        self._seed_size = max(map(parts.size, self._seeds), default=1)
        self.seed_int = max(map(parts.largest, self._seeds), default=1)
        self.max_size = max_size or max(4 * self._seed_size, 2 * _SMALLEST_LONG)
        self.max_int = max_int or 10**19
        self._given: set[bytes] = set()
        self._kept: list[Args] = []
        self._asked: dict[bytes, list[facts.Fact]] = {}
        self._ground = self._make_ground()
        for args in self._seeds:
            self._given.add(parts.key(args))

    def _make_ground(self) -> Ground:
        every = [(value, shape) for args in self._seeds for pair in zip(args, self.shapes, strict=False)
                 for value, shape in shapes.walk(*pair)]  # fmt: skip
        by_kind: dict[type, dict[Any, None]] = {int: {}, float: {}, str: {}}
        for value, _ in every:
            if type(value) in by_kind:
                by_kind[type(value)][value] = None
        longest = max((shape.longest for _, shape in every), default=0)
        return Ground(
            rng=self._rng,
            mined=self.mined,
            ints=list(by_kind[int]),
            floats=list(by_kind[float]),
            texts=list(by_kind[str]),
            most=min(self.max_int, max(10_000, 20 * self.seed_int)),
            long=min(_LONGEST, self.max_size, max(_SMALLEST_LONG, 2 * longest)),
        )

    # -- what the caller found

    def accept(self, args: Sequence[Any]) -> None:
        """The input is valid: steps may start from it."""
        for fact in self._asked.pop(parts.key(list(args)), []):
            fact.tried += 1
            fact.valid += 1
        if len(self._kept) < _KEPT:
            self._kept.append(list(args))
        else:
            self._kept[self._rng.randrange(_KEPT)] = list(args)

    def reject(self, args: Sequence[Any], *, too_slow: bool = False) -> None:
        """It is not; `too_slow`: it is more work than a gold can do, and so is what is larger."""
        broken = self._asked.pop(parts.key(list(args)), [])
        if not too_slow:
            for fact in broken:
                fact.tried += 1
            return
        largest, size = parts.largest(args), parts.size(args)
        is_large, is_long = largest > 2 * self.seed_int, size > 2 * self._seed_size
        if is_large or not is_long:
            self.max_int = min(self.max_int, max(self.seed_int, isqrt(largest) if largest > 10**6 else largest // 2))
        if is_long and not is_large:
            self.max_size = min(self.max_size, max(self._seed_size, size // 2))
        self._ground.most = min(self._ground.most, self.max_int)
        self._ground.long = min(self._ground.long, self.max_size)

    # -- what there is

    def boundaries(self) -> Iterator[Args]:
        """Finite. One argument changed at a time, each in its turn; then pairs of arguments."""
        bases = self._different(self._seeds, _BASES)
        long = self._ground.long
        lattices: list[list[Iterator[Args]]] = []
        for number, base in enumerate(bases):
            turns = [self._one_changed(base, at, long, every=number + 1) for at in range(self._width(base))]
            lattices.append(turns if number else [self._alike(bases), *turns])
        todo = [turn for turns in lattices for turn in turns]
        # the first seed's lattice is gone through twice as fast as the others, of which only some edges are taken
        while todo:
            for turn in [*todo[: len(lattices[0])], *todo]:
                made = next(turn, None)
                if made is None:
                    todo = [each for each in todo if each is not turn]
                else:
                    yield made
        for base in bases[:1]:
            yield from self._pairs_changed(base, long)

    def _different(self, seeds: list[Args], most: int) -> list[Args]:
        found: dict[bytes, Args] = {}
        for args in sorted(seeds, key=lambda args: parts.size(args) < 4):  # edges of next to nothing are few
            found.setdefault(parts.key(args), args)
        return list(found.values())[:most]

    def _width(self, base: Args) -> int:
        return min(len(base), len(self.shapes))

    def _one_changed(self, base: Args, at: int, long: int, *, every: int) -> Iterator[Args]:
        edges = boundaries.edges(base[at], self.shapes[at], self.mined, long=long)
        for edge in islice(edges, every // 2, None, every):
            changed = [*base[:at], edge, *base[at + 1 :]]
            if self.between and len(changed) > 1:
                yield from self._new(self._depending(changed, at))
            yield from self._new(changed)

    def _alike(self, bases: list[Args]) -> Iterator[Args]:
        """Arguments of one kind that are equal, two or all of them; then all at the same edge."""
        for base in bases:
            for one in range(len(base)):
                for other in range(len(base)):
                    if one != other and type(base[one]) is type(base[other]):
                        yield from self._new([base[one] if at == other else each for at, each in enumerate(base)])
        for base in bases[:1]:
            if len(base) < 2:
                return
            for row in zip(*(self._edges(base, at) for at in range(self._width(base))), strict=False):
                yield from self._new(list(row))

    def _edges(self, base: Args, at: int) -> Iterator[Any]:
        return boundaries.edges(base[at], self.shapes[at], self.mined, long=self._ground.long)

    def _pairs_changed(self, base: Args, long: int) -> Iterator[Args]:
        few = [
            list(islice(boundaries.edges(value, shape, self.mined, long=min(long, 20)), _PAIR_EDGES))
            for value, shape in zip(base, self.shapes, strict=False)
        ]
        for rank in range(2 * _PAIR_EDGES):
            for one in range(len(few)):
                for other in range(one + 1, len(few)):
                    for at in range(max(0, rank - len(few[other]) + 1), min(rank + 1, len(few[one]))):
                        changed = list(base)
                        changed[one], changed[other] = few[one][at], few[other][rank - at]
                        yield from self._new(changed)

    def grow(self) -> Iterator[Args]:
        """Endless, unless everything there is has been made: then it stops. Where that is texts, there are more
        characters than are drawn at first."""
        fruitless = 0
        while fruitless < _FRUITLESS and self._seeds:
            made = next(self._new(*self._grown()), None)
            fruitless = fruitless + 1 if made is None else 0
            if made is not None:
                yield made
            elif fruitless == _FRUITLESS // 2 and self._ground.texts:
                self._ground.odd = EVERY_CHARACTER

    def near(self, args: Sequence[Any], *, most: int = 200) -> Iterator[Args]:
        """Around one input: each argument by single steps, edges of each, and values of the others' in its place."""
        base = list(args)
        for _ in range(4 * most):
            if most <= 0:
                return
            at = self._rng.randrange(len(base)) if base else 0
            if not base or at >= len(self.shapes):
                return
            changed = list(base)
            changed[at] = growth.step(base[at], self.shapes[at], self._ground)
            loose = self._rng.random() < 0.3
            for made in self._new(changed if loose else self._repaired(changed, []), []):
                most -= 1
                yield made

    # -- how

    def _grown(self) -> tuple[Args, list[facts.Fact]]:
        rng = self._rng
        pool = self._kept if self._kept and rng.random() < 0.5 else self._seeds
        args = list(rng.choice(pool))
        if rng.random() < 0.15:
            other = rng.choice(self._kept if self._kept and rng.random() < 0.5 else self._seeds)
            args = [mine if rng.random() < 0.5 else its for mine, its in zip(args, other, strict=False)]
        number = self._width(args)
        for _ in range(rng.choice(_STEPS)):
            if number:
                at = rng.randrange(number)
                args[at] = self._changed(args, at)
        but = self._to_break()
        return self._repaired(args, but), but

    def _changed(self, args: Args, at: int) -> Any:
        rng = self._rng
        roll = rng.random()
        shape = self.shapes[at]
        if roll < 0.07:
            other = rng.randrange(self._width(args))  # another argument, or a part of it
            within = [v for v, _ in shapes.walk(args[other], self.shapes[other]) if shapes.fits(v, shape)]
            if within:
                return rng.choice(within)
        if roll < 0.22:
            return growth.make(shape, self._ground)
        return growth.step(args[at], shape, self._ground)

    def _to_break(self) -> list[facts.Fact]:
        """Facts that the next input need not keep."""
        rng = self._rng
        every = self._facts()
        chosen = [fact for fact in every if fact.is_loose and rng.random() < 0.7]
        open_ones = [fact for fact in every if not fact.is_law and fact not in chosen]
        if open_ones and rng.random() < self._breaking:
            weights = [(fact.valid + 1) / (fact.tried + 2) for fact in open_ones]
            chosen += rng.choices(open_ones, weights)
        return chosen

    def _facts(self) -> list[facts.Fact]:
        if not hasattr(self, "_every"):
            found: dict[int, facts.Fact] = {id(fact): fact for fact in self.between}
            todo = list(self.shapes)
            while todo:
                shape = todo.pop(0)
                found.update({id(fact): fact for fact in shape.facts})
                todo += shape.below()
            self._every = list(found.values())
        return self._every

    def _repaired(self, args: Args, but: Sequence[facts.Fact]) -> Args:
        def make(shape: Shape) -> Any:
            return growth.make(shape, self._ground)

        try:
            args = [
                facts.repaired(value, shape, but, self._rng, make)
                for value, shape in zip(args, self.shapes, strict=False)
            ]
            for fact in self._rng.sample(self.between, len(self.between)):
                if fact not in but and fact.repair is not None and not fact.holds(args):
                    args = fact.repair(args, self._rng, make)
        except (parts.CannotClose, *_FAULTS):
            pass  # what cannot be repaired is looked at as it is
        return args

    def _depending(self, args: Args, at: int) -> Args:
        """The arguments that depend on the one at a place, made to fit it."""
        fixed = [fact for fact in self.between if not fact.holds(args)]
        made = args
        for fact in fixed:
            try:
                trial = fact.repair(made, self._rng, lambda shape: growth.make(shape, self._ground))  # type: ignore[misc]
            except (parts.CannotClose, *_FAULTS):
                continue
            if parts.key(trial[at]) == parts.key(args[at]):
                made = trial
        return made

    def _new(self, args: Args, but: Sequence[facts.Fact] | None = None) -> Iterator[Args]:
        """The input, where it is new, within bounds, and breaks nothing but what it may."""
        if parts.size(args) > self.max_size or parts.largest(args) > self.max_int:
            return
        try:
            key = parts.key(args)
        except BadValue:
            return
        if key in self._given:
            return
        broken = facts.broken(args, self.shapes, self.between)
        if any(fact.is_law for fact in broken):
            return
        if but is None and broken and self._breaking <= 0:
            return
        if but is not None and any(fact not in but and not fact.is_loose for fact in broken):
            return
        self._given.add(key)
        if len(broken) == 1:  # of two, nobody knows which one was to blame
            self._asked[key] = broken
        yield args
