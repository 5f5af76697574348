"""Reports in a real browser, opened from disk: they are searched, filtered, sorted, followed, switched and printed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import serious_faults
from report.results import evals, everything, hardened, problem, programs, quality, record, speeds, verdicts, write

from codejury.report import build

Shown = Callable[..., Any]


def built(folder: Path, *paths: Path, **more: Any) -> Path:
    said: list[object] = []
    build(paths, folder / "report.html", complain=said.append, **more)
    assert said == []
    return folder / "report.html"


@pytest.fixture(scope="module")
def tests_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tests")
    rows = [problem(f"p{n:02}", tests=n % 7, large=3000 if n == 3 else 0) for n in range(60)]
    path = write(folder / "tests.jsonl", rows)
    record(path)
    return built(folder, path)


def ids(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(".list td a", "links => links.map(link => link.textContent)")
    return found


def numbers(page: Any, column: int) -> list[float]:
    cells = page.eval_on_selector_all(f".list tbody td:nth-child({column})", "all => all.map(each => each.textContent)")
    return [float(cell.removesuffix(" %")) for cell in cells if cell != "–"]


def test_a_list_is_searched_filtered_sorted_and_turned(tests_report: Path, shown: Shown) -> None:
    opened = shown(tests_report)
    page = opened.page
    assert ids(page) == [f"p{n:02}" for n in range(25)]
    page.click("text=Next")
    assert ids(page)[0] == "p25"
    page.fill(".list input", "Sum of p5")
    page.wait_for_function("() => document.querySelector('.range').textContent === '1–10 of 10'")
    assert ids(page) == [f"p{n}" for n in range(50, 60)]
    page.fill(".list input", "")
    page.select_option(".list select", label="no tests (9)")
    page.wait_for_function("() => document.querySelector('.range').textContent === '1–9 of 9'")
    assert set(numbers(page, 3)) == {0}
    page.select_option(".list select", label="all")
    page.click("th button:text-is('tests')")
    assert numbers(page, 3)[:9] == [6] * 8 + [5]
    assert page.get_attribute(".list th:nth-child(3)", "aria-sort") == "descending"
    page.click("th button:text-is('tests')")
    assert numbers(page, 3)[:9] == [0] * 9
    assert page.evaluate("() => document.activeElement.textContent") == "tests", "the focus stays"
    page.fill(".list input", "no such thing")
    page.wait_for_selector("text=Nothing is like that.")
    opened.assert_quiet()


def test_a_problem_is_followed_its_tests_opened_and_copied(tests_report: Path, shown: Shown) -> None:
    opened = shown(tests_report)
    page = opened.page
    page.click(".list td a bdi:text-is('p03')")
    page.wait_for_selector("#item h2 bdi:text-is('p03')")
    assert page.evaluate("() => document.activeElement.textContent") == "p03"
    assert not page.is_visible("#overview")
    assert "Add the numbers." in page.text_content("#item")
    entry = page.locator(".entry", has_text="test 2").first
    entry.locator("summary").click()
    page.wait_for_selector(".entry[open] > .body")  # which comes after the click
    assert "generator 0" in entry.inner_text()
    text = entry.locator("pre").first.inner_text()
    assert text.startswith("1\n7 7 7")
    entry.locator("button").first.click()
    entry.locator("button:text-is('Copied')").wait_for()
    assert page.is_visible("#item td:has-text('duplicate')")
    assert page.is_visible("#item summary:has-text('Gold 1')")
    page.click("#item a:text-is('Next')")
    page.wait_for_selector("#item h2 bdi:text-is('p04')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")
    page.keyboard.press("Tab")
    page.go_back()
    page.wait_for_selector("#item h2 bdi:text-is('p04')")
    opened.assert_quiet()


def test_a_link_into_a_report_opens_that_page(tests_report: Path, shown: Shown) -> None:
    opened = shown(tests_report, "#s0/41")
    assert opened.page.text_content("#item h2") == "p41"
    opened.assert_quiet()


def test_the_keyboard_reaches_the_search(tests_report: Path, shown: Shown) -> None:
    page = shown(tests_report).page
    page.keyboard.press("/")
    page.keyboard.type("p07")
    page.wait_for_function("() => document.querySelector('.range').textContent === '1–1 of 1'")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.locator(".list td a").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#item h2 bdi:text-is('p07')")


def test_light_and_dark(tests_report: Path, shown: Shown) -> None:
    colour = "() => getComputedStyle(document.body).backgroundColor"
    opened = shown(tests_report)
    light = opened.page.evaluate(colour)
    opened.page.click("#theme")
    dark = opened.page.evaluate(colour)
    assert light != dark
    opened.page.reload()
    opened.page.wait_for_selector("html[data-ready]")
    assert opened.page.evaluate(colour) == dark, "it is kept"
    assert shown(tests_report, dark=True).page.evaluate(colour) == dark, "as the system has it"
    opened.assert_quiet()


def test_on_paper_nothing_is_hidden_in_boxes_that_scroll(tests_report: Path, shown: Shown) -> None:
    page = shown(tests_report, dark=True).page
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.is_visible(".controls")
    assert not page.is_visible("#theme")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".facts dd", has_text="full").first.is_visible()


def test_one_page_is_as_wide_as_the_screen(tmp_path: Path, shown: Shown) -> None:
    report = built(tmp_path, *everything(tmp_path))
    for width in (1280, 400):
        opened = shown(report, width=width)
        wide = "() => document.documentElement.scrollWidth"
        assert opened.page.evaluate(wide) == width
        for place in ("#s0/0", "#s1/1", "#s2/3", "#s3/0", "#s4/1"):
            opened.go(place)
            assert opened.page.evaluate(wide) == width, place
        opened.assert_quiet()


# --- each kind -------------------------------------------------------------------------------------------------------


def test_quality(tmp_path: Path, shown: Shown) -> None:
    paths = quality(tmp_path / "Q.json"), programs(tmp_path / "submissions.jsonl")
    opened = shown(built(tmp_path, *paths))
    page = opened.page
    text = page.inner_text("#s0")
    assert "TNR of weak" in text
    assert "50.0 %\n15.0 % to 85.0 %" in text, "the rate with its interval"
    assert page.locator("#s0 table").first.inner_text().split()[:2] == ["Dataset", "Language"]
    page.click("#s0 .table a:text-is('sum')")
    page.wait_for_selector("#item h2 bdi:text-is('sum')")
    page.click(".entry:has-text('sum#3') summary")
    page.wait_for_selector(".entry[open] > .body")  # which comes after the click
    assert "wrong: not as it should be" in page.inner_text("#item")
    assert "print('wrong sum')" in page.inner_text("#item")
    opened.assert_quiet()


def test_kill_matrix_of_harden(tmp_path: Path, shown: Shown) -> None:
    path = write(tmp_path / "hard.jsonl", [hardened("sum"), hardened("product")])
    opened = shown(built(tmp_path, path))
    page = opened.page
    assert "wrong programs rejected now" in page.inner_text("#s0")
    assert page.locator("figcaption:text-is('Kill matrix of sum') ~ svg path.fill.good").count() == 1
    page.click("#s0 .table a:text-is('product')")
    page.wait_for_selector("#item h2 bdi:text-is('product')")
    assert page.locator("#item svg[aria-label^='Kill matrix of product: 4 by 3'] path.fill").count() >= 3
    page.click(".entry:has-text('product/gold0/boundary/1') summary")
    page.wait_for_selector(".entry[open] > .body")  # which comes after the click
    text = page.inner_text("#item")
    assert "a <= b" in text
    assert "product/gold0/boundary/0" in text, "its nearest relative that was rejected"
    opened.assert_quiet()


def test_eval_runs_side_by_side(tmp_path: Path, shown: Shown) -> None:
    task = {
        "task_id": "Demo/5",
        "prompt": "def f(x):\n    '''Add five.'''\n",
        "entry_point": "f",
        "canonical_solution": "    return x + 5\n",
    }
    task |= {"base_input": [[1]], "plus_input": [[2]], "atol": 0, "contract": ""}
    data = write(tmp_path / "data.jsonl", [task])
    one, other = (
        evals(tmp_path / "one_eval_results.json", passing=4),
        evals(tmp_path / "other_eval_results.json", passing=7),
    )
    opened = shown(built(tmp_path, one, other, data=[data]))
    page = opened.page
    assert "pass@1 plus, other\n58.3 %" in page.inner_text(".figures")
    flipped = page.inner_text("h3:text-is('Tasks that flipped') + .scroll")
    assert "Demo/4" in flipped
    assert "Demo/3" not in flipped
    page.select_option(".list select", label="gained (3)")
    page.wait_for_function("() => document.querySelector('.range').textContent === '1–3 of 3'")
    assert ids(page) == ["Demo/4", "Demo/5", "Demo/6"]
    page.click(".list td a bdi:text-is('Demo/5')")
    page.wait_for_selector("#item h2 bdi:text-is('Demo/5')")
    page.click(".entry:has-text('runtime_error') summary >> nth=0")
    page.wait_for_selector(".entry[open] > .body")  # which comes after the click
    text = page.inner_text("#item")
    for part in ("Add five.", "boom", "return x + 5", "Here it is", "first input of plus that it fails"):
        assert part in text, part
    opened.assert_quiet()


def test_verdicts_and_speed(tmp_path: Path, shown: Shown) -> None:
    opened = shown(built(tmp_path, verdicts(tmp_path / "v.jsonl"), speeds(tmp_path / "b.json")))
    page = opened.page
    assert "accepted\n50.0 %" in page.inner_text("#s0")
    assert page.locator("figcaption:text-is('Kill matrix of sum') ~ svg").count() == 1
    assert "2.00 ms\n15.0 × as fast as other" in page.inner_text("#s1")
    assert page.locator("#s1 svg[aria-label*='codejury 2.00 ms']").count() == 2
    page.click(".list td a bdi:text-is('sum#1')")
    page.wait_for_selector("text=expected 3, got 4")
    opened.assert_quiet()


# --- many ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_large_run_stays_small_and_says_what_was_cut(tmp_path: Path, shown: Shown) -> None:
    """A scaled-down one: what the file may weigh is scaled down with it."""
    luck = random.Random(1)
    rows = []
    for n in range(400):
        row = problem(f"p{n}", tests=4)
        for test in row["reward"]["ground_truth"]["input_output"]:
            test["input"] = " ".join(str(luck.randrange(10**9)) for _ in range(300))
        rows.append(row)
    path = write(tmp_path / "tests.jsonl", rows)
    assert path.stat().st_size > 4_000_000
    report = built(tmp_path, path, most_bytes=400_000)
    assert report.stat().st_size < 470_000
    opened = shown(report, "#s0/399")
    page = opened.page
    assert page.text_content("#item h2") == "p399"
    page.click(".entry:has-text('test 1') summary")
    page.wait_for_selector(".entry[open] > .body")  # which comes after the click
    assert "Cut: the first" in page.inner_text("#item")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")
    assert "Long texts are cut" in page.inner_text("#s0")
    opened.assert_quiet()


@pytest.mark.slow
def test_what_has_no_room_is_listed(tmp_path: Path, shown: Shown) -> None:
    luck = random.Random(2)
    rows = [problem(f"p{n}", question=" ".join(str(luck.random()) for _ in range(80))) for n in range(900)]
    report = built(tmp_path, write(tmp_path / "tests.jsonl", rows), most_bytes=150_000)
    opened = shown(report, "#s0/899")
    assert opened.page.text_content("#item h2") == "p899"
    assert "no room for the page" in opened.page.inner_text("#item")
    opened.go("#s0/0")
    assert "Statement" in opened.page.inner_text("#item")
    opened.assert_quiet()


# --- people who cannot see it ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dark", "rules", "places"),
    [
        (False, [], ["", "#s0/0", "#s1/1", "#s2/0", "#s3/0", "#s4/1"]),
        (True, ["color-contrast"], ["", "#s1/1"]),
    ],
    ids=["light", "dark"],
)
def test_axe_finds_nothing_serious(
    dark: bool, rules: list[str], places: list[str], tmp_path: Path, shown: Shown
) -> None:
    """Every kind of report is a section here, and has a page of an item; colours are the same in all."""
    opened = shown(built(tmp_path, *everything(tmp_path)), dark=dark)
    for place in places:
        if place:
            opened.go(place)
        open_all(opened.page)
        assert serious_faults(opened.page, *rules) == [], place


def test_axe_would_find_it(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<html lang=en><title>t</title><body><button></button><p style='color:#eee'>pale</p>")
    assert [fault.split('"')[1] for fault in serious_faults(page)] == ["button-name", "color-contrast"]
    page.close()


def open_all(page: Any) -> None:
    page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
