"""Where the operators find their places in C, C++ and Java alike, and what they put there.

Owns the rules that need the syntax alone, or types as far as `brace_tree` knows them. What speaks of a library
(reading, sorting, printing) or of one type system is in `c_rules` and `java_rules`.

A mutant has to compile: a rule that is not sure of a type keeps to changes that every type allows, casts rather than
changes declarations, and leaves the expression's own brackets where they are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from codejury.mutation.programs import brace_tree as tree
from codejury.mutation.programs.brace_tree import BLOCKS, CALLS, LOOPS, NUMBERS, SUBSCRIPTS, Code, Spot
from codejury.mutation.programs.operators import Change, Changes, spread

if TYPE_CHECKING:
    from tree_sitter import Parser

Rule = Callable[[Spot, Code], Iterator[Change]]
Rules = dict[str, list[Rule]]

SHARED: Rules = {}

_NUMBERS_KINDS = ("int", "long", "char")
_JUMPS = ("return_statement", "break_statement", "continue_statement", "throw_statement", "goto_statement")
_ARITHMETIC = {b"+": (b"-",), b"-": (b"+",), b"*": (b"+",), b"/": (b"*",), b"%": (b"/",)}
_BITS = {b"&": (b"|",), b"|": (b"&", b"^"), b"^": (b"|", b"&"), b"<<": (b">>",), b">>": (b"<<",)}
_BOUNDARY = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}
_COMPARISON = {b"<": b">", b"<=": b">=", b">": b"<", b">=": b"<=", b"==": b"!=", b"!=": b"=="}
_LOGIC = {b"&&": b"||", b"||": b"&&", b"and": b"or", b"or": b"and"}
_TEXTS = ("string_literal", "char_literal", "character_literal")
_NUMERAL = re.compile(rb"(-?)(\d+)([uUlL]*)")
_DECIMAL = re.compile(rb"(\d+\.\d*|\d*\.\d+)([fFdDlL]?)")


def on(rules: Rules, *kinds: str) -> Callable[[Rule], Rule]:
    """Enters a rule in a table, for nodes of these kinds."""

    def enter(rule: Rule) -> Rule:
        for kind in kinds:
            rules.setdefault(kind, []).append(rule)
        return rule

    return enter


def read(data: bytes, dialect: tree.Dialect, own: Rules) -> tuple[Changes | None, Callable[[Change], bool]]:
    """All changes to a source, and whether the source with one of them parses no worse than before."""
    parser: Parser = tree.parser(dialect)
    root = parser.parse(data).root_node
    errors = tree.error_count(root)
    code = Code(data, root, dialect)
    found = Changes()
    for spot in code.spots:
        for table in (SHARED, own):
            for rule in table.get(spot.kind, ()):
                for change in rule(spot, code):
                    found.add(change)

    def still_parses(change: Change) -> bool:
        changed = data[: change.start] + change.text + data[change.end :]
        return tree.error_count(parser.parse(changed).root_node) <= errors

    return found, still_parses


def over(operator: str, spot: Spot, text: bytes, aim: str | None = None) -> Change:
    return Change(operator, spot.start, spot.end, text, aim)


def put(operator: str, place: int, text: bytes) -> Change:
    return Change(operator, place, place, text)


def compared(code: Code, *operands: Spot | None) -> str | None:
    for each in operands:
        if each is not None and each.kind in NUMBERS:
            match = _NUMERAL.fullmatch(code.text(each))
            if match and len(match[2]) < 25:
                return (match[1] + match[2]).decode()
    return None


def aim_of(test: Spot, code: Code) -> str | None:
    if test.kind != "binary_expression":
        return None
    return compared(code, test.get("left"), test.get("right"))


# ── Operators of expressions ─────────────────────────────────────────────────────────────────────────────────────────

_ITERATORS = (
    b"begin", b"end", b"rbegin", b"rend", b"lower_bound", b"upper_bound", b"find", b"max_element", b"min_element",
    b"unique",
)  # fmt: skip


def is_stream(spot: Spot, code: Code) -> bool:
    """`cout << a << b`: no bits are shifted there."""
    first: Spot | None = spot
    for _ in range(256):
        if first is None or first.kind != "binary_expression":
            break
        first = first.get("left")
    if first is None:
        return True
    return code.kind_of(first) not in _NUMBERS_KINDS


def _is_numeric(spot: Spot, code: Code) -> bool:
    """No text, no iterator, no pointer among the operands, as far as one can see. What a chain of + holds is looked at
    as a whole, for one text in it makes all of it one."""
    top = spot
    for above in spot.over():
        if above.kind != "binary_expression":
            break
        top = above
    for each in tree.chain(top):
        kind = code.kind_of(each)
        if kind == "text" or (kind == "other" and code.dialect != "java"):
            return False
        if each.kind in CALLS and tree.call_name(each, code) in _ITERATORS:
            return False
        if each.kind == "identifier" and kind is None and code.names.get(code.text(each)):
            return False
    return True


@on(SHARED, "binary_expression")
def _binary(spot: Spot, code: Code) -> Iterator[Change]:
    sign, left, right = spot.get("operator"), spot.get("left"), spot.get("right")
    if sign is None or left is None or right is None:
        return
    text, aim = code.text(sign), compared(code, left, right)
    if text in _BOUNDARY:
        yield over("boundary", sign, _BOUNDARY[text], aim)
    if text in _COMPARISON:
        yield over("comparison", sign, _COMPARISON[text], aim)
    if text in _LOGIC:
        yield over("logic", sign, _LOGIC[text])
        neutral = code.always if text in (b"&&", b"and") else code.never
        for side in (left, right):
            yield over("lost_condition", side, neutral, aim_of(side, code))
    if text in (b"<<", b">>"):
        if not is_stream(spot, code):
            yield over("bits", sign, _BITS[text][0])
        return
    if text in _BITS and all(code.kind_of(each) in _NUMBERS_KINDS for each in (left, right)):
        for new in _BITS[text]:
            yield over("bits", sign, new)
    if text in _ARITHMETIC and _is_numeric(spot, code):
        for new in _ARITHMETIC[text]:
            yield over("arithmetic", sign, new)
        is_division = text in (b"/", b"%")
        if text in (b"-", b"/", b"%") and not (is_division and code.kind_of(left) == "float"):
            turned = b"(" + code.text(right) + b") " + text + b" (" + code.text(left) + b")"
            yield over("swapped_operands", spot, turned)
        if text == b"%":
            yield over("modulo", spot, b"(" + code.text(left) + b")", aim)
        if text == b"/" and code.kind_of(left) in ("int", "long") and code.kind_of(right) in ("int", "long"):
            low, by = code.text(left), code.text(right)
            yield over("division", spot, b"((" + low + b") + (" + by + b") - 1) / (" + by + b")", "small")


@on(SHARED, "cast_expression")
def _cast(spot: Spot, code: Code) -> Iterator[Change]:
    """A cast that made a product or a quotient large or exact enough is forgotten."""
    declared, value = spot.get("type"), spot.get("value")
    if declared is None or value is None:
        return
    kind = code.kind_of_type(code.text(declared).decode(errors="replace"))
    bare = b"(" + code.text(value) + b")"
    if code.kind_of(value) in ("int", "long", "char"):
        if kind == "long":
            yield over("narrow", spot, bare)
        elif kind == "float":
            yield over("division", spot, bare, "small")


@on(SHARED, "unary_expression")
def _unary(spot: Spot, code: Code) -> Iterator[Change]:
    sign, inner = spot.get("operator"), spot.get("argument") or spot.get("operand")
    if sign is None or inner is None:
        return
    operator = {b"-": "arithmetic", b"~": "bits", b"!": "logic"}.get(code.text(sign))
    if operator and not (operator == "arithmetic" and inner.kind in NUMBERS):
        yield over(operator, spot, b"(" + code.text(inner) + b")")


@on(SHARED, "assignment_expression")
def _assignment(spot: Spot, code: Code) -> Iterator[Change]:
    sign, left, right = spot.get("operator"), spot.get("left"), spot.get("right")
    if sign is None or left is None or right is None:
        return
    text = code.text(sign)
    if text == b"=":
        return
    kind = code.kind_of(left)
    if kind not in ("int", "long", "char", "float"):
        return
    cast = b"(%s) (" % _java_type(left, code) if code.dialect == "java" else b"("
    if text == b"%=":
        if spot.above is not None and spot.above.kind == "expression_statement":
            yield over("modulo", spot.above, b";")
        return
    yield Change("assignment", sign.start, right.end, b"= " + cast + code.text(right) + b")")
    for table, operator in ((_ARITHMETIC, "arithmetic"), (_BITS, "bits")):
        for new in table.get(text[:-1], ()):
            yield over(operator, sign, new + b"=")


def _java_type(spot: Spot, code: Code) -> bytes:
    """The name of the type of a number in Java."""
    kind = code.kind_of(spot)
    if spot.kind == "identifier":
        (declared,) = code.names[code.text(spot)]
        return declared.encode()
    return {"int": b"int", "long": b"long", "char": b"char", "float": b"double"}.get(kind or "", b"int")


@on(SHARED, "update_expression")
def _update(spot: Spot, code: Code) -> Iterator[Change]:
    """`count++`; that of a loop's variable would only make the loop endless."""
    if spot.above is None or spot.above.kind != "expression_statement":
        return
    text = code.text(spot)
    for sign, new in ((b"++", b"--"), (b"--", b"++")):
        if text.startswith(sign):
            yield Change("arithmetic", spot.start, spot.start + 2, new)
        elif text.endswith(sign):
            yield Change("arithmetic", spot.end - 2, spot.end, new)


