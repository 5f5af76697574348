"""Prompts as data: a file each, with a header; fields go in, messages come out.

    +++
    name = "regular_generator"      the file's name
    version = 1                     raised with every change that may change answers
    answer = "python"               python: a code block;  yes_no
    prints = true                   the code must print           (python)
    wants = "is_valid_input"        the function it must define   (python)
    [fields]
    statement = 6000                characters that go in at most; what is longer is cut in the middle
    error = { chars = 1500, keep = "end" }               start, end or both
    gold = { chars = 4000, optional = true }             may be missing or empty
    +++
    # system
    # user                          each heading begins a message; an example is a user's and an assistant's before
    # assistant                     the last user's
    {{statement}}                   a field
    {{fence gold}}                  the same between fences that nothing in it can close
    {{#gold}} … {{/gold}}           only where the field is not empty

Invariant: a field's text is put in once and not looked at again: what looks like a field in it is text.

A folder of the user's goes before the package's: a file of the same name takes a prompt's place. It may use fewer
fields, or other lengths, and must want the same answer, because the caller gives the fields and reads the answer.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.errors import UsageError

_FOLDER = Path(__file__).with_name("prompts")
_SUFFIX = ".md"
_PLACE = re.compile(r"\{\{(fence )?([a-z_]+)\}\}")
_PART = re.compile(r"\{\{#([a-z_]+)\}\}(.*?)\{\{/\1\}\}\n?", re.DOTALL)
_ANY = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_LEFT_OUT = "\n… {} characters left out …\n"
_HEADING = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)


class Field(msgspec.Struct, frozen=True, kw_only=True):
    chars: int
    keep: Literal["start", "end", "both"] = "both"
    optional: bool = False


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `digest`: the first 12 digits of its content's SHA-256, so that records tell changed prompts apart."""

    name: str
    version: int
    answer: Literal["python", "yes_no"]
    fields: dict[str, Field]
    messages: tuple[tuple[str, str], ...]
    digest: str
    where: str
    wants: str | None = None
    prints: bool = False

    def render(self, fields: Mapping[str, str], *, scale: float = 1.0) -> Rendered:
        """The messages with the fields in them, each within `scale` times its length. Fields that this file does not
        use are left out."""
        texts: dict[str, str] = {}
        cut: list[str] = []
        for name, field in self.fields.items():
            text = fields.get(name, "")
            if not isinstance(text, str):
                raise UsageError(f"{self.where}: field {name}: expected a text, got {type(text).__name__}")
            if not text.strip() and not field.optional:
                raise UsageError(f"{self.where}: field {name}: expected a text, got nothing")
            texts[name] = shortened(text.strip("\n"), max(40, int(field.chars * scale)), keep=field.keep)
            if texts[name] != text.strip("\n"):
                cut.append(name)
        return Rendered(
            messages=tuple({"role": role, "content": _filled(text, texts)} for role, text in self.messages),
            prompt=self.name,
            version=f"{self.version}-{self.digest}",
            cut=tuple(cut),
        )


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """messages for the client; version for the record: the header's, and the file's digest;  cut: fields that were too
    long."""

    messages: tuple[dict[str, str], ...]
    prompt: str
    version: str
    cut: tuple[str, ...] = ()


class Prompts:
    """All prompts, each read when it is first wanted.

    folder   the user's own
    scale    of the lengths of fields: less than 1 for models that take in little, more for those that take in much
    """

    def __init__(self, folder: Path | None = None, *, scale: float = 1.0) -> None:
        if not 0 < scale <= 1000:
            raise UsageError(f"scale: expected a positive number, got {scale!r}")
        self._folder = folder
        self._scale = scale
        self._read: dict[str, Prompt] = {}
        self._built_in: dict[str, Prompt] = {}  # whose fields the caller gives
        self.names = tuple(sorted(path.stem for path in _FOLDER.glob(f"*{_SUFFIX}")))
        if folder is not None:
            self._check_folder(folder)

    def _check_folder(self, folder: Path) -> None:
        """Whoever writes a prompt wants it to be used: a file that no prompt is named for is a mistake."""
        if not folder.is_dir():
            raise UsageError(f"{folder}: expected a folder of prompts")
        for path in sorted(folder.glob(f"*{_SUFFIX}")):
            if path.stem not in self.names and path.stem.lower() != "readme":
                raise UsageError(f"{path}: no prompt of that name; there are {', '.join(self.names)}")
            if path.stem in self.names:
                self.get(path.stem)

    def get(self, name: str) -> Prompt:
        if name not in self.names:
            raise UsageError(f"no prompt {name!r}; there are {', '.join(self.names)}")
        if name not in self._read:
            built_in = parse(_text_of(_FOLDER / f"{name}{_SUFFIX}"), where=f"{name}{_SUFFIX}", name=name)
            self._built_in[name] = built_in
            own = self._folder / f"{name}{_SUFFIX}" if self._folder is not None else None
            if own is not None and own.is_file():
                self._read[name] = _fitting(parse(_text_of(own), where=str(own), name=name), built_in)
            else:
                self._read[name] = built_in
        return self._read[name]

    def render(self, name: str, **fields: str) -> Rendered:
        """UsageError where a field is missing, or given that no prompt of this name knows."""
        prompt = self.get(name)
        known = self._built_in[name].fields
        for each in fields:
            if each not in known:
                raise UsageError(f"{prompt.where}: no field {each}; there are {', '.join(known)}")
        return prompt.render(fields, scale=self._scale)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None


