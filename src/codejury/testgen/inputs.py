"""Generator programs -> inputs.

Owns the two ways in which a generator speaks, and reading what it printed, which nobody trusts: nothing is evaluated,
and what is made of a text is no larger than a few times the text.

    list      prints one list of texts, as Python or as JSON; a text may come in parts, as pprint breaks long ones
    seeded    called once for each seed, which is its argument; all that it prints is one input

A function's inputs are lists of arguments, or texts with a JSON argument a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from codejury.dataset.literal import literal_of
from codejury.dataset.rows import BadRow, data_of, shown
from codejury.errors import UnknownLanguage, UsageError
from codejury.judging import verdict
from codejury.languages.detect import detect
from codejury.languages.execute import Job
from codejury.testgen.crew import Crew
from codejury.testgen.options import Options
from codejury.testgen.rows import Task
from codejury.testgen.trouble import Drop, Drops, Trouble, cut, ending

MAX_VALUES_BYTES = 16 << 20  # of what the generator of a function's row prints: values take more room than texts

_SPACE = re.compile(r"\s*+")
_TEXT = re.compile(
    r"[rRuU]?(?:'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''|\"\"\"[^\"\\]*+(?:(?:\\.|\"(?!\"\"))[^\"\\]*+)*\"\"\""
    r"|'(?:[^'\\\n]++|\\.)*+'|\"(?:[^\"\\\n]++|\\.)*+\")",
    re.DOTALL,
)


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """One input. `value` as the generator gave it: a text, or a list of arguments; `arguments` for functions alone."""

    value: Any
    generator: int
    position: int
    arguments: list[Any] | None = None


def make(crew: Crew, turn: int, task: Task, options: Options, drops: Drops) -> list[Input]:
    """The inputs that the chosen generators give, each once. Trouble where there are none at all."""
    chosen = range(len(task.generators)) if options.gen_index is None else (options.gen_index,)
    if options.gen_index is not None and options.gen_index >= len(task.generators):
        raise Trouble(
            "inputs",
            f"there is no generator {options.gen_index}: the row has {len(task.generators)}, counted from 0",
            generator=options.gen_index,
        )
    found: list[Input] = []
    seen: set[Any] = set()
    first_trouble: Trouble | None = None
    for generator, made in (_seeded if options.style == "seeded" else _listed)(crew, turn, task, chosen, options):
        if isinstance(made, Trouble):  # of one generator among several: the others go on
            first_trouble = first_trouble or made
            continue
        found += usable(crew, task, generator, made, seen, drops)
    if not found:
        raise first_trouble or drops.trouble("inputs", "the generator gave no input that can be used")
    return found


def usable(
    crew: Crew, task: Task, generator: int, made: Iterable[tuple[int, Any]], seen: set[Any], drops: Drops
) -> list[Input]:
    """Of what a generator gave, with their positions: what can be an input, and is not among those `seen`."""
    found = []
    for position, value in made:
        crew.tally.add("inputs")
        each = value if isinstance(value, Drop) else _input(task, generator, position, value)
        if isinstance(each, Input):
            each = _unless_seen(each, seen)
        if isinstance(each, Input):
            found.append(each)
        else:
            drops.add(each)
    return found


def _unless_seen(each: Input, seen: set[Any]) -> Input | Drop:
    """Blank ends of line at the end of a text make no other input."""
    if isinstance(each.value, str):
        key: Any = each.value.rstrip("\r\n")
    else:
        key = json.dumps(each.value, default=repr)
    if key in seen:
        return Drop(step="inputs", reason="duplicate", generator=each.generator, position=each.position)
    seen.add(key)
    return each


# ── Running a generator ──────────────────────────────────────────────────────────────────────────────────────────────


def _run(crew: Crew, source: str, options: Options, index: int, args: tuple[str, ...] = ()) -> bytes:
    """What it printed."""
    try:
        language = detect(source, None, crew.sandbox.catalog).name
    except UnknownLanguage:  # most are in Python, and its words about what is wrong with one help more than ours
        language = "python"
    crew.languages.add(language)
    job = Job(source=source, language=language, args=args, limits=options.generator)
    try:
        outcome = crew.patiently("inputs", lambda: crew.sandbox.run_job(job))
    except UsageError as error:  # a language that is not here
        raise Trouble("inputs", f"the generator cannot be run: {error}", generator=index) from None
    if verdict.failure(outcome, options.generator) is not None:
        what, printed, words = ending(outcome, options.generator)
        raise Trouble("inputs", f"the generator failed: {what}", generator=index, printed=printed, traceback=words)
    return outcome.stdout


_Made = list[tuple[int, Any]]  # position and value, or the Drop in its place


def _listed(
    crew: Crew, turn: int, task: Task, chosen: Sequence[int], options: Options
) -> Iterator[tuple[int, _Made | Trouble]]:
    def one(index: int) -> _Made | Trouble:
        try:
            raw = _run(crew, task.generators[index], options, index)
        except Trouble as trouble:
            return trouble
        printed = cut(raw[:4000].decode(errors="replace"))
        try:
            text = raw.decode()
            values: list[Any] = texts_of(text) if task.fn_name is None else values_of(text)
        except ValueError as error:  # also UnicodeDecodeError
            what = f"the generator printed no list of inputs: {error}"
            return Trouble("inputs", what, generator=index, printed=printed)
        if not values:
            return Trouble("inputs", "the generator printed an empty list", generator=index, printed=printed)
        return list(enumerate(values))

    # No further ahead than needed: each may hold as much as a generator may print.
    yield from zip(chosen, crew.each(turn, one, chosen, ahead=1), strict=True)


def _seeded(
    crew: Crew, turn: int, task: Task, chosen: Sequence[int], options: Options
) -> Iterator[tuple[int, _Made | Trouble]]:
    """The position of an input is its seed."""

    def one(call: tuple[int, int]) -> Any:
        index, seed = call
        try:
            raw = _run(crew, task.generators[index], options, index, (str(seed),))
            return raw.decode() if task.fn_name is None else data_of(raw.decode(), where="what it printed")
        except (Trouble, UnicodeDecodeError, BadRow) as error:
            return Drop(
                step="inputs",
                reason="generator failed",
                generator=index,
                position=seed,
                detail=f"with the seed {seed}: {error}",
                printed=error.printed if isinstance(error, Trouble) else "",
                traceback=error.traceback if isinstance(error, Trouble) else "",
            )

    calls = [(index, seed) for index in chosen for seed in range(1, options.seeds + 1)]
    for (index, seed), value in zip(calls, crew.each(turn, one, calls, weigh=_weight), strict=True):
        yield index, [(seed, value)]


def _weight(value: Any) -> int:
    return len(value) if isinstance(value, str) else 1000


# ── Reading what it printed ──────────────────────────────────────────────────────────────────────────────────────────


def texts_of(text: str) -> list[str]:
    """The texts of a list, as Python or JSON writes them. ValueError where there is anything else."""
    return list(_texts(text))


def _texts(text: str) -> Iterator[str]:
    at = _skip(text, 0)
    close = {"[": "]", "(": ")"}.get(text[at : at + 1])
    if close is None:
        raise ValueError(f"expected a list, got {shown(text[at : at + 60])}" if at < len(text) else "nothing")
    at = _skip(text, at + 1)
    count = 0
    while text[at : at + 1] != close:
        parts = []
        while match := _TEXT.match(text, at):
            parts.append(_text(match[0], count))
            at = _skip(text, match.end())
        if not parts:
            raise ValueError(f"element {count}: expected a text, got {_rest(text, at)}")
        yield "".join(parts)
        count += 1
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise ValueError(f"after element {count - 1}: expected a comma or {close}, got {_rest(text, at)}")
    if _skip(text, at + 1) != len(text):
        raise ValueError(f"expected nothing after the list, got {_rest(text, _skip(text, at + 1))}")


def _rest(text: str, at: int) -> str:
    return shown(text[at : at + 60]) if at < len(text) else "the end of what it printed"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _text(token: str, number: int) -> str:
    """JSON and Python mean the same by almost every text in double quotes; where JSON takes it, JSON is right."""
    if token.startswith('"'):
        try:
            return str(json.loads(token))
        except ValueError:
            pass
    try:
        return str(literal_of(token))
    except ValueError as error:
        raise ValueError(f"element {number}: {error}") from None


def values_of(text: str) -> list[Any]:
    """The values of a list, for a function's arguments. ValueError where there is anything else."""
    if len(text) > MAX_VALUES_BYTES:
        raise ValueError(f"expected at most {MAX_VALUES_BYTES} characters of arguments, got {len(text)}")
    try:
        value = data_of(text.strip(), where="what it printed")
    except BadRow as error:
        raise ValueError(str(error)) from None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"expected a list, got {shown(value)}")
    return list(value)


# ── What can be used ─────────────────────────────────────────────────────────────────────────────────────────────────


def _input(task: Task, generator: int, position: int, value: Any) -> Input | Drop:
    """With its arguments where it is for a function."""
    try:
        if isinstance(value, str):
            value.encode()
        if task.fn_name is None:
            return Input(value=value, generator=generator, position=position)
        arguments = _arguments(value)
        json.dumps(value)
    except (ValueError, TypeError, RecursionError) as error:
        return Drop(
            step="inputs",
            reason="no text" if isinstance(error, UnicodeEncodeError) else "no arguments",
            generator=generator,
            position=position,
            detail=str(error),
            input=value,
        )
    return Input(value=value, generator=generator, position=position, arguments=arguments)


def _arguments(value: Any) -> list[Any]:
    """As dataset/cases.py reads them back: a JSON argument a line, or the list of arguments."""
    if isinstance(value, str):
        try:
            return [data_of(line, where="a line") for line in value.split("\n") if line.strip()]
        except BadRow as error:
            raise ValueError(str(error)) from None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"expected a list of arguments, or a text with a JSON argument a line, got {shown(value)}")
    return list(value)
