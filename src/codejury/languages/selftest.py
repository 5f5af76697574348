"""Does a language work here? Its own small program, compiled and run inside.

Owns the check behind `codejury doctor`: every language carries a program that reads two numbers and prints their sum.
"""

from __future__ import annotations

import msgspec

from codejury.errors import CodejuryError, LanguageUnavailable
from codejury.languages.catalog import Language
from codejury.languages.execute import Sandbox


class LanguageReport(msgspec.Struct, frozen=True):
    """`works`: compiled, ran, printed the right sum. `installed` tells an absent toolchain from a broken one."""

    name: str
    title: str
    installed: bool
    works: bool
    version: str = ""
    reason: str = ""


def selftest(box: Sandbox, language: Language) -> LanguageReport:
    try:
        tools = box.toolchain(language)
    except LanguageUnavailable as error:
        return LanguageReport(language.name, language.title, False, False, reason=str(error))
    try:
        outcome = box.run(language.selftest, language=language.name, stdin="2 3\n")
        version = box.version(tools)
    except CodejuryError as error:
        return LanguageReport(language.name, language.title, True, False, reason=str(error))
    if outcome.ok and outcome.stdout.split() == [b"5"]:
        return LanguageReport(language.name, language.title, True, True, version=version)
    words = (outcome.stderr or outcome.stdout).decode(errors="replace").strip().splitlines()
    reason = f"{outcome.status}: {words[-1] if words else 'no words'}"
    return LanguageReport(language.name, language.title, True, False, version=version, reason=reason)
