"""The dashboard in a real browser: it shows what runs, its box runs a program, texts stay texts, the token lets in."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from browsing import serious_faults
from service.conftest import Make, Running, busy

from codejury.errors import WorkerLost
from codejury.languages.execute import Sandbox, watching
from codejury.model import Limits
from codejury.sandbox.pool import Task
from codejury.sandbox.watch import Watch
from codejury.service.aside import shown
from codejury.service.live import PartNow
from codejury.service.options import Options
from codejury.settings import Secret

TOKEN = "a-token-of-this-test"
HOSTILE = "<img src=x onerror=\"document.title='caught'\"><script>document.title='caught'</script>"
WAIT_MS = 60_000.0


class Window:
    """The dashboard in a window of its own; what went wrong in it, and what it asked the network for."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.errors: list[str] = []
        self.requests: list[Any] = []
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda said: self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append("a dialog"), dialog.dismiss()))
        page.context.on("request", lambda request: self.requests.append(request))
        page.goto(f"{url}/")

    def ready(self) -> Any:
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def until(self, condition: str) -> None:
        self.page.wait_for_function(condition)

    def try_it(self, source: str, stdin: str = "") -> str:
        """Status and words of the outcome."""
        self.page.wait_for_selector("html[data-languages]")
        self.page.fill("#source", source)
        self.page.fill("#stdin", stdin)
        self.page.evaluate("() => { document.getElementById('outcome').hidden = true; }")
        self.page.click("#run")
        self.page.wait_for_selector("#outcome", state="visible")
        return str(self.page.inner_text("#outcome"))

    def assert_quiet(self, *allowed: str) -> None:
        """No message, no error, no request to anybody else."""
        assert [error for error in self.errors if not any(part in error for part in allowed)] == []
        addresses = [request.url for request in self.requests]
        assert [url for url in addresses if not url.startswith((f"{self.url}/", "data:"))] == []
        assert self.page.title() != "caught"


Open = Callable[..., Window]


@pytest.fixture
def open_(browser: Any) -> Iterator[Open]:
    contexts = []

    def one(url: str, *, width: int = 1280, dark: bool = False) -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        return Window(context.new_page(), url)

    yield one
    for context in contexts:
        context.close()


def test_a_run_is_seen_from_its_begin_to_its_end(make_service: Make, open_: Open) -> None:
    service = make_service(workers=1)
    window = open_(service.url)
    page = window.ready()
    assert "No program runs." in page.inner_text("#workers")
    with busy(service, 5, X_Client_Id=HOSTILE[:60]):
        window.until("() => document.querySelector('#workers tbody').textContent.includes('/run_code')")
        assert page.inner_text("#workers tbody").startswith("python")
        assert HOSTILE[:60] in page.inner_text("#workers tbody"), "a client's name is text"
        window.until("() => document.querySelector('#queue-note').textContent.startsWith('2 requests wait')")
        assert f"127.0.0.1 {HOSTILE[:60]}\t2\t3" in page.inner_text("#clients")
        assert "1 of 1" in page.inner_text("#figures")
    window.until("() => document.querySelector('#workers').textContent.includes('No program runs.')")
    service.client.run("1/0")
    window.until("() => document.querySelector('#kinds').textContent.includes('runtime_error')")
    assert page.locator("#charts svg[role=img]").count() == 4
    assert page.locator("#content img").count() == 0
    window.assert_quiet()


def test_the_box_runs_a_program_and_shows_texts_as_text(service: Running, open_: Open) -> None:
    window = open_(service.url)
    page = window.ready()
    said = window.try_it(f"import sys\nprint(input(), {HOSTILE!r})\nsys.stderr.write({HOSTILE!r})", "hello\n")
    assert said.split("\n\n")[:2] == ["Outcome", "ok exit code 0"]
    assert page.inner_text("#outcome-streams pre >> nth=0") == f"hello {HOSTILE}\n"
    assert page.inner_text("#outcome-streams pre >> nth=1") == HOSTILE
    facts = page.inner_text("#outcome-facts")
    for part in ("of CPU", "MB", "level", "seccomp"):
        assert part in facts
    assert "runtime_error exit code 1" in window.try_it("raise SystemExit(1)")
    page.focus("#source")
    page.fill("#source", "print(6 * 7)")
    page.keyboard.press("Control+Enter")
    window.until("() => document.querySelector('#outcome-streams pre')?.textContent === '42\\n'")
    assert page.locator("#content img, #content script").count() == 0
    window.assert_quiet()


