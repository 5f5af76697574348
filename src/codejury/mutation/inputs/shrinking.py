"""Smaller texts that are still interesting: delta debugging under the format.

Owns the order of attempts: rounds of loops go in halves, quarters, then one by one, with the count that governs them;
then numbers go towards 0 or their least, and words get shorter and plainer. A candidate is tried only if it keeps the
format, so what comes out is an input like any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from codejury.mutation.inputs.check import violation
from codejury.mutation.inputs.draw import Plan, TooLarge, draw
from codejury.mutation.inputs.format import Format, Instance, Mismatch, fields_of, governing, loops_of
from codejury.mutation.inputs.texts import reordered


def shrink(text: str, format: Format, is_interesting: Callable[[str], bool], *, max_tries: int = 500) -> str:
    """The smallest found within so many calls of `is_interesting`; the text itself where it does not have the format,
    or nothing smaller is interesting."""
    try:
        best = format.parse(text)
    except Mismatch:
        return text
    tries = max_tries
    tried = {text}
    progress = True
    while progress and tries > 0:
        progress = False
        for change in (_fewer, _plainer):
            resume = 0
            while tries > 0:
                # After a success the same kind of change goes on where it was, on what is left.
                for number, candidate in enumerate(change(format, best)):
                    if number < resume:
                        continue
                    made = _text(format, candidate)
                    if (
                        made is None
                        or made in tried
                        or ((len(made), made) >= (len(text), text) and len(made) > len(text))
                    ):
                        continue
                    tried.add(made)
                    tries -= 1
                    if is_interesting(made):
                        text, best, progress, resume = made, format.parse(made), True, number
                        break
                    if tries <= 0:
                        return text
                else:
                    break
    return text


def _text(format: Format, candidate: tuple[Instance, Plan]) -> str | None:
    base, plan = candidate
    try:
        made = draw(format, random.Random(0), plan, base=base)
    except (Mismatch, TooLarge):
        return None
    return format.render(made) if violation(format, made) is None else None


def _fewer(format: Format, best: Instance) -> Iterator[tuple[Instance, Plan]]:
    """Rounds gone: large parts first."""
    for loop in loops_of(format.nodes):
        for path in sorted(path for path in best.sizes if path[0] == loop.id):
            size = best.sizes[path]
            part = size
            while part >= 1:
                for start in range(0, size, part):
                    order = [each for each in range(size) if not start <= each < start + part]
                    yield reordered(format, best, loop.id, path[1:], order), Plan()
                part //= 2


def _plainer(format: Format, best: Instance) -> Iterator[tuple[Instance, Plan]]:
    """Numbers lower, words shorter; counts alone too, where what they govern can be cut at its end."""
    fields = {field.id: field for field in fields_of(format.nodes)}
    counts = governing(format.nodes)
    for path in sorted(best.values, key=lambda each: (each[0] not in counts, each)):
        field = fields.get(path[0])
        if field is None:
            continue
        value = best.values[path]
        if isinstance(value, int):
            least = 0 if field.low <= 0 <= field.high else field.low if field.low > 0 else field.high
            seen: set[int] = {value}
            for other in (
                least,
                least + field.step,
                (value + least) // 2,
                value - field.step if value > least else value + field.step,
            ):
                if other not in seen and abs(other - least) < abs(value - least):
                    seen.add(other)
                    yield best, Plan(at={path: other})
        elif field.length is None and not field.vocabulary and not field.skeletons:
            for word in _shorter(value, field.alphabet[:1]):
                if word != value and field.shortest <= len(word):
                    yield best, Plan(at={path: word})
        elif field.length is not None and field.alphabet:
            for at, letter in enumerate(value):
                if letter != field.alphabet[0]:
                    yield best, Plan(at={path: value[:at] + field.alphabet[0] + value[at + 1 :]})


def _shorter(word: str, plain: str) -> Iterator[str]:
    part = len(word)
    while part >= 1:
        for start in range(0, len(word), part):
            yield word[:start] + word[start + part :]
        part //= 2
    for at, letter in enumerate(word):
        if letter != plain:
            yield word[:at] + plain + word[at + 1 :]
