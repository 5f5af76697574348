"""Tells the language of a source: by the file's ending, then by its first line, then by what it says.

    all languages ──ending──► those that claim it ──#! line──► those it names ──hints──► the one that leads

Each step only chooses among what the step before left. Where an ending left several and the source does not decide,
the first of the catalog wins; without an ending, a guess that is not clear is UnknownLanguage, which says what it saw.

Invariant: a source is never run here, and no source makes this slow: hints see a bounded, squeezed copy of it.
The hints themselves are data, in languages.toml.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Sequence

import msgspec

from codejury.errors import UnknownLanguage
from codejury.languages.catalog import Catalog, Language

ENOUGH = 4  # the score that a guess needs
LEAD = 2  # and what it must have over the next

PARSED_CHARACTERS = 262_144  # Python's parser sees a source up to this size
_READ_CHARACTERS = 32_768
_LINE_CHARACTERS = 200
_PARSES = 8  # what it adds that Python's parser takes a source: short ones of other languages may parse too
_PARSES_BLOCKS = 24  # and where there are blocks in it, with their colons and indents, which no other language has
_SOURCE = "<source of a language to be told>"
_SOURCE_PATTERN = re.compile(re.escape(_SOURCE))
_PYTHON2_NAMES = frozenset(
    {"raw_input", "xrange", "unicode", "basestring", "unichr", "long", "reduce", "execfile", "cmp", "file"}
)


class Score(msgspec.Struct, frozen=True):
    """What speaks for a language, and the pieces of the source that said so."""

    language: Language
    points: int
    seen: tuple[str, ...]


def detect(source: str, filename: str | None, catalog: Catalog) -> Language:
    """The language of `source`; `filename` need not exist. UnknownLanguage where it cannot be told."""
    return _detect(source, filename, catalog)


@functools.lru_cache(maxsize=64)  # one source is often run on many inputs
def _detect(source: str, filename: str | None, catalog: Catalog) -> Language:
    claimants = _by_extension(filename, catalog)
    if len(claimants) == 1:
        return claimants[0]
    candidates = claimants or list(catalog)
    named = _by_first_line(source, candidates)
    if named is not None:
        return named
    scores = score(source, candidates)
    leader = _leader(scores)
    if leader is not None:
        return leader
    if claimants:
        return claimants[0]
    raise UnknownLanguage(_unknown(source, filename, scores))


def score(source: str, candidates: Sequence[Language]) -> list[Score]:
    """What the content says for each candidate, the best first; at equal points in the given order."""
    text = _squeezed(source)
    python = _Python(source)
    signs: dict[str, str | None] = {}  # pattern -> what it found; languages that are alike share many
    scores = []
    for language in candidates:
        points, seen = 0, []
        for hint in language.hints:
            if hint.pattern not in signs:
                match = _pattern(hint.pattern).search(text)
                signs[hint.pattern] = match[0].strip() if match else None
            sign = signs[hint.pattern]
            if sign is not None:
                points += hint.weight
                if hint.weight > 0:
                    seen.append(sign)
        if language.check:
            points += python.points(language.check)
        scores.append(Score(language, points, tuple(seen)))
    return sorted(scores, key=lambda one: -one.points)


def _by_extension(filename: str | None, catalog: Catalog) -> list[Language]:
    base = re.split(r"[/\\]", filename or "")[-1]
    stem, dot, extension = base.rpartition(".")
    return catalog.claiming(extension) if dot and stem else []


def _by_first_line(source: str, candidates: Sequence[Language]) -> Language | None:
    """By the interpreter of `#!/usr/bin/env -S python3.11 -u`: python3.11, then python3, then python."""
    line = source.removeprefix("\ufeff").partition("\n")[0]
    if not line.startswith("#!"):
        return None
    words = [word.rsplit("/", 1)[-1] for word in line[2:].split()]
    if words and words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    name = words[0] if words else ""
    while name:
        for language in candidates:
            if name in language.interpreters:
                return language
        name = re.sub(r"(?:[.-]?\d+|[.-])$", "", name) if re.search(r"[\d.-]$", name) else ""
    return None


def _leader(scores: Sequence[Score]) -> Language | None:
    """The first, if it has enough and leads. Languages of one family (`like`) don't count against each other."""
    if not scores or scores[0].points < ENOUGH:
        return None
    parents = {one.language.name: one.language.like for one in scores}

    def family(name: str) -> str:
        while parents.get(name):
            name = parents[name]
        return name

    first = scores[0]
    rivals = (one.language for one in scores[1:] if first.points - one.points < LEAD)
    related = all(family(rival.name) == family(first.language.name) for rival in rivals)
    return first.language if related else None


