"""The project's own promises: the public surface, the cost of importing it, headers, layout, and the wheel.

What each module does is tested in the mirror of its room.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import codejury
from codejury import errors

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "codejury"
MODULES = sorted(PACKAGE.rglob("*.py"))
C_FILES = sorted([*ROOT.glob("native/*.c"), *ROOT.glob("native/*.h")])

# Changing this is changing what users wrote their programs against: say so in CHANGELOG.md.
PUBLIC = {
    "CaseResult",
    "Checker",
    "CheckerError",
    "CodejuryError",
    "Command",
    "Comparison",
    "HostOverloaded",
    "InternalError",
    "Job",
    "Judgement",
    "Jury",
    "LanguageUnavailable",
    "LevelUnavailable",
    "Limits",
    "ModelError",
    "Outcome",
    "Problem",
    "Sandbox",
    "SettingsError",
    "SetupError",
    "Submission",
    "TaskConfig",
    "TestCase",
    "UnknownLanguage",
    "UsageError",
    "WorkerLost",
    "__version__",
    "judge",
    "judge_async",
    "judge_many",
    "run",
    "run_task",
    "run_async",
}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


# --- the public surface ----------------------------------------------------------------------------------------------


def test_public_names_are_pinned() -> None:
    assert set(codejury.__all__) == PUBLIC
    assert len(codejury.__all__) == len(PUBLIC)


def test_public_names_exist() -> None:
    assert [name for name in sorted(PUBLIC) if not hasattr(codejury, name)] == []


def test_every_error_is_public() -> None:
    assert set(class_tree()) <= PUBLIC


def test_the_version_is_said_in_one_place() -> None:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in described["project"]
    assert described["project"]["dynamic"] == ["version"]
    assert described["tool"]["hatch"]["version"]["path"] == "src/codejury/__init__.py"


@pytest.mark.parametrize("module", ["asyncio", "click", "ctypes", "subprocess", "tomllib"])
def test_importing_codejury_is_light(module: str) -> None:
    child = f"import sys; before = set(sys.modules); import codejury; sys.exit({module!r} in set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", child], check=False)
    assert done.returncode == 0, f"`import codejury` pulls in {module}: import it where it is used"


# --- the error tree --------------------------------------------------------------------------------------------------


def class_tree() -> dict[str, str]:
    """Error -> its parent, as defined."""
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
    return {each.__name__: each.__bases__[0].__name__ for each in classes}


def drawn_tree() -> dict[str, str]:
    """Error -> its parent, as drawn at the top of the module. How far a name is indented says how deep it is."""
    parents = {}
    path: list[tuple[int, str]] = [(-1, "Exception")]
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"(    [│├└─ ]*)([A-Z]\w+)(?: |$)", line)
        if not match:
            continue
        depth, name = len(match[1]), match[2]
        while path[-1][0] >= depth:
            path.pop()
        parents[name] = path[-1][1]
        path.append((depth, name))
    return parents


def test_the_drawn_error_tree_is_the_defined_one() -> None:
    assert drawn_tree() == class_tree()


# --- headers and layout ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*MODULES, ROOT / "hatch_build.py"], ids=name_of)
def test_module_has_a_header(path: Path) -> None:
    header = ast.get_docstring(ast.parse(path.read_bytes()))
    assert header, "a module's header says what it owns, its invariant, and what lives elsewhere on purpose"


@pytest.mark.parametrize("path", C_FILES, ids=name_of)
def test_c_file_has_a_header(path: Path) -> None:
    assert path.read_text().lstrip().startswith("/*")


STARTERS = re.compile(r"fork|forkpty|system|popen|startfile|posix_spawnp?|spawn[lv]p?e?|exec[lv]p?e?")


@pytest.mark.parametrize("path", [path for path in MODULES if PACKAGE / "sandbox" not in path.parents], ids=name_of)
def test_only_the_sandbox_starts_processes(path: Path) -> None:
    """By way of `os`; the imports of `subprocess` and its like are import-linter's."""
    found = [
        f"line {node.lineno}: os.{node.attr}"
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("os", "posix")
        and STARTERS.fullmatch(node.attr)
    ]
    assert found == []


# Attacks name homes as their targets; nothing else may lean on one.
MACHINE_PATH = re.compile(r"(?<![\w.$}-])/(?:root|home/(?!some(?:one|body)/)\w[\w.-]*|work)/")
TARGETS = ("tests/attacks/",)


def tracked_files() -> list[str]:
    """All files of the repository that are not ignored, committed or about to be."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git clone, so nothing says which files belong to the project")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return [name for name in os.fsdecode(done.stdout).split("\0") if name]


def test_no_file_names_a_path_of_one_machine() -> None:
    found = []
    for name in tracked_files():
        path = ROOT / name
        if name.startswith(TARGETS) or not path.is_file():
            continue
        text = path.read_bytes().decode(errors="replace")
        found += [f"{name}: {match[0]}" for match in MACHINE_PATH.finditer(text)]
    assert found == []


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_make_commands_of_the_documents_exist(document: str) -> None:
    commands = set(re.findall(r"\bmake ([a-z][\w-]*)", code_of((ROOT / document).read_text())))
    assert {"demo", "test"} <= commands
    assert commands <= make_targets()


def code_of(markdown: str) -> str:
    """Only what stands in code blocks and between backticks."""
    blocks = re.findall(r"^```.*?^```", markdown, re.MULTILINE | re.DOTALL)
    indented = re.findall(r"^    .*$", markdown, re.MULTILINE)
    spans = re.findall(r"`[^`\n]+`", markdown)
    return "\n".join([*blocks, *indented, *spans])


def test_ci_runs_what_a_developer_runs() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().rstrip().endswith("exec make test")


# --- the wheel -------------------------------------------------------------------------------------------------------


def build_wheel(out: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    done = build_wheel(out, dict(os.environ))
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.whl")
    return path


@pytest.mark.slow
def test_wheel_serves_every_python_and_holds_the_whole_package(wheel: Path) -> None:
    assert re.fullmatch(r"codejury-[\d.]+-py3-none-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        (metadata,) = [archive.read(name).decode() for name in modes if name.endswith(".dist-info/METADATA")]
    assert (ROOT / "README.md").read_text().strip() in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert modes["codejury/_native/keeper"] & 0o111 == 0o111
    assert "codejury/_native/box.so" in modes
    sources = {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and not {"__pycache__", "_native"} & set(path.parts)
    }
    assert sources - set(modes) == set()


def test_build_without_a_compiler_says_what_to_install(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    environ = {name: value for name, value in os.environ.items() if name != "CC"} | {"PATH": str(tools)}
    done = build_wheel(tmp_path / "out", environ)
    assert done.returncode != 0
    assert "lacks a C compiler (gcc or cc or clang) and make" in done.stderr
    assert "apt-get install gcc make" in done.stderr
    assert "Traceback" not in done.stderr
