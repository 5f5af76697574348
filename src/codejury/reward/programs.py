"""A completion -> the program in it, and the language that it is run as.

Owns who decides on the language: the caller or the row; else, for tests that call functions, Python; else the tag of
the completion's code block; else its text. A completion that chooses a language which nobody can run has no code: that
it cannot be judged is its own doing, and must not take it out of the count. Nor has one whose thoughts never came to
their end: a draft is no answer, and to pay for it teaches to go on drafting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from codejury.errors import LanguageUnavailable, UnknownLanguage, UsageError
from codejury.languages.detect import detect
from codejury.languages.execute import Sandbox
from codejury.llm import fences, replies
from codejury.model import Problem

# As `replies` has them: what is no family of its own goes by its own name.
_FAMILIES = {"cpp17": "cpp", "cpp20": "cpp", "cpp23": "cpp", "pypy3": "python"}


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """source None: there is none, and `why` says why not. in_fence: it stood in a block between two fences."""

    source: str | None = None
    language: str | None = None
    why: str = ""
    in_fence: bool = False


def text_of(completion: Any) -> str:
    """The completion as one text: messages count by the last of the assistant's, or the last where none is."""
    if completion is None:
        return ""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _content(completion.get("content"))
    if isinstance(completion, Sequence) and all(isinstance(each, (Mapping, str)) for each in completion):
        said = [each for each in completion if isinstance(each, Mapping) and each.get("role") == "assistant"]
        last: Any = said[-1] if said else completion[-1] if completion else ""
        return last if isinstance(last, str) else _content(last.get("content"))
    raise UsageError(f"completions: expected a text or a list of messages, got a {type(completion).__name__}")


def _content(content: Any) -> str:
    """A message's: a text, or parts of which some are texts."""
    if isinstance(content, (list, tuple)):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def named_language(sandbox: Sandbox, problem: Problem, asked: str | None) -> str | None:
    """The language that the completion has no choice about. LanguageUnavailable where this host lacks it."""
    name = asked or problem.extra.get("language") or (None if problem.kind == "stdin" else "python")
    if not isinstance(name, str):
        return None
    language = sandbox.catalog.get(name)
    sandbox.toolchain(language)
    return language.name


def program_of(sandbox: Sandbox, text: str, problem: Problem, language: str | None) -> Program:
    """`language`: from `named_language`."""
    said = fences.spoken(fences.tidy(text)) if "<" in text else None
    if said is not None and said.open and not said.text.strip():
        return Program(language=language, why="the completion ended while thinking: there is no answer")
    if said is not None and (said.open or len(text) > replies.MAX_CHARS):
        text = said.text  # thoughts may be as long as they like; drafts in open ones are not looked for
    if language is not None:
        found = _extracted(text, language, problem)
        return _program(found, text, language)
    found = replies.code_of(text)
    if found.code is None:  # Python is told from prose by its parser, also without fences
        bare = _extracted(text, "python", problem)
        return _program(found if bare.code is None else bare, text, "python")
    chosen = _chosen(sandbox, found.code, found.tag)
    if isinstance(chosen, Program):
        return chosen
    if chosen == "python":  # whose code must parse, which says more of what is meant
        found = _extracted(text, chosen, problem)
    return _program(found, text, chosen)


def program_as_it_is(sandbox: Sandbox, text: str, problem: Problem, language: str | None) -> Program:
    """A text that is a program and nothing else."""
    if not text.strip():
        return Program(language=language, why="nothing was said")
    chosen = language or _chosen(sandbox, text, "")
    return chosen if isinstance(chosen, Program) else Program(source=text, language=chosen, in_fence=True)


def _chosen(sandbox: Sandbox, code: str, tag: str) -> str | Program:
    """The language of the completion's own choice; a Program without source where this host lacks it."""
    try:
        name = tag if tag in sandbox.catalog else detect(code, None, sandbox.catalog).name
    except UnknownLanguage:
        name = "python"
    language = sandbox.catalog.get(name)
    try:
        sandbox.toolchain(language)
    except LanguageUnavailable as error:
        return Program(why=f"the completion's own choice of language: {error}")
    return language.name


def _extracted(text: str, language: str, problem: Problem) -> replies.Extracted:
    family = _FAMILIES.get(language, language)
    if problem.fn_name is not None:
        found = replies.code_of(text, language=family, wants=problem.fn_name)
        if found.code is not None:
            return found
    return replies.code_of(text, language=family)  # a method of a class, a name that is imported


def _program(found: replies.Extracted, text: str, language: str | None) -> Program:
    if found.code is None:
        return Program(language=language, why=found.detail or found.why_none)
    blocks = fences.fenced(fences.tidy(text))
    code = found.code.strip()
    in_fence = any(block.closed and block.code.strip() in code and block.code.strip() for block in blocks)
    return Program(source=found.code, language=language, in_fence=in_fence)
