"""Is this tree fit to be released? `make release-check` builds what would be uploaded, looks into it, and tries it.

    python tests/release/check.py FOLDER          sdist and wheel are left in FOLDER

    build      sdist and wheel out of the tree; a wheel out of the sdist, with the same files
    inside     one version everywhere, the licence, the native products, nothing of this machine
    tried      in a new environment, with nothing else on PATH: no compiler, no make

Ends with 1 and a sentence at the first thing that is not as it should be. The functions are those of test_release.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
NATIVE = ("codejury/_native/keeper", "codejury/_native/box.so")
EXAMPLE = "free_gaps"  # its golds are all in Python


class Unfit(Exception):
    """What is wrong, in a sentence."""


def demand(holds: object, otherwise: str) -> None:
    if not holds:
        raise Unfit(otherwise)


def call(command: Sequence[str | Path], *, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    demand(
        done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def version() -> str:
    """The one place that says it."""
    found = re.search(r'^__version__ = "([^"]+)"$', (ROOT / "src/codejury/__init__.py").read_text(), re.MULTILINE)
    demand(found, "src/codejury/__init__.py has no __version__")
    assert found
    return found[1]


def built(target: str, out: Path, *, tree: Path = ROOT) -> Path:
    """`target`: sdist or wheel."""
    call([sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", out], folder=tree)
    found = sorted(out.glob("*.tar.gz" if target == "sdist" else "*.whl"))
    demand(len(found) == 1, f"{out}: expected one {target}, found {len(found)}; is it empty before?")
    return found[0]


def look_into_wheel(wheel: Path) -> None:
    demand(f"-{version()}-py3-none-linux_" in wheel.name, f"{wheel.name}: another version, or bound to one Python")
    with zipfile.ZipFile(wheel) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        contents = {name: archive.read(name) for name in entries}
    for name in NATIVE:
        demand(name in entries, f"{wheel.name} has no {name}")
        demand(contents[name].startswith(b"\x7fELF"), f"{name} is no program")
    demand(entries[NATIVE[0]].external_attr >> 16 & 0o111, "the keeper may not be executed")
    (about,) = [contents[name] for name in contents if name.endswith(".dist-info/METADATA")]
    metadata = HeaderParser().parsestr(about.decode())
    demand(metadata["Version"] == version(), f"METADATA says {metadata['Version']}")
    demand(metadata["License-Expression"] == "Apache-2.0", f"METADATA says {metadata['License-Expression']}")
    demand(any(name.endswith("/licenses/LICENSE") for name in entries), "the licence is missing")
    for home in {str(ROOT), str(ROOT.resolve()), os.path.expanduser("~")} - {"/"}:
        path = re.compile(rb"(?<![\w.])" + re.escape(home.encode()) + b"/")  # not /proc/17/root/
        found = [name for name, content in contents.items() if path.search(content)]
        demand(not found, f"{', '.join(found)}: a path of this machine, {home}")


def look_into_sdist(sdist: Path, wheel: Path, scratch: Path) -> None:
    """It has what is needed to build and to test, and gives the same wheel."""
    with tarfile.open(sdist) as archive:
        given: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4
        archive.extractall(scratch, **given)
    (tree,) = scratch.iterdir()
    for name in (
        "LICENSE",
        "Makefile",
        "mkdocs.yml",
        "docs/index.md",
        "tests/release/check.py",
        "benchmarks",
        "examples",
    ):
        demand((tree / name).exists(), f"{sdist.name} has no {name}")
    again = built("wheel", scratch / "again", tree=tree)
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        differ = set(first.namelist()) ^ set(second.namelist())
    demand(not differ, f"the wheel out of the sdist differs in {', '.join(sorted(differ)[:5])}")


def tried(python: Path, folder: Path, environ: Mapping[str, str]) -> None:
    """`python` is an interpreter that has the wheel, and `environ` a PATH on which there is no compiler."""
    for tool in ("gcc", "cc", "clang", "make", "g++"):
        demand(shutil.which(tool, path=environ["PATH"]) is None, f"{tool} is on the PATH of the trial")
    command = [python, "-m", "codejury.cli"]
    home = call([python, "-c", "import codejury; print(codejury.__file__)"], environ=environ, folder=folder).strip()
    demand(not Path(home).is_relative_to(ROOT / "src"), f"the trial imports {home}, which is no wheel's")
    said = call([*command, "--version"], environ=environ, folder=folder)
    demand(said == f"codejury {version()}\n", f"--version says {said!r}")
    told = call([*command, "doctor"], environ=environ, folder=folder)
    demand("<- chosen" in told and re.search(r"yes +python ", told), f"doctor says:\n{told}")
    (folder / "sum.py").write_text("print(sum(map(int, input().split())))\n")
    (folder / "in.txt").write_text("40 2\n")
    answer = call([*command, "run", "sum.py", "--stdin", "in.txt"], environ=environ, folder=folder)
    demand(answer == "42\n", f"run prints {answer!r}")
    rows = (ROOT / "examples" / "problems.jsonl").read_text().splitlines()
    row = next(line for line in rows if json.loads(line)["custom_id"] == EXAMPLE)
    (folder / "P.jsonl").write_text(row + "\n")
    call([*command, "gen", "--input", "P.jsonl", "--output", "T.jsonl", "--quiet"], environ=environ, folder=folder)
    made = json.loads((folder / "T.jsonl").read_text())["reward"]["ground_truth"]["input_output"]
    demand(len(made) > 3, f"gen made {len(made)} tests")


def bare_environ(folder: Path) -> dict[str, str]:
    """An environment with a PATH of one folder, which is there and has nothing."""
    tools = folder / "bin"
    tools.mkdir()
    kept = ("HOME", "LANG", "TMPDIR", "CODEJURY_LEVEL")
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "PATH": str(tools)}


def main(out: Path) -> int:
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="codejury-release-") as name:
        scratch = Path(name)
        try:
            print(f"version {version()}")
            sdist, wheel = built("sdist", out), built("wheel", out)
            print(f"built   {sdist}, {wheel}")
            look_into_wheel(wheel)
            (scratch / "sdist").mkdir()
            look_into_sdist(sdist, wheel, scratch / "sdist")
            print(
                "inside  one version, the licence, the native products, no path of this machine; the sdist gives "
                "the same wheel"
            )
            if shutil.which("twine"):
                call(["twine", "check", "--strict", sdist, wheel])
            call([sys.executable, "-m", "venv", scratch / "env"])
            python = scratch / "env" / "bin" / "python"
            call([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
            (scratch / "trial").mkdir()
            tried(python, scratch / "trial", bare_environ(scratch))
            print("tried   doctor, run and gen, in a new environment without a compiler")
        except Unfit as error:
            print(f"release-check: {error}", file=sys.stderr)
            return 1
    print("release-check: fit")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
