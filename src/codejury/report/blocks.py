"""What the page of an item is made of, as data that report.js shows: every text of it as text.

    facts   names and values             text    a text of any length, as prose or as code
    table   rows of cells                entries what can be opened one by one: tests, samples, programs
    picture an element as a tree (markup.tree)

A text is a string, or {t, of} where it was cut: what is left, and how many characters it had.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codejury.report.charts import Chart
from codejury.report.markup import seen, tree

Block = dict[str, Any]

_SHORT = 300


def cut(text: str, most: int) -> Any:
    """The text, or its beginning with its length. A few characters too many are no reason to cut."""
    most = max(0, most)
    return seen(text) if len(text) <= most + 20 else {"t": seen(text[:most]), "of": len(text)}


def shown(value: Any, most: int) -> Any:
    """Of a value that may be no text: as JSON, or as Python writes it."""
    if isinstance(value, str):
        return cut(value, most)
    try:
        return cut(json.dumps(value, ensure_ascii=False), most)
    except (TypeError, ValueError, RecursionError):
        return cut(repr(value), most)


def is_cut(text: Any) -> bool:
    return isinstance(text, dict)


def facts(rows: Iterable[tuple[str, Any]], title: str = "") -> Block:
    told = [[name, _plain(value)] for name, value in rows if value not in (None, "", [], {}, ())]
    return {"b": "facts", "title": title, "rows": told}


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return seen(value[:2000])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    text = shown(value, 2000)
    return text["t"] + " …" if isinstance(text, dict) else str(text)


def text(title: str, value: str, most: int, *, prose: bool = False, opened: bool = False) -> Block:
    return {"b": "text", "title": seen(title), "text": cut(value, most), "prose": prose, "open": opened}


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> Block:
    """A cell is a text, a number, or {t, tone?, to?}: with a colour, or a link to an item."""
    return {"b": "table", "title": title, "head": list(head), "rows": [_cells(row) for row in rows], "note": note}


def _cells(row: Sequence[Any]) -> list[Any]:
    return [seen(each[: 4 * _SHORT]) if isinstance(each, str) else each for each in row]


def cell(value: str, *, tone: str = "", to: str | None = None) -> dict[str, Any]:
    return {"t": seen(value[: 4 * _SHORT]), **({"tone": tone} if tone else {}), **({"to": to} if to else {})}


def opened(
    name: str,
    parts: Sequence[tuple[str, Any]],
    *,
    state: str = "",
    tone: str = "",
    told: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One of `entries`: a line that opens. `parts`: titles and texts (cut already)."""
    told_text = " · ".join(
        f"{key} {_plain(value)}" for key, value in (told or {}).items() if value not in (None, "", [])
    )
    return {
        "name": seen(name[:_SHORT]),
        "state": state,
        "tone": tone,
        "told": told_text[:_SHORT],
        "parts": [[title, body] for title, body in parts],
    }


def entries(title: str, given: Sequence[dict[str, Any]], note: str = "") -> Block:
    return {"b": "entries", "title": title, "entries": list(given), "note": note}


def picture(chart: Chart) -> Block:
    return {"b": "picture", "title": chart.title, "note": chart.note, "node": tree(chart.picture)}