# ── Constants ────────────────────────────────────────────────────────────────────────────────────────────────────────

_NO_CONSTANT = (
    "array_declarator", "template_argument_list", "case_statement", "switch_label", "enumerator", "bitfield_clause",
    "subscript_argument_list", "dimensions_expr", "preproc_if", "static_assert_declaration", "annotation",
    "field_declaration_list", "attribute_declaration",
)  # fmt: skip
_IDLE_CALLS = (
    b"tie", b"sync_with_stdio", b"reserve", b"setprecision", b"precision", b"exit", b"srand", b"fflush", b"setw",
    b"setf", b"memset", b"setvbuf",
)  # fmt: skip


def is_base(spot: Spot | None, code: Code) -> bool:
    """`dp[0] = 1`: a constant at a constant place."""
    if spot is None or spot.kind != "assignment_expression":
        return False
    sign, left, right = spot.get("operator"), spot.get("left"), spot.get("right")
    if sign is None or left is None or right is None or code.text(sign) != b"=" or right.kind not in NUMBERS:
        return False
    if left.kind not in SUBSCRIPTS:
        return False
    for _ in range(8):
        if left.kind not in SUBSCRIPTS:
            return True
        at = tree.index(left)
        inner = left.get("argument") or left.get("array")
        if at is None or inner is None or at.kind not in NUMBERS:
            return False
        left = inner
    return False


