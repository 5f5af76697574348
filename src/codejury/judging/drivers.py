"""Drivers as programs for the sandbox: the files of `inside/` and `values.py`, compiled once.

Compiling them anew in each run would cost more than the run itself, so the sandbox's own interpreter, which may be
another than ours, compiles them in a first run; the code travels as one file beside the candidate's. Its bytes are
turned over, for the sandbox takes its heavier interpreter for a file that holds the name of a heavier module.

Owns the way in: `program()` gives source and files for a Job. What the drivers do is told in their own headers.
"""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path

import msgspec

from codejury.errors import InternalError
from codejury.languages.execute import Sandbox
from codejury.model import Limits

_HERE = Path(__file__).parent
_CODE = "codejury.bin"
_INSIDE = ("loading", "function", "frames", "candidate", "pytestlike", "subject", "examiner")
_TEXTS = {
    "values": _HERE / "values.py",
    **{name: _HERE / "inside" / f"{name}.py" for name in _INSIDE},
}
_PARTS = {
    "function": ("values", "loading", "function"),
    "candidate": ("values", "loading", "frames", "candidate"),
    "examiner": ("values", "loading", "frames", "pytestlike", "subject", "examiner"),
}
# optimize=2: no docstrings. One line a driver: its modules' code, in the order in which they need each other.
_COMPILER = """
import marshal, sys
out = sys.stdout.buffer
for line in sys.stdin.read().split():
    codes = []
    for name in line.split(","):
        with open(name + ".txt", "rb") as file:
            codes.append((name, compile(file.read(), "<codejury " + name + ">", "exec", dont_inherit=True, optimize=2)))
    data = marshal.dumps(codes)
    out.write(len(data).to_bytes(4, "little") + data.translate(bytes(range(255, -1, -1))))
"""
_STARTER = """
import marshal, os, sys
with open("codejury.bin", "rb") as file:
    codes = marshal.loads(file.read().translate(bytes(range(255, -1, -1))))
os.unlink("codejury.bin")
for name, code in codes:
    module = sys.modules["codejury_" + name] = type(sys)("codejury_" + name)
    exec(code, module.__dict__)
module.main()
"""


class Program(msgspec.Struct, frozen=True):
    source: str
    files: dict[str, bytes]


_lock = threading.Lock()


def _after_fork() -> None:
    """In the child there is nobody to release it."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
_compiled: weakref.WeakKeyDictionary[Sandbox, dict[str, Program]] = weakref.WeakKeyDictionary()


def program(sandbox: Sandbox, driver: str) -> Program:
    """The driver `function`, `candidate` or `examiner`, for this sandbox's interpreter."""
    with _lock:
        programs = _compiled.get(sandbox)
        if programs is None:
            programs = _compiled[sandbox] = _compile(sandbox)
    return programs[driver]


def _compile(sandbox: Sandbox) -> dict[str, Program]:
    outcome = sandbox.run(
        _COMPILER,
        language="python",
        stdin="\n".join(",".join(parts) for parts in _PARTS.values()),
        files={f"{name}.txt": path.read_bytes() for name, path in _TEXTS.items()},
        limits=Limits(cpu_s=30),
    )
    if not outcome.ok:
        raise InternalError(f"the drivers could not be compiled: {outcome.status}: {outcome.stderr.decode()[-500:]}")
    found, left = {}, outcome.stdout
    for driver in _PARTS:
        size = int.from_bytes(left[:4], "little")
        found[driver] = Program(_STARTER, {_CODE: left[4 : 4 + size]})
        left = left[4 + size :]
    return found
