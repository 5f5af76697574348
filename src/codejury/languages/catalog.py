"""The table of languages: read from TOML, merged, checked, looked up by name.

Owns `Language` (one table of `languages.toml`, whose head documents every field) and `Catalog`.

    languages.toml ─► tables ─┐
    the user's TOML ─► tables ┴► merged field by field ─► `like` filled in ─► Language ─► Catalog

Invariant: a Catalog holds only languages that passed every check, and no name, alias or file ending leads two ways
without a rule; what is wrong in a file is a SettingsError that names file, table, field and what was expected.
Finding the tools on this host is `toolchain`'s; telling a language from a source is `detect`'s.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.errors import SettingsError, UnknownLanguage
from codejury.model import Limits

COMPILE_LIMITS = Limits(cpu_s=30, memory_mb=2048, output_mb=4, processes=64, disk_mb=512, open_files=1024)

# What a template may hold beside the roles of `tools`.
FIELDS = frozenset({"source", "units", "stem", "entry", "memory_mb", "heap_mb", "stack_kb"})

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")  # any other brace in a template stands for itself
_NAME = re.compile(r"[a-z][a-z0-9_+#.-]*")
_OWN = frozenset({"title", "aliases", "extensions", "interpreters"})  # what `like` never hands down


class Hint(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One sign in a source: a regular expression (multi-line), and what a match adds to the score."""

    pattern: str
    weight: int


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to find the class that a program starts in; see the head of languages.toml."""

    default: str
    unit: str
    file: str = ""
    holds: str = ""
    package: str = ""


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language. The head of languages.toml documents each field."""

    name: str
    title: str
    source: str
    run: tuple[str, ...]
    version: tuple[str, ...]
    tools: dict[str, tuple[str, ...]]
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    like: str = ""
    package: str = ""
    entry: Entry | None = None
    sysroot: tuple[str, ...] = ()
    compile: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    env: dict[str, str] = {}
    compile_limits: Limits = COMPILE_LIMITS
    overhead_mb: int = 0
    least_processes: int = 1
    out_of_memory: str = ""
    reads: tuple[str, ...] = ()
    warm: bool = False
    check: Literal["", "python2", "python3"] = ""
    hints: tuple[Hint, ...] = ()
    selftest: str = ""

    @property
    def compiled(self) -> bool:
        return bool(self.compile)


class Catalog:
    """Languages by name and alias, in the order of their files."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self._languages = {language.name: language for language in languages}
        self._names: dict[str, str] = {}
        for language in self._languages.values():
            for name in (language.name, *language.aliases):
                self._names[name.lower()] = language.name

    @classmethod
    def load(cls, extra: Sequence[Path] = ()) -> Catalog:
        """The built-in languages with the tables of `extra`, file after file, laid over them."""
        return _build(extra) if extra else builtin()

    def get(self, name: str) -> Language:
        """By name or alias, without regard to case. UnknownLanguage names what comes close."""
        found = self._names.get(name.strip().lower())
        if found is not None:
            return self._languages[found]
        close = dict.fromkeys(self._names[near] for near in _close(name.strip().lower(), self._names))
        meant = f"; did you mean {_or(list(close))}?" if close else ""
        raise UnknownLanguage(f"no language is called {name!r}{meant} (known: {', '.join(self._languages)})")

    def claiming(self, extension: str) -> list[Language]:
        """The languages that a file ending (without its dot) may mean: as spelt, else in lower case."""
        for spelling in (extension, extension.lower()):
            found = [language for language in self if spelling in language.extensions]
            if found:
                return found
        return []

    def __iter__(self) -> Iterator[Language]:
        return iter(self._languages.values())

    def __len__(self) -> int:
        return len(self._languages)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.strip().lower() in self._names


@functools.cache
def builtin() -> Catalog:
    """The languages that codejury comes with. Read at the first call, then kept."""
    return _build(())


class _Table:
    """The fields of one language as the files gave them, each already of its type, and the file that gave it."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path  # that named the language last: what is missing is missing there
        self.fields: dict[str, Any] = {}
        self.origin: dict[str, Path] = {}

    def wrong(self, field: str, problem: str) -> SettingsError:
        return SettingsError(f"{self.given_in(field)}: [{self.name}] {field}: {problem}")

    def given_in(self, field: str) -> Path:
        return self.origin.get(re.split(r"[.\[]", field)[0], self.path)


BUILTIN = Path(__file__).with_name("languages.toml")


def _build(extra: Sequence[Path]) -> Catalog:
    tables: dict[str, _Table] = {}
    for path in (BUILTIN, *extra):
        _read_into(tables, path)
    languages = [_language(table, tables) for table in tables.values()]
    _check_names(languages, tables)
    return Catalog(languages)


def _read_into(tables: dict[str, _Table], path: Path) -> None:
    import tomllib

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: expected UTF-8 text: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    types = {field.name: field.type for field in msgspec.structs.fields(Language) if field.name != "name"}
    for name, given in document.items():
        if not isinstance(given, dict):
            raise SettingsError(f"{path}: {name}: expected a table, one for each language: [{name}]")
        if not _NAME.fullmatch(name):
            raise SettingsError(f"{path}: [{name}]: expected a name of lower-case letters, digits and _ + # . -")
        table = tables.setdefault(name, _Table(name, path))
        table.path = path
        for field, raw in given.items():
            table.origin[field] = path
            if field not in types:
                close = _close(field, types)
                meant = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(sorted(types))}"
                raise table.wrong(field, f"no such field; {meant}")
            before = table.fields.get(field)
            table.fields[field] = _value(table, field, raw, types[field], before)


