"""Charts as SVG: pure functions from figures to a picture, and to the same figures as a table.

A picture is 360 units wide whatever it shows, so that its letters have the same size on a wide screen, where pictures
stand side by side, and on a narrow one. Colours are classes, which the page's style gives a light and a dark meaning;
no picture says by colour alone what it says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from codejury.report.markup import Element, Node, Value, element

WIDTH = 360
_LETTER = 6.2  # units that a letter of a label takes, about
_MOST_BARS = 40

Tone = Literal["good", "bad", "warn", "mute", "one", "two", "three", "four"]
SERIES: tuple[Tone, ...] = ("one", "two", "three", "four")


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """`picture` for the eye, `head` and `rows` for whoever reads the figures; `note`: what one should know of it."""

    title: str
    picture: Element
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    wide: bool = False


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """`low`, `high`: the interval, where there is one. `text`: the value as it is written at the end of the bar."""

    label: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None
    tone: Tone = "one"


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """`x`, `y` from 0 to 1; `count`: how many are there; `names`: a few of them."""

    x: float
    y: float
    count: int = 1
    names: tuple[str, ...] = ()
    tone: Tone = "one"


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """(x, value, low, high) in order; values from 0 to 1."""

    label: str
    points: tuple[tuple[float, float, float, float], ...]
    tone: Tone = "one"


class Cells(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of small squares: `rows` of letters, `tones` what a letter stands for; a space is an empty place."""

    rows: tuple[str, ...]
    labels: tuple[str, ...]
    tones: Mapping[str, tuple[Tone, str]]
    across: str
    down: str


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f} %"


def short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: max(1, letters - 1)] + "…"


def _svg(label: str, height: float, *inside: Node) -> Element:
    box = f"0 0 {WIDTH} {math.ceil(height)}"
    return element("svg", {"viewBox": box, "role": "img", "aria-label": label, "class": "chart"}, *inside)


def _text(x: float, y: float, text: str, *, at: str = "start", css: str = "") -> Element:
    return element("text", {"x": x, "y": y, "text-anchor": at, **({"class": css} if css else {})}, text)


def _rect(x: float, y: float, width: float, height: float, tone: str) -> Element:
    return element(
        "rect", {"x": x, "y": y, "width": max(0.0, width), "height": height, "rx": 2, "class": f"fill {tone}"}
    )


def _line(x1: float, y1: float, x2: float, y2: float, css: str) -> Element:
    return element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "class": css})


def _told(title: str, bars: Sequence[Bar]) -> str:
    few = "; ".join(f"{bar.label} {bar.text}" for bar in bars[:6])
    return f"{title}: {few}" + ("; …" if len(bars) > 6 else "")


def bars(title: str, given: Sequence[Bar], *, most: float | None = None, what: str = "", note: str = "") -> Chart:
    """A bar a line, its name above it, its interval as a whisker. `most`: what a whole bar stands for."""
    shown = list(given[:_MOST_BARS])
    top = most or max([bar.high if bar.high is not None else bar.value for bar in shown] + [0.0]) or 1.0
    room, step = WIDTH - 2.0, 34.0
    inside: list[Node] = []
    for at, bar in enumerate(shown):
        y = at * step
        letters = int((WIDTH - _LETTER * len(bar.text) - 12) / _LETTER)
        inside.append(_text(0, y + 12, short(bar.label, letters)))
        inside.append(_text(WIDTH, y + 12, bar.text, at="end", css="value"))
        inside.append(_rect(0, y + 17, room, 9, "track"))
        inside.append(_rect(0, y + 17, room * min(1.0, bar.value / top), 9, bar.tone))
        if bar.low is not None and bar.high is not None:
            low, high = (room * max(0.0, min(1.0, each / top)) for each in (bar.low, bar.high))
            middle = y + 21.5
            inside += [
                _line(low, middle, high, middle, "under"),
                _line(low, middle, high, middle, "whisker"),
                _line(low, middle - 4, low, middle + 4, "whisker"),
                _line(high, middle - 4, high, middle + 4, "whisker"),
            ]
    has_interval = any(bar.low is not None for bar in given)
    percents = most == 1.0

    def bound(value: float | None) -> str:
        return "" if value is None else percent(value) if percents else f"{value:g}"

    rows = tuple(
        (bar.label, bar.text, *((f"{bound(bar.low)} to {bound(bar.high)}",) if has_interval else ())) for bar in given
    )
    head = ("", what or "value", *(("95 % interval",) if has_interval else ()))
    left = f"the first {_MOST_BARS} of {len(given)}" if len(given) > _MOST_BARS else ""
    picture = _svg(_told(title, given), max(1, len(shown)) * step, *inside)
    return Chart(title=title, picture=picture, head=head, rows=rows, note="; ".join(filter(None, (note, left))))


