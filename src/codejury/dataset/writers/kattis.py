"""Kattis problem packages. The header of `formats/kattis.py` shows them.

    problem.yaml  .timelimit  problem_statement/problem.en.{md,tex}
    data/sample/  public tests; data/secret/  the others; under the names that they had, or numbered
    output_validators/validate/   the checker: Kattis' own as it is, Klear's with a main.py that starts it
    input_validators/N/           the same, for the row's `input_validator`
    submissions/accepted/         the golds whose language is known or can be told

A checker for testlib, and a comparison that the default validator does not have, cannot be expressed. Names come from
strangers: what becomes a path is letters, digits, dots, dashes and underscores, and never leads out of the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from codejury.dataset.writers.values import PUBLIC, Inexpressible, refuse_unknown_outputs
from codejury.model import Comparison, Limits, Problem, TestCase

LanguageOf = Callable[[str], str | None]
"""The language of a source, or None."""

_ENDINGS = {
    "c": "c", "csharp": "cs", "go": "go", "haskell": "hs", "java": "java", "javascript": "js", "julia": "jl",
    "kotlin": "kt", "lua": "lua", "ocaml": "ml", "perl": "pl", "php": "php", "prolog": "pl", "python": "py",
    "python2": "py2", "python3": "py", "pypy3": "py", "ruby": "rb", "rust": "rs", "scala": "scala", "swift": "swift",
    "bash": "sh", "typescript": "ts",
}  # fmt: skip
_NAME = re.compile(r"(?:sample|secret)(?:/[A-Za-z0-9_-][A-Za-z0-9._+-]*)+", re.ASCII)
_FILE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._+-]{0,100}", re.ASCII)
_FLAGS = ("output_validator_flags", "output_validator_args", "validator_flags")  # are in the package's own already
_TOLERANCE = 1e-6  # of `floats` without tolerances
_VALIDATE = '''"""Starts a checker that is a function: is_valid_output(input, output, reference)."""

import sys

import klear_checker

with open(sys.argv[1], "rb") as given, open(sys.argv[2], "rb") as answer:
    texts = [stream.read().decode("utf-8", "replace") for stream in (given, sys.stdin.buffer, answer)]
sys.exit(42 if klear_checker.is_valid_output(*texts) else 43)
'''
_VALIDATE_INPUT = '''"""Starts a validator that is a function: is_valid_input(input)."""

import sys

import klear_validator

sys.exit(42 if klear_validator.is_valid_input(sys.stdin.read()) else 43)
'''


def folder_name(problem_id: str) -> str:
    """A name for the package: the id, as far as it can be one."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", problem_id, flags=re.ASCII).strip("-")[:80].strip("-") or "problem"


def write(problem: Problem, folder: Path, *, language_of: LanguageOf | None = None) -> frozenset[str]:
    """Writes the package into an empty folder. Returns the fields of `extra` that went into it."""
    if problem.kind != "stdin":
        raise Inexpressible("no programs on standard input; the format has nothing else")
    refuse_unknown_outputs(problem)
    told = language_of or (lambda _: None)
    custom = _output_validator(problem, folder, told)
    _description(problem, folder, custom)
    _statement(problem, folder)
    _data(problem, folder / "data")
    _submissions(problem, folder / "submissions" / "accepted", told)
    return frozenset({"input_validator"} if _input_validators(problem, folder / "input_validators", told) else ())


def _description(problem: Problem, folder: Path, custom: bool) -> None:
    import yaml

    limits = problem.limits or Limits()
    about: dict[str, Any] = {"name": str(problem.extra.get("name") or problem.id or "problem")}
    about["validation"] = "custom" if custom else "default"
    flags = list(problem.checker.args) if custom and problem.checker else _flags(problem.compare)
    if flags:
        about["validator_flags"] = " ".join(_quoted(flag) for flag in flags)
    sizes = {"memory": limits.memory_mb, "output": limits.output_mb}
    about["limits"] = {key: int(mb) if float(mb).is_integer() else mb for key, mb in sizes.items() if mb is not None}
    if multiplier := _about(problem).get("time_multiplier"):
        about["limits"]["time_multiplier"] = multiplier
    if _about(problem).get("scoring"):
        about["type"] = "scoring"
    _put(folder / "problem.yaml", yaml.safe_dump(about, allow_unicode=True, sort_keys=False))
    if limits.cpu_s is not None:
        _put(folder / ".timelimit", f"{float(limits.cpu_s)!r}\n")


def _quoted(flag: str) -> str:
    import shlex

    return shlex.quote(flag)


def _flags(compare: Comparison) -> list[str]:
    """The default validator's. It compares tokens; `exact` and `floats` it can be told."""
    flags = [] if compare.ignore_case else ["case_sensitive"]
    if compare.by == "exact":
        flags.append("space_change_sensitive")
    if compare.by == "floats":
        neither = compare.absolute is None and compare.relative is None
        absolute, relative = (_TOLERANCE, _TOLERANCE) if neither else (compare.absolute, compare.relative)
        for name, value in (("absolute", absolute), ("relative", relative)):
            if value:
                flags += [f"float_{name}_tolerance", repr(float(value))]
    return flags


def _statement(problem: Problem, folder: Path) -> None:
    if problem.statement:
        ending = "tex" if "\\problemname" in problem.statement else "md"
        _put(folder / "problem_statement" / f"problem.en.{ending}", problem.statement)


