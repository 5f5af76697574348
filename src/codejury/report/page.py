"""The HTML file: head with the rules of what may run, the parts of the report, the packed lists, one script.

The rules (Content-Security-Policy) name the hashes of the page's own script and style. Nothing else runs, whatever it
says; nothing is fetched; and no text can become markup, since the script may not write any (trusted types).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from importlib import resources

from codejury.report.charts import Chart
from codejury.report.markup import Element, Node, element, render, seen
from codejury.report.pack import Sink
from codejury.report.section import Cell, Figure, Section, Table


def page(parts: Sequence[tuple[Section, Sink | None]], *, title: str) -> str:
    from codejury import __version__

    style, script = _own("report.css"), _own("report.js")
    rules = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    body = _body(parts, title, f"codejury {__version__}, {made}")
    data = "\n".join(
        f'<script type="application/octet-stream" id="{name}">{text}</script>'
        for _, sink in parts
        if sink is not None
        for name, text in sink.chunks.items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(rules)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(seen(title))}</title>\n<style>{style}</style>\n<script>{script}</script>\n</head>\n"
        f"{render(body)}\n{data}\n</html>\n"
    )


def _own(name: str) -> str:
    return resources.files("codejury.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _body(parts: Sequence[tuple[Section, Sink | None]], title: str, made: str) -> Element:
    several = len(parts) > 1
    links = [
        element("li", None, element("a", {"href": f"#s{at}"}, section.kind, element("span", None, section.title)))
        for at, (section, _) in enumerate(parts)
    ]
    header = element(
        "header",
        {"class": "top"},
        element("div", None, element("p", {"class": "brand"}, "codejury report"), element("h1", None, title)),
        element("button", {"type": "button", "id": "theme", "class": "quiet", "hidden": ""}, "Dark"),
    )
    nav = [element("nav", {"aria-label": "Parts of the report"}, element("ul", None, links))] if several else []
    sections = [_section(at, section, sink) for at, (section, sink) in enumerate(parts)]
    footer = element(
        "footer",
        None,
        element(
            "p", None, f"Made by {made}. Intervals are 95 % intervals after Wilson, unless something else is said."
        ),
        element(
            "p",
            {"class": "keys"},
            "Keys: ",
            element("kbd", None, "/"),
            " to the search, ",
            element("kbd", None, "Esc"),
            " back from a page.",
        ),
    )
    return element(
        "body",
        None,
        element("a", {"href": "#content", "class": "skip"}, "To the content"),
        header,
        *nav,
        element(
            "main",
            {"id": "content"},
            element("div", {"id": "overview"}, sections),
            element("article", {"id": "item", "hidden": "", "tabindex": "-1"}),
        ),
        footer,
        element("div", {"id": "status", "role": "status", "class": "unseen"}),
    )


def _section(at: int, section: Section, sink: Sink | None) -> Element:
    key = f"s{at}"
    inside: list[Node] = [
        element("h2", {"id": f"{key}-title"}, section.kind, " ", element("bdi", {"class": "of"}, section.title)),
        element("p", {"class": "lead"}, section.lead),
    ]
    notes = [*section.notes, *_left_out(sink)]
    if section.figures:
        inside.append(element("dl", {"class": "figures"}, [_figure(each) for each in section.figures]))
    inside += [element("p", {"class": "note"}, note) for note in notes]
    if section.facts:
        inside.append(_facts(section.facts))
    tables = [(each.late, _table(key, number, each)) for number, each in enumerate(section.tables)]
    inside += [table for late, table in tables if not late]
    if section.charts:
        inside.append(element("div", {"class": "charts"}, [_chart(each) for each in section.charts]))
    inside += [table for late, table in tables if late]
    if section.list_title and sink is not None:
        without = element("noscript", None, element("p", None, "The list needs JavaScript; it is in this file."))
        place: dict[str, str | int | float] = {"class": "list", "id": f"{key}-items", "data-list": key}
        inside.append(
            element(
                "div", place, element("h3", {"id": f"{key}-heading"}, f"{section.list_title} ({sink.items:,})"), without
            )
        )
    return element("section", {"id": key, "aria-labelledby": f"{key}-title"}, inside)


def _left_out(sink: Sink | None) -> list[str]:
    if sink is None or not sink.items:
        return []
    found = []
    if sink.cut:
        found.append(
            f"Long texts are cut, {sink.cut:,} of them, and say so: a page keeps about {sink.allowance:,} characters."
        )
    if sink.without_page:
        found.append(f"{sink.without_page:,} of {sink.items:,} are listed without a page: the file would be too large.")
    return found


def _figure(figure: Figure) -> Element:
    inside: list[Node] = [element("dt", None, figure.label), element("dd", {"class": "value"}, figure.value)]
    if figure.between:
        inside.append(element("dd", {"class": "between"}, figure.between))
    if figure.note:
        inside.append(element("dd", {"class": "of"}, figure.note))
    return element("div", None, inside)


def _chart(chart: Chart) -> Element:
    inside: list[Node] = [element("figcaption", None, chart.title), chart.picture]
    if chart.note:
        inside.append(element("p", {"class": "note"}, chart.note))
    rows = [element("tr", None, [element("td", None, cell) for cell in row]) for row in chart.rows]
    head = element(
        "thead", None, element("tr", None, [element("th", {"scope": "col"}, name or "what") for name in chart.head])
    )
    grid = element(
        "table", None, element("caption", {"class": "unseen"}, chart.title), head, element("tbody", None, rows)
    )
    inside.append(
        element(
            "details", {"class": "figures-as-table"}, element("summary", None, "Figures"), _scrolled(chart.title, grid)
        )
    )
    return element("figure", {"class": "card"}, inside)


def _scrolled(title: str, grid: Element) -> Element:
    """A table that is wider than the screen is moved by itself, also with the keyboard."""
    return element("div", {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": f"Table: {title}"}, grid)


def _table(key: str, number: int, table: Table) -> Element:
    def cell(at: int, value: Cell) -> Element:
        css: dict[str, str | int | float] = {"class": "number"} if at in table.numeric else {}
        if isinstance(value, tuple):
            return element("td", css, element("a", {"href": value[1]}, value[0]))
        if isinstance(value, list):
            links = [element("a", {"href": to}, text) for text, to in value]
            return element("td", {**css, "class": "many"}, [part for link in links for part in (link, " ")])
        return element("td", css, value)

    head = [
        element("th", {"scope": "col", **({"class": "number"} if at in table.numeric else {})}, name or "what")
        for at, name in enumerate(table.head)
    ]
    rows = [element("tr", None, [cell(at, value) for at, value in enumerate(row)]) for row in table.rows]
    grid = element("table", None, element("thead", None, element("tr", None, head)), element("tbody", None, rows))
    inside: list[Node] = [element("h3", {"id": f"{key}-t{number}"}, table.title), _scrolled(table.title, grid)]
    if table.note:
        inside.append(element("p", {"class": "note"}, table.note))
    return element("div", {"class": "table"}, inside)


def _facts(groups: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> Element:
    inside = [
        element(
            "div",
            None,
            element("h3", None, title),
            element(
                "dl",
                None,
                [each for name, value in rows for each in (element("dt", None, name), element("dd", None, value))],
            ),
        )
        for title, rows in groups
    ]
    return element(
        "details",
        {"class": "facts"},
        element("summary", None, "How it came about: run, sandbox, versions, host, settings"),
        element("div", {"class": "groups"}, inside),
    )
