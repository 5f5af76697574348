"""Reports, opened from disk in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class Opened:
    """A report in a window of its own; what went wrong in it, and what it asked the network for."""

    def __init__(self, page: Any, path: Path, place: str) -> None:
        self.page = page
        self.console: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda said: self.console.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append("a dialog"), dialog.dismiss()))
        page.context.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri() + place)
        page.wait_for_selector("html[data-ready]")
        self.uri = path.as_uri()

    def go(self, place: str) -> None:
        self.page.evaluate("place => { location.hash = place; }", place)
        self.page.wait_for_selector(f'html[data-item="{place.removeprefix("#")}"]')

    def assert_quiet(self) -> None:
        """No message, no error, nothing fetched but the file itself."""
        assert self.console == []
        assert self.errors == []
        # browsers hide what comes after # in neither
        outside = [url for url in self.requests if url.partition("#")[0] != self.uri and not url.startswith("blob:")]
        assert outside == []


@pytest.fixture
def shown(browser: Any) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def show(path: Path, place: str = "", *, width: int = 1280, dark: bool = False) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        return Opened(context.new_page(), path, place)

    yield show
    for context in contexts:
        context.close()