def _fitting(own: Prompt, built_in: Prompt) -> Prompt:
    for name in own.fields:
        if name not in built_in.fields:
            raise UsageError(f"{own.where}: fields: no field {name}; there are {', '.join(built_in.fields)}")
        if built_in.fields[name].optional and not own.fields[name].optional:
            raise UsageError(f"{own.where}: fields: {name}: expected optional = true, as it is not always there")
    for name in ("answer", "wants", "prints"):
        if getattr(own, name) != getattr(built_in, name):
            raise UsageError(
                f"{own.where}: {name}: expected {getattr(built_in, name)!r}, which is how the answer is read, "
                f"got {getattr(own, name)!r}"
            )
    return own


# ── Reading a file ───────────────────────────────────────────────────────────────────────────────────────────────────


class _Header(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    version: int
    answer: Literal["python", "yes_no"]
    fields: dict[str, int | dict[str, Any]] = {}
    wants: str | None = None
    prints: bool = False


def parse(text: str, *, where: str, name: str) -> Prompt:
    """UsageError names the file, the line or the field, and what was expected."""
    match = re.match(r"\+\+\+\n(.*?)^\+\+\+[ \t]*\n", text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise UsageError(f"{where}, line 1: expected a header between two lines of +++")
    try:
        header = msgspec.convert(tomllib.loads(match[1]), _Header)
        fields = {
            key: msgspec.convert({"chars": value} if isinstance(value, int) else value, Field)
            for key, value in header.fields.items()
        }
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{where}: header: {error}") from None
    if header.name != name:
        raise UsageError(f"{where}: name: expected {name!r}, as the file is named, got {header.name!r}")
    for key, field in fields.items():
        if not re.fullmatch(r"[a-z_]+", key) or field.chars < 40:
            raise UsageError(f"{where}: fields: {key}: expected a name of a-z and _, and at least 40 characters")
    body = text[match.end() :]
    _check_places(body, fields, where, first_line=text[: match.end()].count("\n") + 1)
    return Prompt(
        name=name,
        version=header.version,
        answer=header.answer,
        fields=fields,
        messages=_messages(body, where),
        digest=hashlib.sha256(text.encode()).hexdigest()[:12],
        where=where,
        wants=header.wants,
        prints=header.prints,
    )


def _check_places(body: str, fields: Mapping[str, Field], where: str, *, first_line: int) -> None:
    used = set()
    for match in _ANY.finditer(body):
        line = first_line + body[: match.start()].count("\n")
        named = re.fullmatch(r"\{\{(?:fence |[#/])?([a-z_]+)\}\}", match[0])
        if named is None:
            raise UsageError(
                f"{where}, line {line}: expected {{{{field}}}}, {{{{fence field}}}}, got {match[0][:60]!r}"
            )
        if named[1] not in fields:
            raise UsageError(f"{where}, line {line}: {named[1]} is no field of the header")
        used.add(named[1])
    for name in fields:
        if name not in used:
            raise UsageError(f"{where}: fields: {name} is used nowhere in the text")
    left = _ANY.sub(lambda match: match[0] if match[0][2] in "#/" else "", _PART.sub("", body))
    if stray := re.search(r"\{\{[#/][a-z_]+\}\}", left):
        raise UsageError(f"{where}: {stray[0]} has no counterpart")


def _messages(body: str, where: str) -> tuple[tuple[str, str], ...]:
    headings = list(_HEADING.finditer(body))
    if not headings or body[: headings[0].start()].strip():
        raise UsageError(f"{where}: expected # system, # user or # assistant first after the header")
    ends = [*(heading.start() for heading in headings[1:]), len(body)]
    parts = [(heading[1], body[heading.end() : end].strip("\n")) for heading, end in zip(headings, ends, strict=True)]
    roles = [role for role, _ in parts]
    turns = roles[1:] if roles[0] == "system" else roles
    if turns != [("user", "assistant")[number % 2] for number in range(len(turns))] or not len(turns) % 2:
        raise UsageError(f"{where}: expected # user and # assistant in turn, # user last, got {', '.join(roles)}")
    return tuple(parts)


# ── Putting fields in ────────────────────────────────────────────────────────────────────────────────────────────────


def _filled(text: str, fields: Mapping[str, str]) -> str:
    kept = _PART.sub(lambda match: match[2].removeprefix("\n") if fields[match[1]].strip() else "", text)
    return _PLACE.sub(lambda match: fenced(fields[match[2]]) if match[1] else fields[match[2]], kept)


def fenced(text: str) -> str:
    """Between fences that are longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}\n{text}\n{mark}"


def shortened(text: str, chars: int, *, keep: Literal["start", "end", "both"] = "both") -> str:
    """At most so many characters, with a word on how many are missing."""
    if len(text) <= chars:
        return text
    room = max(chars - len(_LEFT_OUT.format(len(text))), 0)
    note = _LEFT_OUT.format(len(text) - room)
    head = {"start": room, "end": 0, "both": room * 2 // 3}[keep]
    tail = room - head
    return (text[:head] + note + (text[len(text) - tail :] if tail else "")).strip("\n")[:chars]