def other_numbers(text: bytes) -> list[bytes]:
    """A number's neighbours, zero, and the number with the other sign; each as it is written."""
    match = _NUMERAL.fullmatch(text)
    if match and not (len(match[2]) > 1 and match[2].startswith(b"0")):
        value, suffix = int(match[1] + match[2]), match[3]
        most = 2**63 - 1 if suffix or value >= 2**31 else 2**31 - 1
        new = [each for each in dict.fromkeys((value + 1, value - 1, 0, -value)) if each != value and each <= most]
        if b"u" in suffix.lower():
            new = [each for each in new if each >= 0]
        return [b"%d%s" % (each, suffix) if each >= 0 else b"(%d%s)" % (each, suffix) for each in new]
    match = _DECIMAL.fullmatch(text)
    if match:
        return [b"(%s + 1)" % text, b"(%s - 1)" % text, b"0.0" + match[2], b"(-%s)" % text]
    return []


@on(SHARED, *NUMBERS)
def _constant(spot: Spot, code: Code) -> Iterator[Change]:
    above = spot.above
    if above is None or above.kind in SUBSCRIPTS or is_base(above, code):
        return
    if above.kind == "return_statement" and tree.function_name(tree.function(spot), code) == b"main":
        return
    for place, each in enumerate(spot.over()):
        if each.kind in _NO_CONSTANT or (each.kind in CALLS and tree.call_name(each, code) in _IDLE_CALLS):
            return
        if each.kind in ("init_declarator", "variable_declarator"):
            name = each.get("declarator") or each.get("name")
            if name is not None and code.text(name) in code.sizes:
                return
            if place == 0 and _is_loop_start(each):
                return  # the operator `range`
        if each.kind in ("compound_statement", "block", "function_definition", "class_body"):
            break
    text = code.text(spot)
    sign = above.get("operator") if above.kind == "binary_expression" and above.get("right") is spot else None
    divides = sign is not None and code.text(sign) in (b"/", b"%")
    aim = None
    if above.kind == "binary_expression":
        sign = above.get("operator")
        if sign is not None and code.text(sign) in _COMPARISON:
            aim = compared(code, spot)
    for new in other_numbers(text):
        if divides and new.rstrip(b"uUlLfF.0") == b"":
            continue
        yield over("constant", spot, new, aim)