def _value(table: _Table, field: str, raw: Any, kind: Any, before: Any) -> Any:
    """One field, of its type. What is a table itself is laid over what was there, key by key."""
    if isinstance(raw, dict) and (before is not None or field == "compile_limits"):
        base = before if before is not None else COMPILE_LIMITS
        laid = dict(base if isinstance(base, dict) else msgspec.structs.asdict(base))
        if field == "compile_limits":
            for key in raw:
                if key not in laid:
                    raise table.wrong(f"{field}.{key}", f"no such limit; expected one of {', '.join(laid)}")
        raw = laid | raw
    try:
        return msgspec.convert(raw, type=kind)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise table.wrong(field + where.rstrip("`"), _lower(text)) from None


def _language(table: _Table, tables: Mapping[str, _Table]) -> Language:
    fields = _inherited(table, tables, ())
    for field in ("source", "run", "version", "tools"):
        if not fields.get(field):
            raise table.wrong(field, "is missing; a new language needs it, or `like` with the name of one that has it")
    language = Language(**{"title": table.name, **fields, "name": table.name})
    _check(language, table)
    return language


def _inherited(table: _Table, tables: Mapping[str, _Table], seen: tuple[str, ...]) -> dict[str, Any]:
    """The table's own fields over those of the language that it is like; hints add up."""
    like = table.fields.get("like")
    if not like:
        return table.fields
    if like not in tables:
        raise table.wrong("like", f"expected the name of a language, got {like!r}")
    if table.name in seen:
        raise table.wrong("like", f"goes in a circle: {' -> '.join((*seen, table.name))}")
    base = _inherited(tables[like], tables, (*seen, table.name))
    handed = {field: value for field, value in base.items() if field not in _OWN}
    fields = handed | table.fields
    fields["hints"] = (*handed.get("hints", ()), *table.fields.get("hints", ()))
    return fields


def _check(language: Language, table: _Table) -> None:
    known = FIELDS | language.tools.keys()
    templates = {
        "run": language.run,
        "compile": language.compile,
        "version": language.version,
        "sysroot": language.sysroot,
        "env": tuple(language.env.values()),
    }
    for field, words in templates.items():
        for unknown in (name for word in words for name in PLACEHOLDER.findall(word) if name not in known):
            raise table.wrong(field, f"{{{unknown}}} stands for nothing; expected one of {', '.join(sorted(known))}")
    for field, words in (("source", (language.source,)), ("artifacts", language.artifacts)):
        for word in words:
            if not word or word.startswith("/") or ".." in word.split("/"):
                raise table.wrong(field, f"expected a path inside the working directory, got {word!r}")
    if language.compile and not language.artifacts:
        raise table.wrong("artifacts", "is missing; with `compile`, expected the files to keep, such as ['main']")
    for role, candidates in language.tools.items():
        if role in FIELDS or not PLACEHOLDER.fullmatch(f"{{{role}}}"):
            raise table.wrong("tools", f"expected another name for the role {role!r} (a-z, 0-9, _; none of the fields)")
        if not candidates and role != "python":
            raise table.wrong("tools", f"{role}: expected at least one executable to look for")
    if language.overhead_mb < 0 or language.least_processes < 1:
        field = "overhead_mb" if language.overhead_mb < 0 else "least_processes"
        raise table.wrong(field, "expected a positive number")
    _check_patterns(language, table)


def _check_patterns(language: Language, table: _Table) -> None:
    patterns = [("hints", hint.pattern, 0) for hint in table.fields.get("hints", ())]  # field, pattern, groups it needs
    patterns.append(("out_of_memory", language.out_of_memory, 0))
    if language.entry is not None:
        entry = language.entry
        patterns += [("entry.unit", entry.unit, 1), ("entry.file", entry.file, 1)]
        patterns += [("entry.holds", entry.holds, 0), ("entry.package", entry.package, 1)]
    for field, pattern, groups in patterns:
        if not pattern or table.given_in(field) == BUILTIN:  # ours are tested, and compiling them all takes a while
            continue
        try:
            compiled = re.compile(pattern, re.MULTILINE)
        except re.error as error:
            raise table.wrong(field, f"not a regular expression: {error}: {pattern!r}") from None
        if compiled.groups < groups:
            raise table.wrong(field, f"expected a group (...) around the name: {pattern!r}")


def _check_names(languages: Sequence[Language], tables: Mapping[str, _Table]) -> None:
    taken = {language.name: language.name for language in languages}
    for language in languages:
        for alias in language.aliases:
            holder = taken.setdefault(alias.lower(), language.name)
            if holder == language.name:
                continue
            ours, theirs = tables[language.name], tables[holder]
            if ours.given_in("aliases") != BUILTIN:
                raise ours.wrong("aliases", f"{alias!r} already means {holder}")
            if alias.lower() == holder:
                raise SettingsError(f"{theirs.path}: [{holder}]: is another name of {ours.name}; change [{ours.name}]")
            raise theirs.wrong("aliases", f"{alias!r} already means {language.name}")


def _close(word: str, known: Iterable[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(word, list(known), n=3)


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
