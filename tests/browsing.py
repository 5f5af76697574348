"""A real browser for tests: Debian's chromium, driven by playwright; and axe-core, which finds what people who cannot
see a page, or have no mouse, would stumble over. Skipped, with the reason, where one is absent."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser: pip install playwright")
    with api.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        except api.Error as error:
            pytest.skip(f"chromium does not start here: {str(error).splitlines()[0]}")
        yield started
        started.close()


def serious_faults(page: Any, *rules: str) -> list[str]:
    """What axe-core calls serious or critical, of the page as it is now: the rule, and where. By all its rules, or by
    these."""
    pytest.importorskip("axe_playwright_python", reason="axe-core comes with it: pip install axe-playwright-python")
    source = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    page.evaluate(source + "; undefined")
    found = page.evaluate(_AXE, list(rules))
    assert found["passes"], "it has looked"
    return [
        json.dumps([fault["id"], fault["html"][:300]])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


# Only what is wanted comes over: with all nodes that pass it would be megabytes.
_AXE = """
async (rules) => {
    const found = await axe.run(document, {resultTypes: ["violations"], ...(rules.length ? {runOnly: rules} : {})});
    const violations = found.violations.map(({id, impact, nodes}) => ({id, impact, html: nodes[0].html}));
    return {passes: found.passes.length, violations};
}
"""
