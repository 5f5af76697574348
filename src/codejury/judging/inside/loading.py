"""The candidate's module, made from its file. Runs inside the sandbox, in the candidate's process.

Owns under which conditions a candidate runs when its functions are called:

- its module is called `solution`, not `__main__`: what stands under `if __name__ == "__main__":` is a program of its
  own, which would wait for input;
- where it defines `class Solution`, names that LeetCode has imported beforehand are there, ListNode and TreeNode too;
  only those that its code uses, and what the candidate defines itself wins. Any other program gets nothing for free;
- what it prints goes to the standard error stream: standard output belongs to the driver.

Nothing here is a secret or a defence: the candidate can read and change all of it.
"""

from __future__ import annotations

import builtins
import os
import sys
import types
from typing import Any

FILE = "solution.py"
# In this order: where two have the same name, the first one counts. A module's own name is the module.
_MODULES = (
    "collections", "typing", "heapq", "bisect", "itertools", "functools", "math", "string", "random", "operator", "re",
    "copy", "datetime", "statistics", "json", "array", "fractions", "decimal", "sys", "time", "queue", "enum",
)  # fmt: skip
_STAR = (
    "collections",
    "typing",
    "heapq",
    "bisect",
    "itertools",
    "functools",
    "math",
    "string",
    "random",
    "copy",
)


class ListNode:
    def __init__(self, val: Any = 0, next: Any = None) -> None:
        self.val = val
        self.next = next


class TreeNode:
    def __init__(self, val: Any = 0, left: Any = None, right: Any = None) -> None:
        self.val = val
        self.left = left
        self.right = right


def _names(code: types.CodeType) -> set[str]:
    found: set[str] = set()
    todo = [code]
    while todo:
        each = todo.pop()
        found.update(each.co_names)
        todo += [const for const in each.co_consts if isinstance(const, types.CodeType)]
    return found


def offer_leetcode(names: set[str], namespace: dict[str, Any]) -> None:
    """Puts in what LeetCode would have imported, of the names that are used."""
    for name in names:
        if hasattr(builtins, name) or name.startswith("_"):
            continue
        if name in _MODULES:
            namespace[name] = __import__(name)
            continue
        if name in ("ListNode", "TreeNode"):
            namespace[name] = globals()[name]
            continue
        for module in _STAR:
            found = getattr(__import__(module), name, None)
            if found is not None and not isinstance(found, types.ModuleType):
                namespace[name] = found
                break


def load() -> types.ModuleType:
    """Runs the candidate's file. Whatever that raises goes through."""
    path = os.path.abspath(FILE)
    with open(path, "rb") as file:
        source = file.read()
    code = compile(source, path, "exec", dont_inherit=True)
    module = types.ModuleType("solution")
    module.__file__ = path
    sys.modules["solution"] = module
    if "Solution" in code.co_names:
        offer_leetcode(_names(code), module.__dict__)
    exec(code, module.__dict__)
    return module


def tell(error: BaseException) -> str:
    """The end of the traceback, without frames of ours."""
    import traceback

    try:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename.startswith("<codejury"):
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace, limit=-12)
        return "".join(lines).strip()[-4000:]
    except BaseException:  # noqa: BLE001 - an exception whose own methods fail
        return _type_name(error)


def _type_name(value: object) -> str:
    return str(vars(type)["__name__"].__get__(type(value)))


def private(descriptor: int, far: int = 900) -> int:
    """A duplicate far away from the numbers that programs use, where the limit on open files allows that."""
    for number in (far, far - 700, far - 840):
        try:
            return os.dup2(descriptor, number, inheritable=False)
        except OSError:
            continue
    return os.dup(descriptor)