def test_who_has_the_token_gets_in_and_nobody_else(make_service: Make, open_: Open) -> None:
    service = make_service(workers=1, token=Secret(TOKEN))
    window = open_(service.url)
    page = window.page
    page.wait_for_selector("#login", state="visible")
    assert page.evaluate("() => document.activeElement.id") == "token"
    assert not page.is_visible("#board")
    assert len(window.requests) == 1, "nothing is asked for before there is a token"
    page.fill("#token", "a-wrong-token")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The service does not take this token.")
    assert not page.is_visible("#board")
    assert page.evaluate("() => sessionStorage.length") == 0
    page.fill("#token", TOKEN)
    page.click("#login button")
    window.ready()
    assert not page.is_visible("#login")
    assert "ok exit code 0" in window.try_it("print(1)")
    page.reload()
    window.ready()  # the tab has kept it
    assert page.evaluate("() => localStorage.length") == 0, "for this tab alone"
    page.click("#leave")
    page.wait_for_selector("#login", state="visible")
    assert page.evaluate("() => sessionStorage.length") == 0
    assert not page.is_visible("#try")
    assert all(TOKEN not in request.url for request in window.requests)
    assert TOKEN not in page.content()
    window.assert_quiet("401 (Unauthorized)")  # chromium's own words for the wrong one


def test_it_goes_on_after_a_restart(make_service: Make, open_: Open) -> None:
    service = make_service(workers=1)
    window = open_(service.url)
    page = window.ready()
    window.until("() => document.querySelector('#connection').textContent === 'live'")
    service.stop()
    window.until("() => document.querySelector('#connection').textContent === 'no connection, trying again'")
    again = make_service(workers=1, port=service.port)
    window.until("() => document.querySelector('#connection').textContent === 'live'")
    assert page.is_visible("#board")
    again.client.run("1/0")
    window.until("() => document.querySelector('#kinds').textContent.includes('runtime_error')")
    window.assert_quiet("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET")


def test_it_can_be_paused(service: Running, open_: Open) -> None:
    window = open_(service.url)
    page = window.ready()
    page.click("#pause")
    assert page.get_attribute("#pause", "aria-pressed") == "true"
    held = page.inner_text("#about")
    other = open_(service.url)
    until = other.ready().inner_text("#about")
    other.until(f"() => document.querySelector('#about').textContent !== {until!r}")
    assert page.inner_text("#about") == held
    page.click("#pause")
    assert page.inner_text("#about") != held
    window.assert_quiet()


@pytest.mark.slow
def test_it_is_as_wide_as_the_screen_and_axe_finds_nothing_serious(service: Running, open_: Open) -> None:
    for width in (1280, 400):
        window = open_(service.url, width=width, dark=width == 400)
        page = window.ready()
        window.try_it("print('x' * 500)\nraise Exception")
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        assert serious_faults(page) == []
        window.assert_quiet()


@pytest.mark.slow
def test_the_login_has_no_serious_fault_either(make_service: Make, open_: Open) -> None:
    window = open_(make_service(workers=1, token=Secret(TOKEN)).url, width=400)
    window.page.wait_for_selector("#login", state="visible")
    assert serious_faults(window.page) == []
    assert window.page.evaluate("() => document.documentElement.scrollWidth") == 400


# --- beside a command ------------------------------------------------------------------------------------------------


def test_a_command_shows_itself_until_its_end(open_: Open) -> None:
    watch, told = Watch(), PartNow(name=HOSTILE, done=1, total=4, counts={HOSTILE: 7})
    parts = [told]
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(shown(Options(port=0), "codejury gen", watch, lambda: parts))
        stack.enter_context(watching(watch))
        box = stack.enter_context(Sandbox(workers=1))
        window = open_(f"http://127.0.0.1:{port}")
        page = window.ready()
        assert page.inner_text("h1") == "codejury gen"
        assert page.inner_text("#parts h3") == HOSTILE
        assert "1 of 4 done, 25 %" in page.inner_text("#parts")
        assert HOSTILE in page.inner_text("#parts dt")
        with InThread(box, "import time; time.sleep(60)"):
            window.until("() => document.querySelector('#workers tbody').textContent.startsWith('python')")
        assert not page.is_visible("#try"), "it is looked at, and no more"
        assert not page.is_visible("#queue")
        parts[0] = msgspec.structs.replace(told, done=4)
    window.until("() => document.querySelector('#connection').textContent === 'the command has ended'")
    assert "4 of 4 done, 100 %" in page.inner_text("#parts"), "how it was at the end"
    assert serious_faults(page) == []
    window.assert_quiet()


class InThread:
    """A program under way, for as long as the block."""

    def __init__(self, box: Sandbox, source: str) -> None:
        self._task = Task()
        self._thread = threading.Thread(target=self._run, args=(box, source))

    def _run(self, box: Sandbox, source: str) -> None:
        with contextlib.suppress(WorkerLost):
            box.run_for(self._task, lambda: box.run(source, language="python", limits=Limits(wall_s=120)))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._task.give_up()
        self._thread.join()
