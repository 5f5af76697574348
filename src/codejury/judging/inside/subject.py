"""What a test is about: the function that it tests, and the names that are its own. Runs inside the sandbox, with the
examiner; reads the test's syntax tree and nothing else.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

_LARGE = 64  # elements: a literal of more is data, which names nothing


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of large literals, which are most of the text of some tests; in the order of the text."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            held = node.values if isinstance(node, ast.Dict) else node.elts
            if len(held) > _LARGE:
                continue
        todo += reversed(list(ast.iter_child_nodes(node)))


def own_names(node: ast.AST) -> list[str]:
    """Names that a statement gives a value to."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [] if node.module == "solution" else [alias.asname or alias.name for alias in node.names]
    return []


def tested_function(trees: list[ast.Module]) -> str | None:
    """The function under test, as the tests call it: a name that they do not define, or, where there is none, a builtin
    one that is called with what a loop goes through (evalplus), or else the first in an assert."""
    defined: set[str] = set(dir(builtins))
    named: list[tuple[str, ast.Call]] = []
    in_asserts: list[str] = []
    for tree in trees:
        for node in walk(tree):
            defined.update(own_names(node))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                defined.add(node.id)
            elif isinstance(node, ast.arg):
                defined.add(node.arg)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                named.append((node.func.id, node))
            elif isinstance(node, ast.Assert):
                inner = [each.func for each in walk(node.test) if isinstance(each, ast.Call)]
                in_asserts += [each.id for each in inner if isinstance(each, ast.Name)]
    for name, _ in named:
        if name not in defined:
            return name
    for name, call in named:
        if hasattr(builtins, name) and any(isinstance(arg, ast.Starred) for arg in call.args):
            return name
    return next((name for name in in_asserts if hasattr(builtins, name)), None)
