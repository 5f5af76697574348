"""What test code and a reference show of a task without being run: who is called, and how answers are compared.

    assert set(f(x)) == set(y)                 the order of elements does not count, nor how often they come
    assert sorted(f(x)) == sorted(y)           the order does not count
    assert math.isclose(f(x), y, rel_tol=r)    a tolerance; so do abs(f(x) - y) < a, round(f(x), n) == y
    return list(set(…))                        in the reference: its answer has no order that could be asked for

Owns these readings. Everything here is pure: texts are parsed, nothing is run.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeGuard

import msgspec

_SETS = ("set", "frozenset")
_SORTS = ("sorted", "Counter")
_SET_METHODS = ("intersection", "union", "difference", "symmetric_difference")
_CLOSE = ("isclose", "approx", "allclose")
_MOST_TOLERANT = 0.5  # what is more is no tolerance but another question


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """How the asserts of a task compare.

    oracle              as_sets or any_order (judging/calls.py) where every assert says so; "": as values are
    absolute, relative  the widest tolerances of any assert; 0: none
    """

    oracle: str = ""
    absolute: float = 0.0
    relative: float = 0.0


def parsed(text: str) -> ast.Module | None:
    """None where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in somebody else's texts
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def function_of(source: str, tests: Iterable[str]) -> str | None:
    """The function of the source that tests call most; of several as often, the outermost."""
    tree = parsed(source)
    if tree is None:
        return None
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    counts: Counter[str] = Counter()
    for text in tests:
        for node in ast.walk(parsed(text) or ast.Module(body=[], type_ignores=[])):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in defined:
                counts[node.func.id] += 1
    return counts.most_common(1)[0][0] if counts else None


# ── Asserts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown(tests: Iterable[str], names: Iterable[str]) -> Shown:
    """`names`: under which the function is called."""
    called = frozenset(names)
    oracles: list[str] = []
    absolute = relative = 0.0
    for text in tests:
        tree = parsed(text)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Assert):
                continue
            for around in _around(node.test, called):
                oracles.append(_oracle(around))
                loose = _tolerances(around)
                absolute, relative = max(absolute, loose[0]), max(relative, loose[1])
    # as sets only where all say so: one that asks for the order is right about the others too
    oracle = "" if "" in oracles or not oracles else "any_order" if "any_order" in oracles else "as_sets"
    return Shown(oracle=oracle, absolute=absolute, relative=relative)


def _around(root: ast.expr, called: frozenset[str]) -> Iterator[list[ast.AST]]:
    """For each call of the function: what stands around it, from the outside in."""
    todo: list[tuple[ast.AST, list[ast.AST]]] = [(root, [])]
    while todo:
        node, above = todo.pop()
        if isinstance(node, ast.Call) and _name(node.func) in called:
            yield above
            continue
        todo += [(child, [*above, node]) for child in ast.iter_child_nodes(node)]


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _oracle(around: list[ast.AST]) -> str:
    names = [_name(node.func) for node in around if isinstance(node, ast.Call)]
    # The outermost of them is what is compared: set(sorted(f(x))) is a set.
    for name in names:
        if name in _SETS:
            return "as_sets"
        if name in _SORTS:
            return "any_order"
    return ""


def _tolerances(around: list[ast.AST]) -> tuple[float, float]:
    absolute = relative = 0.0
    for node in around:
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in _CLOSE:
                given = {each.arg: _number(each.value) for each in node.keywords}
                relative = max(relative, *(given.get(key, 0.0) for key in ("rel_tol", "rtol", "rel")))
                absolute = max(absolute, *(given.get(key, 0.0) for key in ("abs_tol", "atol", "abs")))
            elif name == "round" and len(node.args) == 2:
                digits = _number(node.args[1])
                absolute = max(absolute, 0.5 * 10.0 ** -min(max(digits, 0), 12))
        elif _is_distance(node):
            absolute = max(absolute, _number(node.comparators[0]))
    return (absolute if absolute <= _MOST_TOLERANT else 0.0, relative if relative <= _MOST_TOLERANT else 0.0)


def _is_distance(node: ast.AST) -> TypeGuard[ast.Compare]:
    """abs(…) < …"""
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], (ast.Lt, ast.LtE))
        and isinstance(node.left, ast.Call)
        and _name(node.left.func) == "abs"
    )


def _number(node: ast.expr) -> float:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        # 10 ** -6 is no literal
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, power = _number(node.left), _number(node.right)
            return float(base**power) if 0 < base <= 10 and abs(power) <= 30 else 0.0
        return 0.0
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9 else 0.0


# ── The reference ────────────────────────────────────────────────────────────────────────────────────────────────────


def answers_a_set(source: str, fn_name: str) -> bool:
    """Whether the function returns the elements of a set as a list or a tuple, in the order in which they happen to
    lie."""
    tree = parsed(source)
    function = None
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == fn_name:
            function = node
    if function is None:
        return False
    assigned: dict[str, list[ast.expr]] = {}
    sorted_later = set()
    for each in ast.walk(function):
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            assigned.setdefault(each.targets[0].id, []).append(each.value)
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "sort":
            sorted_later.add(_name(each.func.value))
    returns = [each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value is not None]
    return any(_is_listed_set(value, assigned, sorted_later, 0) for value in returns)


def _is_listed_set(node: ast.expr, assigned: dict[str, list[ast.expr]], sorted_later: set[str], depth: int) -> bool:
    if depth > 5:
        return False
    if isinstance(node, ast.Name):
        if node.id in sorted_later or len(assigned.get(node.id, [])) != 1:
            return False
        return _is_listed_set(assigned[node.id][0], assigned, sorted_later, depth + 1)
    if isinstance(node, ast.Call) and _name(node.func) in ("list", "tuple") and len(node.args) == 1:
        return _is_set(node.args[0], assigned, depth + 1)
    return False


def _is_set(node: ast.expr, assigned: dict[str, list[ast.expr]], depth: int) -> bool:
    if depth > 5:
        return False
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.Name):
        given = assigned.get(node.id, [])
        return len(given) > 0 and all(_is_set(each, assigned, depth + 1) for each in given)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)):
        return _is_set(node.left, assigned, depth + 1) or _is_set(node.right, assigned, depth + 1)
    if isinstance(node, ast.Call):
        return _name(node.func) in (*_SETS, *_SET_METHODS)
    return False
