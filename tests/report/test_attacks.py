"""Text from programs, models and data is shown, never run: the attack is in every field, id and file name."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report.results import ATTACK, everything

from codejury.report import build
from codejury.report.markup import element, render


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    paths = everything(folder, ATTACK)
    said: list[object] = []
    build(paths, folder / "report.html", title=f"Title {ATTACK}", complain=said.append)
    assert said == []
    return folder / "report.html"


class _Tags(HTMLParser):
    """What a browser would make elements of."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[dict[str, str | None]] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_no_element_comes_from_the_data(hostile: Path) -> None:
    tags = _Tags()
    tags.feed(hostile.read_text())
    names = {tag for tag, _ in tags.found}
    assert names & {"img", "iframe", "base", "object", "embed", "link", "form"} == set()
    run = [attributes for tag, attributes in tags.found if tag == "script" and "type" not in attributes]
    assert run == [{}], "its own script alone"
    for tag, attributes in tags.found:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc")], tag
        assert (attributes.get("href") or "#").startswith("#")


def test_the_rules_allow_its_own_script_and_nothing_else(hostile: Path) -> None:
    text = hostile.read_text()
    rules = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert rules is not None
    parts = dict(part.strip().partition(" ")[::2] for part in rules[1].replace("&#x27;", "'").split(";"))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]+'", parts["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/=]+'", parts["style-src"])
    assert parts["trusted-types"] == "'none'"
    assert text.index("Content-Security-Policy") < text.index("<title>"), "before anything that came from the data"


def test_hostile_markup_stays_text(hostile: Path, shown: Callable[..., Any]) -> None:
    opened = shown(hostile)
    page = opened.page
    places = page.evaluate(
        "() => [...document.querySelectorAll('.list')].flatMap("
        "list => [...list.querySelectorAll('td a')].slice(0, 2).map(link => link.getAttribute('href')))"
    )
    assert len(places) == 2 * 5, "two of each list"
    for place in places:
        opened.go(place)
        page.evaluate("() => { for (const each of document.querySelectorAll('#item details')) each.open = true; }")
        page.wait_for_function(
            "() => [...document.querySelectorAll('.entry')].every(each => each.querySelector('.body'))"
        )
        assert "<img class=stolen" in page.text_content("#item")
    assert page.evaluate("() => [window.stolen, document.querySelectorAll('.stolen, img, iframe, base').length]") == [
        None,
        0,
    ]
    assert page.title().startswith("Title </script>")
    opened.assert_quiet()


def test_what_gets_in_all_the_same_does_not_run(hostile: Path, shown: Callable[..., Any], tmp_path: Path) -> None:
    """The second line of defence: markup that somebody did write into the file meets the rules."""
    broken = tmp_path / "broken.html"
    bad = "<p id=bad onclick='window.stolen=1'>x</p><script>window.stolen = 1</script>"
    bad += "<img src=x onerror='window.stolen=1'>"
    broken.write_text(hostile.read_text().replace("<main", bad + "<main", 1))
    opened = shown(broken)
    opened.page.click("#bad")
    assert opened.page.evaluate("() => window.stolen") is None
    refused = opened.page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return 'done'; } catch { return 'refused'; } }"
    )
    assert refused == "refused"


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("script", {}),
        ("img onerror", {}),
        ("p", {"onclick": "x"}),
        ("p", {"style": "x"}),
        ("a", {"href": "javascript:x"}),
        ("a", {"href": "http://stolen.invalid"}),
        ("p", {"a b": "x"}),
    ],
)
def test_elements_that_could_run_cannot_be_written(tag: str, attributes: dict[str, str | int | float]) -> None:
    with pytest.raises(ValueError, match="element"):
        element(tag, attributes)


def test_texts_and_attributes_are_escaped() -> None:
    text = render(element("p", {"title": ATTACK}, ATTACK, "z"))
    assert "<script" not in text
    assert "<img" not in text
    assert re.fullmatch(r'<p title="[^"<>]*">[^<>]*z</p>', text)
    text.encode()
