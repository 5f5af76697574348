"""Which page is made by whom. Paths are those in docs/."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from _made import attacks, commands, errors, formats, http, python, settings
from _made.markdown import cells

_BESIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
_LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)")
MADE: dict[str, Callable[[Path], str]] = {
    "reference/commands.md": lambda root: commands.page(),
    "reference/settings.md": lambda root: settings.page(),
    "reference/errors.md": lambda root: errors.page(),
    "reference/formats.md": lambda root: formats.page(),
    "reference/http.md": lambda root: http.page(),
    "reference/python.md": lambda root: python.page(),
    "security.md": lambda root: (root / "SECURITY.md").read_text() + "\n" + attacks.section(root),
    "changelog.md": lambda root: (root / "CHANGELOG.md").read_text(),
    "contributing.md": lambda root: (root / "CONTRIBUTING.md").read_text(),
}


def made(root: Path) -> dict[str, str]:
    return {path: fitted(make(root), path) for path, make in MADE.items()}


def fitted(text: str, page: str) -> str:
    """Links and tables as the site has them: files of the repository that are no pages become their names; docs/x.md,
    as files beside docs/ link it, becomes x.md."""
    up = "../" * page.count("/")

    def link(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        if page in _BESIDE.values():
            target = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
        path, _, anchor = target.partition("#")
        inside = path.removeprefix(up)
        if not inside.startswith("../"):
            return f"[{words}]({target})"
        outside = inside.removeprefix("../")
        if outside in _BESIDE:
            return f"[{words}]({up}{_BESIDE[outside]}{'#' + anchor if anchor else ''})"
        return f"`{outside}`" if words.strip("`") in (outside, Path(outside).name) else f"{words} (`{outside}`)"

    return cells(_LINK.sub(link, text))
