"""The picture of the README and the home page: what one run costs, drawn by the report's own charts from the table in
docs/performance.md. It is checked in, for the README is read where nothing is built:

    python docs/_made/picture.py          writes docs/speed.svg; `tests/docs` says when that is due
"""

from __future__ import annotations

import re
from pathlib import Path

from codejury.report.charts import WIDTH, Bar, Chart, bars
from codejury.report.markup import Element, element, render

DOCS = Path(__file__).resolve().parent.parent
_SPACE = 28  # around and between the charts
_STYLE = """
svg { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
.card { fill: #fff; } text { fill: #1c2126; font-size: 11.5px; } .title { font-size: 14px; font-weight: 650; }
.value { font-weight: 600; } .small { fill: #5a626b; font-size: 10.5px; } .track { fill: #e8ebee; }
.one { fill: #1f5fa8; } .mute { fill: #9aa1a9; }
@media (prefers-color-scheme: dark) {
  .card { fill: #171b20; } text { fill: #e6e9ec; } .small { fill: #a3abb3; } .track { fill: #2c333a; }
  .one { fill: #5b9be6; } .mute { fill: #69717a; }
}
"""


def figures() -> dict[str, dict[str, float]]:
    """Program -> way -> milliseconds, out of the table on the page."""
    page = (DOCS / "performance.md").read_text().split("\n## Figures\n")[1]
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|")]
    head, _, *rows = lines
    ways = [word.strip("| ") for word in head if word.strip("| ")]
    return {
        row[0]: {way: float(re.match(r"[\d.]+", cell)[0]) for way, cell in zip(ways, row[1:], strict=True)}  # type: ignore[index]
        for row in rows
        if "a+b" in row[0]
    }


def drawn(program: str, ways: dict[str, float]) -> Chart:
    names = {"bare": "bare: no sandbox at all"}
    given = [
        Bar(label=names.get(way, way), value=ms, text=f"{ms:.1f} ms", tone="one" if way == "codejury" else "mute")
        for way, ms in sorted(ways.items(), key=lambda each: each[1])
    ]
    return bars(f"One run of a {program.split()[0]} program", given)


def picture() -> str:
    charts = [drawn(program, ways) for program, ways in figures().items()]
    height = max(float(chart.picture.attributes["viewBox"].split()[3]) for chart in charts)
    inside: list[Element] = []
    for at, chart in enumerate(charts):
        left = _SPACE + at * (WIDTH + _SPACE)
        place = {"x": left, "y": _SPACE + 22, "width": WIDTH, "height": height}
        inside.append(element("text", {"x": left, "y": _SPACE + 6, "class": "title"}, chart.title))
        inside.append(element("svg", {**chart.picture.attributes, **place}, *chart.picture.children))
    across, down = _SPACE + len(charts) * (WIDTH + _SPACE), height + 2 * _SPACE + 34
    note = "Median of a+b, virtual machine with two cores, nothing else running. Repeat it: codejury bench"
    inside.append(element("text", {"x": _SPACE, "y": down - _SPACE + 8, "class": "small"}, note))
    whole = element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {across:g} {down:g}", "role": "img"},
        element("title", {}, "What one run costs"),
        element("rect", {"width": across, "height": down, "rx": 10, "class": "card"}),
        *inside,
    )
    return render(whole).replace("</title>", f"</title><style>{_STYLE}</style>", 1) + "\n"


if __name__ == "__main__":
    (DOCS / "speed.svg").write_text(picture())