def _data(problem: Problem, data: Path) -> None:
    names = _names(problem.cases)
    for name, case in zip(names, problem.cases, strict=True):
        _put(data / f"{name}.in", case.input)
        _put(data / f"{name}.ans", case.output)
    _groups(_about(problem).get("groups"), names, data)


def _groups(groups: object, names: list[str], data: Path) -> None:
    """How groups are graded, for those that there are."""
    import yaml

    folders = {"", *(str(parent) for name in names for parent in PurePosixPath(name).parents if str(parent) != ".")}
    for group, entries in groups.items() if isinstance(groups, dict) else ():
        if group in folders and isinstance(entries, dict):
            rest = {key: value for key, value in entries.items() if key not in _FLAGS}
            _put(data / group / "testdata.yaml", yaml.safe_dump(rest, allow_unicode=True))


def _about(problem: Problem) -> dict[str, Any]:
    """What a package said beyond the model."""
    about = problem.extra.get("kattis")
    return about if isinstance(about, dict) else {}


def _names(cases: Sequence[TestCase]) -> list[str]:
    """Those that the tests had in a package, if the reader would find them in this order; else numbers."""
    had = [case.provenance for case in cases]
    in_order = sorted(set(had), key=lambda name: f"{name}.in".split("/"))
    if had == in_order and all(_NAME.fullmatch(name) and len(name) < 200 for name in had):
        return had
    width = len(str(len(cases)))
    shown = next((n for n, case in enumerate(cases) if case.group not in PUBLIC), len(cases))
    return [f"{'sample' if n < shown else 'secret'}/{n + 1:0{width}}" for n in range(len(cases))]


def _submissions(problem: Problem, folder: Path, told: LanguageOf) -> None:
    languages = [gold.language or told(gold.source) for gold in problem.golds]
    for name, gold, language in zip(_gold_names(problem), problem.golds, languages, strict=True):
        if _ending(language) is None:
            continue
        if gold.files:
            _program(folder / name, gold.source, language, gold.files)
        else:
            _put(folder / (name if "." in name else f"{name}.{_ending(language)}"), gold.source)


def _gold_names(problem: Problem) -> list[str]:
    """Those that they had in a package, if the reader would find them in this order; else numbers."""
    had = [PurePosixPath(gold.id) for gold in problem.golds]
    names = [path.name for path in had]
    kept = all(len(path.parts) == 2 and path.parts[0] == "accepted" and _FILE.fullmatch(path.name) for path in had)
    if kept and names == sorted(set(names)):
        return names
    width = len(str(len(problem.golds)))
    return [f"{number:0{width}}" for number in range(1, len(problem.golds) + 1)]


def _output_validator(problem: Problem, folder: Path, told: LanguageOf) -> bool:
    checker = problem.checker
    if checker is None or checker.kind == "testlib":
        return False
    place = folder / "output_validators" / "validate"
    if checker.kind == "klear":
        _program(place, _VALIDATE, "python", {"klear_checker.py": _bytes(checker.source), **checker.files})
        return True
    language = checker.language or told(checker.source)
    if _ending(language) is None:
        raise Inexpressible(f"an output validator in a language that the format does not know: {language}")
    _program(place, checker.source, language, checker.files)
    return True


def _input_validators(problem: Problem, folder: Path, told: LanguageOf) -> bool:
    """Whether all that the row has could be written."""
    given = problem.extra.get("input_validator")
    whole = bool(given)
    for number, each in enumerate(given if isinstance(given, list) else [given] if given else [], 1):
        fields = {"source": each} if isinstance(each, str) else each if isinstance(each, dict) else {}
        source, kind, files = fields.get("source"), fields.get("kind"), fields.get("files") or {}
        if (
            not isinstance(source, str)
            or not isinstance(files, dict)
            or not all(isinstance(f, str) for f in files.values())
        ):
            whole = False
            continue
        beside = {str(name): _bytes(text) for name, text in files.items()}
        kind = kind or _validator_kind(source)
        language = fields.get("language") or told(source)
        if kind == "klear":
            _program(folder / str(number), _VALIDATE_INPUT, "python", {"klear_validator.py": _bytes(source), **beside})
        elif kind == "kattis" and isinstance(language, str) and _ending(language) is not None:
            _program(folder / str(number), source, language, beside)
        else:
            whole = False
    return whole


def _validator_kind(source: str) -> str:
    if re.search(r"^def\s+is_valid_input\s*\(", source, re.MULTILINE):
        return "klear"
    return "kattis" if "testlib.h" not in source and re.search(r"\b42\b", source) else "testlib"


def _program(folder: Path, source: str, language: str | None, files: Mapping[str, bytes]) -> None:
    ending = _ending(language)
    public_class = re.search(r"\bpublic\s+(?:final\s+)?class\s+(\w{1,60})", source) if language == "java" else None
    main = f"{public_class[1] if public_class else 'main'}.{ending}"
    for name, content in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name or str(path) == main:
            raise Inexpressible(f"a file beside a program whose name cannot be kept: {name[:60]!r}")
        _put(folder / path, content)
    _put(folder / main, source)


def _ending(language: str | None) -> str | None:
    if language is not None and re.fullmatch(r"(?:cpp|c\+\+|g\+\+)\d*", language):
        return "cpp"
    return _ENDINGS.get(language or "")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Inexpressible("a text with half a character in it, which no file in UTF-8 holds") from None


def _put(file: Path, content: str | bytes) -> None:
    raw = _bytes(content) if isinstance(content, str) else content
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(raw)
