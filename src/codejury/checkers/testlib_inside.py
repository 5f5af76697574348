"""Runs inside the sandbox, as main.py beside a checker in Python that tells by its exit code. Nothing imports it.

Owns one thing: a checker that dies of an exception ends with a code of its own. Python's is 1, which for a checker
means that the answer is wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import NoReturn

CRASHED = 70  # EX_SOFTWARE in sysexits.h; program.py expects it


def _crash(
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    *,
    _sys: ModuleType = sys,  # the checker shares these globals, and may give the names to other things
    _exit: Callable[[int], NoReturn] = os._exit,
    _code: int = CRASHED,
) -> None:
    _sys.__excepthook__(kind, error, trace)
    for stream in (_sys.stdout, _sys.stderr):
        stream.flush()
    _exit(_code)


sys.excepthook = _crash
sys.argv[0] = "checker.py"
__file__ = os.path.abspath("checker.py")
with open(__file__, "rb") as _file:
    _source = _file.read()
exec(compile(_source, __file__, "exec", dont_inherit=True))