def _is_loop_start(declarator: Spot) -> bool:
    above = declarator.above
    return above is not None and above.field in ("initializer", "init")


# ── Loops, ranges, indices ───────────────────────────────────────────────────────────────────────────────────────────


@on(SHARED, "for_statement")
def _range(spot: Spot, code: Code) -> Iterator[Change]:
    asked = tree.condition(spot)
    if asked is not None and asked.kind == "binary_expression":
        sign, bound = asked.get("operator"), asked.get("right")
        if sign is not None and bound is not None and code.text(sign) in _BOUNDARY and _is_whole(bound, code):
            for step in (b"-", b"+"):
                yield over("range", bound, b"(" + code.text(bound) + b") " + step + b" 1")
    start = spot.get("initializer") or spot.get("init")
    if start is None:
        return
    value = start.get("right")
    declarators = [each for each in start.below if each.kind in ("init_declarator", "variable_declarator")]
    if len(declarators) == 1:
        value = declarators[0].get("value")
    if value is not None and _is_whole(value, code):
        for step in (b"+", b"-"):
            yield over("range", value, b"(" + code.text(value) + b") " + step + b" 1")


def _is_whole(spot: Spot, code: Code) -> bool:
    return code.kind_of(spot) in ("int", "long", "char")


@on(SHARED, *SUBSCRIPTS)
def _index(spot: Spot, code: Code) -> Iterator[Change]:
    at = tree.index(spot)
    if at is None or not (_is_whole(at, code) and _is_numeric(at, code)):
        return
    above = spot.above
    if above is not None and above.kind == "assignment_expression" and is_base(above, code):
        return
    steps = (b"+",) if code.text(at) == b"0" else (b"-", b"+")
    for step in steps:
        yield over("index", at, b"(" + code.text(at) + b") " + step + b" 1")


def _jumps_out_of(spot: Spot) -> Spot | None:
    """The loop that a break or continue is about; None where a switch lies between."""
    for each in spot.over():
        if each.kind in LOOPS:
            return each
        if each.kind in ("switch_statement", "switch_expression", *tree.FUNCTIONS):
            return None
    return None


@on(SHARED, "break_statement", "continue_statement")
def _break(spot: Spot, code: Code) -> Iterator[Change]:
    loop = _jumps_out_of(spot)
    if loop is None or spot.first("identifier") is not None:
        return
    if code.dialect == "java" and tree.is_constantly_true(loop, code):
        return  # what comes after it would be unreachable, or the end of the method reachable
    yield over("break", spot, b"continue;" if spot.kind == "break_statement" else b"break;")
    yield over("break", spot, b";")


def _sure(code: Code, jump: bytes) -> bytes:
    """A jump after which Java lets other statements stand."""
    return b"if (true) " + jump if code.dialect == "java" else jump


