"""What mkdocs calls: adds the pages that are made, and mends links that leave docs/."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

DOCS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(DOCS))

from _made import pages  # noqa: E402 - the line above is what finds it


def on_files(files: Files, *, config: Any) -> Files:
    for path, text in pages.made(DOCS.parent).items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    return pages.fitted(markdown, page.file.src_uri) if page.file.src_uri not in pages.MADE else markdown
