"""Where each operator finds its places in a Python source, and what it puts there.

Owns one small function for each operator and kind of node; `_on` enters it in the table. They give changes of bytes and
need not be careful about precedence: a change that means something else than intended is still a wrong program, and one
that does not parse is dropped by `programs`.

Statements are added with `;` or on a line of their own, and dropped as `pass`, so that the block around them stays one.
Where the type of a value is not to be known, what is added asks for it at run time (`type(x) is int`).
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from codejury.mutation.programs.operators import Change, Changes, spread
from codejury.mutation.programs.python_tree import Code, Function, Loop, called, is_simple, last_name, names, parse

Rule = Callable[[Any, Code], Iterator[Change]]

_RULES: dict[type[ast.AST], list[Rule]] = {}

_WRAP = b"(lambda v: (v + 2**31) % 2**32 - 2**31 if type(v) is int else v)"
_READS = {"input", "readline", "readlines", "read", "next", "stdin"}
_MEMO = {"lru_cache", "cache", "memoize", "memoized", "memo", "cached"}
_IDLE = {"setrecursionlimit", "seed", "stack_size", "set_int_max_str_digits", "flush", "exit", "quit"}
_LONG = 12  # elements of a display from which on it is a table, of which a few constants are enough


def read(data: bytes) -> tuple[Changes | None, Callable[[Change], bool]]:
    """All changes to a source, and whether the source with one of them still parses."""
    tree = parse(data)
    if tree is None:
        return None, lambda change: False
    code = Code(data, tree)
    found = Changes()
    for node in code.nodes:
        for rule in _RULES.get(type(node), ()):
            for change in rule(node, code):
                found.add(change)
    # A statement of the module can be parsed alone: only the one with the change is.
    spans = [(min(code.start(each) for each in [top, *_decorators(top)]), code.end(top)) for top in tree.body]
    spans = [(start - (data[start - 1 : start] == b"@"), end) for start, end in spans]

    def still_parses(change: Change) -> bool:
        start, end = next(
            ((start, end) for start, end in spans if start <= change.start and change.end <= end), (0, len(data))
        )
        return parse(data[start : change.start] + change.text + data[change.end : end]) is not None

    return found, still_parses


def _on(*kinds: type[ast.AST]) -> Callable[[Rule], Rule]:
    def enter(rule: Rule) -> Rule:
        for kind in kinds:
            _RULES.setdefault(kind, []).append(rule)
        return rule

    return enter


def _decorators(node: ast.AST) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def _over(operator: str, node: ast.AST, code: Code, text: bytes, aim: str | None = None) -> Change:
    """`text` in place of a node."""
    return Change(operator, code.start(node), code.end(node), text, aim)


def _put(operator: str, place: int, text: bytes | None) -> Iterator[Change]:
    """`text` at a place; nothing where there is no way to put it."""
    if text is not None:
        yield Change(operator, place, place, text)


# ── Operators of expressions ─────────────────────────────────────────────────────────────────────────────────────────

_SIGN: dict[type[ast.AST], bytes] = {
    ast.Add: b"+", ast.Sub: b"-", ast.Mult: b"*", ast.Div: b"/", ast.FloorDiv: b"//", ast.Mod: b"%", ast.Pow: b"**",
    ast.BitAnd: b"&", ast.BitOr: b"|", ast.BitXor: b"^", ast.LShift: b"<<", ast.RShift: b">>",
    ast.Lt: b"<", ast.LtE: b"<=", ast.Gt: b">", ast.GtE: b">=", ast.Eq: b"==", ast.NotEq: b"!=",
    ast.Is: b"is", ast.IsNot: b"is not", ast.In: b"in", ast.NotIn: b"not in",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.AST], tuple[bytes, ...]] = {
    ast.Add: (b"-",),
    ast.Sub: (b"+",),
    ast.Mult: (b"+",),
    ast.Div: (b"//", b"*"),
    ast.FloorDiv: (b"*",),
    ast.Mod: (b"//",),
    ast.Pow: (b"*",),
}
_BITS: dict[type[ast.AST], tuple[bytes, ...]] = {
    ast.BitAnd: (b"|", b"^"),
    ast.BitOr: (b"&", b"^"),
    ast.BitXor: (b"|", b"&"),
    ast.LShift: (b">>",),
    ast.RShift: (b"<<",),
}
_BOUNDARY: dict[type[ast.AST], bytes] = {ast.Lt: b"<=", ast.LtE: b"<", ast.Gt: b">=", ast.GtE: b">"}
_COMPARISON: dict[type[ast.AST], bytes] = {
    ast.Lt: b">", ast.LtE: b">=", ast.Gt: b"<", ast.GtE: b"<=", ast.Eq: b"!=", ast.NotEq: b"==",
    ast.Is: b"is not", ast.IsNot: b"is", ast.In: b"not in", ast.NotIn: b"in",
}  # fmt: skip


def _is_text(node: ast.AST) -> bool:
    """Surely no number: arithmetic with it only fails at once."""
    for _ in range(16):  # of a longer sum the last are enough
        if not isinstance(node, ast.BinOp):
            break
        if not isinstance(node.right, ast.BinOp) and _is_text(node.right):
            return True
        node = node.left
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    return isinstance(node, (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict)) or called(node) in (
        "str", "join", "input", "list", "sorted", "strip", "split", "tuple",
    )  # fmt: skip


def _between(operator: str, left: ast.AST, right: ast.AST, sign: bytes, text: bytes, code: Code) -> Iterator[Change]:
    place = code.operator(left, right, sign)
    if place:
        yield Change(operator, *place, text, _compared(left, right))


def _compared(*operands: ast.AST) -> str | None:
    for each in operands:
        if isinstance(each, ast.Constant) and type(each.value) is int and abs(each.value) < 10**30:
            return str(each.value)
    return None


@_on(ast.BinOp)
def _arithmetic(node: ast.BinOp, code: Code) -> Iterator[Change]:
    if not isinstance(node.op, ast.Mult) and _is_text(node):
        return
    for operator, table in (("arithmetic", _ARITHMETIC), ("bits", _BITS)):
        for text in table.get(type(node.op), ()):
            if text == b"+" and (_is_text(node.left) or _is_text(node.right)):
                continue  # [0] * n
            place = code.operator(node.left, node.right, _SIGN[type(node.op)])
            if place:
                yield Change(operator, *place, text)


@_on(ast.AugAssign)
def _augmented(node: ast.AugAssign, code: Code) -> Iterator[Change]:
    place = code.operator(node.target, node.value, _SIGN.get(type(node.op), b"@") + b"=")
    if place is None:
        return
    if not isinstance(node.op, ast.Mod):
        yield Change("assignment", *place, b"=")
    if _is_text(node.value):
        return
    for operator, table in (("arithmetic", _ARITHMETIC), ("bits", _BITS)):
        for text in table.get(type(node.op), ()):
            yield Change(operator, *place, text + b"=")
    if isinstance(node.op, ast.Mod):
        yield _over("modulo", node, code, b"pass")
    if isinstance(node.target, ast.Name) and isinstance(node.op, (ast.Add, ast.Mult, ast.LShift, ast.Pow)):
        name = node.target.id.encode()
        yield from _put("narrow", code.end(node), b"; " + name + b" = " + _WRAP + b"(" + name + b")")


@_on(ast.UnaryOp)
def _unary(node: ast.UnaryOp, code: Code) -> Iterator[Change]:
    operator = {ast.USub: "arithmetic", ast.Invert: "bits", ast.Not: "logic"}.get(type(node.op))
    if operator and not (operator == "arithmetic" and isinstance(node.operand, ast.Constant)):
        yield _over(operator, node, code, b"(" + code.text(node.operand) + b")")


@_on(ast.BoolOp)
def _logic(node: ast.BoolOp, code: Code) -> Iterator[Change]:
    """And for or; each operand forgotten."""
    sign, text = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
    values = node.values
    for left, right in itertools.pairwise(values):
        yield from _between("logic", left, right, sign, text, code)
    neutral = b"True" if isinstance(node.op, ast.And) else b"False"
    for value in values:
        yield _over("lost_condition", value, code, neutral, _aim_of(value))


def _aim_of(test: ast.AST) -> str | None:
    return _compared(test.left, *test.comparators) if isinstance(test, ast.Compare) else None


@_on(ast.Compare)
def _compare(node: ast.Compare, code: Code) -> Iterator[Change]:
    if _is_main(node):
        return
    operands = [node.left, *node.comparators]
    for left, sign, right in zip(operands, node.ops, operands[1:], strict=False):
        for operator, table in (("boundary", _BOUNDARY), ("comparison", _COMPARISON)):
            text = table.get(type(sign))
            if text:
                yield from _between(operator, left, right, _SIGN[type(sign)], text, code)


def _is_main(test: ast.AST) -> bool:
    return isinstance(test, ast.Compare) and "__name__" in (last_name(test.left), *map(last_name, test.comparators))


@_on(ast.BinOp)
def _swapped_operands(node: ast.BinOp, code: Code) -> Iterator[Change]:
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)) and not _is_text(node.left):
        left, right = code.text(node.left), code.text(node.right)
        yield _over("swapped_operands", node, code, b"(" + right + b") " + _SIGN[type(node.op)] + b" (" + left + b")")


@_on(ast.BinOp)
def _modulo(node: ast.BinOp, code: Code) -> Iterator[Change]:
    if isinstance(node.op, ast.Mod) and not _is_text(node.left):
        yield _over("modulo", node, code, b"(" + code.text(node.left) + b")", _compared(node.right))


@_on(ast.BinOp)
def _division(node: ast.BinOp, code: Code) -> Iterator[Change]:
    if isinstance(node.op, ast.FloorDiv):
        left, right = code.text(node.left), code.text(node.right)
        yield _over("division", node, code, b"int((" + left + b") / (" + right + b"))")
        yield _over("division", node, code, b"-(-(" + left + b") // (" + right + b"))", "small")


@_on(ast.BinOp)
def _narrow(node: ast.BinOp, code: Code) -> Iterator[Change]:
    """The result of integer arithmetic cut to 32 bits; other values are left alone when the mutant runs."""
    if not isinstance(node.op, (ast.Add, ast.Mult, ast.Pow, ast.LShift)) or _is_text(node):
        return
    above = code.parents[node]
    if isinstance(above, ast.BinOp) and isinstance(above.op, (ast.Add, ast.Mult)):
        return  # the whole sum is enough
    if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
        return
    if _compared(node.left, node.right) in ("0", "1", "2", "-1") and isinstance(node.op, ast.Add):
        return  # i + 1
    yield _over("narrow", node, code, _WRAP + b"(" + code.text(node) + b")")


@_on(ast.Constant)
def _constant(node: ast.Constant, code: Code) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 10**30:
        return
    above = code.parents[node]
    if isinstance(above, ast.Expr) or (isinstance(above, ast.Subscript) and above.slice is node):
        return
    if isinstance(above, (ast.Slice, ast.keyword)) or called(above) in {"range", "round", *_IDLE}:
        return
    if isinstance(above, (ast.List, ast.Tuple, ast.Set)) and len(above.elts) > _LONG:
        if not any(node is above.elts[place] for place in (0, len(above.elts) // 2, -1)):
            return
    elif isinstance(above, ast.Dict) and len(above.keys) > _LONG and above.values and node is not above.values[0]:
        return
    if _is_base(above):
        return
    divides = (
        isinstance(above, ast.BinOp) and above.right is node and isinstance(above.op, (ast.Div, ast.FloorDiv, ast.Mod))
    )
    aim = str(value) if isinstance(above, ast.Compare) and type(value) is int else None
    for new in dict.fromkeys((value + 1, value - 1, 0, -value)):
        if new == value or (divides and new == 0):
            continue
        text = repr(new).encode()
        yield _over("constant", node, code, text if new >= 0 else b"(" + text + b")", aim)


# ── Loops, ranges, indices ───────────────────────────────────────────────────────────────────────────────────────────


def _beside(text: bytes, step: bytes) -> bytes:
    return b"(" + text + b") " + step + b" 1"


@_on(ast.Call)
def _range(node: ast.Call, code: Code) -> Iterator[Change]:
    if called(node) != "range" or not 1 <= len(node.args) <= 3 or any(isinstance(a, ast.Starred) for a in node.args):
        return
    start, stop = (None, node.args[0]) if len(node.args) == 1 else node.args[:2]
    yield _over("range", stop, code, _beside(code.text(stop), b"-"))
    yield _over("range", stop, code, _beside(code.text(stop), b"+"))
    if start is None:
        yield _over("range", stop, code, b"1, " + code.text(stop))
    else:
        yield _over("range", start, code, _beside(code.text(start), b"+"))
        yield _over("range", start, code, _beside(code.text(start), b"-"))


@_on(ast.Subscript)
def _index(node: ast.Subscript, code: Code) -> Iterator[Change]:
    index = node.slice
    if isinstance(index, ast.Slice):
        for bound in (index.lower, index.upper):
            if bound is not None:
                yield _over("index", bound, code, _beside(code.text(bound), b"+"))
                yield _over("index", bound, code, _beside(code.text(bound), b"-"))
        return
    if isinstance(index, (ast.Tuple, ast.JoinedStr, ast.Starred)) or _is_text(index):
        return
    if isinstance(index, ast.Constant) and (type(index.value) is not int or _is_base(code.parents[node])):
        return
    steps = (b"+",) if isinstance(index, ast.Constant) and index.value == 0 else (b"-", b"+")
    for step in steps:
        yield _over("index", index, code, _beside(code.text(index), step))


@_on(ast.Break, ast.Continue)
def _break(node: ast.Break | ast.Continue, code: Code) -> Iterator[Change]:
    yield _over("break", node, code, b"continue" if isinstance(node, ast.Break) else b"break")
    yield _over("break", node, code, b"pass")


@_on(ast.For, ast.While)
def _early_end(node: Loop, code: Code) -> Iterator[Change]:
    """A break, or the function's return, at the end of the first turn."""
    last = node.body[-1]
    if isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return
    yield from _put("early_break", code.end(last), code.after_statement(last, b"break"))
    after = code.next_statement(node)
    if isinstance(after, ast.Return) and after.value is not None and code.function(node) is not None:
        added = b" ".join(code.text(after).splitlines())
        yield from _put("early_return", code.end(last), code.after_statement(last, added))


