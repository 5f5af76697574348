"""The catalog: names and aliases, the user's files over the built-in one, and all that can be wrong in a file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import SettingsError, UnknownLanguage
from codejury.languages.catalog import COMPILE_LIMITS, Catalog, builtin

CATALOG = Catalog.load()

NEW = """
[zig]
source = "main.zig"
tools = { zig = ["zig"] }
compile = ["{zig}", "build-exe", "{source}"]
artifacts = ["main"]
run = ["./main"]
version = ["{zig}", "version"]
"""


def written(directory: Path, text: str, name: str = "mine.toml") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "language"),
    [
        *((language.name, language.name) for language in CATALOG),
        # the names of SandboxFusion
        *(("python", "python"), ("cpp", "cpp17"), ("nodejs", "javascript"), ("go", "go"), ("java", "java")),
        *(("php", "php"), ("csharp", "csharp"), ("bash", "bash"), ("typescript", "typescript"), ("rust", "rust")),
        *(("lua", "lua"), ("R", "r"), ("perl", "perl"), ("ruby", "ruby"), ("scala", "scala"), ("julia", "julia")),
        *(("swift", "swift"), ("kotlin", "kotlin")),
        # what people write
        *(("C++", "cpp17"), ("c++20", "cpp20"), ("C++23", "cpp23"), ("py", "python"), ("Python3", "python")),
        *(("py2", "python2"), ("pypy", "pypy3"), ("js", "javascript"), ("node", "javascript"), ("ts", "typescript")),
        *(("golang", "go"), ("rs", "rust"), ("kt", "kotlin"), ("rb", "ruby"), ("pl", "perl"), ("hs", "haskell")),
        *(("ml", "ocaml"), ("c#", "csharp"), ("sh", "bash"), ("jl", "julia"), (" Java ", "java")),
    ],
)
def test_a_name_or_alias_leads_to_its_language(name: str, language: str) -> None:
    assert CATALOG.get(name).name == language
    assert name in CATALOG


def test_an_unknown_name_is_answered_with_what_comes_close() -> None:
    with pytest.raises(UnknownLanguage, match=r"no language is called 'pyhton'; did you mean python"):
        CATALOG.get("pyhton")
    with pytest.raises(UnknownLanguage, match=r"'brainfuck' \(known: c, cpp17, .*, bash\)"):
        CATALOG.get("brainfuck")
    assert "brainfuck" not in CATALOG
    assert 5 not in CATALOG


@given(st.text())
def test_any_name_is_a_language_or_an_unknown_one(name: str) -> None:
    if name in CATALOG:
        language = CATALOG.get(name)
        assert CATALOG.get(language.name) is language
    else:
        with pytest.raises(UnknownLanguage, match=re.escape(repr(name))):
            CATALOG.get(name)


def test_iterates_in_the_order_of_the_file() -> None:
    names = [language.name for language in CATALOG]
    assert names[:4] == ["c", "cpp17", "cpp20", "cpp23"]
    assert len(CATALOG) == len(names) == 25


def test_endings_are_tried_as_spelt_then_in_lower_case() -> None:
    assert [one.name for one in CATALOG.claiming("c")] == ["c"]
    assert [one.name for one in CATALOG.claiming("C")] == ["cpp17", "cpp20", "cpp23"]
    assert [one.name for one in CATALOG.claiming("JAVA")] == ["java"]
    assert CATALOG.claiming("docx") == []


def test_the_built_in_catalog_is_read_once() -> None:
    assert Catalog.load() is builtin() is Catalog.load(())


def test_importing_reads_nothing_and_starts_nothing() -> None:
    code = (
        "import sys, codejury.languages, codejury.languages.catalog as catalog; "
        "assert catalog.builtin.cache_info().currsize == 0; "
        "heavy = {'subprocess', 'tomllib', 'difflib', 'shutil', 'tempfile'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ── The user's files ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_known_table_changes_single_fields(tmp_path: Path) -> None:
    mine = written(tmp_path, '[cpp17]\ncompile = ["{cxx}", "-O3", "-o", "main", "{source}"]\n')
    changed, before = Catalog.load([mine]).get("cpp"), CATALOG.get("cpp")
    assert changed.compile == ("{cxx}", "-O3", "-o", "main", "{source}")
    assert (changed.run, changed.aliases, changed.hints) == (before.run, before.aliases, before.hints)


def test_a_new_table_adds_a_language(tmp_path: Path) -> None:
    catalog = Catalog.load([written(tmp_path, NEW)])
    zig = catalog.get("zig")
    assert (zig.title, zig.compiled, zig.compile_limits) == ("zig", True, COMPILE_LIMITS)
    assert len(catalog) == len(CATALOG) + 1
    assert "zig" not in Catalog.load()


def test_later_files_lie_over_earlier_ones(tmp_path: Path) -> None:
    first = written(tmp_path, '[lua]\ntitle = "first"\npackage = "first"\n', "1.toml")
    second = written(tmp_path, '[lua]\ntitle = "second"\n', "2.toml")
    lua = Catalog.load([first, second]).get("lua")
    assert (lua.title, lua.package) == ("second", "first")


def test_fields_that_are_tables_are_changed_key_by_key(tmp_path: Path) -> None:
    text = "[go]\ncompile_limits = { memory_mb = 512 }\n[go.env]\nGOMAXPROCS = '1'\n[java.entry]\ndefault = 'App'\n"
    catalog = Catalog.load([written(tmp_path, text)])
    go, before = catalog.get("go"), CATALOG.get("go")
    assert (go.compile_limits.memory_mb, go.compile_limits.cpu_s) == (512, before.compile_limits.cpu_s)
    assert go.env == {**before.env, "GOMAXPROCS": "1"}
    java, java_before = catalog.get("java").entry, CATALOG.get("java").entry
    assert java is not None
    assert java_before is not None
    assert (java.default, java.unit) == ("App", java_before.unit)


def test_compile_can_be_taken_away(tmp_path: Path) -> None:
    mine = written(tmp_path, '[typescript]\ncompile = []\nrun = ["{node}", "{source}"]\n')
    assert not Catalog.load([mine]).get("typescript").compiled


def test_like_hands_down_all_but_the_names(tmp_path: Path) -> None:
    mine = written(tmp_path, '[cpp11]\nlike = "cpp17"\ntitle = "C++11"\nhints = [["auto_ptr", 9]]\n')
    cpp11, cpp17 = Catalog.load([mine]).get("cpp11"), CATALOG.get("cpp17")
    assert (cpp11.run, cpp11.tools, cpp11.selftest) == (cpp17.run, cpp17.tools, cpp17.selftest)
    assert (cpp11.aliases, cpp11.extensions) == ((), ())
    assert [hint.pattern for hint in cpp11.hints] == [*(hint.pattern for hint in cpp17.hints), "auto_ptr"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[lua]\nrun = [", r"not valid TOML: "),
        ("[lua]\nrun 5", r"not valid TOML: .*line 2"),
        ("lua = 5", r"lua: expected a table, one for each language: \[lua\]"),
        ("[Lua]\n", r"\[Lua\]: expected a name of lower-case letters"),
        ('[lua]\nrunn = ["x"]', r"\[lua\] runn: no such field; did you mean run\?"),
        ("[lua]\nzzz = 1", r"\[lua\] zzz: no such field; expected one of .*aliases"),
        ('[lua]\nrun = "lua main.lua"', r"\[lua\] run: expected `array`, got `str`"),
        ("[lua]\nrun = ['a', 5]", r"\[lua\] run\[1\]: expected `str`, got `int`"),
        ("[lua]\nwarm = 'yes'", r"\[lua\] warm: expected `bool`, got `str`"),
        ("[lua]\nhints = [['x']]", r"\[lua\] hints\[0\]: expected `array` of .*length"),
        ("[lua]\nhints = [['(', 3]]", r"\[lua\] hints: not a regular expression: .*'\('"),
        ("[lua]\nout_of_memory = '['", r"\[lua\] out_of_memory: not a regular expression"),
        ("[lua]\nrun = ['{luna}']", r"\[lua\] run: \{luna\} stands for nothing; expected one of .*lua"),
        ("[lua]\nenv = { A = '{luna}' }", r"\[lua\] env: \{luna\} stands for nothing"),
        ("[lua]\ncompile = ['{lua}']", r"\[lua\] artifacts: is missing"),
        ("[lua]\nsource = '/etc/passwd'", r"\[lua\] source: expected a path inside the working directory"),
        ("[lua]\nsource = '../x'", r"\[lua\] source: expected a path inside the working directory, got '\.\./x'"),
        ("[lua]\ntools = { lua = [] }", r"\[lua\] tools: lua: expected at least one executable"),
        ("[lua]\ntools = { source = ['x'] }", r"\[lua\] tools: expected another name for the role 'source'"),
        ("[lua]\ncompile_limits = { cpu = 3 }", r"\[lua\] compile_limits\.cpu: no such limit; expected one of cpu_s"),
        ("[lua]\ncompile_limits = { cpu_s = -3 }", r"\[lua\] compile_limits: .*positive number"),
        ("[lua]\noverhead_mb = -1", r"\[lua\] overhead_mb: expected a positive number"),
        ("[lua]\nleast_processes = 0", r"\[lua\] least_processes: expected a positive number"),
        ("[lua]\nlike = 'moon'", r"\[lua\] like: expected the name of a language, got 'moon'"),
        ("[a]\nlike = 'b'\n[b]\nlike = 'a'", r"\[a\] like: goes in a circle: a -> b -> a"),
        ("[lua]\naliases = ['py']", r"\[lua\] aliases: 'py' already means python"),
        ("[c]\naliases = ['py']", r"\[c\] aliases: 'py' already means python"),
        ("[py]\nlike = 'python'", r"\[py\]: is another name of python; change \[python\]"),
        ("[java.entry]\nunit = 'class'", r"\[java\] entry\.unit: expected a group"),
        ("[java.entry]\nnit = 'class'", r"\[java\] entry: object contains unknown field `nit`"),
        ("[zig]\nsource = 'a.zig'", r"\[zig\] run: is missing; a new language needs it"),
        ("[lua]\ncheck = 'lua'", r"\[lua\] check: invalid enum value 'lua'"),
    ],
)
def test_what_is_wrong_is_named_with_file_table_and_field(tmp_path: Path, text: str, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError, match=problem) as caught:
        Catalog.load([path])
    assert "mine.toml: " in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        Catalog.load([tmp_path / "none.toml"])
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"[lua]\ntitle = '\xff'\n")
    with pytest.raises(SettingsError, match=r"latin\.toml: expected UTF-8 text"):
        Catalog.load([latin])


def test_an_error_names_the_file_that_made_it(tmp_path: Path) -> None:
    first = written(tmp_path, NEW, "first.toml")
    second = written(tmp_path, "[zig]\nrun = ['{zag}']\n", "second.toml")
    with pytest.raises(SettingsError, match=r"second\.toml: \[zig\] run: "):
        Catalog.load([first, second])
