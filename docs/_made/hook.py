"""What mkdocs calls: adds the pages that are made, and mends links that leave docs/."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

DOCS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(DOCS))

from _made import pages  # noqa: E402 - the line above is what finds it

LATER = ("containers.md",)  # in the navigation, and left out while it is not written


def on_config(config: Any) -> Any:
    missing = {path for path in LATER if not (DOCS / path).exists()}
    for section in config.nav:
        for title, inside in section.items():
            if isinstance(inside, list):
                section[title] = [entry for entry in inside if not missing & set(entry.values())]
    return config


def on_files(files: Files, *, config: Any) -> Files:
    for path, text in pages.made(DOCS.parent).items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    return pages.fitted(markdown, page.file.src_uri) if page.file.src_uri not in pages.MADE else markdown
