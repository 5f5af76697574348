"""A Python interpreter of the host: where it lives, and which directories belong to it.

Owns the answer to "what must be readable for this Python to work, and nothing around it". Of an
installation outside the system's directories only bin, lib and pyvenv.cfg are shown, never the prefix
as a whole: a conda prefix holds all other environments, a home directory may be a prefix.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from codejury.errors import LanguageUnavailable
from codejury.sandbox import host

_QUESTION = (
    "import json, os, site, sys; print(json.dumps({'executable': sys.executable, 'prefixes':"
    " [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix], 'user_site':"
    " site.getusersitepackages() if site.ENABLE_USER_SITE else None, 'version': list(sys.version_info[:3])}))"
)


class _Facts(msgspec.Struct):
    executable: str
    prefixes: list[str]
    user_site: str | None
    version: list[int]


class Interpreter(msgspec.Struct, frozen=True):
    executable: Path
    reads: tuple[Path, ...]  # directories and files that it needs
    version: tuple[int, ...]


def _parts(prefix: Path) -> list[Path]:
    return [part for name in ("bin", "lib", "lib64", "pyvenv.cfg") if (part := prefix / name).exists()]


def _ours() -> _Facts:
    user_site: str | None = None
    if "site" in sys.modules:
        import site

        user_site = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    return _Facts(sys.executable, prefixes, user_site, list(sys.version_info[:3]))


def _of(python: Path) -> _Facts:
    try:
        return msgspec.json.decode(host.ask([str(python), "-c", _QUESTION]), type=_Facts)
    except (OSError, msgspec.DecodeError) as error:
        raise LanguageUnavailable(f"{python} is not a Python interpreter that works: {error}") from error


def find(python: Path | None = None) -> Interpreter:
    """The interpreter at `python`, or the one that runs us."""
    facts = _ours() if python is None else _of(python)
    reads: dict[Path, None] = {}
    for text in facts.prefixes:
        for prefix in dict.fromkeys((Path(os.path.abspath(text)), Path(os.path.realpath(text)))):
            reads.update(dict.fromkeys(_parts(prefix)))
    if facts.user_site and os.path.isdir(facts.user_site):
        reads[Path(facts.user_site)] = None
    executable = Path(os.path.abspath(facts.executable))
    # a chain of links from the executable to the real binary may pass through other places
    hop = executable
    for _ in range(16):
        reads[hop] = None
        if not hop.is_symlink():
            break
        target = os.readlink(hop)
        hop = Path(os.path.normpath(hop.parent / target))
    return Interpreter(executable, tuple(reads), tuple(facts.version))
