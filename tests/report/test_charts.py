"""Charts say what they were given: as a picture of the right size, and as a table."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from codejury.report import charts
from codejury.report.charts import Bar, Cells, Chart, Curve, Point
from codejury.report.markup import Element, render, tree


def shapes(chart: Chart, tag: str, css: str = "") -> list[dict[str, str]]:
    root = ElementTree.fromstring(render(chart.picture))
    return [dict(each.attrib) for each in root.iter(tag) if css in each.get("class", "").split() or not css]


def test_bars_are_as_long_as_their_values_and_whiskers_as_their_intervals() -> None:
    chart = charts.bars("Rates", [Bar(label="a", value=0.5, text="50 %", low=0.25, high=0.75)], most=1.0)
    (bar,) = shapes(chart, "rect", "one")
    (track,) = shapes(chart, "rect", "track")
    assert float(bar["width"]) == pytest.approx(float(track["width"]) / 2)
    whisker = shapes(chart, "line", "whisker")[0]
    assert [float(whisker[name]) / float(track["width"]) for name in ("x1", "x2")] == pytest.approx([0.25, 0.75])
    assert chart.rows == (("a", "50 %", "25.0 % to 75.0 %"),)
    assert chart.picture.attributes["aria-label"] == "Rates: a 50 %"


def test_a_funnel_says_what_each_step_lost() -> None:
    chart = charts.funnel("Way", [("made", 200), ("valid", 150), ("kept", 150)])
    wide = [float(each["width"]) for each in shapes(chart, "rect", "one")]
    assert wide == [360, 270, 270]
    assert "150  (−50)" in render(chart.picture)
    assert chart.rows[1] == ("valid", "150", "75.0 %")


@pytest.mark.parametrize(
    ("values", "bins"),
    [
        ([1, 1, 3], [("1", 2), ("2", 0), ("3", 1)]),
        ([0, 100], [("0–5", 1), *((f"{n}–{n + 5}", 0) for n in range(5, 100, 5)), ("100–105", 1)]),
        ([], []),
    ],
)
def test_a_histogram_counts_every_value_once(values: list[float], bins: list[tuple[str, int]]) -> None:
    chart = charts.histogram("Sizes", values, what="tests")
    assert chart.rows == tuple((name, str(count)) for name, count in bins)
    assert len(shapes(chart, "rect", "one")) == len(bins)


def test_cells_paint_every_square_once() -> None:
    tones = {"k": ("good", "killed"), "s": ("bad", "survives")}
    cells = Cells(rows=("kks", "s k"), labels=("a", "b"), tones=tones, across="tests", down="programs")  # type: ignore[arg-type]
    chart = charts.cells("Kills", cells)
    painted = {each["class"].split()[1]: each["d"].count("M") for each in shapes(chart, "path")}
    assert painted == {"good": 3, "bad": 2}
    assert chart.rows == (("a", "2", "1"), ("b", "1", "1"))
    wide = charts.cells(
        "Kills", Cells(rows=("k" * 400,), labels=("a",), tones={"k": ("good", "x")}, across="", down="")
    )
    (path,) = shapes(wide, "path")
    assert path["d"].count("M") == 1, "equal neighbours are one stroke"


def test_points_and_curves_lie_where_they_should() -> None:
    chart = charts.scatter("Both", [Point(x=0, y=1, count=4, names=("a",)), Point(x=1, y=0)], across="TPR", up="TNR")
    left, right = sorted(shapes(chart, "circle"), key=lambda each: float(each["cx"]))
    assert float(left["cy"]) < float(right["cy"])
    assert float(left["r"]) > float(right["r"])
    points = ((1.0, 0.2, 0.1, 0.3), (10.0, 0.8, 0.7, 0.9))
    curve = charts.curves("pass@k", [Curve(label="m", points=points)], across="k")
    (line,) = shapes(curve, "path", "stroke")
    (start, end) = re.findall(r"([\d.]+) ([\d.]+)", line["d"])
    assert float(start[0]) < float(end[0])
    assert float(start[1]) > float(end[1])
    assert curve.rows[1] == ("m", "10", "80.0 %", "70.0 % to 90.0 %")


@pytest.mark.parametrize(
    "chart",
    [
        charts.bars("", ()),
        charts.funnel("", ()),
        charts.stacked("", (), {}),
        charts.histogram("", (), what="x"),
        charts.scatter("", (), across="x", up="y"),
        charts.curves("", (), across="k"),
        charts.cells("", Cells(rows=(), labels=(), tones={}, across="", down="")),
        charts.bars("x", [Bar(label="l" * 300, value=0, text="0")] * 90),
        charts.stacked("x", [("l" * 300, {"a": 0}), ("m", {"a": 3})], {"a": "good"}),
    ],
)
def test_charts_of_nothing_and_of_too_much_are_pictures_all_the_same(chart: Chart) -> None:
    root = ElementTree.fromstring(render(chart.picture))
    assert root.tag == "svg"
    assert not re.search(r"nan|inf|-\d+(\.\d+)?$", " ".join(root.attrib["viewBox"].split()))
    for each in root.iter("rect"):
        assert 0 <= float(each.attrib["x"]) + float(each.attrib["width"]) <= charts.WIDTH + 12
    assert isinstance(chart.picture, Element)
    assert tree(chart.picture)[0] == "svg"