def _unknown(source: str, filename: str | None, scores: Sequence[Score]) -> str:
    if not source.strip():
        saw = "the source is empty"
    elif scores and scores[0].points > 0:
        best = [one for one in scores if one.points > 0][:3]
        signs = "; ".join(f"{one.language.name} ({_signs(one)})" for one in best)
        saw = f"it could be {signs}" if len(best) > 1 else f"it looks a little like {signs}"
    else:
        saw = f"no language fits what it starts with, {_shown(source.strip())}"
    where = f"the ending of {filename!r} is none that is known" if filename else "there is no file name to go by"
    return f"cannot tell the language of the source: {where}, and {saw}; name it with language=... or --language"


def _signs(one: Score) -> str:
    return "seen: " + ", ".join(_shown(sign) for sign in one.seen[:3]) if one.seen else "the parser takes it"


def _shown(text: str) -> str:
    line = text.partition("\n")[0]
    return repr(line if len(line) <= 40 else line[:37] + "...")


def _squeezed(source: str) -> str:
    """The head of the source without what C-like languages take for comments, with cut lines, single spaces and no
    empty lines, so that no hint can run away on it."""
    head = _without_comments(source[:_READ_CHARACTERS].removeprefix("\ufeff"))
    lines = (re.sub(r"[^\S\n]+", " ", line[: 4 * _LINE_CHARACTERS]).rstrip() for line in head.splitlines())
    return "\n".join(line[:_LINE_CHARACTERS] for line in lines if line)


# `//` only where a statement may start: elsewhere it may be Python's division.
_LINE_COMMENT = re.compile(r"(?:^|(?<=[;{}]))[ \t]*//[^\n]*", re.MULTILINE)


def _without_comments(text: str) -> str:
    """Block comments and text blocks go as well: what they quote may be in any language."""
    for opening, closing in (("/*", "*/"), ('"""', '"""'), ("'''", "'''")):
        kept, at = [], 0
        while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
            kept.append(text[at:start])
            at = end + len(closing)
        text = " ".join((*kept, text[at:]))
    return _LINE_COMMENT.sub("", text)


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.MULTILINE)


# ── Python, by its own parser ────────────────────────────────────────────────────────────────────────────────────────


class _Python:
    """What the parser of Python 3 says of a source; asked at most once."""

    def __init__(self, source: str) -> None:
        self._source = source

    def points(self, check: str) -> int:
        """What that adds for python3 or python2: a source that parses is Python 3, unless it uses names of Python 2."""
        if self._tree is None or not _says_something(self._tree):
            return 0
        points = _PARSES_BLOCKS if _has_blocks(self._tree) else _PARSES
        of_python2 = bool(_python2_names(self._tree))
        return points if (check == "python2") == of_python2 else -points

    @functools.cached_property
    def _tree(self) -> ast.Module | None:
        if len(self._source) > PARSED_CHARACTERS:
            return None
        _quieten_parser()
        try:
            return ast.parse(self._source.removeprefix("\ufeff"), _SOURCE)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: nested too deep for the parser
            return None


def _quieten_parser() -> None:
    """The parser warns of odd escapes and numbers, on a stderr that is not ours: not in a file of our name.

    One filter for that name alone, put first once: catch_warnings would switch filters for all threads, back and forth.
    """
    import warnings

    if not warnings.filters or warnings.filters[0][0] != "ignore" or warnings.filters[0][3] != _SOURCE_PATTERN:
        warnings.filterwarnings("ignore", module=_SOURCE_PATTERN.pattern)


def _says_something(tree: ast.Module) -> bool:
    """Whether it is more than words that happen to parse, such as `hello` or `a, b`."""
    telling = (ast.Call, ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.For)
    return any(isinstance(node, telling) for node in ast.walk(tree))


def _has_blocks(tree: ast.Module) -> bool:
    blocks = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)
    return any(isinstance(node, blocks) for node in tree.body)


def _python2_names(tree: ast.Module) -> set[str]:
    """Names that only Python 2 has, used without being defined, nor where the source asks first which Python it is."""
    defined: set[str] = set()
    used: set[str] = set()
    guarded: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in _PYTHON2_NAMES:
                used.add(name)
            case ast.Name(id=name):
                defined.add(name)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.alias(name=name, asname=asname):
                defined.add(asname or name)
            case ast.Try(body=body, handlers=handlers) if any(_catches_name_error(handler) for handler in handlers):
                guarded |= _names(body)
            case ast.If(test=test, body=body, orelse=orelse) if _asks_version(test):
                guarded |= _names(body) | _names(orelse)
            case ast.IfExp(test=test) if _asks_version(test):
                guarded |= _names([node])
    if "*" in defined:  # from functools import *, from past.builtins import *: no telling what is defined
        return set()
    return used - defined - guarded


def _names(nodes: Sequence[ast.AST]) -> set[str]:
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _asks_version(test: ast.expr) -> bool:
    return bool(re.search(r"\bversion(?:_info)?\b|hexversion|\bPY[23]\b", ast.unparse(test)))


def _catches_name_error(handler: ast.ExceptHandler) -> bool:
    caught = ast.walk(handler.type) if handler.type is not None else []
    names = {node.id for node in caught if isinstance(node, ast.Name)}
    return handler.type is None or bool(names & {"NameError", "Exception", "BaseException"})
