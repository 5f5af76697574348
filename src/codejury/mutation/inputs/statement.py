"""What a statement says of its input, as far as it can be read without understanding prose.

Owns finding the section on the input, the names in it in their order, the bounds of each (`bounds` reads the chains),
ranges in words ("between 1 and 100"), lengths in words ("at most 20 letters"), how many of what there are ("$m^3$
lines"), and a few words that change what a sequence may be. English, Swedish and Icelandic; mathematics is the same in
all of them.

A statement is anybody's text: it is cut at a length, and each pattern takes time linear in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from codejury.mutation.inputs.bounds import Chain, chains_of, plain

_READ_CHARACTERS = 100_000
_HEADING = re.compile(r"[^\w\n]*(?:(?:sub)?section|paragraph)?[^\w\n]*([^\W\d_]+(?: [^\W\d_]+){0,2})[^\w\n]*")
_HEADING_CHARACTERS = 80  # a longer line is no heading, and each is matched in time quadratic in its length
_INPUT_WORDS = frozenset({"input", "inntak", "indata", "input format", "input specification", "the input"})
_OUTPUT_WORDS = frozenset({"output", "úttak", "utdata", "utmatning", "output format", "output specification"})
_ASIDE_WORDS = frozenset(
    {"example", "examples", "sample", "samples", "note", "notes", "sample input", "sample output", "sample explanation"}
)

_MATH = re.compile(r"\$([^$\n]{1,300}(?:\n[^$\n]{1,200})?)\$")
_COMMAND = re.compile(r"\\(?:text|texttt|mathrm|mathbf|emph)\s*\{[^{}]*\}|\\[A-Za-z]+")
_SYMBOL = re.compile(r"(\|)?(?<![A-Za-z])([A-Za-z])(?![A-Za-z])(?:_(?:\{([^{}]{1,12})\}|(\w)))?(\[)?")
_ARGUMENTS = re.compile(r"(?<![A-Za-z])([A-Za-z])\((?:[a-z](?:, ?)?){1,4}\)")  # f(x, y) is spoken of as f

_NUMBER = r"-?\d{1,40}(?:\^\d{1,3})?"
_RANGES = re.compile(
    rf"\b(?:between|from|frá|milli|mellan|från|á bilinu)\s+({_NUMBER})\s+"
    rf"(?:and|to|through|og|til|upp í|och|till)\s+({_NUMBER})(?!\.?\d)",
    re.IGNORECASE,
)
_MAGNITUDE = re.compile(
    rf"\babsolute values?[^.\d]{{0,60}}?"
    rf"(?:bounded by|at most|less than or equal to|not exceed(?:ing)?|≤)\s*({_NUMBER})",
    re.IGNORECASE,
)
_LETTERS = (
    r"(?:lower-?\s?case |upper-?\s?case |english |latin |ascii )*"
    r"(?:letters|characters|chars|symbols|bókstafi|bókstafir|stafi|stafir|tákn|tecken|bokstäver)"
)
_LENGTHS = re.compile(
    rf"(?:\b(?:at most|up to|no more than|mest|í mesta lagi|högst|som mest)\s+({_NUMBER})\s+(?:\w+ )?{_LETTERS}\b"
    rf"|\blengths?\b[^.\d]{{0,30}}?\b(?:at most|up to|no more than|not exceed(?:ing)?|högst|mest)\s+({_NUMBER})"
    rf"|\blengths?\b[^.\d]{{0,30}}?\b(?:between|from|mellan|milli|frá)\s+({_NUMBER})\s+(?:and|to|og|och|til|till)\s+({_NUMBER})"
    r")",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\$([^$\n]{1,40})\$\s+(?!\\?(?:leq?|geq?|and|og|och|is|are|är|er|has|have|will|where|given|con\w+|desc\w+|denot\w+|repr\w+|inni\w+|inneh\w+|sem|som|that|which)\b)[^\W\d_]{3,}"
)
_SUM = re.compile(
    rf"\bsum of (?:all |the )?(?:values of )?(\w+)\b[^.]{{0,80}}?(?:exceed|at most|≤|bounded by|than)\s*({_NUMBER})",
    re.IGNORECASE,
)
_DIVISIBLE = re.compile(
    rf"\b(?:divis?[ai]?ble by|multiples? of|deilanleg\w* með|margfeldi af|delbar\w* med)\s+({_NUMBER})", re.IGNORECASE
)
_QUOTED = re.compile(r"(?:\\texttt|\\verb|``|\"|`|'|\\t)\s*[{|`\"']?\s*\"?([^\s{}|`\"']{1,40})[\"'}|`]")
_DISTINCT = re.compile(
    r"\b(?:distinct|unique|pairwise|(?:are|is|be|all) different|no two|more than once|at most once|exactly once"
    r"|permutation"
    r"|ólík\w*|mismunandi|einkvæm\w*|olika|unika|ingen\w* .{0,30}samma|umröðun)\b",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"\b(?:sorted|ascending|descending|increasing|decreasing|chronological|röð|stigande|sorterad\w*|vaxandi)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"\bleading\b[^.]{0,60}\b(?:non-?zero|not (?:be )?(?:zero|0))", re.IGNORECASE)
_AT_LEAST_ONE = re.compile(r"\b(?:at least one|minst e[nt]{1,2}|að minnsta kosti ein\w*)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\b(?:digits|tölustaf\w*|siffror)\b", re.IGNORECASE)
_LOWER = re.compile(r"lower-?\s?case|\ba\b[^\w\n]{1,15}\bz\b|a-z|lágstaf\w*|små bokstäver|gemener", re.IGNORECASE)
_UPPER = re.compile(r"upper-?\s?case|capital|\bA\b[^\w\n]{1,15}\bZ\b|A-Z|hástaf\w*|stora bokstäver|versaler")


_GRAPH = re.compile(
    r"\b(?:edges?|roads?|trees?|graphs?|bridges?|tunnels?|connect\w*|vert(?:ex|ices)|nodes?|kant\w*|väg\w*|vegur|vegir|tré|net|friends?)\b",
    re.IGNORECASE,
)


_IN_ALL = re.compile(
    rf"\b(?:symbols|characters|letters)\b in the input\b[^.\d]{{0,30}}?"
    rf"(?:between\s+{_NUMBER}\s+and|at most|up to)\s+({_NUMBER})",
    re.IGNORECASE,
)


class Name(msgspec.Struct, frozen=True):
    """A name of the input section. `sequence`: it has an index (a_i), so it stands for many values."""

    name: str
    sequence: bool
    at: int


class Span(msgspec.Struct, frozen=True):
    """A range in words, and where it stands in the input section."""

    low: int
    high: int
    at: int


class Count(msgspec.Struct, frozen=True):
    """How many of something there are: a product of names (m·m·m) and what is added."""

    names: tuple[str, ...]
    plus: int


class Statement(msgspec.Struct, frozen=True):
    names: tuple[Name, ...] = ()
    chains: tuple[Chain, ...] = ()
    spans: tuple[Span, ...] = ()
    lengths: tuple[tuple[int, int], ...] = ()
    counts: tuple[Count, ...] = ()
    sums: dict[str, int] = {}
    divisors: tuple[int, ...] = ()
    quoted: tuple[str, ...] = ()
    in_all: int | None = None
    distinct: bool = False
    leading_nonzero: bool = False
    at_least_one: bool = False
    graph: bool = True
    sorted: bool = False
    digits: bool = False
    lower: bool = False
    upper: bool = False


def read(statement: str) -> Statement:
    text = statement[:_READ_CHARACTERS]
    about, rest = _sections(_ARGUMENTS.sub(r"\1", text))
    words, known = plain(about), plain(about + "\n" + rest)
    names = tuple(_names(about))
    sequences = {each.name for each in names if each.sequence}
    return Statement(
        names=names,
        chains=tuple(_based(chain, sequences) for chain in chains_of(about + "\n" + rest)),
        spans=tuple(_spans(words)),
        lengths=tuple(_lengths(known)),
        counts=tuple(_counts(about)),
        sums={match[1]: _value(match[2]) for match in _SUM.finditer(known)},
        divisors=tuple(_value(match[1]) for match in _DIVISIBLE.finditer(known)),
        quoted=tuple(dict.fromkeys(match[1] for match in _QUOTED.finditer(text)))[:200],
        in_all=next((_value(match[1]) for match in _IN_ALL.finditer(known)), None),
        distinct=bool(_DISTINCT.search(about)),
        leading_nonzero=bool(_LEADING.search(words)),
        sorted=bool(_SORTED.search(about)),
        graph=not text.strip() or bool(_GRAPH.search(text)),
        at_least_one=bool(_AT_LEAST_ONE.search(about)),
        digits=bool(_DIGITS.search(about)),
        lower=bool(_LOWER.search(about)),
        upper=bool(_UPPER.search(about)),
    )


def base(name: str, sequences: set[str]) -> str:
    """a_i, a_1 -> a, where a is a sequence; other names stay, without an index in brackets."""
    if name.startswith("|"):
        return name
    name = name.partition("[")[0]
    letters = name.partition("_")[0]
    return letters if letters in sequences else name


def _sections(text: str) -> tuple[str, str]:
    """The section on the input, and what else may state its limits: not the story, the output, examples."""
    headings = []
    at = 0
    for line in text.split("\n"):
        if len(line) <= _HEADING_CHARACTERS and (match := _HEADING.fullmatch(line)):
            headings.append((at, at + len(line), match[1].lower()))
        at += len(line) + 1
    inputs = [each for each in headings if each[2] in _INPUT_WORDS]
    if not inputs:
        return text, ""
    start = inputs[0][1]
    bounds = [each for each in headings if each[0] >= start]
    end = next((each[0] for each in bounds if each[2] in _OUTPUT_WORDS or each[2] in _ASIDE_WORDS), len(text))
    more = []
    for index, (_, after, word) in enumerate(bounds):
        if after > end and word not in _OUTPUT_WORDS and word not in _ASIDE_WORDS and word not in _INPUT_WORDS:
            more.append(text[after : bounds[index + 1][0] if index + 1 < len(bounds) else len(text)])
    return text[start:end], "\n".join(more)


def _names(about: str) -> Iterator[Name]:
    """Names in mathematics, each once, in the order of the text."""
    found: dict[str, int] = {}
    subscripts: dict[str, set[str]] = {}
    indexed: set[str] = set()
    for math in _MATH.finditer(about):
        inner = _COMMAND.sub(lambda match: " " * len(match[0]), math[1])
        for symbol in _SYMBOL.finditer(inner):
            bars, letter, subscript = symbol[1], symbol[2], symbol[3] or symbol[4]
            key = letter + ("_" + subscript.strip() if subscript and not bars else "")
            found.setdefault(key, math.start() + symbol.start())
            if subscript:
                subscripts.setdefault(letter, set()).add(subscript.strip())
            if symbol[5]:
                indexed.add(key)
    if not found:  # no mathematics: the names of the chains
        for chain in chains_of(about):
            for group in chain.groups:
                for term in group:
                    if not term.name:
                        continue
                    name, _, index = term.name.strip("|").partition("[")
                    letter, _, subscript = name.partition("_")
                    if len(letter) > 3:
                        continue
                    found.setdefault(name, len(found))
                    if subscript:
                        subscripts.setdefault(letter, set()).add(subscript)
                    if index:
                        indexed.add(name)
    sequences = {letter for letter, all_of in subscripts.items() if _is_sequence(all_of)}
    running = {part for all_of in subscripts.values() for each in all_of for part in each.split(",")} & {"i", "j"}
    seen: set[str] = set()
    for key, at in found.items():
        name = base(key, sequences)
        if name not in seen and name not in running and not name.endswith(("_i", "_j")):
            seen.add(name)
            yield Name(name, name in sequences or key in indexed, at)


def _is_sequence(subscripts: set[str]) -> bool:
    """a_i, a_1 … a_n; but t_0, t_1, t_2 are three values, even where t_i speaks of them together."""
    numbered = sum(each.isdecimal() for each in subscripts)
    others = [each for each in subscripts if not each.isdecimal()]
    return any(each not in ("i", "j") for each in others) or (bool(others) and numbered < 3)


def _based(chain: Chain, sequences: set[str]) -> Chain:
    groups = tuple(
        tuple(msgspec.structs.replace(term, name=base(term.name, sequences)) if term.name else term for term in group)
        for group in chain.groups
    )
    return Chain(groups, chain.strict)


def _value(text: str) -> int:
    digits, _, power = text.partition("^")
    return int(digits) ** int(power) if power and abs(int(digits)) < 10**4 else int(digits)


def _spans(words: str) -> Iterator[Span]:
    for match in _RANGES.finditer(words):
        low, high = _value(match[1]), _value(match[2])
        if low < high:
            yield Span(low, high, match.start())
    for match in _MAGNITUDE.finditer(words):
        high = _value(match[1])
        yield Span(-high, high, match.start())


def _lengths(words: str) -> Iterator[tuple[int, int]]:
    for match in _LENGTHS.finditer(words):
        numbers = [_value(each) for each in match.groups() if each]
        if len(numbers) == 1:
            numbers = [1, *numbers]
        if 0 <= numbers[0] <= numbers[1]:
            yield numbers[0], numbers[1]


def _counts(about: str) -> Iterator[Count]:
    for match in _COUNTED.finditer(about):
        count = count_of(match[1])
        if count is not None:
            yield count


_FACTOR = re.compile(r"\s*(?:\\cdot|\\times|\*|×|·)?\s*([A-Za-z])(?:\^\{?(\d)\}?)?")


def count_of(text: str) -> Count | None:
    """n, nm, n \\cdot m, m^3, n+1, 2n-1 is none: what does not fit is not read."""
    names: list[str] = []
    at = 0
    while match := _FACTOR.match(text, at):
        names += [match[1]] * int(match[2] or 1)
        at = match.end()
        if len(names) > 4:
            return None
    rest = text[at:].replace(" ", "")
    if not names or (rest and not re.fullmatch(r"[+-]\d{1,2}", rest)):
        return None
    return Count(tuple(sorted(names)), int(rest) if rest else 0)