@_on(ast.For, ast.While)
def _no_reset(node: Loop, code: Code) -> Iterator[Change]:
    """What a turn of the loop starts with is set once, before the loop."""
    indent = code.indent(node)
    if indent is None:
        return
    for statement in node.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Name) or not _is_fresh(value):
            continue
        if code.is_bound_in(names(value), node):
            continue
        start, end = code.start(statement), code.end(statement)
        text = code.text(statement) + b"\n" + indent + code.data[code.start(node) : start] + b"pass"
        yield Change("no_reset", code.start(node), end, text, at=start)


def _is_fresh(value: ast.expr) -> bool:
    """A start value: a constant, an empty or filled container."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return isinstance(value.left, (ast.List, ast.Constant))
    if isinstance(value, ast.Call):
        return called(value) in ("list", "dict", "set", "defaultdict", "Counter", "deque", "float", "bytearray")
    return isinstance(value, (ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.Tuple))


@_on(ast.For)
def _slow_scan(node: ast.For, code: Code) -> Iterator[Change]:
    """All that the loop goes over is gone over again in each turn."""
    over = node.iter
    if called(over) == "range":
        if any(isinstance(each, ast.Call) and called(each) != "len" for arg in over.args for each in ast.walk(arg)):  # type: ignore[attr-defined]
            return
        added = b"[0 for _ in " + code.text(over) + b"]"
    elif isinstance(over, ast.Name):
        name = over.id.encode()
        added = b"[0 for _ in " + name + b"] if hasattr(" + name + b", '__len__') else 0"
    else:
        return
    if code.is_bound_in(names(over), node):
        return
    first = node.body[0]
    yield from _put("slow_scan", code.start(first), code.before_statement(first, added))


@_on(ast.For, ast.While)
def _copy_in_loop(node: Loop, code: Code) -> Iterator[Change]:
    """A container that the loop looks things up in is copied in each turn."""
    if sum(isinstance(each, Loop) for each in code.above(node)) > 2:
        return
    containers = {
        each.value.id for each in ast.walk(node) if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name)
    }
    first = node.body[0]
    known = [
        name
        for name in sorted(containers)
        if code.is_bound([name], 0, code.start(node)) and not code.is_bound_in([name], node)
    ]
    for name in known[:3]:
        yield from _put("copy_in_loop", code.start(first), code.before_statement(first, b"[*" + name.encode() + b"]"))


# ── Conditions and branches ──────────────────────────────────────────────────────────────────────────────────────────


@_on(ast.If, ast.While, ast.IfExp)
def _condition(node: ast.If | ast.While | ast.IfExp, code: Code) -> Iterator[Change]:
    """Negated, always, never; a look-up in a memo that never finds anything; a guard of a recursion."""
    test = node.test
    if _is_main(test):
        return
    text, aim = code.text(test), _aim_of(test)
    never = b"(" + text + b") and False"
    if isinstance(node, ast.If) and _is_memo(node, code):
        yield _over("no_memo", test, code, never)
        return
    if isinstance(node, ast.If) and _is_guard(node, code):
        yield _over("base_case", test, code, never, aim)
    elif not isinstance(test, ast.Constant):
        if not isinstance(node, ast.While):
            yield _over("dropped_branch", test, code, b"(" + text + b") or True", aim)
        yield _over("dropped_branch", test, code, never, aim)
    if isinstance(node, (ast.If, ast.IfExp)) and node.orelse:
        yield _over("swapped_branch", test, code, b"not (" + text + b")", aim)
    elif not isinstance(test, (ast.UnaryOp, ast.Constant)) and not _is_plain_comparison(test):
        yield _over("negation", test, code, b"not (" + text + b")", aim)


@_on(ast.comprehension)
def _filter(node: ast.comprehension, code: Code) -> Iterator[Change]:
    for test in node.ifs:
        text, aim = code.text(test), _aim_of(test)
        yield _over("dropped_branch", test, code, b"True", aim)
        if not _is_plain_comparison(test):
            yield _over("negation", test, code, b"(not (" + text + b"))", aim)


def _is_plain_comparison(test: ast.expr) -> bool:
    """Its negation is what the operator `comparison` makes."""
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn))
    )


def _is_memo(node: ast.If, code: Code) -> bool:
    """`if key in memo: return memo[key]`, and `if memo[key] != -1: return memo[key]`."""
    first = node.body[0]
    if not isinstance(first, ast.Return) or not isinstance(first.value, (ast.Subscript, ast.Call)):
        return False
    value = first.value
    kept = value.value if isinstance(value, ast.Subscript) else getattr(value.func, "value", None)
    while isinstance(kept, ast.Subscript):
        kept = kept.value
    if not isinstance(kept, ast.Name) or not isinstance(node.test, ast.Compare):
        return False
    if isinstance(value, ast.Call) and called(value) != "get":
        return False
    if isinstance(node.test.ops[0], ast.In):
        return last_name(node.test.comparators[0]) == kept.id
    return code.text(node.test.left) == code.text(value)


def _is_guard(node: ast.If, code: Code) -> bool:
    """One of the first statements of a function, which only returns."""
    function = code.parents[node]
    return (
        isinstance(function, Function)
        and any(each is node for each in function.body[:4])
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Return)
        and not node.orelse
    )


def _is_base(node: ast.AST) -> bool:
    """`dp[0] = 1`: a constant at a constant place."""
    if (
        not isinstance(node, ast.Assign)
        or not isinstance(node.value, ast.Constant)
        or type(node.value.value) is not int
    ):
        return False
    target = node.targets[0]
    if not isinstance(target, ast.Subscript):
        return False
    while isinstance(target, ast.Subscript):
        if not isinstance(target.slice, ast.Constant):
            return False
        target = target.value
    return True


@_on(ast.Assign)
def _base_of_table(node: ast.Assign, code: Code) -> Iterator[Change]:
    if _is_base(node):
        value = node.value.value  # type: ignore[attr-defined]
        for new in (value + 1, value - 1):
            yield _over("base_case", node.value, code, str(new).encode())


@_on(ast.If)
def _base_of_function(node: ast.If, code: Code) -> Iterator[Change]:
    if not _is_guard(node, code) or _is_memo(node, code):
        return
    value = node.body[0].value  # type: ignore[attr-defined]
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield _over("base_case", value, code, str(not value.value).encode(), _aim_of(node.test))
    elif value is not None and not isinstance(value, ast.Constant) and not _is_text(value):
        added = b"(lambda v: v + 1 if type(v) is int else v)(" + code.text(value) + b")"
        yield _over("base_case", value, code, added, _aim_of(node.test))
    if isinstance(node.test, ast.Compare) and isinstance(node.test.comparators[0], ast.Constant):
        bound = node.test.comparators[0]
        if type(bound.value) is int and isinstance(node.test.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            up = isinstance(node.test.ops[0], (ast.Lt, ast.LtE))
            yield _over("base_case", bound, code, b"(%d)" % (bound.value + (2 if up else -2)), str(bound.value))


# ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────────


@_on(ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.For, ast.While)
def _dropped_statement(node: ast.stmt, code: Code) -> Iterator[Change]:
    if isinstance(node, ast.Expr):
        name = called(node.value)
        if not name or name in {"print", "write", "sort", *_IDLE} or name in _READS or name == "main":
            return
    if isinstance(node, ast.Assign):
        for target in node.targets:
            # Without its first value a name only fails.
            if not isinstance(target, ast.Subscript) and not (
                isinstance(target, ast.Name) and _is_set_before(target, code)
            ):
                return
        if _is_base(node):
            return
    if isinstance(node, Loop) and not isinstance(code.parents[node], Function):
        return
    yield _over("dropped_statement", node, code, b"pass")


def _is_set_before(target: ast.Name, code: Code) -> bool:
    scope = code.function(target)
    return code.is_bound([target.id], code.start(scope) if scope else 0, code.start(target))


# ── What was read ────────────────────────────────────────────────────────────────────────────────────────────────────


def _is_read(value: ast.AST) -> bool:
    return any(
        (isinstance(each, ast.Call) and called(each) in _READS)
        or (isinstance(each, ast.Attribute) and each.attr == "stdin")
        or (isinstance(each, ast.Name) and each.id == "stdin")
        for each in ast.walk(value)
    )


@_on(ast.Assign)
def _fields(node: ast.Assign, code: Code) -> Iterator[Change]:
    """`n, m = map(int, input().split())`: then n is a constant, or m."""
    if len(node.targets) != 1 or not _is_read(node.value) or isinstance(node.value, ast.Lambda):
        return
    target = node.targets[0]
    if isinstance(node.value, ast.Attribute) or called(node.value) in ("iter", "open"):
        return
    read = [target] if isinstance(target, ast.Name) else list(getattr(target, "elts", []))
    yield from _ignored([each.id for each in read if isinstance(each, ast.Name)], code.end(node), b"; ", b"", code)


@_on(ast.For)
def _fields_of_lines(node: ast.For, code: Code) -> Iterator[Change]:
    """`for a, b in pairs`: what a turn is about."""
    if not isinstance(node.target, ast.Tuple) or not is_simple(node.body[0]) or called(node.iter) == "enumerate":
        return
    found = [each.id for each in node.target.elts if isinstance(each, ast.Name) and each.id != "_"]
    yield from _ignored(found, code.start(node.body[0]), b"", b"; ", code)


@_on(ast.FunctionDef)
def _parameters(node: ast.FunctionDef, code: Code) -> Iterator[Change]:
    """What a function is given is read, too."""
    above = code.parents[node]
    if not isinstance(above, (ast.Module, ast.ClassDef)):
        return
    found = [each.arg for each in node.args.args if each.arg not in ("self", "cls")]
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
        first = node.body[1]
    behind = code.before_statement(first, b"")
    if behind is not None and not isinstance(first, (Function, ast.ClassDef)):
        yield from _ignored(found, code.start(first), b"", behind, code)


def _ignored(found: list[str], place: int, ahead: bytes, behind: bytes, code: Code) -> Iterator[Change]:
    """Statements after which a name of `found` has no value of its own: that of an empty one of its type, one, all
    elements like the first; one more or one less, where that is an integer; that of its neighbour, if that is of the
    same type. Of one that nobody looks at any value will do."""
    for at, name in enumerate(found):
        if name not in code.used:
            continue
        own = name.encode()
        for text in (
            b"type(%s)()" % own,
            b"1 if type(%s) is int else %s[:1] * len(%s) if type(%s) in (str, list, tuple) else %s"
            % (own, own, own, own, own),
        ):
            yield Change("ignored_field", place, place, ahead + own + b" = " + text + behind)
        for sign in (b"+", b"-"):
            text = b"%s = %s %s 1 if type(%s) is int else %s" % (own, own, sign, own, own)
            yield Change("shifted_field", place, place, ahead + text + behind)
        if len(found) > 1:
            beside = found[at - 1 if at else 1].encode()
            text = b"%s = %s if type(%s) is type(%s) else %s" % (own, beside, beside, own, own)
            yield Change("neighbour_field", place, place, ahead + text + behind)


# ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@_on(ast.Call)
def _min_max(node: ast.Call, code: Code) -> Iterator[Change]:
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        yield _over("min_max", node.func, code, b"max" if node.func.id == "min" else b"min")


@_on(ast.Call)
def _sort(node: ast.Call, code: Code) -> Iterator[Change]:
    name, above = called(node), code.parents[node]
    is_method = name == "sort" and isinstance(node.func, ast.Attribute)
    if not is_method and not (name == "sorted" and isinstance(node.func, ast.Name)):
        return
    if is_method and isinstance(above, ast.Expr):
        yield _over("no_sort", above, code, b"pass")
    elif not is_method and node.args:
        yield _over("no_sort", node, code, b"list(" + code.text(node.args[0]) + b")")
    for keyword in node.keywords:
        if keyword.arg == "reverse":
            yield _over("sort_order", keyword.value, code, b"not (" + code.text(keyword.value) + b")")
            return
    end = code.end(node) - 1
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
        yield _over("sort_order", node.args[0], code, b"(" + code.text(node.args[0]) + b", reverse=True)")
    else:
        yield from _put("sort_order", end, b", reverse=True" if node.args or node.keywords else b"reverse=True")


@_on(ast.Call)
def _swapped_arguments(node: ast.Call, code: Code) -> Iterator[Change]:
    if called(node) in ("min", "max", "gcd", "lcm", "print", "isinstance", "open", "zip", "replace"):
        return
    for left, right in itertools.pairwise(node.args):
        if isinstance(left, ast.Starred) or isinstance(right, ast.Starred):
            continue
        if isinstance(left, (ast.Lambda, ast.GeneratorExp)) or (isinstance(left, ast.Name) and called(node) == "map"):
            continue
        between = code.data[code.end(left) : code.start(right)]
        if between.strip() == b",":
            text = code.text(right) + between + code.text(left)
            yield Change("swapped_arguments", code.start(left), code.end(right), text)


@_on(ast.List, ast.Tuple)
def _swapped_entries(node: ast.List | ast.Tuple, code: Code) -> Iterator[Change]:
    above = code.parents[node]
    if isinstance(above, ast.Compare) or called(above) in ("set", "frozenset", "sum", "min", "max", "sorted"):
        return  # the order means nothing
    yield from _swapped(node.elts, code)


@_on(ast.Dict)
def _swapped_values(node: ast.Dict, code: Code) -> Iterator[Change]:
    yield from _swapped(node.values, code)


def _swapped(entries: list[ast.expr], code: Code) -> Iterator[Change]:
    pairs = [
        (left, right)
        for left, right in itertools.pairwise(entries)
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
        if type(left.value) is type(right.value) and left.value != right.value
    ]
    for left, right in spread(pairs):
        between = code.data[code.end(left) : code.start(right)]
        text = code.text(right) + between + code.text(left)
        yield Change("swapped_entries", code.start(left), code.end(right), text)


@_on(ast.FunctionDef)
def _no_memo(node: ast.FunctionDef, code: Code) -> Iterator[Change]:
    for decorator in node.decorator_list:
        if last_name(decorator) in _MEMO and b"cache_clear" not in code.data:
            yield _over("no_memo", decorator, code, b"(lambda f: f)")


_DIGITS = re.compile(r"\.(\d+)([fFeEgG%]?)")


@_on(ast.Call)
def _round(node: ast.Call, code: Code) -> Iterator[Change]:
    if called(node) == "round" and len(node.args) == 2:
        yield _over("precision", node.args[1], code, _beside(code.text(node.args[1]), b"-"))


@_on(ast.Constant)
def _format(node: ast.Constant, code: Code) -> Iterator[Change]:
    """`%.9f` and `{:.9f}` in a string: fewer digits."""
    if not isinstance(node.value, str) or (
        "%." not in node.value and "{:." not in node.value and "{0:." not in node.value
    ):
        return
    text = re.sub(r"(%|:)\.(\d+)f", lambda found: f"{found[1]}.{_fewer(int(found[2][:4]))}f", node.value)
    if text != node.value:
        yield _over("precision", node, code, repr(text).encode())


@_on(ast.JoinedStr)
def _format_f(node: ast.JoinedStr, code: Code) -> Iterator[Change]:
    """The same in an f-string, which has no places inside: it is written anew as a whole."""
    for part in node.values:
        spec = getattr(part, "format_spec", None)
        if not isinstance(spec, ast.JoinedStr) or len(spec.values) != 1 or not isinstance(spec.values[0], ast.Constant):
            continue
        digits = _DIGITS.search(str(spec.values[0].value))
        if digits is None or digits[2] not in "fF":
            continue
        kept = spec.values[0].value
        spec.values[0].value = f".{_fewer(int(digits[1][:4]))}{digits[2]}"
        try:
            text = ast.unparse(node).encode()
        except (ValueError, RecursionError):  # quotes of all kinds inside: not to be written before 3.12
            text = b""
        spec.values[0].value = kept
        if text:
            yield _over("precision", node, code, text)


def _fewer(digits: int) -> int:
    return digits - 1 if digits <= 2 else digits // 2
