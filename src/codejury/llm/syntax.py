"""What Python code says of itself, by its syntax tree: whether it parses, what it defines, uses and prints.

Nothing runs. Whatever the code is, there is an answer: the parser's own limits are reasons like any other.
"""

from __future__ import annotations

import ast
import os
import threading
import warnings

_parse_lock = threading.Lock()  # filters of warnings are the process's: one thread at a time changes them


def _after_fork() -> None:
    """In the child there is nobody to release it."""
    global _parse_lock
    _parse_lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def parsed(code: str) -> ast.Module | str:
    """The tree, or why there is none."""
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a text is the model's business
        try:
            return ast.parse(code)
        except SyntaxError as error:
            shown = (error.text or "").strip()[:120]
            return f"line {error.lineno}: {error.msg}" + (f": {shown}" if shown else "")
        except (ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"


def defined(tree: ast.Module) -> set[str]:
    """Functions and classes at the top, also below an `if`, and what is assigned there."""
    names: set[str] = set()
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Lambda, ast.Name)):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.If, ast.Try)):
            waiting += node.body
            waiting += node.orelse
    return names


def prints(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id in ("print", "pprint"))
            or (isinstance(node.func, ast.Attribute) and node.func.attr in ("write", "writelines", "pprint", "dump"))
        )
        for node in ast.walk(tree)
    )


def is_program(tree: ast.Module) -> bool:
    """A word of prose parses as a name, and sample output as a list: neither is a program."""
    done = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AugAssign)
    for node in tree.body:
        if isinstance(node, (*done, ast.For, ast.While, ast.If, ast.With, ast.Try)):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return True
    return False


def used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def bound(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def top_level(tree: ast.Module) -> set[str]:
    return defined(tree) | {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
