"""Languages as data: which there are, which one a source is in, where its tools are, and what they made before.

    catalog     languages.toml and the user's own, as `Language` and `Catalog`
    detect      a source -> its language
    toolchain   a language -> its tools on this host -> commands
    compiled    what compilers made, kept by content

Compiling and running is the sandbox's; `execute` puts both together.
"""

from __future__ import annotations

from codejury.languages.catalog import Catalog, Language
from codejury.languages.compiled import CompiledCache, CompileFailure
from codejury.languages.detect import detect
from codejury.languages.toolchain import Toolchain, compile_command, find, run_command, version_command, version_of

__all__ = [
    "Catalog",
    "CompileFailure",
    "CompiledCache",
    "Language",
    "Toolchain",
    "compile_command",
    "detect",
    "find",
    "run_command",
    "version_command",
    "version_of",
]
