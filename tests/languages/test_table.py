"""languages.toml itself: complete, documented, and free of hints that could run away."""

from __future__ import annotations

import re
import time
import tomllib

import msgspec
import pytest

from codejury.languages.catalog import BUILTIN, FIELDS, Catalog, Entry, Language
from codejury.languages.detect import detect, score

CATALOG = Catalog.load()
TEXT = BUILTIN.read_text(encoding="utf-8")
HEAD = TEXT[: TEXT.index("\n[")]

REQUIRED = {
    *("c", "cpp17", "cpp20", "cpp23", "python", "pypy3", "python2", "java", "javascript", "typescript", "go", "rust"),
    *("kotlin", "csharp", "ruby", "php", "perl", "lua", "haskell", "ocaml", "scala", "swift", "julia", "r", "bash"),
}


def test_every_language_that_was_promised_is_there() -> None:
    assert {language.name for language in CATALOG} == REQUIRED


def test_the_head_documents_every_field() -> None:
    for field in msgspec.structs.fields(Language):
        assert re.search(rf"^# \[?{field.name}\]? ", HEAD, re.MULTILINE), field.name
    for field in msgspec.structs.fields(Entry):
        assert re.search(rf"^#   \.{field.name} ", HEAD, re.MULTILINE), field.name
    templates = HEAD[HEAD.index("# Templates") :]
    for name in FIELDS:
        assert re.search(rf"^#   [\w, ]*\b{name}\b", templates, re.MULTILINE), name


def test_the_examples_in_the_head_are_valid(tmp_path_factory: pytest.TempPathFactory) -> None:
    example = re.sub(r"^#   ", "", HEAD[HEAD.index("#   [cpp17]") : HEAD.index("# FIELDS")], flags=re.MULTILINE)
    mine = tmp_path_factory.mktemp("example") / "mine.toml"
    mine.write_text(re.sub(r"^#.*$", "", example, flags=re.MULTILINE))
    assert Catalog.load([mine]).get("cpp11").title == "C++11"
    mine.write_text(
        re.sub(r"^#   ", "", TEXT[TEXT.index("#   [typescript]") : TEXT.index("\n[typescript]")], flags=re.MULTILINE)
    )
    assert not Catalog.load([mine]).get("typescript").compiled


@pytest.mark.parametrize("language", list(CATALOG), ids=lambda language: language.name)
def test_each_language_is_complete(language: Language) -> None:
    assert language.title
    assert language.package
    assert language.extensions
    assert language.hints
    assert language.selftest.strip()
    assert language.env.keys().isdisjoint({"PATH", "HOME", "TMPDIR", "LANG"})  # the sandbox's own
    for template in (*language.run, *language.compile):
        assert "/tmp" not in template  # there is none inside


@pytest.mark.parametrize("language", list(CATALOG), ids=lambda language: language.name)
def test_each_pattern_is_one(language: Language) -> None:
    for hint in language.hints:
        re.compile(hint.pattern, re.MULTILINE)
        assert hint.weight != 0
        # What is repeated across lines could make a hint read on to the end of the source from each of its lines.
        assert not re.search(r"\\s[^()]*\)[*+]", hint.pattern), hint.pattern
        for negated in re.findall(r"\[\^((?:\\.|[^\]\\])+)\]", hint.pattern):
            assert r"\n" in negated or r"\S" in negated, hint.pattern
    re.compile(language.out_of_memory)


@pytest.mark.parametrize("language", list(CATALOG), ids=lambda language: language.name)
def test_each_self_test_is_known_by_its_content(language: Language) -> None:
    found = detect(language.selftest, None, CATALOG).name
    # What runs on PyPy is Python, and C++23 that is no more than C++17 in the source is that.
    assert found == {"pypy3": "python"}.get(language.name, language.name)


def test_tables_are_in_the_order_of_their_names_in_no_file_twice() -> None:
    assert list(tomllib.loads(TEXT)) == [language.name for language in CATALOG]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "public static ",
            "fun a(",
            "def a[",
            "template<",
            "a b ",
            "(" * 40,
            "\n",
            " ",
            "/*",
            "//",
            "`${",
            "\\",
            "'''",
        ),
        *(
            "fun a ",
            "let a ",
            "long ",
            "static ",
            "import a, ",
            "local a, ",
            "for a, ",
            "using A, ",
            "lambda a, ",
            "a\\",
        ),
        *("a::", "x=>", "int a ", "a, ", "import a.", "private List<a> ", "print ", "raise a.a", "let a (", "-- ", "#"),
    ],
)
def test_no_source_makes_the_hints_slow(piece: str) -> None:
    line = (piece * 200)[:190]
    for source in (f"{line}\n" * 200, f"{piece}\n" * 20_000, piece * 20_000):
        start = time.process_time()
        score(source, list(CATALOG))
        assert time.process_time() - start < 2
