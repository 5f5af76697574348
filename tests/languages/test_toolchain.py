"""Toolchains: where tools are looked for, what of the host they show, and the commands that come of the templates."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.errors import LanguageUnavailable, UsageError
from codejury.languages import toolchain
from codejury.languages.catalog import PLACEHOLDER, Catalog, Language
from codejury.languages.toolchain import (
    SYSTEM_DIRECTORIES,
    SYSTEM_PATH,
    Toolchain,
    compile_command,
    entry_of,
    find,
    run_command,
    version_command,
    version_of,
)
from codejury.model import Limits, Outcome

CATALOG = Catalog.load()
PYTHON = "/opt/somewhere/bin/python3"


def executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def language(**changes: object) -> Language:
    base = CATALOG.get("lua")
    return msgspec.structs.replace(
        base, **{"tools": {"tool": ("tool",)}, "run": ("{tool}", "{source}"), "reads": (), **changes}
    )


def made(name: str) -> Toolchain:
    """A language with invented tools."""
    wanted = CATALOG.get(name)
    return Toolchain(wanted, {role: f"/usr/bin/{role}" for role in wanted.tools})


# ── Finding ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_first_candidate_on_path_wins(tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "bin", tmp_path / "two" / "bin"
    executable(two / "lua5.4")
    executable(one / "lua")
    wanted = language(tools={"tool": ("lua5.4", "lua")})
    assert find(wanted, python=PYTHON, path=f"{one}:{two}").tools == {"tool": str(two / "lua5.4")}
    executable(one / "lua5.4")
    assert find(wanted, python=PYTHON, path=f"{one}:{two}").tools == {"tool": str(one / "lua5.4")}


def test_what_is_no_executable_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a" / "tool").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "tool").write_text("not executable")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "tool").symlink_to(tmp_path / "gone")
    good = executable(tmp_path / "d" / "bin" / "tool")
    path = ":".join(str(tmp_path / name) for name in ("none", "a", "b", "c", "d/bin"))
    assert find(language(), python=PYTHON, path=path).tools["tool"] == str(good)


def test_the_current_directory_is_never_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "tool")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LanguageUnavailable):
        find(language(), python=PYTHON, path="::.:")


def test_the_path_of_the_process_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = executable(tmp_path / "x" / "bin" / "tool")
    monkeypatch.setenv("PATH", str(tool.parent))
    assert find(language(), python=PYTHON).tools == {"tool": str(tool)}


def test_what_is_missing_is_named_with_its_package() -> None:
    with pytest.raises(LanguageUnavailable) as caught:
        find(CATALOG.get("haskell"), python=PYTHON, path="")
    message = str(caught.value)
    assert message.startswith("Haskell is not available here: found no ghc (looked for ghc, ")
    assert message.endswith("install: ghc")


def test_a_candidate_with_a_slash_is_a_glob_whose_highest_version_wins(tmp_path: Path) -> None:
    for version in ("v9.1", "v10.2", "v10.10"):
        executable(tmp_path / "versions" / version / "bin" / "tool")
    wanted = language(tools={"tool": ("none", f"{tmp_path}/versions/*/bin/tool")})
    assert find(wanted, python=PYTHON, path="").tools == {"tool": f"{tmp_path}/versions/v10.10/bin/tool"}


def test_python_is_the_interpreter_of_the_sandbox() -> None:
    found = find(CATALOG.get("python"), python=PYTHON, path="")
    assert (found.tools, found.reads) == ({"python": PYTHON}, ())


# ── Launchers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def rustup(home: Path) -> tuple[Path, Path]:
    shim = home / ".cargo" / "bin" / "rustc"
    executable(shim.with_name("rustup"))
    shim.symlink_to("rustup")
    return shim, executable(home / ".rustup" / "toolchains" / "stable" / "bin" / "rustc")


def test_a_launcher_is_asked_for_its_root(tmp_path: Path) -> None:
    shim, real = rustup(tmp_path)
    asked: list[Sequence[str]] = []

    def ask(argv: Sequence[str]) -> str:
        asked.append(argv)
        return f"{real.parent.parent}\n"

    wanted = language(tools={"rustc": ("rustc",)}, sysroot=("{rustc}", "--print", "sysroot"), run=("{rustc}",))
    found = find(wanted, python=PYTHON, path=str(shim.parent), ask=ask)
    assert asked == [[str(shim), "--print", "sysroot"]]
    assert found.tools == {"rustc": str(real)}
    assert found.reads == (str(real.parent.parent),)


def failing(argv: Sequence[str]) -> str:
    raise OSError("no such toolchain")


@pytest.mark.parametrize("ask", [None, failing, lambda argv: "", lambda argv: "relative", lambda argv: "/nowhere"])
def test_a_launcher_that_does_not_answer_is_passed_over(tmp_path: Path, ask: toolchain.Ask | None) -> None:
    shim, _ = rustup(tmp_path)
    other = executable(tmp_path / "usr" / "bin" / "rustc")
    wanted = language(tools={"rustc": ("rustc",)}, sysroot=("{rustc}", "--print", "sysroot"), run=("{rustc}",))
    found = find(wanted, python=PYTHON, path=f"{shim.parent}:{other.parent}", ask=ask)
    assert found.tools == {"rustc": str(other)}
    with pytest.raises(LanguageUnavailable):
        find(wanted, python=PYTHON, path=str(shim.parent), ask=ask)


def test_scripts_among_shims_are_launchers_and_other_scripts_are_tools(tmp_path: Path) -> None:
    executable(tmp_path / ".pyenv" / "shims" / "tool")
    script = executable(tmp_path / "kotlinc" / "bin" / "tool")
    path = f"{tmp_path}/.pyenv/shims:{script.parent}"
    assert find(language(), python=PYTHON, path=path).tools == {"tool": str(script)}


# ── What is shown ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_installation_is_shown_whole_and_nothing_around_it(tmp_path: Path) -> None:
    node = executable(tmp_path / ".nvm" / "versions" / "node" / "v20" / "bin" / "tool")
    found = find(language(), python=PYTHON, path=str(node.parent))
    assert found.reads == (str(tmp_path / ".nvm/versions/node/v20"),)


def test_a_link_is_followed_to_where_it_can_be_seen(tmp_path: Path) -> None:
    real = executable(tmp_path / "jdk" / "bin" / "java")
    (tmp_path / "alternatives").mkdir()
    (tmp_path / "alternatives" / "java").symlink_to(real)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to("../alternatives/java")
    found = find(language(), python=PYTHON, path=str(tmp_path / "links"))
    assert (found.tools["tool"], found.reads) == (str(real), (str(tmp_path / "jdk"),))


def test_the_name_of_a_link_inside_an_installation_is_kept(tmp_path: Path) -> None:
    executable(tmp_path / "llvm" / "bin" / "clang")
    (tmp_path / "llvm" / "bin" / "clang++").symlink_to("clang")
    found = find(language(tools={"tool": ("clang++",)}), python=PYTHON, path=str(tmp_path / "llvm" / "bin"))
    assert found.tools["tool"] == str(tmp_path / "llvm" / "bin" / "clang++")


def test_a_system_tool_needs_nothing_more() -> None:
    found = find(language(tools={"tool": ("sh",)}), python=PYTHON, path="/bin:/usr/bin")
    assert found.reads == ()
    assert found.tools["tool"].startswith(("/bin/", "/usr/bin/"))


@pytest.mark.parametrize("place", ["bin", ".local/bin", ".cargo/bin", "."])
def test_a_home_directory_is_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    tool = executable(tmp_path / place / "tool")
    found = find(language(), python=PYTHON, path=str(tool.parent))
    assert found.reads == (os.path.realpath(tool),)


@pytest.mark.parametrize(
    ("tool", "shown"),
    [
        ("/opt/go/bin/go", "/opt/go"),
        ("/opt/bin/go", "/opt/bin/go"),
        ("/bin2/go", "/bin2/go"),
        ("/home/someone/bin/go", "/home/someone/bin/go"),
        ("/home/someone/go", "/home/someone/go"),
        ("/home/someone/.pyenv/versions/2.7/bin/python2", "/home/someone/.pyenv/versions/2.7"),
        ("/srv/tools/go/go", "/srv/tools/go"),
        (f"/{'root'}/bin/go", f"/{'root'}/bin/go"),
        ("/nix/store/abc-go/bin/go", "/nix/store"),
    ],
)
def test_what_an_installation_is(tool: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert toolchain._installation(tool) == shown


@given(st.lists(st.sampled_from(["home", "me", "root", "bin", "opt", ".local", "usr", "x"]), min_size=1, max_size=6))
def test_no_tool_shows_a_home_directory_or_more(parts: list[str]) -> None:
    shown = toolchain._installation("/" + "/".join([*parts, "tool"]))
    home = os.path.realpath(os.path.expanduser("~"))
    for broad in ("/", "/home", "/home/me", "/root", "/opt", home):
        assert shown != broad
    assert not home.startswith(shown + "/")


def test_reads_are_globs_of_what_exists_outside_of_the_system(tmp_path: Path) -> None:
    for name in ("java-17", "java-21", "other"):
        (tmp_path / name).mkdir()
    reads = (f"{tmp_path}/java-*", f"{tmp_path}/none", "/usr/*", f"{tmp_path}/java-17")
    found = find(language(tools={"tool": ("sh",)}, reads=reads), python=PYTHON, path="/bin")
    assert found.reads == (f"{tmp_path}/java-17", f"{tmp_path}/java-21")


def test_the_fingerprint_changes_with_the_tool(tmp_path: Path) -> None:
    real = executable(tmp_path / "a" / "bin" / "real")
    (real.parent / "tool").symlink_to("real")
    found = find(language(), python=PYTHON, path=str(real.parent))
    before = found.fingerprint()
    assert before == ((str(real), real.stat().st_size, real.stat().st_mtime_ns),)
    assert found.fingerprint() == before
    real.write_text("#!/bin/sh\nexit 1\n")
    assert found.fingerprint() != before
    real.unlink()
    assert found.fingerprint() == ((str(real.parent / "tool"), -1, -1),) or found.fingerprint()[0][1:] == (-1, -1)


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [one.name for one in CATALOG])
def test_each_language_makes_commands_without_holes(name: str) -> None:
    tools = made(name)
    source = tools.language.selftest
    build = compile_command(tools, source, None)
    run = run_command(
        tools, source, {"main": b"x"} if build else None, ["-x", "{source}"], b"2 3\n", Limits(), fresh=True
    )
    assert run.argv[-2:] == ("-x", "{source}")  # a caller's braces stand for themselves
    assert run.stdin == b"2 3\n"
    for command in filter(None, (build, run, version_command(tools))):
        words = [*command.argv[: None if command is not run else -2], *command.env.values()]
        assert not [hole for word in words for hole in PLACEHOLDER.findall(word) if hole in (*tools.tools, "source")]
        assert command.env["PATH"].endswith(":".join(SYSTEM_PATH))
        assert all(words)
    if build:
        assert list(build.files.values()) == [source.encode()]
        assert build.fetch == tools.language.artifacts
        assert build.limits == tools.language.compile_limits
        assert run.files == {"main": b"x"}
    else:
        assert run.files == {tools.language.source: source.encode()}


def test_a_compiled_language_cannot_be_run_uncompiled() -> None:
    with pytest.raises(UsageError, match=r"C\+\+17 has to be compiled before it is run"):
        run_command(made("cpp"), "", None, (), b"", Limits())
    assert compile_command(made("python"), "", None) is None


def test_python_is_run_warm_unless_fresh() -> None:
    warm = run_command(made("python"), "print(1)", None, ["a"], b"", Limits())
    fresh = run_command(made("python"), "print(1)", None, ["a"], b"", Limits(), fresh=True)
    assert (warm.warm, warm.argv) == (True, ("main.py", "a"))
    assert (fresh.warm, fresh.argv) == (False, ("/usr/bin/python", "main.py", "a"))
    assert not run_command(made("pypy3"), "print(1)", None, (), b"", Limits()).warm


@pytest.mark.parametrize(
    ("memory_mb", "heap", "stack"),
    [
        (1024, "-Xmx928m", "-Xss262144k"),
        (256, "-Xmx160m", "-Xss65536k"),
        (64, "-Xmx32m", "-Xss16384k"),
        (0.5, "-Xmx1m", "-Xss256k"),
        (None, "-Xmx16288m", "-Xss262144k"),
    ],
)
def test_heap_and_stack_follow_the_memory_limit(memory_mb: float | None, heap: str, stack: str) -> None:
    argv = run_command(made("java"), "", {}, (), b"", Limits(memory_mb=memory_mb)).argv
    assert heap in argv
    assert stack in argv


def test_the_callers_limits_are_those_of_the_run_but_for_what_the_runtime_needs() -> None:
    tight = Limits(cpu_s=1, processes=1, memory_mb=300)
    assert run_command(made("c"), "", {}, (), b"", tight).limits == tight
    java = run_command(made("java"), "", {}, (), b"", tight).limits
    assert java == Limits(cpu_s=1, processes=CATALOG.get("java").least_processes, memory_mb=300)
    unlimited = Limits(processes=None)
    assert run_command(made("java"), "", {}, (), b"", unlimited).limits == unlimited


def test_compile_limits_of_the_caller_go_before_the_languages() -> None:
    command = compile_command(made("go"), "", Limits(cpu_s=3))
    assert command is not None
    assert command.limits == Limits(cpu_s=3)


def test_files_lie_beside_the_program_and_not_over_it() -> None:
    build = compile_command(made("c"), "int x;", None, files={"lib/a.h": b"1"})
    assert build is not None
    assert build.files == {"lib/a.h": b"1", "main.c": b"int x;"}
    run = run_command(made("c"), "int x;", {"main": b"elf"}, (), b"", Limits(), files={"data.txt": b"2"})
    assert run.files == {"data.txt": b"2", "main": b"elf"}
    for name in ("main.c", "./main.c"):
        with pytest.raises(UsageError, match="is the name of the program's own file"):
            compile_command(made("c"), "int x;", None, files={name: b""})


def test_a_source_is_written_as_the_bytes_that_it_was_read_from() -> None:
    raw = b"print('\xff')"
    for source in (raw, raw.decode("utf-8", "surrogateescape")):
        assert run_command(made("python"), source, None, (), b"", Limits()).files == {"main.py": raw}


def test_tools_outside_of_the_system_are_on_path(tmp_path: Path) -> None:
    tools = Toolchain(language(), {"tool": "/opt/x/bin/tool", "other": "/usr/bin/other"}, ("/opt/x",))
    env = run_command(tools, "", None, (), b"", Limits()).env
    assert env["PATH"] == "/opt/x/bin:/usr/local/bin:/usr/bin:/bin"


def outcome(stdout: bytes = b"", stderr: bytes = b"", exit_code: int = 0) -> Outcome:
    return Outcome(
        status="runtime_error" if exit_code else "ok",
        exit_code=exit_code,
        signal=None,
        stdout=stdout,
        stderr=stderr,
        cpu_s=0,
        wall_s=0,
        memory_mb=0,
        level="full",
        layers=(),
    )


def test_the_version_is_the_first_line_that_says_one() -> None:
    assert version_of(outcome(b"gcc (Debian) 12.2.0\nCopyright 2022\n")) == "gcc (Debian) 12.2.0"
    assert version_of(outcome(b"\nThis is perl\nversion 5\n")) == "version 5"
    assert version_of(outcome(b"", b"VM warning: option 13\ninfo: kotlinc 1.3\n")) == "info: kotlinc 1.3"
    assert version_of(outcome(b"", b"error 5", 1)) == ""
    assert version_of(outcome()) == ""


# ── The class that a program starts in ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "stem", "entry"),
    [
        ("", "Main", "Main"),
        ("public class Sol { public static void main(String[] a) {} }", "Sol", "Sol"),
        ("class A {} public final class B { public static void main(String[] a) {} }", "B", "B"),
        ("class A { static class C {} public static void main(String[] a) {} } class B {}", "A", "A"),
        ("class A {} class B { public static void main(String... a) {} }", "B", "B"),
        ("public class Util {} class Run { static class X {} public static void main(String[] a) {} }", "Util", "Run"),
        ("package a.b;\npublic class Sol { public static void main(String[] x) {} }", "Sol", "a.b.Sol"),
        ("// public class Wrong {}\n/* public class No { */\npublic class Yes {}", "Yes", "Yes"),
        ('class A { String s = "} class B { void main("; } class C { static void main(String[] a) {} }', "C", "C"),
        ("class A { char c = '{'; } public class D { public static void main(String[] a) {} }", "D", "D"),
        ("public abstract class Base {}", "Base", "Base"),
        ("class Outer { public class Inner {} public static void main(String[] a) {} }", "Outer", "Outer"),
        ("public record P(int x) { public static void main(String[] a) {} }", "P", "P"),
        ("public enum E { A; public static void main(String[] a) {} }", "E", "E"),
        (
            "import java.util.*;\n\n@Deprecated\npublic\nclass Split\n{\n static void main(String[] a) {}\n}",
            "Split",
            "Split",
        ),
        ("}}} class A { public static void main(String[] a) {} }", "A", "A"),
        ('class T { String s = """\n } class No { \n"""; public static void main(String[] a) {} }', "T", "T"),
    ],
)
def test_where_a_java_program_starts(source: str, stem: str, entry: str) -> None:
    wanted = CATALOG.get("java").entry
    assert wanted is not None
    assert entry_of(source, wanted) == toolchain.Start(stem, entry)
    assert entry_of(source.encode(), wanted) == toolchain.Start(stem, entry)
    command = compile_command(made("java"), source, None)
    assert command is not None
    assert command.argv[-1] == f"{stem}.java"
    assert list(command.files) == [f"{stem}.java"]
    assert run_command(made("java"), source, {}, (), b"", Limits()).argv[-1] == entry


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("object Foo extends App { println(1) }", "Foo"),
        ("object A { object B }\nobject C { def main(args: Array[String]): Unit = () }", "C"),
        ("package x\nobject Main { def main(args: Array[String]) {} }", "x.Main"),
        ("class Main", "Main"),
    ],
)
def test_where_a_scala_program_starts(source: str, entry: str) -> None:
    assert run_command(made("scala"), source, {}, (), b"", Limits()).argv[-1] == entry


@given(st.text() | st.text(alphabet="{}\"'/*\\\n clasmin()"))
def test_any_source_has_a_class_that_can_be_an_argument(source: str) -> None:
    wanted = CATALOG.get("java").entry
    assert wanted is not None
    start = entry_of(source, wanted)
    assert start.stem.isidentifier() or start.stem.replace(".", "").isalnum()
    assert not start.entry.startswith("-")
    assert "/" not in start.stem


def test_the_system_directories_are_those_that_the_sandbox_shows() -> None:
    assert SYSTEM_DIRECTORIES == ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
