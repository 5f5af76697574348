"""Kattis problem packages: a directory.

    problem.yaml                          name, limits, validation, validator_flags
    .timelimit                            seconds, where somebody measured them
    problem_statement/problem[.en].tex    or statement/
    data/{sample,secret}/**/*.in, .ans    the cases, in the order of their paths, samples first
    data/**/testdata.yaml                 flags and grading of a group
    output_validators/                    `validation: custom`: a file, or a directory with its headers
    input_validators/                     each a file, or a directory; read by `input_validators` alone
    submissions/<label>/                  a file, or a directory of several

Cases are read from disk when they are asked for: a package may be larger than memory. Bytes that are no UTF-8 are kept
as surrogates (`surrogateescape`), so that encoding them the same way gives the file back.

A package comes from somebody else: nothing is read through a link that leads out of it, nor from what is no plain file.
Without `validation: custom` the answer counts by its tokens, letters of either case being equal, as the format has it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from codejury.dataset.fields import Fields
from codejury.dataset.labels import label_of
from codejury.dataset.rows import BadRow, OnError
from codejury.errors import UsageError
from codejury.model import Checker, Comparison, Limits, Problem, Submission, TestCase

_MAX_YAML_BYTES = 1 << 20
_MAX_SOURCE_BYTES = 16 << 20
# Defaults of the format, for what problem.yaml leaves out.
_MEMORY_MB, _OUTPUT_MB, _TIME_MULTIPLIER = 2048, 8, 5

_LANGUAGES = {
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "c++": "cpp",
    "cs": "csharp",
    "go": "go",
    "hs": "haskell",
    "java": "java",
    "jl": "julia",
    "js": "javascript",
    "kt": "kotlin",
    "lua": "lua",
    "ml": "ocaml",
    "php": "php",
    "pl": "prolog",
    "pm": "perl",
    "py": "python",
    "py2": "python2",
    "py3": "python",
    "rb": "ruby",
    "rs": "rust",
    "scala": "scala",
    "sh": "bash",
    "swift": "swift",
    "ts": "typescript",
}
_HEADERS = ("h", "hpp", "hh")


def is_package(path: str | os.PathLike[str]) -> bool:
    return Path(path, "problem.yaml").is_file()


def read(path: str | os.PathLike[str]) -> Problem:
    """The problem of one package. Accepted submissions are its golds."""
    package = Path(path)
    if not is_package(package):
        raise UsageError(f"{package}: expected a problem package: a directory with a problem.yaml")
    file = package / "problem.yaml"
    yaml = Fields(_yaml(package, file), str(file))
    name = package.resolve().name
    validation = yaml.text("validation", default="default").split()
    kinds = yaml.value("type")
    words = {*validation, *(yaml.texts("type") if isinstance(kinds, list) else yaml.text("type", default="").split())}
    if refused := words & {"interactive", "multi-pass", "submit-answer"}:
        raise yaml.bad("type", "a problem with one input and one output for each case", min(refused))
    groups = _groups(package)
    flags = _flags(yaml, groups)
    checker = _validator(package, flags, required="custom" in validation)
    return Problem(
        id=name,
        kind="stdin",
        cases=CaseFiles(package, _case_names(package)),
        statement=_statement(package),
        limits=_limits(package, yaml),
        compare=Comparison() if checker else _comparison(flags, str(file)),
        checker=checker,
        golds=tuple(each for each in submissions(package) if each.label == "success"),
        extra={"kattis": _more(package, yaml, groups)},
    )


class CaseFiles(Sequence[TestCase]):
    """The cases of a package, each read when it is asked for. Names are paths below data/ without their ending."""

    def __init__(self, package: Path, names: Sequence[str]) -> None:
        self._package = package
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> TestCase: ...
    @overload
    def __getitem__(self, index: slice) -> CaseFiles: ...
    def __getitem__(self, index: int | slice) -> TestCase | CaseFiles:
        if isinstance(index, slice):
            return CaseFiles(self._package, self._names[index])
        name = self._names[index]
        given, answer = (self._package / "data" / f"{name}.{ending}" for ending in ("in", "ans"))
        return TestCase(
            input=_text(self._package, given),
            output=_text(self._package, answer) if os.path.lexists(answer) else None,
            provenance=name,
            group=name.rpartition("/")[0],
        )


def submissions(path: str | os.PathLike[str], *, on_error: OnError | None = None) -> Iterator[Submission]:
    """The submissions of a package, with what their folder says of them as the label; an id is the path below
    submissions/. Files in no language that the format knows are passed over. `on_error` is given each one that cannot
    be read, and the rest goes on."""
    package = Path(path)
    for folder in _listed(package / "submissions"):
        if not folder.is_dir():
            continue
        for entry in _listed(folder):
            try:
                files = [entry] if not entry.is_dir() else [file for file in _walk(entry) if not file.is_dir()]
                found = _program(package, files, entry)
            except BadRow as error:
                if on_error is None:
                    raise
                on_error(error)
                continue
            if found is None:
                continue
            source, language, others = found
            name = entry.relative_to(package / "submissions").as_posix()
            yield Submission(source=source, id=name, language=language, files=others, label=label_of(folder.name))


def _program(package: Path, files: list[Path], base: Path) -> tuple[str, str, dict[str, bytes]] | None:
    """The file that is started, its language, and the others; None where there is no source among them."""
    sources = [file for file in files if _ending(file) in _LANGUAGES]
    if not sources:
        return None
    texts = {file: _text(package, file, limit=_MAX_SOURCE_BYTES) for file in sources}
    main = _main(texts)
    others = {
        file.relative_to(base).as_posix(): content
        for file in files
        if file != main and not (content := _bytes(package, file, limit=_MAX_SOURCE_BYTES)).startswith(b"\x7fELF")
    }
    return texts[main], _language(main, texts[main]), others


def _main(texts: dict[Path, str]) -> Path:
    """Of several sources the one to start: named main, or else the one that starts something, or else the first."""
    if len(texts) == 1:
        return next(iter(texts))
    named = [file for file in texts if file.stem.lower() in ("main", "__main__")]
    starting = [file for file, text in texts.items() if _STARTS.search(text)]
    # A Python or Prolog file that another one names is a library of it.
    named_by_others = {
        file
        for file in texts
        for other, text in texts.items()
        if other != file and re.search(rf"\b{re.escape(file.stem)}\b", text)
    }
    roots = [file for file in texts if file not in named_by_others]
    return next(iter([*named, *starting, *roots, *texts]))


_STARTS = re.compile(r"\b(?:int|void|fun|func|fn)\s+main\s*\(|__main__")


def _language(file: Path, text: str) -> str:
    if file.suffix == ".C":
        return "cpp"
    language = _LANGUAGES[_ending(file)]
    first = text.partition("\n")[0]
    if language == "python" and first.startswith("#!") and "python2" in first:
        return "python2"
    if language == "prolog" and ":-" not in text:  # the format's ending of Prolog is Perl's everywhere else
        return "perl"
    return language


def _ending(file: Path) -> str:
    return file.suffix[1:].lower()


def _case_names(package: Path) -> list[str]:
    data = package / "data"
    names = []
    for part in ("sample", "secret"):
        for file in _walk(data / part):
            if file.suffix == ".in" and not file.is_dir():
                _inside(package, file)  # said now rather than in the middle of judging
                names.append(file.relative_to(data).with_suffix("").as_posix())
    return names


def _limits(package: Path, yaml: Fields) -> Limits:
    limits = yaml.inner("limits") if yaml.has("limits") else Fields({}, yaml.where, field="limits")
    cpu_s = _number(limits, "time_limit")
    file = package / ".timelimit"
    if cpu_s is None and file.is_file():
        text = _text(package, file, limit=100).strip()
        cpu_s = _number(Fields({"seconds": text}, str(file)), "seconds")
    try:
        return Limits(
            cpu_s=cpu_s or Limits().cpu_s,
            memory_mb=_number(limits, "memory") or _MEMORY_MB,
            output_mb=_number(limits, "output") or _OUTPUT_MB,
        )
    except ValueError as error:
        raise BadRow(yaml.where, "limits", "limits within reason", str(error)) from None


def _number(row: Fields, name: str) -> float | None:
    value = row.value(name)
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        number = 0.0
    if not 0 < number < 2**40:
        raise row.bad(name, "a positive number", value)
    return number


def _flags(yaml: Fields, groups: dict[str, dict[str, Any]]) -> list[str]:
    """The validator's flags: the package's, then those of data/ as a whole. Groups with flags of their own are refused:
    one problem is judged in one way."""
    found = {name: _split(g, yaml, f"data/{name}") for name, g in groups.items() if _split(g, yaml, f"data/{name}")}
    whole = found.get("", [])
    for name, flags in found.items():
        if flags != whole:
            where = f"{Path(yaml.where).parent / 'data' / name / 'testdata.yaml'}"
            raise BadRow(where, "output_validator_flags", "the same flags for all groups", shlex.join(flags))
    return [*_split(yaml.row, yaml, "problem.yaml"), *whole]


def _split(group: dict[str, Any], yaml: Fields, name: str) -> list[str]:
    keys = ("output_validator_flags", "output_validator_args", "validator_flags")
    value = next((group[key] for key in keys if group.get(key)), "")
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, (str, int, float)) for word in words):
        raise BadRow(yaml.where, f"{name}: validator_flags", "text, or a list of texts", "something nested")
    if isinstance(value, list):
        return [str(word) for word in words]
    try:
        return shlex.split(str(value))
    except ValueError as error:
        raise BadRow(yaml.where, f"{name}: validator_flags", "flags as a shell takes them", str(error)) from None


def _comparison(flags: list[str], where: str) -> Comparison:
    """The default validator's flags, as a Comparison."""
    ignore_case, exact = True, False
    absolute: float | None = None
    relative: float | None = None
    rest = iter(flags)
    for flag in rest:
        if flag == "case_sensitive":
            ignore_case = False
        elif flag == "space_change_sensitive":
            exact = True
        elif flag in ("float_tolerance", "float_absolute_tolerance", "float_relative_tolerance"):
            text = next(rest, "")
            value = _number(Fields({flag: text}, where, field="validator_flags"), flag) or 0.0
            if flag != "float_relative_tolerance":
                absolute = value
            if flag != "float_absolute_tolerance":
                relative = value
        else:
            raise BadRow(where, "validator_flags", "flags of the default validator", flag[:40])
    if absolute is not None or relative is not None:
        return Comparison(by="floats", ignore_case=ignore_case, absolute=absolute, relative=relative)
    return Comparison(by="exact" if exact else "tokens", ignore_case=ignore_case)


