"""What each level stops, from the headers of the hostile programs in tests/attacks/programs."""

from __future__ import annotations

import re
from pathlib import Path

from _made.markdown import code, plain, table
from codejury.model import LEVELS


def headers(root: Path) -> dict[str, dict[str, str]]:
    """File -> its header: attack, defence, levels, expect. The form is that of tests/attacks/test_attacks.py."""
    found = {}
    for path in sorted((root / "tests" / "attacks" / "programs").iterdir()):
        if not path.is_file():
            continue
        header: dict[str, str] = {}
        last = ""
        for line in path.read_text(errors="replace").splitlines():
            comment = re.match(r"(?:#|//)(?!!) ?(.*)", line)
            if comment is None:
                if header:
                    break
                continue
            key = re.match(r"(\w+): +(.*)", comment[1])
            if key:
                last = key[1]
                header[last] = key[2].strip()
            elif last and comment[1].startswith(" "):
                header[last] += " " + comment[1].strip()
        if "attack" in header:
            found[path.name] = header
    return found


def section(root: Path) -> str:
    found = headers(root)
    counts = {level: sum(level in header["levels"].split() for header in found.values()) for level in LEVELS}
    rows = [
        [
            code(name),
            plain(header["attack"].rstrip(".")),
            plain(header["defence"]),
            *("yes" if level in header["levels"].split() else "" for level in LEVELS),
        ]
        for name, header in found.items()
    ]
    told = ", ".join(f"{code(level)} {count}" for level, count in counts.items())
    return "\n".join(
        [
            "## The attacks, one by one\n",
            f"{len(found)} hostile programs are in `tests/attacks/programs`. `make test` runs each of them at "
            "every level that claims to stop "
            f"it and that this host gives: {told}. The table is made from their headers. Where there is no `yes`, "
            "the level does not claim to "
            "stop it: see what is not a boundary, above. Attacks on the verdict itself are in "
            "`tests/attacks/verdict`, on "
            "rewards in `tests/attacks/reward`: [why a verdict cannot be faked](docs/concepts/faking.md).\n",
            table(["program", "what it tries", "what stops it", *LEVELS], rows),
        ]
    )
