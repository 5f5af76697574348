"""What the operators know of C and C++ beside the shared syntax: their types, scanf and streams, sort, precision.

Owns the rules that name the standard library. Nothing here looks into macros, save one that only renames a type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from codejury.mutation.programs import brace_tree as tree
from codejury.mutation.programs.brace_rules import Rules, on, over, put
from codejury.mutation.programs.brace_rules import read as read_braces
from codejury.mutation.programs.brace_tree import BLOCKS, LOOPS, Code, Spot
from codejury.mutation.programs.operators import Change, Changes

_OWN: Rules = {}

_NARROWER = {
    "long long": b"int",
    "long long int": b"int",
    "unsigned long long": b"unsigned",
    "unsigned long long int": b"unsigned",
    "int64_t": b"int",
    "std::int64_t": b"int",
    "uint64_t": b"unsigned",
    "__int128": b"long long",
    "double": b"float",
    "long double": b"float",
}


def read(data: bytes, *, is_cpp: bool) -> tuple[Changes | None, Callable[[Change], bool]]:
    return read_braces(data, "cpp" if is_cpp else "c", _OWN)


@on(_OWN, "type_definition", "alias_declaration", "preproc_def")
def _narrow_alias(spot: Spot, code: Code) -> Iterator[Change]:
    """`using ll = long long;`: all that is called so is narrower."""
    value = spot.get("value") or spot.get("type")
    if value is None or _scans_long(code):
        return
    written = " ".join(code.text(value).decode(errors="replace").split())
    if written in _NARROWER:
        yield over("precision" if "double" in written else "narrow", value, _NARROWER[written])


def _scans_long(code: Code) -> bool:
    """scanf writes eight bytes, whatever they are written to."""
    return b"%lld" in code.data or b"%lf" in code.data or b"PRId64" in code.data or b"%llu" in code.data


@on(_OWN, "number_literal")
def _narrow_literal(spot: Spot, code: Code) -> Iterator[Change]:
    """`1LL * a * b` without the LL."""
    text = code.text(spot)
    above = spot.above
    if re.fullmatch(rb"1[lL]{1,2}", text) and above is not None and above.kind == "binary_expression":
        sign = above.get("operator")
        if sign is not None and code.text(sign) in (b"*", b"<<", b"+"):
            yield over("narrow", spot, b"1")


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@on(_OWN, "expression_statement")
def _fields(spot: Spot, code: Code) -> Iterator[Change]:
    """`cin >> n >> m;` and `scanf("%d %d", &n, &m);`: then n is a constant, or one more, or m."""
    if spot.broken or not spot.below:
        return
    inner = spot.below[0]
    read: list[Spot] = []
    if inner.kind == "binary_expression":
        read = _streamed(inner, code)
    elif inner.kind == "call_expression" and tree.call_name(inner, code) == b"scanf":
        for each in tree.arguments(inner)[1:]:
            value = each.get("argument")
            if each.kind == "pointer_expression" and value is not None:
                read.append(value)
    in_block = spot.above is not None and spot.above.kind in BLOCKS
    ahead, behind = (b" ", b"") if in_block else (b" ", b" }")
    for place, each in enumerate(read):
        kind = code.kind_of(each)
        if kind is None or kind == "other" or (each.kind != "identifier" and each.kind != "subscript_expression"):
            continue
        name = code.text(each)
        for new in (b'""',) if kind == "text" else (b"0", b"1"):
            yield _after("ignored_field", spot, ahead + name + b" = " + new + b";" + behind, code)
        for sign in () if kind == "text" else (b"+", b"-"):
            text = name + b" = " + name + b" " + sign + b" 1;"
            yield _after("shifted_field", spot, ahead + text + behind, code)
        beside = read[place - 1] if place else (read[1] if len(read) > 1 else None)
        if beside is not None and code.kind_of(beside) == kind and code.text(beside) != name:
            yield _after("neighbour_field", spot, ahead + name + b" = " + code.text(beside) + b";" + behind, code)


def _after(operator: str, spot: Spot, text: bytes, code: Code) -> Change:
    """A statement after another; where that stands alone (`for (...) cin >> a[i];`) both go into a block."""
    if text.endswith(b"}"):
        return over(operator, spot, b"{ " + code.text(spot) + text)
    return put(operator, spot.end, text)


def _streamed(spot: Spot, code: Code) -> list[Spot]:
    found: list[Spot] = []
    at: Spot | None = spot
    for _ in range(64):
        if at is None or at.kind != "binary_expression":
            break
        sign, right = at.get("operator"), at.get("right")
        if sign is None or code.text(sign) != b">>" or right is None:
            return []
        found.append(right)
        at = at.get("left")
    if at is None or at.kind not in ("identifier", "qualified_identifier"):
        return []
    return found[::-1] if code.kind_of(at) not in ("int", "long", "char") else []


# ── Sorting, copying, printing ───────────────────────────────────────────────────────────────────────────────────────


@on(_OWN, "expression_statement")
def _sort(spot: Spot, code: Code) -> Iterator[Change]:
    inner = spot.below[0] if spot.below else None
    if inner is None or inner.kind != "call_expression" or spot.broken:
        return
    name, given = tree.call_name(inner, code), tree.arguments(inner)
    if name not in (b"sort", b"stable_sort", b"qsort"):
        return
    yield over("no_sort", spot, b";")
    called = inner.get("function")
    is_std = called is not None and called.kind in ("identifier", "qualified_identifier")
    if name == b"qsort" or not is_std or not given:
        return
    both = (
        given[:1] if given[0].kind == "call_expression" and tree.call_name(given[0], code) in code.macros else given[:2]
    )
    if len(both) == 2 or b"(" in code.text(both[0]):  # sort(all(v))
        turned = b"std::reverse(" + b", ".join(map(code.text, both)) + b");"
        yield over("sort_order", spot, b"{ " + code.text(spot) + b" " + turned + b" }")


@on(_OWN, *LOOPS)
def _copy_in_loop(spot: Spot, code: Code) -> Iterator[Change]:
    """A container that the loop looks things up in is copied in each turn."""
    body = spot.get("body")
    if code.dialect != "cpp" or body is None or body.kind != "compound_statement":
        return
    if sum(each.kind in LOOPS for each in spot.over()) > 2:
        return
    used = set()
    for each in body.all():
        if each.kind == "subscript_expression":
            base = each.get("argument")
            if base is not None and base.kind == "identifier":
                used.add(code.text(base))
    known = [
        name
        for name in sorted(used - tree.declared_in(spot, code))
        if len(code.names.get(name, ())) == 1
        and re.match(r"(?:std::)?(?:vector|string|map|unordered_map|deque)\b", next(iter(code.names[name])))
        and not next(iter(code.names[name])).endswith("*")
    ]
    for name in known[:2]:
        text = b' { auto copy_ = %s; asm volatile("" : : "r"(&copy_) : "memory"); }' % name
        yield put("copy_in_loop", body.start + 1, text)


@on(_OWN, "call_expression")
def _precision(spot: Spot, code: Code) -> Iterator[Change]:
    if tree.call_name(spot, code) in (b"setprecision", b"precision"):
        given = tree.arguments(spot)
        if len(given) == 1:
            yield over("precision", given[0], b"(" + code.text(given[0]) + b") / 3")
