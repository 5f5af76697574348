"""Elements of HTML and SVG as data, and the two ways out: as text for the page, as a tree for report.js.

Owns escaping. An element's texts and attribute values may hold anything; what they hold is shown. Attributes that could
run or fetch something (`on…`, `style`, `src`, links that leave the page) cannot be written at all, whoever asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any, TypeAlias

import msgspec

_NAME = re.compile(r"[a-z][a-zA-Z0-9]*")
_ATTRIBUTE = re.compile(r"(?!on|style$|src|xlink|formaction$|action$)[a-zA-Z][a-zA-Z0-9-]*")
_FORBIDDEN = frozenset({"script", "style", "iframe", "object", "embed", "base", "meta", "link", "foreignObject", "use"})
_VOID = frozenset({"br", "hr", "input", "wbr"})
# What no browser shows, or takes for something else: control characters but tab and line end, and half characters.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

Value: TypeAlias = str | int | float
Node: TypeAlias = "Element | str"


class Element(msgspec.Struct, frozen=True):
    """`tag`, its attributes, and what is inside: elements, and texts as they are."""

    tag: str
    attributes: dict[str, str]
    children: tuple[Node, ...]


def element(tag: str, attributes: dict[str, Value] | None = None, *children: Node | Iterable[Node]) -> Element:
    """ValueError for a tag or an attribute that has no place in a report."""
    if not _NAME.fullmatch(tag) or tag in _FORBIDDEN:
        raise ValueError(f"element: {tag!r} has no place in a report")
    told = {name: _number(value) for name, value in (attributes or {}).items()}
    for name, value in told.items():
        if not _ATTRIBUTE.fullmatch(name):
            raise ValueError(f"element: the attribute {name!r} has no place in a report")
        if name == "href" and not value.startswith("#"):
            raise ValueError(f"element: a link leads to a place in the report, got {value[:80]!r}")
    inside: list[Node] = []
    for child in children:
        if isinstance(child, (str, Element)):
            inside.append(child)
        else:
            inside += child
    return Element(tag, told, tuple(inside))


def _number(value: Value) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def seen(text: str) -> str:
    """The text with a sign in the place of what could not be seen."""
    return _UNSEEN.sub("\ufffd", text)


def render(node: Node) -> str:
    if isinstance(node, str):
        return escape(seen(node), quote=False)
    told = "".join(f' {name}="{escape(seen(value))}"' for name, value in node.attributes.items())
    if node.tag in _VOID:
        return f"<{node.tag}{told}>"
    return f"<{node.tag}{told}>{''.join(map(render, node.children))}</{node.tag}>"


def tree(node: Node) -> Any:
    """As report.js builds it: a text, or [tag, attributes, child, …]."""
    if isinstance(node, str):
        return seen(node)
    attributes = {name: seen(value) for name, value in node.attributes.items()}
    return [node.tag, attributes, *map(tree, node.children)]
