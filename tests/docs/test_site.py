"""The site: it builds without a warning, asks no network, and its reference knows all that there is."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from _made import attacks, commands, errors, formats, http, pages, picture, python, settings
from attacks.test_attacks import header_rows

import codejury
import codejury.settings
from codejury import cli
from codejury.dataset import FORMATS
from codejury.model import LEVELS


def test_every_command_and_option_is_in_the_reference() -> None:
    page = commands.page()
    sections = dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(cli._COMMANDS)
    for name, command in commands.commands().items():
        told = set(re.findall(r"(?<![\w-])--?[a-z][a-z_-]*", sections[name]))
        given = {
            word
            for each in command.params
            if isinstance(each, click.Option) and not each.hidden
            for word in (*each.opts, *each.secondary_opts)
        }
        assert given - told == set()


def test_every_setting_is_in_the_reference() -> None:
    source = inspect.getsource(codejury.settings)
    assert {name for name, *_ in settings.rows()} == set(re.findall(r'"(CODEJURY_[A-Z_]+)"', source))
    told = re.findall(r"^\| `(CODEJURY_[A-Z_]+)` \|", settings.page(), re.MULTILINE)
    assert told == [name for name, *_ in settings.rows()]


def test_every_error_is_in_the_reference() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", errors.page(), re.MULTILINE))
    public = {
        name
        for name in codejury.__all__
        if isinstance(value := getattr(codejury, name), type) and issubclass(value, Exception)
    }
    assert told == public


@pytest.mark.parametrize(("error", "code"), [("UsageError", 2), ("UnknownLanguage", 2), ("InternalError", 3)])
def test_the_exit_codes_of_errors_are_those_of_the_command(
    error: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised = getattr(codejury, error)

    def fails(*_: object, **__: object) -> None:
        raise raised("no")

    monkeypatch.setattr(cli._root, "main", fails)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == code == errors.exit_code(raised)


def test_every_format_is_in_the_reference() -> None:
    assert re.findall(r"^## (\w+)$", formats.page(), re.MULTILINE) == list(FORMATS)


def test_every_path_and_body_is_in_the_reference() -> None:
    pytest.importorskip("starlette", reason="the service is not installed")
    whole = http.document()
    page = http.page()
    told = set(re.findall(r"^## ([A-Z]+ \S+) \{", page, re.MULTILINE))
    assert told == {f"{method.upper()} {path}" for path, at in whole["paths"].items() for method in at}
    for schema in whole["components"]["schemas"].values():
        for field in schema.get("properties", {}):
            assert f"| `{field}` |" in page


def test_every_public_name_is_in_the_reference() -> None:
    page = python.page()
    for module in (*python.MODULES, *python.MORE):
        section = page.split(f"\n## {module}\n")[1].split("\n## ")[0]
        for name in python.names(module):
            assert f"### {name} " in section or f"`{name}`" in section, f"{module}.{name}"


def test_the_security_page_has_every_attack_at_its_levels(root: Path) -> None:
    page = pages.made(root)["security.md"]
    rows = {
        name: cells.split(" | ")[-len(LEVELS) :]
        for name, cells in re.findall(r"^\| `([\w.]+)` \| (.*) \|$", page, re.MULTILINE)
    }
    programs = sorted((root / "tests" / "attacks" / "programs").iterdir())
    assert len(programs) > 100
    for path in programs:
        levels = header_rows(path)["levels"].split()
        assert [cell.strip() == "yes" for cell in rows[path.name]] == [level in levels for level in LEVELS], path.name
    assert (root / "SECURITY.md").read_text().splitlines()[2] in page
    assert len(attacks.headers(root)) == len(programs)


def test_the_picture_shows_the_figures_of_the_page(root: Path) -> None:
    shown = (root / "docs" / "speed.svg").read_text()
    assert shown == picture.picture(), "run: python docs/_made/picture.py"
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "")


def figures_of(text: str) -> set[str]:
    return set(re.findall(r"\d+\.\d ms", text))


@pytest.mark.parametrize("page", ["README.md", "docs/figures.md"])
def test_figures_are_those_of_the_page_that_says_how_they_were_taken(page: str, root: Path) -> None:
    measured = (root / "docs" / "performance.md").read_text()
    found = figures_of((root / page).read_text())
    assert found
    assert found - figures_of(measured) == set()


def test_every_page_is_in_the_navigation(root: Path) -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (root / "mkdocs.yml").read_text(), re.MULTILINE))
    there = {path.relative_to(root / "docs").as_posix() for path in (root / "docs").rglob("*.md")}
    assert listed == there | set(pages.MADE)
    assert yaml.safe_load((root / "mkdocs.yml").read_text())["strict"] is True


@pytest.mark.parametrize(
    ("page", "given", "wanted"),
    [
        ("rewards.md", "[rules.toml](../src/codejury/reward/rules.toml)", "`src/codejury/reward/rules.toml`"),
        ("guides/x.md", "see [those](../../examples/rewards)", "see those (`examples/rewards`)"),
        ("guides/x.md", "[Terms](../terminal.md#completion)", "[Terms](../terminal.md#completion)"),
        ("guides/x.md", "[how](../../SECURITY.md#the-layers)", "[how](../security.md#the-layers)"),
        (
            "security.md",
            "[a page](docs/judging.md) and [C](native/box.h)",
            "[a page](judging.md) and C (`native/box.h`)",
        ),
        ("x.md", "[far](https://example.org/a)", "[far](https://example.org/a)"),
        ("x.md", r"| `a\|b` | c |", "| `a|b` | c |"),
    ],
)
def test_links_and_tables_are_fitted_to_the_site(page: str, given: str, wanted: str) -> None:
    assert pages.fitted(given, page) == wanted


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_no_network(root: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install 'codejury[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout + done.stderr == ""
    site = sorted((tmp_path / "site").rglob("*.html"))
    assert len(site) > 40
    for path in site:
        fetched = re.findall(r"<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=\"?([^\" >]+)", path.read_text())
        assert [each for each in fetched if re.match(r"(?:https?:)?//", each)] == [], path.name
        assert re.findall(r"<td>[^\n]*\\\|", path.read_text()) == [], (
            f"{path.name}: a bar that is shown with its backslash"
        )
    assert not (tmp_path / "site" / "_made").exists()
