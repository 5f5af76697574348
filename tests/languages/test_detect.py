"""Detection: by ending, by first line, by content; and what is said where it cannot be told."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.errors import UnknownLanguage
from codejury.languages.catalog import Catalog
from codejury.languages.detect import PARSED_CHARACTERS, detect

CATALOG = Catalog.load()
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"  # beside the repository, where there is one


def name_of(source: str, filename: str | None = None) -> str:
    return detect(source, filename, CATALOG).name


def snippets() -> Iterator[object]:
    text = Path(__file__).with_name("snippets.txt").read_text(encoding="utf-8")
    parts = re.split(r"^=== (\S+) \| (.*)\n", text, flags=re.MULTILINE)[1:]
    for language, note, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield pytest.param(language, source, id=f"{language}: {note}")


@pytest.mark.parametrize(("language", "source"), list(snippets()))
def test_by_content(language: str, source: str) -> None:
    assert name_of(source) == language


@pytest.mark.parametrize(("language", "source"), list(snippets()))
def test_by_content_with_other_line_ends_a_mark_and_blank_lines(language: str, source: str) -> None:
    assert name_of("\ufeff\r\n\r\n" + source.replace("\n", "\r\n")) == language


def test_there_are_enough_snippets_of_every_language() -> None:
    rows = [row.values[0] for row in snippets()]  # type: ignore[attr-defined]
    assert len(rows) >= 80
    assert set(rows) == {language.name for language in CATALOG} - {"pypy3"}  # whose source is Python


# ── By ending ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("filename", "language"),
    [
        *(
            ("a.c", "c"),
            ("a.cpp", "cpp17"),
            ("a.cc", "cpp17"),
            ("a.C", "cpp17"),
            ("a.CPP", "cpp17"),
            ("a.py", "python"),
        ),
        *(("a.java", "java"), ("a.js", "javascript"), ("a.mjs", "javascript"), ("a.ts", "typescript"), ("a.go", "go")),
        *(
            ("a.rs", "rust"),
            ("a.kt", "kotlin"),
            ("a.cs", "csharp"),
            ("a.rb", "ruby"),
            ("a.php", "php"),
            ("a.pl", "perl"),
        ),
        *(("a.lua", "lua"), ("a.hs", "haskell"), ("a.ml", "ocaml"), ("a.scala", "scala"), ("a.swift", "swift")),
        *(("a.jl", "julia"), ("a.r", "r"), ("a.R", "r"), ("a.sh", "bash"), ("a.py2", "python2"), ("a.PY", "python")),
        *(("dir.d/sub/a.b.go", "go"), (r"C:\work\a.rs", "rust")),
    ],
)
def test_the_ending_decides_whatever_the_source_says(filename: str, language: str) -> None:
    assert name_of("words that mean nothing", filename) == language
    assert name_of("", filename) == language


def test_among_languages_that_share_an_ending_the_source_decides() -> None:
    assert name_of("print 5\n", "a.py") == "python2"
    assert name_of("#!/usr/bin/env python2\nprint(5)\n", "a.py") == "python2"
    assert name_of("#!/usr/bin/python3\nprint 5\n", "a.py") == "python"
    assert name_of("print(5)\n", "a.py") == "python"
    assert name_of("#include <ranges>\nint main() { }", "a.cpp") == "cpp20"
    assert name_of("#include <print>\nint main() { std::println(); }", "a.cc") == "cpp23"
    assert name_of('#include <stdio.h>\nint main() { printf("a"); }', "a.cpp") == "cpp17"


@pytest.mark.parametrize("filename", [None, "", "solution", "a.txt", ".py", "py", "a."])
def test_without_a_known_ending_the_content_decides(filename: str | None) -> None:
    assert name_of('package main\nimport "fmt"\nfunc main() { fmt.Println(1) }\n', filename) == "go"


# ── By first line ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "language"),
    [
        *(("#!/bin/bash", "bash"), ("#!/bin/sh -e", "bash"), ("#! /usr/bin/perl -w", "perl")),
        *(("#!/usr/bin/env python", "python"), ("#!/usr/bin/env python3.11", "python")),
        *(("#!/usr/bin/python2.7", "python2"), ("#!/usr/bin/env -S python3 -u", "python")),
        *(("#!/usr/bin/env -S A=b node --x", "javascript"), ("#!/usr/bin/env Rscript", "r")),
        *(("#!/opt/pypy3.10/bin/pypy3", "pypy3"), ("#!/usr/bin/lua5.4", "lua"), ("#!/usr/bin/env ruby", "ruby")),
        *(("\ufeff#!/usr/bin/env php", "php"), ("#!/usr/bin/env julia", "julia"), ("#!/usr/bin/runhaskell", "haskell")),
    ],
)
def test_the_first_line_decides_without_an_ending(line: str, language: str) -> None:
    assert name_of(f"{line}\nwords\n") == language
    assert name_of(f"{line}\r\nwords\r\n") == language


@pytest.mark.parametrize(
    "line", ["#!", "#!/usr/bin/env", "#!/usr/bin/env -S", "#!/usr/bin/awk -f", "#!/usr/bin/make3.2.1"]
)
def test_a_first_line_that_says_nothing_is_passed_over(line: str) -> None:
    assert name_of(f"{line}\nconsole.log('x');\n") == "javascript"


# ── What cannot be told ──────────────────────────────────────────────────────────────────────────────────────────────


def test_an_empty_source_is_said_to_be_empty() -> None:
    with pytest.raises(UnknownLanguage, match=r"there is no file name to go by, and the source is empty; name it with"):
        name_of(" \n\t\n")


def test_an_unknown_ending_and_unknown_words_are_named() -> None:
    with pytest.raises(
        UnknownLanguage, match=r"ending of 'a\.txt' is none that is known, and no language fits .*'hello'"
    ):
        name_of("hello\n", "a.txt")


def test_what_could_be_two_languages_is_said_with_the_signs() -> None:
    with pytest.raises(UnknownLanguage, match=r"it could be .*\(seen: .*language=") as caught:
        name_of("let x = 5\n")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "words", ["hello", "a, b", "x", "42", "Here is the solution:", "The answer is 7.", "{}", "[]", "1 2 3"]
)
def test_prose_and_data_are_no_program(words: str) -> None:
    with pytest.raises(UnknownLanguage):
        name_of(words)


# ── Python 2 and 3 ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("for i in xrange(3): print(i)", "python2"),
        ("print(unicode('x'))", "python2"),
        ("xrange = range\nfor i in xrange(3): print(i)", "python"),
        ("def f(xrange): return xrange(3)\nprint(f(range))", "python"),
        ("from past.builtins import xrange\nprint(list(xrange(3)))", "python"),
        ("from six.moves import *\nprint(list(xrange(3)))", "python"),
        ("try:\n    input = raw_input\nexcept NameError:\n    pass\nprint(input())", "python"),
        ("try:\n    input = raw_input\nexcept:\n    pass\nprint(input())", "python"),
        ("try:\n    x = raw_input()\nexcept ValueError:\n    x = ''\nprint(x)", "python2"),
        ("import sys\nread = input if sys.version_info >= (3,) else raw_input\nprint(read())", "python"),
        ("print('%d' % 5)\nprint 'x'", "python2"),
        ("exec 'x = 1'\nprint x", "python2"),
        ("if x <> 3:\n    print x", "python2"),
    ],
)
def test_python_2_or_3(source: str, language: str) -> None:
    assert name_of(source) == language


# ── Whatever comes ───────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.text(), st.none() | st.text(max_size=12))
@settings(deadline=None)
def test_any_source_has_a_language_or_an_unknown_one(source: str, filename: str | None) -> None:
    try:
        language = detect(source, filename, CATALOG)
    except UnknownLanguage as error:
        message = str(error)
    else:
        assert language in list(CATALOG)
        return
    assert "name it with" in message


@pytest.mark.parametrize(
    "source",
    [
        *("-" * 100_000 + "1", "(" * 100_000, "a" + ".a" * 100_000, "not " * 50_000 + "1", "lambda:" * 50_000),
        *("x = 1\n" * (PARSED_CHARACTERS // 6 + 1), "print(1)\n\0", "\ud800", "print('\\d \\{ \\ud800')\n" * 3, "\\"),
    ],
    ids=lambda source: repr(source[:12]),
)
def test_the_parser_survives(source: str) -> None:
    with contextlib.suppress(UnknownLanguage):
        name_of(source)


@pytest.mark.parametrize("action", ["error", "always"])
def test_the_parser_does_not_warn(action: Literal["error", "always"], recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter(action)
    assert name_of('print("\\d", 0if 1else 2, "\\777")\nx = 1 is 1\n') == "python"
    assert list(recwarn) == []


def test_escapes_that_python_does_not_know_do_not_hide_python() -> None:
    assert name_of('import re\nprint(re.sub(r"\\{(\\w+)\\}", rf"\\{1}", input()), "\\d")\n') == "python"


# ── Real programs ────────────────────────────────────────────────────────────────────────────────────────────────────


def programs(folder: str) -> Iterator[tuple[str, str, str]]:
    """(language, name, source) of the programs in a folder of real data."""
    root = SHARED / folder
    if folder == "kattis":
        for line in (root / "index.jsonl").read_text().splitlines():
            package = json.loads(line)
            for path in package["submissions"]:
                ending = path.rpartition(".")[2]
                language = {"py": "python", "cpp": "cpp17", "cc": "cpp17"}.get(ending, ending)
                yield language, path, (root / package["id"] / path).read_text(errors="replace")
    elif folder == "codeforces_c":
        with gzip.open(root / "dev_nostatement.jsonl.gz", "rt") as lines:
            for problem in map(json.loads, lines):
                for program in problem["accepted"] + problem["buggy"]:
                    yield "c", program["id"], program["code"]
    elif folder == "klear":
        for file in ("sample.jsonl", "spj_sample.jsonl"):
            for problem in map(json.loads, (root / file).read_text().splitlines()):
                yield from (("cpp17", file, source) for source in problem["solutions"])
                scripts = [*problem["input_generator"], *problem.get("checker", ())]
                yield from (("python", file, source) for source in scripts)
    else:
        names = {"cpp": "cpp17", "js": "javascript"}
        for path in sorted(root.glob("*.jsonl.gz")):
            language = path.name.partition(".")[0]
            with gzip.open(path, "rt") as lines:
                for task in map(json.loads, lines):
                    yield (
                        names.get(language, language),
                        task["task_id"],
                        task["declaration"] + task["canonical_solution"],
                    )


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["kattis", "klear", "codeforces_c", "humanevalpack"])
def test_real_programs_by_content_alone(folder: str) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip(f"{SHARED / folder} is not here")
    wrong = []
    for language, name, source in programs(folder):
        try:
            found = name_of(source)
        except UnknownLanguage:
            found = "?"
        # Some of the contest's .py files are Python 2.
        if found != language and not (
            found == "python2" and re.search(r"raw_input|xrange|^\s*print [^(]", source, re.M)
        ):
            wrong.append((language, name, found))
    assert wrong == []
