"""The problems of this folder as the model's words; README.md says how they are laid out."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from codejury.model import Checker, Comparison, Limits, Problem, Submission, TestCase

HERE = Path(__file__).resolve().parent
NAMES = tuple(sorted(path.parent.name for path in HERE.glob("*/problem.toml")))


def load(name: str) -> Problem:
    folder = HERE / name
    raw: dict[str, Any] = tomllib.loads((folder / "problem.toml").read_text())
    checker = raw.get("checker")
    if checker is not None:
        files = {beside: (folder / beside).read_bytes() for beside in checker.pop("files", ())}
        source = (folder / checker.pop("source")).read_text()
        checker = Checker(source=source, files=files, args=tuple(checker.pop("args", ())), **checker)
    return Problem(
        id=name,
        statement=raw["statement"],
        cases=cases(folder),
        limits=msgspec.convert(raw["limits"], Limits),
        compare=msgspec.convert(raw.get("compare", {}), Comparison),
        checker=checker,
    )


def cases(folder: Path) -> tuple[TestCase, ...]:
    if (folder / "cases.py").exists():
        made = runpy.run_path(str(folder / "cases.py"))["cases"]()
        return tuple(TestCase(input=given, output=answer) for given, answer in made)
    return tuple(
        TestCase(input=_text(path), output=_text(path.with_suffix(".ans")), provenance=path.stem)
        for path in sorted((folder / "data").glob("*.in"))
    )


def _text(path: Path) -> str:
    return path.read_bytes().decode()  # with its line ends as they are


def programs(*verdicts: str) -> list[tuple[str, str, Path]]:
    """(problem, verdict, path) of each submission, or of those with these verdicts."""
    found = [(path.parts[-4], path.parent.name, path) for path in sorted(HERE.glob("*/submissions/*/*"))]
    return [(name, verdict, path) for name, verdict, path in found if not verdicts or verdict in verdicts]


def name_of(program: tuple[str, str, Path]) -> str:
    name, verdict, path = program
    return f"{name}-{verdict}-{path.name}"


def main_of(path: Path) -> Path:
    """The file that is started."""
    if path.is_file():
        return path
    (main,) = path.glob("main.*")
    return main


def submission(path: Path, language: str) -> Submission:
    main = main_of(path)
    files = {beside.name: beside.read_bytes() for beside in path.iterdir() if beside != main} if path.is_dir() else {}
    return Submission(id=path.name, source=main.read_text(), language=language, files=files, label=path.parent.name)