@on(SHARED, *LOOPS)
def _early_end(spot: Spot, code: Code) -> Iterator[Change]:
    """A break, or the function's return, at the end of the first turn."""
    body = spot.get("body")
    inside = tree.statements(body)
    if body is None or not inside or inside[-1].kind in _JUMPS or inside[-1].broken:
        return
    if code.dialect == "java" and tree.is_constantly_true(spot, code):
        return
    end = body.end - 1
    yield put("early_break", end, _sure(code, b"break; "))
    after = tree.neighbour(spot, 1)
    if after is None or after.kind != "return_statement" or len(after.below) < 3:
        return
    if tree.function_name(tree.function(spot), code) != b"main":
        yield put("early_return", end, _sure(code, code.text(after)) + b" ")


@on(SHARED, *LOOPS)
def _no_reset(spot: Spot, code: Code) -> Iterator[Change]:
    """What a turn of the loop starts with is set once, before the loop."""
    above = spot.above
    if above is None or above.kind == "labeled_statement":
        return
    inside = tree.statements(spot.get("body"))
    declared: set[bytes] | None = None
    for statement in inside:
        if statement.broken:
            continue
        if statement.kind == "expression_statement":
            if is_reset(statement, code):
                yield over("no_reset", statement, b";")
            continue
        if statement.kind not in ("declaration", "local_variable_declaration") or not _is_fresh(statement, code):
            continue
        declared = tree.declared_in(spot, code) if declared is None else declared
        own = tree.declared_in(statement, code)
        if tree.words(statement, code) & (declared - own):
            continue
        text = b"{ " + code.text(statement) + b" " + code.data[spot.start : statement.start] + b";"
        text += code.data[statement.end : spot.end] + b" }"
        yield Change("no_reset", spot.start, spot.end, text, at=statement.start)


def _is_fresh(statement: Spot, code: Code) -> bool:
    """A declaration that changes something in each turn: with a constant, or of a container."""
    declarators = [each for each in statement.below if each.field == "declarator"]
    if len(declarators) != 1 or any(each.kind == "reference_declarator" for each in statement.all()):
        return False
    (declarator,) = declarators
    value, declared = declarator.get("value"), statement.get("type")
    if value is None and declarator.kind == "init_declarator":
        return False
    if value is None:
        kind = code.kind_of_type(code.text(declared).decode(errors="replace")) if declared else None
        return code.dialect == "cpp" and kind in ("other", "text") and declarator.kind == "identifier"
    return value.kind in (
        *NUMBERS, "true", "false", "string_literal", "null_literal", "initializer_list", "argument_list",
        "object_creation_expression", "array_creation_expression",
    )  # fmt: skip


def is_reset(statement: Spot, code: Code) -> bool:
    """`x = 0;`, `memset(...);`, `fill(...);`, `v.clear();`"""
    inner = statement.below[0] if statement.below else None
    if inner is None:
        return False
    if inner.kind in CALLS:
        return tree.call_name(inner, code) in (b"memset", b"fill", b"clear", b"assign", b"fill_n", b"iota")
    if inner.kind != "assignment_expression":
        return False
    sign, left, right = inner.get("operator"), inner.get("left"), inner.get("right")
    if sign is None or left is None or right is None or code.text(sign) != b"=":
        return False
    if code.dialect == "java" and code.text(left) in code.uninitialised:
        return False
    return left.kind == "identifier" and right.kind in (*NUMBERS, "true", "false", "string_literal")


@on(SHARED, "for_statement")
def _slow_scan(spot: Spot, code: Code) -> Iterator[Change]:
    """The range of the loop is gone over again in each turn."""
    body, asked = spot.get("body"), tree.condition(spot)
    if body is None or body.kind not in BLOCKS or asked is None or asked.kind != "binary_expression":
        return
    sign, bound = asked.get("operator"), asked.get("right")
    if sign is None or bound is None or code.text(sign) not in (b"<", b"<=") or not _is_whole(bound, code):
        return
    is_size = bound.kind in CALLS and tree.call_name(bound, code) in (b"size", b"length")
    does = (*CALLS, "update_expression", "assignment_expression")
    if not is_size and any(each.kind in does for each in bound.all()):
        return
    limit = code.text(bound)
    if code.dialect == "java":
        # onSpinWait does nothing, and the compiler does not know it.
        text = b" for (long turn_ = 0; turn_ < (long) (%s); turn_++) Thread.onSpinWait();" % limit
    else:
        text = b" for (volatile long long turn_ = 0; turn_ < (long long) (%s); turn_ = turn_ + 1) {}" % limit
    yield put("slow_scan", body.start + 1, text)


