"""Questions to the host's own, trusted tools: where a toolchain lives, what an interpreter's prefix is.

Owns the only processes that run outside of a sandbox. Nothing untrusted comes here: the commands are
those of the languages file and of this package, and none of them takes a program's text.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache


@cache
def _ask(argv: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True, text=True)
    except subprocess.SubprocessError as error:
        raise OSError(f"{argv[0]} does not answer: {error}") from error
    return done.stdout.strip()


def ask(argv: Sequence[str]) -> str:
    """What the tool prints; OSError where it fails. Asked once a process."""
    return _ask(tuple(argv))