def _validator(package: Path, flags: list[str], *, required: bool) -> Checker | None:
    """The package's own validator. Of several the first directory, or else the first file, is taken."""
    folder = next(
        (package / name for name in ("output_validators", "output_validator") if (package / name).is_dir()), None
    )
    if folder is not None and (required or folder.name == "output_validator"):
        entries = _listed(folder)
        if folder.name == "output_validator":
            entries = [folder]
        for entry in sorted(entries, key=lambda each: (not each.is_dir(), each.name)):
            files = [entry] if not entry.is_dir() else [file for file in _walk(entry) if not file.is_dir()]
            found = _program(package, files, entry)
            if found is not None:
                source, language, others = found
                return Checker(kind="kattis", source=source, language=language, files=others, args=tuple(flags))
    if required:
        raise BadRow(
            str(package), "output_validators", "a validator in a known language, as validation is custom", "none"
        )
    return None


def input_validators(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The package's programs that say whether an input is valid, each as a row's `input_validator` has it: source,
    kind, language, files. Those in a language that is not known (checktestdata's) are left out, as are files that are
    no text."""
    package = Path(path)
    found = []
    for name in ("input_validators", "input_format_validators"):
        for entry in _listed(package / name):
            files = [entry] if not entry.is_dir() else [file for file in _walk(entry) if not file.is_dir()]
            program = _program(package, files, entry if entry.is_dir() else entry.parent)
            if program is None:
                continue
            source, language, others = program
            texts = {}
            for other, content in others.items():
                with contextlib.suppress(UnicodeDecodeError):
                    texts[other] = content.decode()
            found.append({"source": source, "kind": "kattis", "language": language, "files": texts})
    return found


def _groups(package: Path) -> dict[str, dict[str, Any]]:
    """Directory below data/ ("" for data/ itself) -> what its testdata.yaml says."""
    data = package / "data"
    found = {}
    for name in ("testdata.yaml", "test_group.yaml"):
        for file in [data / name, *(each for each in _walk(data) if each.name == name)]:
            if file.is_file():
                group = file.parent.relative_to(data).as_posix()
                found["" if group == "." else group] = _yaml(package, file)
    return found


def _more(package: Path, yaml: Fields, groups: dict[str, dict[str, Any]]) -> dict[str, Any]:
    limits = yaml.row.get("limits") or {}
    plain = {
        group: {str(key): value for key, value in entries.items() if isinstance(value, (str, int, float))}
        for group, entries in groups.items()
    }
    return {
        "directory": str(package),
        "scoring": yaml.row.get("type") == "scoring",
        "time_limit_known": "time_limit" in limits or (package / ".timelimit").is_file(),
        "time_multiplier": _number(Fields(limits, yaml.where, field="limits"), "time_multiplier") or _TIME_MULTIPLIER,
        "groups": plain,
    }


def _statement(package: Path) -> str:
    for folder in ("problem_statement", "statement"):
        files = [file for file in _listed(package / folder) if file.name.startswith("problem.") and file.is_file()]
        english = [file for file in files if ".en." in file.name]
        for file in [*english, *files]:
            if file.suffix in (".tex", ".md"):
                return _text(package, file, limit=_MAX_SOURCE_BYTES)
    return ""


def _yaml(package: Path, file: Path) -> dict[str, Any]:
    import yaml

    text = _bytes(package, file, limit=_MAX_YAML_BYTES)
    try:
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError, AttributeError) as error:
        raise BadRow(str(file), "", "YAML", str(error).replace("\n", " ")) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRow(str(file), "", "fields", type(value).__name__)
    return value


# ── Reading what lies in the package, and nothing else ───────────────────────────────────────────────────────────────


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    try:
        return sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError as error:
        raise _unreadable(folder, error) from None


def _walk(folder: Path) -> Iterator[Path]:
    """Files and directories below, in the order of their paths. Linked directories are not entered."""
    for entry in _listed(folder):
        yield entry
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)


def _inside(package: Path, file: Path) -> None:
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round in a circle
        raise _unreadable(file, error) from None
    if not real.is_relative_to(package.resolve()):
        raise BadRow(str(file), "", "a file of the package", "a link that leads out of it")


def _bytes(package: Path, file: Path, *, limit: int | None = None) -> bytes:
    _inside(package, file)
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer would wait for one
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadRow(str(file), "", "a plain file", "something else")
            with open(handle, "rb", closefd=False) as stream:
                content = stream.read() if limit is None else stream.read(limit + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise _unreadable(file, error) from None
    if limit is not None and len(content) > limit:
        raise BadRow(str(file), "", f"at most {limit} bytes", "more")
    return content


def _unreadable(path: Path, error: Exception) -> BadRow:
    return BadRow(str(path), "", "what can be read", getattr(error, "strerror", None) or str(error))


def _text(package: Path, file: Path, *, limit: int | None = None) -> str:
    return _bytes(package, file, limit=limit).decode("utf-8", "surrogateescape")