# ── Conditions and branches ──────────────────────────────────────────────────────────────────────────────────────────


@on(SHARED, "if_statement", "while_statement", "do_statement")
def _condition(spot: Spot, code: Code) -> Iterator[Change]:
    """Negated, always, never; a look-up in a memo that never finds anything; a guard of a recursion."""
    asked = tree.condition(spot)
    if asked is None or asked.kind in ("true", "false", *NUMBERS):
        return
    text, aim = code.text(asked), aim_of(asked, code)
    is_if = spot.kind == "if_statement"
    never = b"(" + text + b") && " + code.never
    if is_if and _is_memo(spot, asked, code):
        yield over("no_memo", asked, never)
        return
    if is_if and _is_guard(spot):
        yield over("base_case", asked, never, aim)
        yield from _wrong_base(spot, code, aim)
    else:
        if is_if:
            yield over("dropped_branch", asked, b"(" + text + b") || " + code.always, aim)
        yield over("dropped_branch", asked, never, aim)
    if is_if and spot.get("alternative") is not None:
        yield over("swapped_branch", asked, b"!(" + text + b")", aim)
    elif asked.kind != "unary_expression" and not _is_equality(asked, code):
        yield over("negation", asked, b"!(" + text + b")", aim)


def _is_equality(asked: Spot, code: Code) -> bool:
    sign = asked.get("operator") if asked.kind == "binary_expression" else None
    return sign is not None and code.text(sign) in (b"==", b"!=")


def _only_return(spot: Spot | None) -> Spot | None:
    inside = tree.statements(spot)
    if spot is not None and len(inside) == 1:
        spot = inside[0]
    return spot if spot is not None and spot.kind == "return_statement" and len(spot.below) > 2 else None


def _is_memo(spot: Spot, asked: Spot, code: Code) -> bool:
    """`if (memo[x] != -1) return memo[x];`, `if (seen[x]) return memo[x];`, `if (memo.count(x)) return memo[x];`"""
    found = _only_return(spot.get("consequence"))
    if found is None or tree.function_name(tree.function(spot), code) == b"main":
        return False
    value = found.below[1]
    if value.kind not in SUBSCRIPTS and not (
        value.kind in CALLS and tree.call_name(value, code) in (b"get", b"at", b"getOrDefault")
    ):
        return False
    text = code.text(value)
    if any(each.kind == value.kind and code.text(each) == text for each in asked.all()):
        return True
    base = next((code.text(each) for each in value.all() if each.kind == "identifier"), b"")
    return any(
        each.kind in CALLS
        and tree.call_name(each, code) in (b"count", b"contains", b"containsKey")
        and base in tree.words(each, code)
        for each in asked.all()
    )


def _is_guard(spot: Spot) -> bool:
    """One of the first statements of a function, which only returns."""
    if spot.get("alternative") is not None or spot.above is None or _only_return(spot.get("consequence")) is None:
        return False
    body = spot.above
    if spot.place > 8:
        return False
    is_body = body.above is not None and body.above.kind in tree.FUNCTIONS and body.field == "body"
    return is_body and any(each is spot for each in tree.statements(body)[:4])


def _wrong_base(spot: Spot, code: Code, aim: str | None) -> Iterator[Change]:
    found = _only_return(spot.get("consequence"))
    if found is None:
        return
    value = found.below[1]
    if value.kind in ("true", "false"):
        yield over("base_case", value, b"true" if value.kind == "false" else b"false", aim)
    elif value.kind not in NUMBERS and code.kind_of(value) in ("int", "long"):
        yield over("base_case", value, b"(" + code.text(value) + b") + 1", aim)


@on(SHARED, "assignment_expression")
def _base_of_table(spot: Spot, code: Code) -> Iterator[Change]:
    right = spot.get("right")
    if right is not None and is_base(spot, code):
        for new in other_numbers(code.text(right))[:2]:
            yield over("base_case", right, new)


