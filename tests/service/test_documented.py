"""docs/service.md knows every option, every path and every refusal that there is, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from service.conftest import Running

from codejury.cli.serve import serve
from codejury.service import refusals


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "service.md").read_text()


def test_options(page: str) -> None:
    table = page.split("\n## Options\n")[1].split("\n## ")[0]
    told = set(re.findall(r"^\| `(--[a-z-]+)`", table, re.MULTILINE))
    assert told == {word for option in serve.params for word in option.opts}
    defaults = dict(re.findall(r"^\| `(--[a-z-]+)` \| (\S+) \|", table, re.MULTILINE))
    for option in serve.params:
        if isinstance(option.default, (int, float, str)) and not isinstance(option.default, bool):
            assert defaults[option.opts[0]] == str(option.default).removesuffix(".0")


def test_paths(page: str, service: Running) -> None:
    told = set(re.findall(r"`(?:GET |POST )?(/[\w./]*)`", page.split("\n## Paths\n")[1].split("\n## ")[0]))
    assert told >= set(service.client.get("/openapi.json").json["paths"])


def test_refusals(page: str) -> None:
    table = page.split("\n## Refusals\n")[1].split("\n## ")[0]
    told = {name: int(status) for name, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", table, re.MULTILINE)}
    assert told == refusals.STATUS
    header = dict(re.findall(r"^    (\w+) +(\d{3}) ", refusals.__doc__ or "", re.MULTILINE))
    assert {name: int(status) for name, status in header.items()} == refusals.STATUS
