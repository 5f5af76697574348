"""What the operators know of Java beside the shared syntax: Scanner and its like, sorting.

Owns the rules that name the class library. Java's compiler wants every variable set, every statement reachable and no
number narrowed by itself; the shared rules know that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from codejury.mutation.programs import brace_tree as tree
from codejury.mutation.programs.brace_rules import Rules, on, over, put
from codejury.mutation.programs.brace_rules import read as read_braces
from codejury.mutation.programs.brace_tree import BLOCKS, Code, Spot
from codejury.mutation.programs.operators import Change, Changes

_OWN: Rules = {}

_READS = re.compile(rb"(next|read|get|parse)(Int|Long|Double|Line|Word|String|Token)?|valueOf")
_EMPTY = {"int": (b"0", b"1"), "long": (b"0", b"1"), "double": (b"0", b"1"), "String": (b'""',)}


def read(data: bytes) -> tuple[Changes | None, Callable[[Change], bool]]:
    return read_braces(data, "java", _OWN)


@on(_OWN, "local_variable_declaration", "expression_statement")
def _fields(spot: Spot, code: Code) -> Iterator[Change]:
    """`int n = in.nextInt();`: then n is a constant, or one more, or what was read before it."""
    name = _read_name(spot, code)
    if name is None or spot.above is None or spot.above.kind not in BLOCKS:
        return
    types = code.names.get(name, set())
    declared = next(iter(types)) if len(types) == 1 else ""
    for value in _EMPTY.get(declared, ()):
        yield put("ignored_field", spot.end, b" " + name + b" = " + value + b";")
    for sign in (b"+", b"-") if declared in _EMPTY and declared != "String" else ():
        yield put("shifted_field", spot.end, b" " + name + b" = " + name + b" " + sign + b" 1;")
    previous = tree.neighbour(spot, -1)
    before = _read_name(previous, code) if previous is not None else None
    if before is not None and before != name and code.names.get(before) == types and declared in _EMPTY:
        yield put("neighbour_field", spot.end, b" " + name + b" = " + before + b";")


def _read_name(spot: Spot, code: Code) -> bytes | None:
    """The one name that a statement sets to what it reads."""
    if spot.kind == "local_variable_declaration":
        declarators = [each for each in spot.below if each.kind == "variable_declarator"]
        if len(declarators) != 1 or b"final" in code.data[spot.start : declarators[0].start]:
            return None
        name, value = declarators[0].get("name"), declarators[0].get("value")
    elif spot.kind == "expression_statement" and spot.below and spot.below[0].kind == "assignment_expression":
        name, value = spot.below[0].get("left"), spot.below[0].get("right")
    else:
        return None
    if name is None or value is None or name.kind != "identifier" or value.kind != "method_invocation":
        return None
    return code.text(name) if _READS.fullmatch(tree.call_name(value, code)) else None


@on(_OWN, "expression_statement")
def _sort(spot: Spot, code: Code) -> Iterator[Change]:
    inner = spot.below[0] if spot.below else None
    if inner is None or inner.kind != "method_invocation" or tree.call_name(inner, code) != b"sort":
        return
    yield over("no_sort", spot, b";")
    given, of = tree.arguments(inner), inner.get("object")
    if of is None:
        return
    whole = code.text(spot)
    if code.text(of) == b"Collections" and given:
        yield over(
            "sort_order", spot, b"{ " + whole + b" java.util.Collections.reverse(" + code.text(given[0]) + b"); }"
        )
    elif code.text(of) == b"Arrays" and len(given) in (1, 2) and given[0].kind == "identifier":
        turn = (
            b" for (int low_ = 0, high_ = %s.length - 1; low_ < high_; low_++, high_--)"
            b" { var held_ = %s[low_]; %s[low_] = %s[high_]; %s[high_] = held_; }"
        ) % ((code.text(given[0]),) * 5)
        yield over("sort_order", spot, b"{ " + whole + turn + b" }")
    elif len(given) == 1 and of.kind == "identifier" and code.text(of) not in (b"Arrays", b"Collections"):
        yield over("sort_order", spot, b"{ " + whole + b" java.util.Collections.reverse(" + code.text(of) + b"); }")
