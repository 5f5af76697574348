"""docs/generation.md, docs/strength.md and docs/synthesis.md know every option, and every reason, fault and state."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import click
import pytest

from codejury.cli.convert import convert
from codejury.cli.gen import gen
from codejury.cli.harden import harden
from codejury.cli.lint import lint
from codejury.cli.map import map as map_
from codejury.cli.quality import quality
from codejury.cli.report import report
from codejury.cli.select import select
from codejury.cli.special_judge_gen import special_judge_gen
from codejury.cli.stats import stats
from codejury.cli.synth import synth
from codejury.cli.trust import trust
from codejury.synth import faults
from codejury.synth.problem import State
from codejury.testgen import trouble

SECTIONS: dict[str, tuple[str, click.Command]] = {
    "gen": ("Options", gen),
    "special-judge-gen": ("Options", special_judge_gen),
    "lint": ("What is weak in tests", lint),
    "map": ("Tests by id", map_),
    "convert": ("Other formats", convert),
}


STRENGTH: dict[str, tuple[str, click.Command]] = {
    "harden": ("Harden", harden),
    "select": ("Select", select),
    "quality": ("Quality", quality),
    "stats": ("Stats", stats),
}


@pytest.mark.parametrize("name", STRENGTH)
def test_options_of_strength(root: Path, name: str) -> None:
    title, command = STRENGTH[name]
    text = section((root / "docs" / "strength.md").read_text(), title)
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", text))
    given = {word for each in command.params if isinstance(each, click.Option) for word in each.opts}
    assert given - told == set()
    known = {word for _, each in STRENGTH.values() for option in each.params for word in option.opts}
    assert told - known == set(), "options that there are"


def test_options_of_trust(root: Path) -> None:
    text = section((root / "docs" / "checkers.md").read_text(), "The command")
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", text))
    given = {word for each in trust.params for word in each.opts if word.startswith("--")}
    assert told == given


def test_options_of_report(root: Path) -> None:
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", (root / "docs" / "reports.md").read_text()))
    given = {word for each in report.params if isinstance(each, click.Option) for word in each.opts}
    assert given - told == set()


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "generation.md").read_text()


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("name", SECTIONS)
def test_options(page: str, name: str) -> None:
    title, command = SECTIONS[name]
    told = set(re.findall(r"(?<![\w-])-{1,2}[a-z][a-z_-]*", section(page, title)))
    given = {word for each in command.params if isinstance(each, click.Option) for word in each.opts}
    assert {word for word in given if word.startswith("--")} <= told
    known = {"--help"} | {word for _, each in SECTIONS.values() for option in each.params for word in option.opts}
    assert told <= known, "options that there are"


def test_options_of_synthesis(root: Path) -> None:
    text = section((root / "docs" / "synthesis.md").read_text(), "Options")
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", text))
    given = {word for each in synth.params for word in each.opts if word.startswith("--")}
    assert told == given


def test_faults_and_states_of_synthesis(root: Path) -> None:
    page = (root / "docs" / "synthesis.md").read_text()
    told = set(re.findall(r"`([a-z ]+)`", section(page, "Faults of a generator")))
    assert set(get_args(faults.Kind)) - told == set()
    assert set(get_args(State)) - set(re.findall(r"`([a-z ]+)`", section(page, "The rows"))) == set()


def test_reasons(page: str) -> None:
    told = set(re.findall(r"`([a-z ]+)`", section(page, "The steps").split("\n**", 1)[0]))
    assert set(get_args(trouble.Reason)) - told == set()
