"""What holds in every seed, and is mostly kept: signs, orders, lengths, alphabets, and how arguments depend on others.

A fact has a test, and a repair that makes it true again where it can. Facts of a place live on its Shape; those
between arguments stand in a list of their own. Owns what is looked for and when few seeds are evidence enough; who
breaks a fact on purpose, and what is learned from that, is growth's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from codejury.mutation.values import parts
from codejury.mutation.values.mined import Mined
from codejury.mutation.values.shapes import Shape, children, closed

Make = Callable[[Shape], Any]  # a new value for a place


class Fact:
    """`tried` and `valid` count the inputs that broke it, and those of them that were fine."""

    def __init__(
        self, name: str, holds: Callable[[Any], bool], repair: Callable[[Any, Random, Make], Any] | None = None
    ) -> None:
        self.name = name
        self.holds = holds
        self.repair = repair
        self.tried = 0
        self.valid = 0

    @property
    def is_law(self) -> bool:
        """Nothing that broke it was ever valid."""
        return self.tried >= 8 and self.valid == 0

    @property
    def is_loose(self) -> bool:
        """It only looked like a rule."""
        return self.valid >= 3 and 3 * self.valid >= self.tried

    def __repr__(self) -> str:
        return f"Fact({self.name}, {self.valid}/{self.tried})"


def learn(shapes: Sequence[Shape], seeds: Sequence[Sequence[Any]], mined: Mined) -> list[Fact]:
    """Gives each shape its facts; those between arguments are returned."""
    for shape in shapes:
        _learn_place(shape, mined)
    number = min(map(len, seeds), default=0)
    found: list[Fact] = []
    for one in range(number):
        for other in range(number):
            if one != other:
                found += _between(one, other, shapes, seeds)
    return found


def _learn_place(shape: Shape, mined: Mined, depth: int = 0) -> None:
    if depth > 8:
        return
    kinds = set(shape.kinds) - {"None"}
    if kinds and kinds <= {"int", "float"}:
        shape.facts += _of_numbers(shape)
    elif kinds == {"str"}:
        shape.facts += _of_texts(shape, mined)
    elif any(parts.is_series(value) for value in shape.met):
        shape.facts += _of_series(shape)
    for each in shape.below():
        _learn_place(each, mined, depth + 1)


# ── At one place ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _number(value: Any) -> bool:
    return type(value) in (int, float)


def _of_numbers(shape: Shape) -> Iterator[Fact]:
    numbers = [value for value in shape.met if _number(value)]
    low, high = min(numbers), max(numbers)
    if low > 0:
        yield Fact("positive", lambda v: not _number(v) or v > 0, lambda v, rng, _: -v if v < 0 else type(v)(1))
    elif low >= 0:
        yield Fact("not negative", lambda v: not _number(v) or v >= 0, lambda v, rng, _: -v)
    if shape.count >= 6 and low == 0 and high == 1 and "float" not in shape.kinds:
        yield Fact("bit", lambda v: not _number(v) or v in (0, 1), lambda v, rng, _: int(v) & 1)


def _of_texts(shape: Shape, mined: Mined) -> Iterator[Fact]:
    texts, lengths = shape.texts, {len(text) for text in shape.texts}
    alphabet = shape.alphabet
    if lengths == {1}:
        yield Fact("one character", lambda v: not isinstance(v, str) or len(v) == 1, lambda v, rng, _: v[:1] or "a")
    elif 0 not in lengths:
        yield Fact("text not empty", lambda v: v != "", lambda v, rng, make: rng.choice(texts))
    if len(lengths) == 1 and len(texts) >= 3 and not lengths <= {0, 1}:
        (length,) = lengths
        yield Fact(
            "length of a text",
            lambda v: not isinstance(v, str) or len(v) == length,
            lambda v, rng, _: (v + rng.choice(texts))[:length],
        )
    forms = {re.sub(r"[0-9]+", "0", text) for text in texts}
    if len(forms) == 1 and len(texts) >= 2 and "0" in (form := forms.pop()) and form != "0":
        yield Fact(
            "numbers in a fixed text",
            lambda v: not isinstance(v, str) or re.sub(r"[0-9]+", "0", v) == form,
            lambda v, rng, _: _refilled(rng.choice(texts), re.findall(r"[0-9]+", v)),
        )
        return
    words = [word for text in texts for word in text.split()]
    known = frozenset(mined.texts)
    if len(words) >= 3 and known.issuperset(words):
        split = any(" " in text for text in texts)

        def vocabulary(v: Any, rng: Random, _: Make) -> Any:
            kept = [word if word in known else rng.choice(words) for word in v.split()]
            return " ".join(kept) if split else (kept or words)[0]

        yield Fact(
            "known words",
            lambda v: not isinstance(v, str) or v == "" or known.issuperset(v.split(" ") if split else [v]),
            vocabulary,
        )
    elif alphabet and sum(map(len, texts)) >= 4:
        letters = frozenset(alphabet)
        yield Fact(
            "alphabet",
            lambda v: not isinstance(v, str) or letters.issuperset(v),
            lambda v, rng, _: "".join(c if c in letters else rng.choice(alphabet) for c in v),
        )


def _refilled(text: str, numbers: list[str]) -> str:
    """The text with its numbers replaced by these, as far as they go."""
    left = iter(numbers)
    return re.sub(r"[0-9]+", lambda found: next(left, found[0]), text)


def _of_series(shape: Shape) -> Iterator[Fact]:
    for kind, count in shape.fixed.items():
        yield Fact(
            f"fields of a {kind}",
            lambda v, kind=kind, count=count: parts.kind_of(v) != kind or len(v) == count,  # type: ignore[misc]
            lambda v, rng, make: rng.choice([met for met in shape.met if type(met) is type(v)]),
        )
    met = [value for value in shape.met if parts.is_series(value) and not shape.is_record(value)]
    if not met:
        return
    lengths = {len(value) for value in met}
    plain = [list(value) for value in met if type(value) in (list, tuple)]
    long = [value for value in plain if len(value) >= 3]
    if len(lengths) == 1 and len(met) >= 2:
        (length,) = lengths
        yield Fact("length", lambda v: not parts.is_series(v) or len(v) == length, _resizer(shape, length))
    elif 0 not in lengths:
        yield Fact("not empty", lambda v: not parts.is_series(v) or len(v) > 0, _resizer(shape, 1))
        if 1 not in lengths:
            yield Fact("two or more", lambda v: not parts.is_series(v) or len(v) > 1, _resizer(shape, 2))
        if len(met) >= 6 and all(length % 2 == 0 for length in lengths):
            yield Fact(
                "even length",
                lambda v: not parts.is_series(v) or len(v) % 2 == 0,
                lambda v, rng, make: _resizer(shape, len(v) + 1)(v, rng, make),
            )
    ordered = [value for value in long if _comparable(value)]
    if len(ordered) >= 2 and len(ordered) == len(long):
        if all(_ascending(value) for value in ordered):
            yield Fact("ascending", lambda v: type(v) not in (list, tuple) or _ascending(v), _sorter(False))
        elif all(_ascending(value[::-1]) for value in ordered):
            yield Fact("descending", lambda v: type(v) not in (list, tuple) or _ascending(list(v)[::-1]), _sorter(True))
        if all(sorted(value) == list(range(1, len(value) + 1)) for value in ordered):
            yield _permutation(1)
        elif all(sorted(value) == list(range(len(value))) for value in ordered):
            yield _permutation(0)
    if sum(map(len, plain)) >= 8 and all(_distinct(value) for value in plain):
        yield Fact("distinct", lambda v: type(v) not in (list, tuple) or _distinct(v), _uniquely)
    tables = [value for value in plain if len(value) >= 2 and all(map(_sized, value))]
    if len(tables) >= 2 and len(tables) == len([value for value in plain if value]):
        square = all(len(row) == len(table) for table in tables for row in table)
        if square or all(len({len(row) for row in table}) == 1 for table in tables):
            yield Fact(
                "square" if square else "rows of one length",
                lambda v: type(v) not in (list, tuple) or _even_rows(v, square),
                _table(shape, square),
            )


def _sized(value: Any) -> bool:
    return isinstance(value, str) or parts.is_series(value)


def _comparable(value: Sequence[Any]) -> bool:
    return all(map(_number, value)) or all(isinstance(each, str) for each in value)


def _ascending(value: Sequence[Any]) -> bool:
    return not _comparable(value) or all(one <= other for one, other in pairwise(value))


def _distinct(value: Sequence[Any]) -> bool:
    return len({parts.key(each) for each in value}) == len(value)


def _even_rows(value: Sequence[Any], square: bool) -> bool:
    rows = [len(row) for row in value if _sized(row)]
    return len(set(rows)) <= 1 and (not square or not rows or rows[0] == len(value))


def _resized(value: Any, length: int, shape: Shape, make: Make) -> Any:
    if isinstance(value, str):
        more = shape.alphabet or "a"
        return (value + more * (length // len(more) + 1))[:length] if len(value) < length else value[:length]
    items = parts.elements(value)[:length]
    for _ in range(3 * length):  # sets and mappings swallow what they have already
        if len(items) >= length:
            break
        items.append(make(shape.elem or Shape()))
        items = parts.elements(parts.series(value, items))
    return parts.series(value, items)


def _resizer(shape: Shape, length: int) -> Callable[[Any, Random, Make], Any]:
    return lambda v, rng, make: _resized(v, length, shape, make)


def _sorter(reverse: bool) -> Callable[[Any, Random, Make], Any]:
    return lambda v, rng, make: type(v)(sorted(v, reverse=reverse))


def _uniquely(value: Any, rng: Random, make: Make) -> Any:
    seen: dict[bytes, Any] = {}
    for each in value:
        seen.setdefault(parts.key(each), each)
    return type(value)(seen.values())


def _permutation(first: int) -> Fact:
    def repair(value: Any, rng: Random, make: Make) -> Any:
        order = sorted(range(len(value)), key=lambda at: (str(value[at]), at))
        return type(value)(first + order.index(at) for at in range(len(value)))

    return Fact(
        f"permutation from {first}",
        lambda v: type(v) not in (list, tuple) or (_comparable(v) and sorted(v) == list(range(first, first + len(v)))),
        repair,
    )


def _table(shape: Shape, square: bool) -> Callable[[Any, Random, Make], Any]:
    def repair(value: Any, rng: Random, make: Make) -> Any:
        rows = list(value)
        width = len(rows) if square else len(rng.choice(rows))
        elem = shape.elem or Shape()
        return type(value)(_resized(row, width, elem, make) if _sized(row) else row for row in rows)

    return repair


# ── Between arguments ────────────────────────────────────────────────────────────────────────────────────────────────


def _between(one: int, other: int, shapes: Sequence[Shape], seeds: Sequence[Sequence[Any]]) -> Iterator[Fact]:
    pairs = [(args[one], args[other]) for args in seeds]
    different = len({parts.key(pair) for pair in pairs})
    if different < 2:
        return

    def put(args: list[Any], value: Any) -> list[Any]:
        return [value if number == one else each for number, each in enumerate(args)]

    def fact(name: str, holds: Callable[[Any, Any], bool], repair: Callable[[Any, Any, Random, Make], Any]) -> Fact:
        return Fact(
            f"{name}: {one}, {other}",
            lambda args: len(args) <= max(one, other) or holds(args[one], args[other]),
            lambda args, rng, make: put(args, repair(args[one], args[other], rng, make)),
        )

    def every(holds: Callable[[Any, Any], bool]) -> bool:
        return all(holds(a, b) for a, b in pairs)

    if every(lambda a, b: _sized(a) and _sized(b)):
        for more in (0, 1):
            if more >= int(one > other) and every(lambda a, b, more=more: len(a) == len(b) + more):  # type: ignore[misc]
                yield fact(
                    f"length, {more} more",
                    lambda a, b, more=more: not (_sized(a) and _sized(b)) or len(a) == len(b) + more,  # type: ignore[misc]
                    lambda a, b, rng, make, more=more: _resized(a, len(b) + more, shapes[one], make),  # type: ignore[misc]
                )
        if one < other and every(_anagrams) and not every(lambda a, b: len(a) == 0):
            yield fact("same elements", _anagrams, lambda a, b, rng, make: _shuffled(b, rng, a))
    if every(lambda a, b: type(a) is int and _sized(b)):
        if every(lambda a, b: a == len(b)):
            yield fact("the length of", lambda a, b: not _sized(b) or a == len(b), lambda a, b, rng, make: len(b))
        elif every(lambda a, b: 1 <= a <= len(b)):
            yield fact("within", lambda a, b: not _within(a, b) or 1 <= a <= len(b), _place(1))
        elif every(lambda a, b: 0 <= a < len(b)):
            yield fact("index of", lambda a, b: not _within(a, b) or 0 <= a < len(b), _place(0))
    if different >= 3 and every(lambda a, b: _number(a) and _number(b)) and every(lambda a, b: a <= b):
        yield fact(
            "at most",
            lambda a, b: not (_number(a) and _number(b)) or a <= b,
            lambda a, b, rng, make: type(a)(b) if rng.random() < 0.3 else type(a)(b - abs(a - b) % (abs(b) + 1)),
        )
    if every(_member):
        yield fact("member of", _member, _chosen)


def _within(a: Any, b: Any) -> bool:
    return type(a) is int and _sized(b)


def _anagrams(a: Any, b: Any) -> bool:
    if not (_sized(a) and type(a) is type(b)):
        return True
    if isinstance(a, str):
        return sorted(a) == sorted(b)
    return sorted(map(parts.key, parts.elements(a))) == sorted(map(parts.key, parts.elements(b)))


def _shuffled(value: Any, rng: Random, like: Any) -> Any:
    items = list(value) if isinstance(value, str) else parts.elements(value)
    rng.shuffle(items)
    return "".join(items) if isinstance(value, str) else parts.series(value, items)


def _place(first: int) -> Callable[[Any, Any, Random, Make], Any]:
    return lambda a, b, rng, make: rng.randint(first, max(first, len(b) - 1 + first))


def _member(a: Any, b: Any) -> bool:
    if isinstance(b, str):
        return isinstance(a, str) and a in b
    if not parts.is_series(b) or parts.is_map(b):
        return False
    wanted = parts.key(a)
    return any(parts.key(each) == wanted for each in b)


def _chosen(a: Any, b: Any, rng: Random, make: Make) -> Any:
    if not b or not _sized(b):
        return a
    if isinstance(b, str):
        start = rng.randrange(len(b))
        return b[start : start + max(1, min(len(a), 8))]
    return rng.choice(parts.elements(b))


# ── Keeping ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def broken(args: Sequence[Any], shapes: Sequence[Shape], between: Sequence[Fact]) -> list[Fact]:
    """The facts that do not hold, each once."""
    found: dict[int, Fact] = {}
    todo = list(zip(args, shapes, strict=False))
    while todo:
        value, shape = todo.pop()
        for fact in shape.facts:
            if id(fact) not in found and not fact.holds(value):
                found[id(fact)] = fact
        todo += children(value, shape)
    for fact in between:
        if not fact.holds(list(args)):
            found[id(fact)] = fact
    return list(found.values())


def repaired(value: Any, shape: Shape, but: Sequence[Fact], rng: Random, make: Make) -> Any:
    """From the innermost outwards; facts in `but` are left as they are."""
    below = children(value, shape)
    if below:
        mended = [repaired(each, place, but, rng, make) for each, place in below]
        if any(new is not old for new, (old, _) in zip(mended, below, strict=True)):
            value = closed(value, mended)
    for fact in shape.facts:
        if fact not in but and fact.repair is not None and not fact.holds(value):
            value = fact.repair(value, rng, make)
    return value
