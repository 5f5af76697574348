"""The fenced blocks of a page of the documentation.

    ```sh                          run by bash, which ends at the first command that fails
    ```console                     `$ command`, and under it what the command prints: compared, `…` stands for anything
    ```python                      run; all blocks of a page are one program; `expression  # literal` is compared
    ```json, toml, yaml            read
    ```python title="name.py"      any of them with a title: a file of that name, in the page's folder
    ```text                        for the eye

A line `<!-- not run: the reason -->` right before a block leaves it out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

RUN = ("sh", "console", "python")
READ = ("json", "toml", "yaml")
KNOWN = (*RUN, *READ, "text", "c", "cpp")

_FENCE = re.compile(r"( *)(`{3,})(.*)")
_TITLE = re.compile(r'title="([^"]+)"')
_LEFT_OUT = re.compile(r"<!-- not run: (\S.*) -->")


@dataclass(frozen=True)
class Block:
    tag: str
    text: str
    line: int
    title: str = ""
    left_out: str = ""  # why it is not run


def blocks(page: Path) -> list[Block]:
    lines = page.read_text().splitlines()
    found: list[Block] = []
    at = 0
    while at < len(lines):
        opening = _FENCE.fullmatch(lines[at])
        if not opening:
            at += 1
            continue
        indent, fence, info = opening.groups()
        start = at + 1
        at = start
        while lines[at].strip() != fence:
            at += 1
        text = "\n".join(line.removeprefix(indent) for line in lines[start:at]) + "\n"
        reason = _LEFT_OUT.fullmatch(lines[start - 2].strip()) if start >= 2 else None
        title = _TITLE.search(info)
        found.append(
            Block(
                tag=info.split()[0] if info.split() else "",
                text=text,
                line=start,
                title=title[1] if title else "",
                left_out=reason[1] if reason else "",
            )
        )
        at += 1
    return found


def indented_commands(page: Path) -> list[str]:
    """Lines of blocks that are indented instead of fenced, and look as if somebody should type them."""
    outside, is_inside = [], False
    for line in page.read_text().splitlines():
        if _FENCE.fullmatch(line):
            is_inside = not is_inside
        elif not is_inside:
            outside.append(line)
    typed = re.compile(
        r" {4,}(?:\$ )?(?:codejury [a-z-]+ |import |from [\w.]+ import|pip install|make [a-z]|curl |"
        r"docker |kubectl |python3? \S+\.py)"
    )
    return [line for line in outside if typed.match(line)]
