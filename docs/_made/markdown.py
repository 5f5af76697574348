"""Text of the code as Markdown: nothing in it may turn into markup."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_<>\[\]|#])")


def plain(text: str) -> str:
    """As it stands, in a sentence or a cell of a table; what is between backticks stays code."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(code(part[1:-1]) if at % 2 else _SPECIAL.sub(r"\\\1", part) for at, part in enumerate(parts))


def code(text: str) -> str:
    """Between backticks, where a bar does not end the cell of a table: that is how mkdocs has it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def cells(text: str) -> str:
    """Tables as GitHub wants them, with `a\\|b` in a cell, as mkdocs wants them."""
    code_spans = re.compile(r"`[^`\n]+`")
    lines = text.splitlines(keepends=True)
    return "".join(
        code_spans.sub(lambda found: found[0].replace("\\|", "|"), line) if line.startswith("|") else line
        for line in lines
    )


def block(text: str, tag: str = "text") -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}{tag}\n{textwrap.dedent(text).strip(chr(10))}\n{fence}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines) + "\n"


def prose(text: str | None) -> str:
    """A docstring: paragraphs are text; one with lines that are indented, or with columns, stays as it is laid out."""
    if not text:
        return ""
    made = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.splitlines()
        laid_out = [bool(re.match(r"\s{2,}", line) or re.search(r"\S {3,}\S", line)) for line in lines]
        if "\b" in lines[0]:
            made.append(block("\n".join(lines[1:]).rstrip()))
        elif any(laid_out):
            made.append(block("\n".join(lines)))
        else:
            made.append(plain(" ".join(lines)) + "\n")
    return "\n".join(made)
