"""Program mutants: wrong, or slow, programs made of a right one by small changes to its syntax tree.

    source ─► tree (ast; tree-sitter) ─► changes of every operator ─► a spread of them ─► those that parse ─► Mutant

Owns `Mutant` and `mutants`: the choice among the changes and what is kept of them. The operators are in `operators`,
the rules that find their places in `python_rules`, `brace_rules` (what C, C++ and Java share), `c_rules`, `java_rules`.

Invariants: pure and deterministic by source, language and seed; a longer list begins with the shorter one; all bytes
outside of the changed place are the source's. What an untrusted gold may look like is no error: a source that cannot
be parsed, or is too large, has no mutants. Running mutants is `testgen.mutants`'.
"""

from __future__ import annotations

import bisect
import functools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from codejury.errors import UnknownLanguage, UsageError
from codejury.mutation.programs.operators import OPERATORS, Change, Changes, Family

Syntax = Literal["python", "c", "cpp", "java"]

_MOST_BYTES = 1 << 20  # of a source
_ALL_BYTES = 4 << 20  # of all mutants of a source, which are parsed again one by one
_SHORT = 80  # characters of `before` and `after`

# The languages of the catalogue, by the syntax in which they are mutated. `like` leads the others here.
_SYNTAX: dict[str, Syntax] = {
    "python": "python",
    "pypy": "python",
    "python2": "python",
    "c": "c",
    "cpp17": "cpp",
    "cpp20": "cpp",
    "cpp23": "cpp",
    "java": "java",
}


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A changed program.

    operator        a name in `operators.OPERATORS`
    line            of the change, from 1
    before, after   what stood there, and what stands there now; shortened
    slow            expected to be right but slower
    family          of the operator: 0 or 1; one selects tests, the other scores them
    aim             which inputs would show it: "small", "large", or a numeral that the changed place compares with
    """

    source: str
    operator: str
    line: int
    before: str
    after: str
    family: Family
    slow: bool = False
    aim: str | None = None


def mutants(
    source: str, language: str, *, limit: int | None = None, seed: int = 0, family: Family | None = None
) -> list[Mutant]:
    """Mutants of a program, at most `limit`: turn by turn one of each operator, each from the line with the fewest
    so far. `family` keeps to the operators of one family.

    UsageError for a language without operators. A source that does not parse has none, and gives an empty list."""
    if limit is not None and limit < 0:
        raise UsageError(f"limit: expected a number from 0 or None, got {limit!r}")
    syntax = _syntax(language)
    try:
        data = source.encode(errors="surrogateescape")  # as files that are no UTF-8 are read
    except UnicodeEncodeError:  # other lone surrogates: no program
        return []
    if len(data) > _MOST_BYTES or not data.strip():
        return []
    most = _ALL_BYTES // len(data)
    limit = most if limit is None else min(limit, most)
    read, still_parses = _reader(syntax)(data)
    if read is None:
        return []
    lines = _line_starts(data)
    made: list[Mutant] = []
    known = {data}
    for change in _spread(read, lines, seed, family):
        if len(made) >= limit:
            break
        changed = data[: change.start] + change.text + data[change.end :]
        if changed in known or not still_parses(change):
            continue
        known.add(changed)
        operator = OPERATORS[change.operator]
        made.append(
            Mutant(
                source=changed.decode(errors="surrogateescape"),
                operator=change.operator,
                line=bisect.bisect_right(lines, change.place),
                before=_short(data[change.start : change.end]),
                after=_short(change.text),
                family=operator.family,
                slow=operator.slow,
                aim=change.aim or operator.aim,
            )
        )
    return made


def supports(language: str) -> bool:
    """Whether `mutants` has operators for the language."""
    try:
        _syntax(language)
    except UsageError:
        return False
    return True


@functools.lru_cache(maxsize=256)
def _syntax(language: str) -> Syntax:
    from codejury import settings
    from codejury.languages.catalog import Catalog

    catalog = Catalog.load(settings.load().languages)
    found = catalog.get(language)
    for _ in range(8):
        if found.name in _SYNTAX:
            return _SYNTAX[found.name]
        if not found.like:
            break
        found = catalog.get(found.like)
    raise UnknownLanguage(f"language {language!r}: expected one with mutation operators: Python, C, C++ or Java")


# What a reader gives: the changes that it found, None where the source does not parse; and whether the source with a
# change still does.
Parses = Callable[[Change], bool]
Reader = Callable[[bytes], tuple[Changes | None, Parses]]


def _reader(syntax: Syntax) -> Reader:
    if syntax == "python":
        from codejury.mutation.programs import python_rules

        return python_rules.read
    from codejury.mutation.programs import c_rules, java_rules

    if syntax == "java":
        return java_rules.read
    return functools.partial(c_rules.read, is_cpp=syntax == "cpp")


def _spread(found: Changes, lines: list[int], seed: int, family: Family | None) -> Iterator[Change]:
    """All changes, in the order in which they are to be taken."""
    queues: list[list[Change]] = []
    for name in OPERATORS:
        if family is not None and OPERATORS[name].family != family:
            continue
        queue = found.by_operator.get(name)
        if queue:
            queue = list(queue)
            random.Random(f"{seed} {name}").shuffle(queue)
            queues.append(queue)
    random.Random(seed).shuffle(queues)
    used: Counter[int] = Counter()
    while queues:
        for queue in queues:
            # Looking only at the next few is enough for a spread, and keeps this linear.
            ahead = range(min(len(queue), 32))
            best = min(ahead, key=lambda place: used[bisect.bisect_right(lines, queue[-1 - place].place)])
            change = queue.pop(-1 - best)
            used[bisect.bisect_right(lines, change.place)] += 1
            yield change
        queues = [queue for queue in queues if queue]


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    at = 0
    for line in data.splitlines(keepends=True):  # of bytes: \n, \r and \r\n only
        at += len(line)
        starts.append(at)
    return starts


def _short(text: bytes) -> str:
    words = " ".join(text.decode(errors="replace").split())
    return words if len(words) <= _SHORT else words[: _SHORT // 2 - 1] + "…" + words[-_SHORT // 2 :]