def funnel(title: str, steps: Sequence[tuple[str, int]], *, note: str = "") -> Chart:
    """What was left after each step, the first one as wide as the picture."""
    top = max([count for _, count in steps] + [1])
    inside: list[Node] = []
    step = 44.0
    for at, (label, count) in enumerate(steps):
        y, wide = at * step, WIDTH * count / top
        lost = steps[at - 1][1] - count if at else 0
        inside.append(_text(0, y + 12, label))
        said = f"{count:,}" + (f"  (−{lost:,})" if lost > 0 else "")
        inside.append(_text(WIDTH, y + 12, said, at="end", css="value"))
        inside.append(_rect((WIDTH - wide) / 2, y + 18, wide, 14, "one"))
        if at + 1 < len(steps):
            after = WIDTH * steps[at + 1][1] / top
            below = y + step + 18
            d = f"M{(WIDTH - wide) / 2:.1f} {y + 32:.1f}L{(WIDTH + wide) / 2:.1f} {y + 32:.1f}"
            d += f"L{(WIDTH + after) / 2:.1f} {below:.1f}L{(WIDTH - after) / 2:.1f} {below:.1f}Z"
            inside.append(element("path", {"d": d, "class": "fill shade"}))
    inside = [node for node in inside if "shade" in _class(node)] + [n for n in inside if "shade" not in _class(n)]
    told = ", ".join(f"{label} {count}" for label, count in steps)
    rows = tuple(
        (label, f"{count:,}", percent(count / steps[at - 1][1]) if at and steps[at - 1][1] else "")
        for at, (label, count) in enumerate(steps)
    )
    head = ("step", "left", "of the step before")
    return Chart(
        title=title, picture=_svg(f"{title}: {told}", len(steps) * step, *inside), head=head, rows=rows, note=note
    )


def _class(node: Node) -> str:
    return node.attributes.get("class", "") if isinstance(node, Element) else ""


def stacked(title: str, rows: Sequence[tuple[str, Mapping[str, int]]], tones: Mapping[str, Tone], **more: str) -> Chart:
    """A line a row, its parts side by side; all lines are equally long."""
    shown = rows[:_MOST_BARS]
    step, top = 34.0, 22.0 if tones else 0.0
    inside: list[Node] = list(_legend([(tone, name) for name, tone in tones.items()]))
    top = 6 + 16.0 * _lines_of_legend(list(tones))
    for at, (label, parts) in enumerate(shown):
        y, total, x = top + at * step, sum(parts.values()) or 1, 0.0
        said = " · ".join(str(parts.get(name, 0)) for name in tones)
        inside.append(_text(0, y + 12, short(label, int((WIDTH - _LETTER * len(said) - 12) / _LETTER))))
        inside.append(_text(WIDTH, y + 12, said, at="end", css="value"))
        for name, tone in tones.items():
            wide = WIDTH * parts.get(name, 0) / total
            if wide:
                inside.append(_rect(x, y + 17, max(1.0, wide - 1), 9, tone))
            x += wide
    note = more.get("note", "")
    left = f"the first {_MOST_BARS} of {len(rows)}" if len(rows) > _MOST_BARS else ""
    return Chart(
        title=title,
        picture=_svg(f"{title}: {len(rows)} lines, see the table", top + max(1, len(shown)) * step, *inside),
        head=("", *tones),
        rows=tuple((label, *(str(parts.get(name, 0)) for name in tones)) for label, parts in rows[:500]),
        note="; ".join(filter(None, (note, left))),
    )


def histogram(title: str, values: Sequence[float], *, what: str, things: str = "problems", note: str = "") -> Chart:
    """How many of the values lie where: whole numbers one by one where they are few, in equal steps otherwise."""
    counted = _bins(values)
    top = max([count for _, count in counted] + [1])
    high, left, bottom = 130.0, 34.0, 26.0
    wide = (WIDTH - left) / max(1, len(counted))
    inside: list[Node] = []
    for share in (0.0, 0.5, 1.0):
        y = 8 + high * (1 - share)
        inside.append(_line(left, y, WIDTH, y, "grid"))
        if share != 0.5 or top > 1:
            inside.append(_text(left - 5, y + 4, f"{top * share:,.0f}", at="end", css="small"))
    every = max(1, math.ceil(len(counted) / 8))
    for at, (label, count) in enumerate(counted):
        tall = high * count / top
        x = left + at * wide
        broad = min(40.0, wide * 0.84)
        inside.append(_rect(x + (wide - broad) / 2, 8 + high - tall, broad, tall, "one"))
        if at % every == 0:
            inside.append(_text(x + wide / 2, 8 + high + 14, label.split("–")[0], at="middle", css="small"))
    inside.append(_text(WIDTH, 8 + high + bottom, what, at="end", css="small"))
    rows = tuple((label, f"{count:,}") for label, count in counted)
    told = f"{title}: " + (f"from {min(values):g} to {max(values):g} over {len(values)} {things}" if values else "none")
    picture = _svg(told, high + bottom + 12, *inside)
    return Chart(title=title, picture=picture, head=(what, things), rows=rows, note=note)