@on(SHARED, "conditional_expression", "ternary_expression")
def _ternary(spot: Spot, code: Code) -> Iterator[Change]:
    asked, yes, no = spot.get("condition"), spot.get("consequence"), spot.get("alternative")
    if asked is None or yes is None or no is None:
        return
    aim = aim_of(asked, code)
    between = code.data[yes.end : no.start]
    yield Change("swapped_branch", yes.start, no.end, code.text(no) + between + code.text(yes), aim)
    for new in (b"&& " + code.never, b"|| " + code.always):
        yield over("dropped_branch", asked, b"((" + code.text(asked).strip() + b") " + new + b")", aim)


# ── Statements and calls ─────────────────────────────────────────────────────────────────────────────────────────────

_TALK = (
    b"cin", b"cout", b"cerr", b"scanf", b"printf", b"getline", b"puts", b"putchar", b"println", b"print", b"flush",
    b"close", b"fflush", b"write", b"append_", b"get", b"ignore", b"format", b"newLine",
)  # fmt: skip


@on(SHARED, "expression_statement")
def _dropped_statement(spot: Spot, code: Code) -> Iterator[Change]:
    if spot.broken or not spot.below or is_reset(spot, code) or spot.field in ("initializer", "init", "update"):
        return
    inner = spot.below[0]
    if inner.kind == "assignment_expression":
        left, sign = inner.get("left"), inner.get("operator")
        if left is None or sign is None or is_base(inner, code) or code.text(sign) == b"%=":
            return
        if code.text(sign) == b"=" and code.text(left) in code.uninitialised:
            return  # nobody knows what it would hold then
        right = inner.get("right")
        if right is not None and right.kind in CALLS and tree.call_name(right, code).startswith((b"read", b"next")):
            return
    elif inner.kind in CALLS:
        name = tree.call_name(inner, code)
        if name in _TALK or name in _IDLE_CALLS or b"sort" in name or name.startswith((b"read", b"next", b"super")):
            return
    elif inner.kind != "update_expression":
        return
    yield over("dropped_statement", spot, b";")


@on(SHARED, *CALLS)
def _min_max(spot: Spot, code: Code) -> Iterator[Change]:
    names = {b"min": b"max", b"max": b"min", b"min_element": b"max_element", b"max_element": b"min_element"}
    name = tree.call_name(spot, code)
    if name not in names:
        return
    called = spot.get("function") or spot.get("name")
    for _ in range(16):
        inner = (called.get("name") or called.get("field")) if called is not None else None
        if inner is None:
            break
        called = inner
    if called is not None and tree.arguments(spot):
        yield over("min_max", called, names[name])


@on(SHARED, *CALLS)
def _swapped_arguments(spot: Spot, code: Code) -> Iterator[Change]:
    """Of functions that the file defines, with two parameters of one type."""
    types = _parameters(code).get(tree.call_name(spot, code))
    given = tree.arguments(spot)
    if types is None or len(types) != len(given):
        return
    for place in range(len(given) - 1):
        left, right = given[place], given[place + 1]
        if types[place] == types[place + 1] and code.text(left) != code.text(right):
            between = code.data[left.end : right.start]
            text = code.text(right) + between + code.text(left)
            yield Change("swapped_arguments", left.start, right.end, text)


@on(SHARED, "initializer_list", "array_initializer")
def _swapped_entries(spot: Spot, code: Code) -> Iterator[Change]:
    entries = [each for each in spot.below if each.kind not in ",{}" and not each.kind.endswith("comment")]
    pairs = [
        (left, right)
        for left, right in itertools.pairwise(entries)
        if left.kind == right.kind and left.kind in (*NUMBERS, *_TEXTS) and code.text(left) != code.text(right)
    ]
    for left, right in spread(pairs):
        between = code.data[left.end : right.start]
        text = code.text(right) + between + code.text(left)
        yield Change("swapped_entries", left.start, right.end, text)


