"""What a gold's source says of its inputs, read and never executed.

Owns the constants of a source, and which kinds of values a parameter may have: by its annotation, and by what asserts
say of it, `isinstance(n, (int, float))`, `all(type(x) == str for x in words)`. A contract is asserts that belong at the
head of the function; `with_contract` puts them there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import msgspec

_KINDS = frozenset(
    ("bool", "int", "float", "complex", "str", "bytes", "list", "tuple", "set", "frozenset", "dict", "None")
)
_MOST = 60  # constants of a kind
_LONGEST = 60  # characters of a text that is taken


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """kinds: (parameter's number, depth of element below it) -> kinds named for it. `texts` are in order of first
    use, and so are numbers."""

    ints: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    kinds: dict[tuple[int, int], frozenset[str]] = {}


def mine(source: str, fn_name: str | None = None, contract: str = "") -> Mined:
    """Where a text is no Python, it says nothing."""
    trees = [tree for tree in (_parsed(source), _contract_tree(contract)) if tree is not None]
    ints: dict[int, None] = {}
    floats: dict[float, None] = {}
    texts: dict[str, None] = {}
    for tree in trees:
        for node in _code(tree):
            if not isinstance(node, ast.Constant):
                continue
            value = node.value
            if type(value) is int and abs(value) <= 2**64:
                ints[value] = None
            elif type(value) is float and abs(value) <= 1e18:
                floats[value] = None
            elif type(value) is str and len(value) <= _LONGEST:
                texts[value] = None
    texts.pop("invalid inputs", None)  # what evalplus' contracts say where they fail
    function = _function(trees[0], fn_name) if trees else None
    kinds: dict[tuple[int, int], set[str]] = {}
    if function is not None:
        names = _parameters(function)
        for number, argument in enumerate([*function.args.posonlyargs, *function.args.args][-len(names) :]):
            _annotated(argument.annotation, number, 0, kinds)
        for where in [function, *trees[1:]]:
            _asserted(where, names, kinds)
        _asked(function, names, kinds)
    return Mined(
        ints=tuple(ints)[:_MOST],
        floats=tuple(floats)[:_MOST],
        texts=tuple(texts)[:_MOST],
        kinds={place: frozenset(found) for place, found in kinds.items()},
    )


def with_contract(source: str, fn_name: str, contract: str) -> str | None:
    """The source with the contract's statements first in the function; None where either cannot be read."""
    tree, asserts = _parsed(source), _contract_tree(contract)
    function = _function(tree, fn_name) if tree is not None else None
    if tree is None or asserts is None or function is None:
        return None
    at = 1 if ast.get_docstring(function, clean=False) is not None else 0
    body = asserts.body[0]
    assert isinstance(body, ast.FunctionDef)
    function.body[at:at] = body.body
    return ast.unparse(ast.fix_missing_locations(tree))


def _parsed(source: str) -> ast.Module | None:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in somebody else's texts
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _contract_tree(contract: str) -> ast.Module | None:
    """As the body of a function, which it is a part of."""
    if not contract.strip():
        return None
    if not contract.startswith("\n"):
        contract = "\n" + contract
    found = _parsed("def contract():" + contract)
    if found is None or len(found.body) != 1:
        lines = "".join(f"\n    {line}" for line in contract.strip().splitlines())
        found = _parsed("def contract():" + lines)
    return found


def _function(tree: ast.Module | None, fn_name: str | None) -> ast.FunctionDef | None:
    """The last one of the name: that is the one that is called. Without a name, the last one."""
    found = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and (fn_name is None or node.name == fn_name):
            found = node
    return found


def _parameters(function: ast.FunctionDef) -> list[str]:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] == ["self"] else names


def _code(tree: ast.AST) -> Iterable[ast.AST]:
    """All nodes but texts that stand alone, which are documentation."""
    todo = [tree]
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        todo += ast.iter_child_nodes(node)


def _annotated(node: ast.expr | None, number: int, depth: int, kinds: dict[tuple[int, int], set[str]]) -> None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        tree = _parsed(node.value)
        node = tree.body[0].value if tree and tree.body and isinstance(tree.body[0], ast.Expr) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        _annotated(node.left, number, depth, kinds)
        _annotated(node.right, number, depth, kinds)
    elif isinstance(node, ast.Subscript):
        outer = _last_name(node.value).lower()
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if outer in ("optional", "union"):
            for each in inner:
                _annotated(each, number, depth, kinds)
            if outer == "optional":
                kinds.setdefault((number, depth), set()).add("None")
            return
        if outer in _KINDS:
            kinds.setdefault((number, depth), set()).add(outer)
        if outer in ("list", "set", "frozenset", "sequence", "iterable"):
            _annotated(inner[0], number, depth + 1, kinds)
    elif node is not None:
        name = "None" if isinstance(node, ast.Constant) and node.value is None else _last_name(node).lower()
        if name in _KINDS or name in ("None", "any"):
            kinds.setdefault((number, depth), set()).add(name)


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _asserted(tree: ast.AST, names: list[str], kinds: dict[tuple[int, int], set[str]]) -> None:
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.Assert):
            continue
        places = {name: (number, 0) for number, name in enumerate(names)}
        # `for x in words` anywhere in the statement makes x an element; the outer loops come first
        for node in ast.walk(statement):
            if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name):
                place = places.get(_last_name(node.iter))
                if place is not None:
                    places[node.target.id] = (place[0], place[1] + 1)
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _last_name(node.func) == "isinstance" and len(node.args) == 2:
                _named(node.args[0], node.args[1], places, kinds)
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.In, ast.Is)):
                for side in (node.left, *node.comparators[:-1]):
                    if isinstance(side, ast.Call) and _last_name(side.func) == "type" and len(side.args) == 1:
                        _named(side.args[0], node.comparators[-1], places, kinds)


def _asked(function: ast.FunctionDef, names: list[str], kinds: dict[tuple[int, int], set[str]]) -> None:
    """A gold that asks for the type of a value, outside asserts, expects several there."""
    asserts = {id(node) for each in ast.walk(function) if isinstance(each, ast.Assert) for node in ast.walk(each)}
    places = {name: (number, 0) for number, name in enumerate(names)}
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name):
            place = places.get(_last_name(node.iter))
            if place is not None:
                places[node.target.id] = (place[0], place[1] + 1)
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or id(node) in asserts or not node.args:
            continue
        if _last_name(node.func) in ("isinstance", "type"):
            # of a value that comes from who knows where, the elements of the arguments are the likeliest
            known = places.get(_last_name(node.args[0]))
            for place in [known] if known is not None else [(number, 1) for number in range(len(names))]:
                kinds.setdefault(place, set()).add("any")


def _named(
    subject: ast.expr, told: ast.expr, places: dict[str, tuple[int, int]], kinds: dict[tuple[int, int], set[str]]
) -> None:
    place = places.get(subject.id) if isinstance(subject, ast.Name) else None
    if place is None:
        return
    for each in told.elts if isinstance(told, (ast.Tuple, ast.List, ast.Set)) else [told]:
        name = _last_name(each)
        if name in _KINDS:
            kinds.setdefault(place, set()).add(name)