def _bins(values: Sequence[float]) -> list[tuple[str, int]]:
    if not values:
        return []
    low, high = min(values), max(values)
    if all(float(value).is_integer() for value in values) and high - low < 24:
        found = Counter(int(value) for value in values)
        return [(str(n), found.get(n, 0)) for n in range(int(low), int(high) + 1)]
    width = (high - low) / 20 or 1.0
    magnitude = 10 ** math.floor(math.log10(width))
    width = next(step * magnitude for step in (1, 2, 2.5, 5, 10) if step * magnitude >= width)
    first = math.floor(low / width)
    found = Counter(math.floor(value / width) - first for value in values)
    return [(f"{(first + n) * width:g}–{(first + n + 1) * width:g}", found.get(n, 0)) for n in range(max(found) + 1)]


def scatter(title: str, points: Sequence[Point], *, across: str, up: str, note: str = "") -> Chart:
    """Shares against shares; a larger dot is more of them at one place."""
    left, bottom, size = 44.0, 40.0, 270.0
    inside: list[Node] = []
    for share in (0, 0.25, 0.5, 0.75, 1.0):
        x, y = left + size * share, 10 + size * (1 - share)
        inside += [_line(left, y, left + size, y, "grid"), _line(x, 10, x, 10 + size, "grid")]
        inside.append(_text(left - 6, y + 4, f"{share * 100:.0f}", at="end", css="small"))
        inside.append(_text(x, 10 + size + 15, f"{share * 100:.0f}", at="middle", css="small"))
    most = max([point.count for point in points] + [1])
    for point in sorted(points, key=lambda each: -each.count):
        names = ", ".join(point.names) + (", …" if point.count > len(point.names) else "")
        radius = 4 + 10 * math.sqrt(point.count / most) * (most > 1)
        spot: dict[str, Value] = {
            "cx": left + size * point.x,
            "cy": 10 + size * (1 - point.y),
            "r": radius,
            "class": f"dot {point.tone}",
        }
        words = f"{across} {percent(point.x)}, {up} {percent(point.y)}: {point.count} ({names})"
        inside.append(element("circle", spot, element("title", None, words)))
        if point.count > 1 and radius > 7:
            place: dict[str, Value] = {
                "x": left + size * point.x,
                "y": 14 + size * (1 - point.y),
                "class": "inner",
                "text-anchor": "middle",
            }
            inside.append(element("text", place, str(point.count)))
    inside.append(_text(left + size / 2, 10 + size + 32, f"{across}, %", at="middle", css="small"))
    turned: dict[str, Value] = {
        "x": 0,
        "y": 0,
        "transform": f"translate(11 {10 + size / 2:.0f}) rotate(-90)",
        "text-anchor": "middle",
    }
    inside.append(element("text", {**turned, "class": "small"}, f"{up}, %"))
    rows = tuple((percent(each.x), percent(each.y), str(each.count), ", ".join(each.names)) for each in points[:500])
    told = f"{title}: {sum(point.count for point in points)} at {len(points)} places, see the table"
    picture = _svg(told, size + bottom + 8, *inside)
    return Chart(title=title, picture=picture, head=(across, up, "how many", "which"), rows=rows, note=note)


