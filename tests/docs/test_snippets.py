"""Every snippet of README and docs/ does what the page says: commands and programs are run, what they print is
compared, data is read. What each kind of block means is in `snippets`.

A page has a folder of its own, in which its blocks run in their order. It has the examples, and small files of the
names that the pages use (P.jsonl, T.jsonl and so on, as for the examples of --help). A model is a scripted server; its
address is put in. What takes minutes is asked for less: CHANGES.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from cli.test_help import lines, prepare
from docs.model import server
from docs.snippets import KNOWN, READ, RUN, Block, blocks, indented_commands

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
CHANGES = {
    "codejury harden": "codejury harden --budget 8 --mutants 3",
    "codejury select": "codejury select --mutants 3",
    "codejury augment": "codejury augment --tests 10",
    "codejury synth": "codejury synth --regular 8 --corner 0 --mutants 2 --harden 0 --survivors 0",
}
# Pages that go on with what another one made: its files, and the program that puts them together.
BEFORE = {
    f"docs/guides/{name}.md": "docs/guides/first-tests.md" for name in ("without-a-model", "with-a-model", "measuring")
}
# Which files are not there yet, by the command that is to make them (as for the examples of --help).
MAKES = {"docs/generation.md": "gen", "docs/strength.md": "harden", "docs/evaluation.md": "eval"}
MAKES |= {"docs/migration/evalplus.md": "eval", "docs/migration/klear-codetest.md": "gen", "README.md": "eval"}
LEFT_OUT = 25  # blocks that are not run, of all pages: more than these want a better reason


def prepared(folder: Path, page: str) -> None:
    prepare(folder, MAKES.get(page, ""), ROOT)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    lines(
        folder / "doubles.jsonl", {"task_id": 1, "text": "Double.", "code": "x", "test_list": ["assert double(1) == 2"]}
    )
    if page == "docs/synthesis.md":
        (folder / "T.jsonl").unlink()


def runnable(page: str) -> list[Block]:
    return [each for each in blocks(PAGES[page]) if not each.left_out and (each.tag in RUN or each.title)]


def played(page: str) -> list[Block]:
    before = []
    if page in BEFORE:
        given = [each for each in runnable(BEFORE[page]) if each.title]
        make = Block("sh", "python3 make.py\ncodejury gen --input gap.jsonl --output gap_tests.jsonl --quiet\n", 0)
        before = [*given, make]
    return [*before, *runnable(page)]


def changed(block: Block, url: str) -> Block:
    text = block.text
    for old, new in CHANGES.items() if block.tag == "sh" else ():
        text = text.replace(old, new)
    return dataclasses.replace(block, text=text.replace("http://127.0.0.1:8000/v1", url))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)])
def test_the_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    if "serve" in PAGES[page].read_text():
        pytest.importorskip("uvicorn", reason="the service is not installed")
    if "sandbox_fusion" in PAGES[page].read_text():
        pytest.importorskip("sandbox_fusion", reason="SandboxFusion's client is not installed")
    prepared(tmp_path, page)
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environ = {
        **kept,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "CODEJURY_CACHE": str(tmp_path / "cache"),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    with server() as model:
        given = [dataclasses.asdict(changed(each, model.url)) for each in played(page)]
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests" / "docs" / "session.py")],
            cwd=tmp_path,
            env=environ,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, f"{page}, {done.stderr}\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_of_a_kind_that_is_looked_at(page: str) -> None:
    for each in blocks(PAGES[page]):
        assert each.tag in KNOWN, f"line {each.line}: a block is one of {', '.join(KNOWN)}"
    assert indented_commands(PAGES[page]) == [], "commands stand between fences, where they are run"


@pytest.mark.parametrize("page", [page for page in PAGES if any(each.tag in READ for each in blocks(PAGES[page]))])
def test_data_can_be_read(page: str) -> None:
    for each in blocks(PAGES[page]):
        if each.tag == "json":
            for text in each.text.splitlines() if each.title.endswith(".jsonl") else [each.text]:
                json.loads(text)
        elif each.tag == "toml":
            tomllib.loads(each.text)
        elif each.tag == "yaml":
            yaml.safe_load(each.text)


def test_few_blocks_are_not_run() -> None:
    left_out = [
        f"{page}:{each.line}: {each.left_out}" for page in PAGES for each in blocks(PAGES[page]) if each.left_out
    ]
    assert len(left_out) <= LEFT_OUT, "\n".join(left_out)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Also those that leave docs/, which the site does not have. The site's own build looks at the anchors."""
    made = {"security.md", "changelog.md", "contributing.md"}
    text = re.sub(r"^( *)(`{3,}).*?^\1\2", "", PAGES[page].read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:|#", target):
            continue
        path = (PAGES[page].parent / target.partition("#")[0]).resolve()
        inside = path.relative_to(ROOT).as_posix()
        assert path.exists() or inside.startswith("docs/reference/") or inside.removeprefix("docs/") in made, target