def _parameters(code: Code) -> dict[bytes, list[bytes] | None]:
    """Function -> the types of its parameters; None for a name with several."""
    kept: dict[bytes, list[bytes] | None] | None = code.parameters
    if kept is None:
        kept = code.parameters = {}
        for spot in code.spots:
            if spot.kind not in ("function_definition", "method_declaration"):
                continue
            listed = next((each for each in spot.below if each.field == "parameters"), None)
            declarator = spot.get("declarator")
            for _ in range(8):
                if listed is not None or declarator is None:
                    break
                listed, declarator = declarator.get("parameters"), declarator.get("declarator")
            if listed is None:
                continue
            types = [
                _shape(each, code)
                for each in listed.below
                if each.kind in ("parameter_declaration", "formal_parameter")
            ]
            name = tree.function_name(spot, code)
            kept[name] = None if name in kept else types
    return kept


def _shape(parameter: Spot, code: Code) -> bytes:
    """A parameter without its name: what stands for its type."""
    name = parameter
    for _ in range(8):
        inner = (
            name.get("declarator") or name.get("name") or (name.first("identifier") if name is not parameter else None)
        )
        if inner is None:
            break
        name = inner
    if name is parameter:
        return code.text(parameter)
    return b" ".join((code.data[parameter.start : name.start] + code.data[name.end : parameter.end]).split())


_DIGITS = re.compile(rb"%(\d*)\.(\d+)(l?)f")


@on(SHARED, "string_literal")
def _format(spot: Spot, code: Code) -> Iterator[Change]:
    """`%.9f`: fewer digits."""
    text = code.text(spot)

    def fewer(found: re.Match[bytes]) -> bytes:
        digits = int(found[2][:4])
        return b"%%%s.%d%sf" % (found[1], digits - 1 if digits <= 2 else digits // 2, found[3])

    new = _DIGITS.sub(fewer, text) if len(text) < 10_000 else text
    if new != text and b".-1" not in new:
        yield over("precision", spot, new)


_JAVA_NUMBERS = (b"nextInt", b"nextLong", b"parseInt", b"parseLong", b"max", b"min", b"abs", b"pow", b"sqrt", b"length")


@on(SHARED, "assignment_expression", "init_declarator", "variable_declarator")
def _narrow(spot: Spot, code: Code) -> Iterator[Change]:
    """What a number is set to is cut: 64 bits to 32, 32 to 16, double to float. The declaration stays."""
    if spot.kind == "assignment_expression":
        left, sign, right = spot.get("left"), spot.get("operator"), spot.get("right")
        if sign is None or spot.above is None or spot.above.kind != "expression_statement":
            return
        text = code.text(sign)
    else:
        left, right, text = spot.get("declarator") or spot.get("name"), spot.get("value"), b"="
        above = spot.above
        if above is not None and above.field in ("initializer", "init"):
            return
    if (
        left is None
        or right is None
        or right.kind in (*NUMBERS, "argument_list", "initializer_list", "lambda_expression")
    ):
        return
    if right.kind in ("array_initializer", "true", "false", "null_literal"):
        return
    kind = code.kind_of(left) if left.kind == "identifier" or left.kind in SUBSCRIPTS else None
    to = {"long": b"int", "int": b"short", "float": b"float"}.get(kind or "")
    if to is None or (code.dialect == "java" and not _is_primitive(left, code)):
        return
    is_unknown = code.dialect == "java" and right.kind in CALLS and code.kind_of(right) is None and text == b"="
    if is_unknown and tree.call_name(right, code) not in _JAVA_NUMBERS:
        return  # an Integer cannot be cast to a short
    operator = "precision" if kind == "float" else "narrow"
    if text == b"=":
        yield over(operator, right, b"(" + to + b") (" + code.text(right) + b")")
    elif text in (b"+=", b"-=", b"*=", b"<<="):
        whole = code.text(left) + b" " + text[:-1] + b" (" + code.text(right) + b")"
        yield over(operator, spot, code.text(left) + b" = (" + to + b") (" + whole + b")")


def _is_primitive(left: Spot, code: Code) -> bool:
    return left.kind in SUBSCRIPTS or all(
        each in ("int", "long", "double") for each in code.names.get(code.text(left), ())
    )