def curves(title: str, given: Sequence[Curve], *, across: str, note: str = "") -> Chart:
    """Values from 0 to 1 over numbers from 1, the latter by their order of magnitude; intervals as bands."""
    left, wide, high = 40.0, WIDTH - 52.0, 180.0
    legend = [(curve.tone, curve.label) for curve in given]
    top = 8 + 16.0 * _lines_of_legend([name for _, name in legend])
    last = max([point[0] for curve in given for point in curve.points] + [1.0])
    scale = math.log(last) or 1.0

    def x_of(k: float) -> float:
        return left + (wide * math.log(max(k, 1.0)) / scale if last > 1 else wide / 2)

    def y_of(value: float) -> float:
        return top + high * (1 - value)

    inside: list[Node] = list(_legend(legend))
    for share in (0, 0.25, 0.5, 0.75, 1.0):
        inside.append(_line(left, y_of(share), left + wide, y_of(share), "grid"))
        inside.append(_text(left - 6, y_of(share) + 4, f"{share * 100:.0f}", at="end", css="small"))
    for k in (1, 2, 5, 10, 20, 50, 100, 200):
        if k <= last:
            inside.append(_text(x_of(k), top + high + 15, str(k), at="middle", css="small"))
    for curve in given:
        if len(curve.points) > 1:
            there = [f"{x_of(k):.1f} {y_of(upper):.1f}" for k, _, _, upper in curve.points]
            back = [f"{x_of(k):.1f} {y_of(lower):.1f}" for k, _, lower, _ in reversed(curve.points)]
            inside.append(element("path", {"d": "M" + "L".join(there + back) + "Z", "class": f"band {curve.tone}"}))
            line = "M" + "L".join(f"{x_of(k):.1f} {y_of(value):.1f}" for k, value, _, _ in curve.points)
            inside.append(element("path", {"d": line, "class": f"stroke {curve.tone}"}))
        for at, value, lower, upper in curve.points if len(curve.points) <= 12 else ():
            if len(curve.points) == 1:
                inside.append(_line(x_of(at), y_of(lower), x_of(at), y_of(upper), "whisker"))
            spot: dict[str, Value] = {"cx": x_of(at), "cy": y_of(value), "r": 3.5, "class": f"dot {curve.tone}"}
            inside.append(element("circle", spot))
    inside.append(_text(left + wide / 2, top + high + 30, across, at="middle", css="small"))
    rows = tuple(
        (curve.label, f"{k:g}", percent(value), f"{percent(low)} to {percent(high)}")
        for curve in given
        for k, value, low, high in curve.points
    )
    ends = ((curve.label, curve.points[0], curve.points[-1]) for curve in given if curve.points)
    told = "; ".join(f"{name} from {percent(start[1])} to {percent(end[1])}" for name, start, end in ends)
    picture = _svg(f"{title}: {told}", top + high + 38, *inside)
    return Chart(title=title, picture=picture, head=("", across, "value", "95 % interval"), rows=rows, note=note)


def cells(title: str, given: Cells, *, note: str = "", table: Chart | None = None) -> Chart:
    """A square for each letter. Equal neighbours are one stroke of a path, so that thousands of them weigh little."""
    columns = max([len(row) for row in given.rows] + [1])
    size = max(1.0, min(14.0, WIDTH / columns))
    tall = max(1.0, 560 / len(given.rows)) if len(given.rows) * size > 560 else size
    counts = Counter(letter for row in given.rows for letter in row)
    legend = [(tone, f"{name} {counts[letter]:,}") for letter, (tone, name) in given.tones.items() if counts[letter]]
    top = 24 + 16.0 * _lines_of_legend([name for _, name in legend])
    inside: list[Node] = list(_legend(legend))
    inside.append(_text(0, top - 6, f"→ {given.across}    ↓ {given.down}", css="small"))
    gap = 1.0 if size >= 6 and tall >= 6 else 0.0
    for letter, (tone, _) in given.tones.items():
        d = _strokes(given.rows, letter, size, tall, gap)
        if d:
            inside.append(element("path", {"d": d, "class": f"fill {tone}", "transform": f"translate(0 {top:g})"}))
    told = f"{title}: {len(given.rows)} by {columns}; " + ", ".join(name for _, name in legend)
    names = list(given.tones.values())
    rows = tuple(
        (label, *(str(row.count(letter)) for letter in given.tones))
        for label, row in zip(given.labels[:500], given.rows, strict=False)
    )
    return Chart(
        title=title,
        picture=_svg(told, top + len(given.rows) * tall + 4, *inside),
        head=table.head if table else (given.down, *(name for _, name in names)),
        rows=table.rows if table else rows,
        note=note,
    )


def _strokes(rows: Sequence[str], letter: str, size: float, tall: float, gap: float) -> str:
    parts = []
    for line, row in enumerate(rows):
        at = 0
        while (at := row.find(letter, at)) >= 0:
            end = at + 1
            while not gap and end < len(row) and row[end] == letter:
                end += 1
            wide = (end - at) * size - gap
            parts.append(f"M{at * size:.4g} {line * tall:.5g}h{wide:.4g}v{tall - gap:.4g}h-{wide:.4g}z")
            at = end
    return "".join(parts)


def _legend(entries: Sequence[tuple[Tone, str]]) -> list[Node]:
    found: list[Node] = []
    x, y = 0.0, 0.0
    for tone, name in entries:
        name = short(name, 50)
        wide = 16 + _LETTER * len(name) + 12
        if x and x + wide > WIDTH + 12:
            x, y = 0.0, y + 16
        found += [_rect(x, y + 3, 10, 10, tone), _text(x + 15, y + 12, name, css="small")]
        x += wide
    return found


def _lines_of_legend(names: Sequence[str]) -> int:
    x, lines = 0.0, 1 if names else 0
    for name in names:
        wide = 16 + _LETTER * len(short(name, 50)) + 12
        if x and x + wide > WIDTH + 12:
            x, lines = 0.0, lines + 1
        x += wide
    return lines
