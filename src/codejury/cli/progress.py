"""Long work as a person sees it: progress, on standard error and only on a terminal; what he is told at once; how he
stops it. rich is imported when there is something to show.

Owns also what an onlooker may know (`tell`, for --dashboard): how far each part of the command is. Without one, nothing
is kept.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from codejury.benchmarks.evaluation import Progress as Evaluated


def note(text: object) -> None:
    click.echo(f"codejury: {text}", err=True)


@contextlib.contextmanager
def interruptible(stop: threading.Event, what: str) -> Iterator[None]:
    """The first Ctrl-C, or a SIGTERM, asks for an end after what is under way; the second wants it at once."""

    def asked(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        note(f"finishing the {what} under way; once more to give them up")

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Told(msgspec.Struct, kw_only=True):
    """How far a part is. `total` and `share` (from 0 to 1), where they are known; `counts`: whatever else there is."""

    done: int = 0
    total: int | None = None
    share: float | None = None
    counts: Mapping[str, float] = {}


_parts: dict[str, Callable[[], Told]] | None = None


@contextlib.contextmanager
def onlooker() -> Iterator[None]:
    """While somebody looks on, what `tell` is told is kept."""
    global _parts
    _parts = {}
    try:
        yield
    finally:
        _parts = None


def tell(part: str, ask: Callable[[], Told]) -> None:
    """How to know how far a part is. It is asked from another thread, now and then, if somebody looks on."""
    if _parts is not None:
        _parts[part] = ask


def looked_at() -> list[tuple[str, Told]]:
    return [(part, ask()) for part, ask in list((_parts or {}).items())]


@contextlib.contextmanager
def counted(what: str, *, quiet: bool, total: int | None = None) -> Iterator[Callable[[], None]]:
    """What is given is called after each one."""
    with _counted(what, quiet=quiet) as advance:
        if _parts is None:
            yield advance
            return
        told = Told(total=total)
        tell(what, lambda: told)

        def count() -> None:
            told.done += 1
            advance()

        yield count


@contextlib.contextmanager
def _counted(what: str, *, quiet: bool) -> Iterator[Callable[[], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(what), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda: bar.advance(task)


@contextlib.contextmanager
def measured(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """What is given is called with the bytes that are done, and all of them; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def scored(*, quiet: bool) -> Iterator[Callable[[str, Evaluated], None] | None]:
    """Of a model's evaluation, a line for each data set: what is judged of all, and pass@1 so far. What is given is
    called with the data set's name; None where nobody looks."""
    with _scored(quiet=quiet) as show:
        if _parts is None:
            yield show
            return

        def tell_too(name: str, now: Evaluated) -> None:
            tell(name, lambda: _told_of(now))
            if show is not None:
                show(name, now)

        yield tell_too


def _told_of(now: Evaluated) -> Told:
    counts = {name: getattr(now, name) for name in ("asked", "known", "judged", "passed", "unanswered", "not_judged")}
    return Told(done=now.judged + now.unanswered + now.not_judged, total=now.total, counts=counts)


@contextlib.contextmanager
def _scored(*, quiet: bool) -> Iterator[Callable[[str, Evaluated], None] | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    lines: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True)) as bar:

        def show(name: str, now: Evaluated) -> None:
            if name not in lines:
                lines[name] = bar.add_task(name, total=now.total)
            bar.update(
                lines[name], completed=now.judged + now.unanswered + now.not_judged, description=line_of(name, now)
            )

        yield show


def line_of(name: str, now: Evaluated) -> str:
    """`mbpp_plus  pass@1 71.2  asked 40  known 338`, and what went wrong."""
    rate = now.pass_at_1
    parts = [name, "pass@1 –" if rate is None else f"pass@1 {rate * 100:.1f}", f"asked {now.asked}"]
    more = (("known", now.known), ("not answered", now.unanswered), ("not judged", now.not_judged))
    return "  ".join([*parts, *(f"{what} {count}" for what, count in more if count)])
