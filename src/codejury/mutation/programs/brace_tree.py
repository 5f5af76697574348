"""A C, C++ or Java source as a tree, and what its declarations say of names.

Owns `Spot` (a node, flat and cheap to walk), `Code` (the spots of a source with what is known of its names) and the
few questions whose answers lie at different places in the three grammars: a condition, an index, a call.

tree-sitter reads whatever it is given: where it met an error, or a macro that is no C, the spots below are left out and
the rest serves. Types are known only as far as the file itself declares them; rules that need one stay away where they
find none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Dialect = Literal["c", "cpp", "java"]
Kind = Literal["int", "long", "char", "bool", "float", "text", "other"]

LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop", "enhanced_for_statement")
BLOCKS = ("compound_statement", "block")
FUNCTIONS = ("function_definition", "method_declaration", "constructor_declaration", "lambda_expression")
CALLS = ("call_expression", "method_invocation")
SUBSCRIPTS = ("subscript_expression", "array_access")
NUMBERS = (
    "number_literal",
    "decimal_integer_literal",
    "hex_integer_literal",
    "decimal_floating_point_literal",
)
_DECLARATIONS = (
    "declaration",
    "parameter_declaration",
    "optional_parameter_declaration",
    "for_range_loop",
    "field_declaration",
    "local_variable_declaration",
    "formal_parameter",
    "enhanced_for_statement",
)
_MOST_SPOTS = 200_000
_DEEPEST = 200  # what lies deeper is left out: rules walk up and down, and a hostile source must not make that long
_LONG = 400  # children of a table that are looked at
_OF_STATEMENTS = ("translation_unit", "program", "class_body", *BLOCKS)
_IDENTIFIERS = ("identifier", "field_identifier", "type_identifier")


class Spot:
    """A node. `field` is its name in the one above."""

    __slots__ = ("above", "below", "broken", "end", "field", "kind", "place", "start")

    def __init__(self, kind: str, start: int, end: int, field: str | None, above: Spot | None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.field = field
        self.above = above
        self.place = len(above.below) if above is not None else 0  # among those below the one above
        self.below: list[Spot] = []
        self.broken = False  # something that should be below it is missing

    def get(self, field: str) -> Spot | None:
        return next((each for each in self.below if each.field == field), None)

    def first(self, *kinds: str) -> Spot | None:
        return next((each for each in self.below if each.kind in kinds), None)

    def over(self) -> Iterator[Spot]:
        """All above it, nearest first."""
        spot = self.above
        while spot is not None:
            yield spot
            spot = spot.above

    def all(self) -> Iterator[Spot]:
        """It and all below it."""
        stack = [self]
        while stack:
            spot = stack.pop()
            yield spot
            stack += reversed(spot.below)


def parser(dialect: Dialect) -> Parser:
    from tree_sitter import Language, Parser

    if dialect == "java":
        import tree_sitter_java

        return Parser(Language(tree_sitter_java.language()))
    if dialect == "cpp":
        import tree_sitter_cpp

        return Parser(Language(tree_sitter_cpp.language()))
    import tree_sitter_c

    return Parser(Language(tree_sitter_c.language()))


def error_count(node: Node) -> int:
    """Places at which the parser had to guess."""
    if not node.has_error:
        return 0
    count, stack = 0, [node]
    while stack:
        each = stack.pop()
        count += each.is_error or each.is_missing
        stack += (child for child in each.children if child.has_error or child.is_missing)
    return count


class Code:
    """data: the source. spots: all that rules may look at, in the order of the source. names: name -> the types that
    the file declares for it. passed: names whose address goes to scanf."""

    def __init__(self, data: bytes, root: Node, dialect: Dialect) -> None:
        self.data = data
        self.dialect = dialect
        self.spots: list[Spot] = []
        self.names: dict[bytes, set[str]] = {}
        self.aliases: dict[str, str] = {}
        self.uninitialised: set[bytes] = set()
        self.macros: set[bytes] = set()  # with arguments
        self.parameters: dict[bytes, list[bytes] | None] | None = None  # of functions, once somebody asked
        self.sizes: set[bytes] = set()  # names that stand where the compiler wants a constant
        self._walk(root)
        for spot in self.spots:
            self._learn(spot)

    @property
    def never(self) -> bytes:
        return b"false" if self.dialect == "java" else b"0"

    @property
    def always(self) -> bytes:
        return b"true" if self.dialect == "java" else b"1"

    def text(self, spot: Spot) -> bytes:
        return self.data[spot.start : spot.end]

    # -- reading the tree

    def _walk(self, root: Node) -> None:
        cursor = root.walk()
        above: Spot | None = None
        depth = 0
        while len(self.spots) < _MOST_SPOTS:
            node = cursor.node
            assert node is not None
            if node.is_missing and above is not None:
                above.broken = True
            is_table = above is not None and len(above.below) > _LONG and above.kind not in _OF_STATEMENTS
            if not (node.is_error or node.is_missing or is_table):
                spot = Spot(node.type, node.start_byte, node.end_byte, cursor.field_name, above)
                self.spots.append(spot)
                if above is not None:
                    above.below.append(spot)
                if depth < _DEEPEST and cursor.goto_first_child():
                    above, depth = spot, depth + 1
                    continue
            while not cursor.goto_next_sibling():
                if above is None or not cursor.goto_parent():
                    return
                above, depth = above.above, depth - 1

    # -- what declarations say

    def _learn(self, spot: Spot) -> None:
        if spot.kind in ("type_definition", "alias_declaration", "preproc_def"):
            self._learn_alias(spot)
        if spot.kind == "preproc_function_def":
            name = spot.get("name")
            self.macros.add(self.text(name) if name is not None else b"")
        if spot.kind == "array_declarator":
            size = spot.get("size")
            self.sizes.update(self.text(each) for each in (size.all() if size else ()) if each.kind == "identifier")
        if spot.kind in ("template_argument_list", "case_statement"):
            inside = spot.below if spot.kind == "template_argument_list" else [spot.get("value")]
            for one in inside:
                self.sizes.update(self.text(each) for each in (one.all() if one else ()) if each.kind == "identifier")
        if spot.kind in _DECLARATIONS:
            declared = spot.get("type")
            if declared is None:
                return
            type_text = " ".join(self.text(declared).decode(errors="replace").split())
            for each in spot.below:
                if each.field in ("declarator", "name"):
                    self._learn_name(
                        each, type_text, is_local=spot.kind in ("declaration", "local_variable_declaration")
                    )

    def _learn_alias(self, spot: Spot) -> None:
        name = spot.get("name") or spot.get("declarator")
        value = spot.get("value") or spot.get("type")
        if name is not None and value is not None:
            text = " ".join(self.text(value).decode(errors="replace").split())
            self.aliases[self.text(name).decode(errors="replace")] = text

    def _learn_name(self, declarator: Spot, type_text: str, *, is_local: bool) -> None:
        has_value = declarator.get("value") is not None
        shape = ""
        while True:
            if declarator.kind in ("array_declarator", "pointer_declarator"):
                shape = "*"
            if declarator.kind == "function_declarator":
                return
            inner = declarator.get("declarator") or declarator.get("name")
            if inner is None and declarator.kind == "reference_declarator":
                inner = declarator.first("identifier")
            if inner is None:
                break
            if declarator.get("dimensions") is not None:
                shape = "*"
            declarator = inner
        if declarator.kind not in _IDENTIFIERS:
            return
        name = self.text(declarator)
        self.names.setdefault(name, set()).add(type_text + shape)
        if is_local and not has_value:
            self.uninitialised.add(name)

    def kind_of(self, spot: Spot | None) -> Kind | None:
        """The kind of a value, where the file says it clearly."""
        for _ in range(64):
            if spot is None:
                return None
            if spot.kind == "parenthesized_expression":
                spot = spot.below[1] if len(spot.below) > 2 else None
            elif spot.kind in _IDENTIFIERS:
                kinds = {self.kind_of_type(each) for each in self.names.get(self.text(spot), ())}
                return kinds.pop() if len(kinds) == 1 else None
            elif spot.kind in NUMBERS:
                return self._kind_of_number(self.text(spot))
            elif spot.kind in ("string_literal", "raw_string_literal", "concatenated_string"):
                return "text"
            elif spot.kind in ("char_literal", "character_literal"):
                return "char"
            elif spot.kind in SUBSCRIPTS:
                return self._kind_of_element(spot)
            elif spot.kind == "cast_expression":
                declared = spot.get("type")
                return self.kind_of_type(self.text(declared).decode(errors="replace")) if declared else None
            elif spot.kind in CALLS:
                name = call_name(spot, self)
                if name in (b"size", b"length"):
                    return "int"
                return "text" if name in (b"to_string", b"substr", b"substring", b"toString", b"str") else None
            elif spot.kind == "binary_expression":
                return self._kind_of_chain(spot)
            elif spot.kind == "unary_expression":
                spot = spot.get("argument") or spot.get("operand")
            else:
                return None
        return None

    def _kind_of_chain(self, spot: Spot) -> Kind | None:
        """Of a + b * c: the widest of its operands. Calls that nobody knows are taken for one of the others."""
        sign = spot.get("operator")
        if sign is None or self.text(sign) in (b"<", b"<=", b">", b">=", b"==", b"!=", b"&&", b"||"):
            return "bool"
        kinds = {self.kind_of(each) for each in chain(spot)}
        return next((kind for kind in _WIDEST if kind in kinds), None)

    def _kind_of_number(self, text: bytes) -> Kind:
        lower = text.lower()
        if lower.startswith(b"0x"):
            return "int"
        if b"." in lower or b"e" in lower or lower.endswith((b"f", b"d")):
            return "float"
        return "long" if lower.endswith((b"l", b"ll", b"ull", b"z")) else "int"

    def _kind_of_element(self, spot: Spot) -> Kind | None:
        base = spot
        depth = 0
        while base.kind in SUBSCRIPTS:
            inner = base.get("argument") or base.get("array")
            if inner is None:
                return None
            base, depth = inner, depth + 1
        if base.kind not in _IDENTIFIERS:
            return None
        kinds = {_element(each, depth) for each in self.names.get(self.text(base), ())}
        kind = kinds.pop() if len(kinds) == 1 else None
        return self.kind_of_type(kind) if kind else None

    def kind_of_type(self, text: str) -> Kind | None:
        for _ in range(8):
            words = [word for word in text.split() if word not in ("const", "static", "constexpr", "final", "std::")]
            text = " ".join(words).removeprefix("std::")
            if text not in self.aliases:
                break
            text = self.aliases[text]
        if text in ("auto", "var"):
            return None
        if text in ("string", "String", "char*", "StringBuilder"):
            return "text"
        words = text.split()
        if not set(words) <= _WORDS:
            return "other"
        if "double" in words or "float" in words:
            return "float"
        if "bool" in words or "boolean" in words:
            return "bool"
        if "char" in words or "byte" in words:
            return "char"
        return "long" if _LONG_WORDS & set(words) else "int"


_LONG_WORDS = {"long", "int64_t", "uint64_t", "size_t", "ssize_t", "__int128", "__int128_t", "int_fast64_t"}
_WORDS = _LONG_WORDS | {
    "int", "short", "unsigned", "signed", "char", "byte", "bool", "boolean", "double", "float", "int32_t", "uint32_t",
    "int16_t", "uint16_t", "int8_t", "uint8_t",
}  # fmt: skip
_WIDEST: tuple[Kind, ...] = ("text", "other", "float", "long", "int", "char", "bool")
_VECTOR = re.compile(r"(?:std::)?(?:vector|deque|array) ?< ?(.*?) ?(?:, ?\w+ ?)?>")


def _element(text: str, depth: int) -> str | None:
    """The type of an element of an element ... of a container, where it is clear."""
    text = text.removeprefix("const ")
    if text in ("string", "std::string") and depth == 1:
        return "char"
    if text.endswith("*"):
        return text[:-1]  # an array of whatever dimensions
    if text.endswith("[]"):
        return text.replace("[]", "")
    for _ in range(depth):
        match = _VECTOR.fullmatch(text)
        if match is None:
            return "char" if text in ("string", "std::string") else None
        text = match[1]
    return text


# ── What lies at different places in the grammars ────────────────────────────────────────────────────────────────────


def chain(spot: Spot) -> Iterator[Spot]:
    """The operands of a chain of binary operators."""
    stack: list[Spot | None] = [spot]
    for _ in range(32):  # of a longer one these are enough
        if not stack:
            return
        each = stack.pop()
        if each is None:
            continue
        if each.kind == "binary_expression":
            stack += [each.get("left"), each.get("right")]  # a long chain hangs to the left
        else:
            yield each


def condition(spot: Spot) -> Spot | None:
    """The expression that an if, a loop or a ?: asks; None for a declaration there, or for none at all."""
    found = spot.get("condition")
    if found is None:
        return None
    if found.kind == "condition_clause":
        found = found.get("value")
    elif found.kind == "parenthesized_expression":
        found = found.below[1] if len(found.below) == 3 else None
    if found is None or found.kind in ("declaration", "condition_declaration"):
        return None
    return found


def is_constantly_true(spot: Spot, code: Code) -> bool:
    """A loop that only a jump ends."""
    if spot.get("condition") is None:
        return spot.kind == "for_statement"
    asked = condition(spot)
    return asked is not None and code.text(asked) in (b"true", b"1")


def index(spot: Spot) -> Spot | None:
    """What stands between the brackets."""
    found = spot.get("index")
    if found is None:
        several = spot.get("indices")
        found = several.below[1] if several is not None and len(several.below) == 3 else None
    return found


def call_name(spot: Spot, code: Code) -> bytes:
    """The last name of what is called: `sort` of std::sort(...), Arrays.sort(...), v.sort()."""
    called = spot.get("function") or spot.get("name")
    for _ in range(16):
        if called is None:
            return b""
        inner = called.get("name") or called.get("field")
        if inner is None:
            return code.text(called)
        called = inner
    return b""


def arguments(spot: Spot) -> list[Spot]:
    inside = spot.get("arguments")
    return [each for each in inside.below if each.kind not in ("(", ")", ",", "comment")] if inside else []


_NO_STATEMENT = ("{", "}", "comment", "line_comment", "block_comment")


def statements(block: Spot | None) -> list[Spot]:
    if block is None or block.kind not in BLOCKS:
        return []
    return [each for each in block.below if each.kind not in _NO_STATEMENT]


def neighbour(statement: Spot, step: Literal[-1, 1]) -> Spot | None:
    """The statement before, or after, another in its block."""
    block = statement.above
    if block is None or block.kind not in BLOCKS:
        return None
    at = statement.place + step
    while 0 <= at < len(block.below):
        if block.below[at].kind not in _NO_STATEMENT:
            return block.below[at]
        at += step
    return None


def function(spot: Spot) -> Spot | None:
    return next((each for each in spot.over() if each.kind in FUNCTIONS), None)


def function_name(spot: Spot | None, code: Code) -> bytes:
    if spot is None:
        return b""
    name = spot.get("name")
    declarator = spot.get("declarator")
    while name is None and declarator is not None:
        if declarator.kind in _IDENTIFIERS:
            return code.text(declarator)
        declarator = declarator.get("declarator")
    return code.text(name) if name is not None else b""


def declared_in(spot: Spot, code: Code) -> set[bytes]:
    """Names that are declared somewhere below."""
    found = set()
    for each in spot.all():
        if each.kind in _DECLARATIONS:
            for part in each.below:
                while part.field in ("declarator", "name") and part.kind not in _IDENTIFIERS:
                    inner = part.get("declarator") or part.get("name") or part.first("identifier")
                    if inner is None:
                        break
                    part = inner
                if part.kind in _IDENTIFIERS:
                    found.add(code.text(part))
    return found


def words(spot: Spot, code: Code) -> set[bytes]:
    """Names that stand below."""
    return {code.text(each) for each in spot.all() if each.kind in _IDENTIFIERS}
