"""`codejury gen`: tests out of generators and golds. `codejury special-judge-gen` has the same options, in its module.

Owns the options' words and what is shown: a bar on a terminal, a line every few seconds elsewhere, a table at the end.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from codejury.cli import progress
from codejury.cli.dashboard import dashboard_option
from codejury.cli.progress import interruptible
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.testgen.crew import Tally
    from codejury.testgen.options import Options, UseOfChecker
    from codejury.testgen.run import Summary

_LINE_EVERY_S = 5.0
_BAR_EVERY_S = 0.25
_NOTES = 20  # that are shown one by one

_F = TypeVar("_F", bound=Callable[..., Any])


def options(function: _F) -> _F:
    """The options that both commands have."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_OPTIONS = [
    click.option(
        "--input",
        "input_",
        metavar="FILE",
        required=True,
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Problems: a JSON row a line.",
    ),
    click.option(
        "--output",
        metavar="FILE",
        required=True,
        type=click.Path(path_type=Path, dir_okay=False),
        help="Rows with their tests are appended here; what it holds already is not done again.",
    ),
    click.option(
        "--gen_index", "--gen-index", metavar="N|all", default="0", help="Which generator of a row, from 0.  [0]"
    ),
    click.option(
        "--workers", metavar="N", type=click.IntRange(1), help="Programs at a time; else as many as cores. 64 at most."
    ),
    click.option(
        "--generator-style",
        "style",
        type=click.Choice(["list", "seeded"]),
        default="list",
        help="list: prints a list of texts. seeded: called with a seed, prints one input.",
    ),
    click.option("--seeds", metavar="N", type=int, default=100, help="Of seeded generators: from 1 to N.  [100]"),
    click.option(
        "--quorum",
        metavar="N|all|first-last",
        default="all",
        help="How many golds must agree. all: every one that runs, two where there are two; first-last: Klear's rule.",
    ),
    click.option(
        "--set-aside",
        metavar="SHARE",
        type=float,
        default=0.2,
        help="A gold that fails, or stands against most others, on more of the inputs is not asked.  [0.2]",
    ),
    click.option(
        "--compare", metavar="HOW", default="default", help="Of outputs: default, exact, tokens, floats or unordered."
    ),
    click.option("--tl-gen", metavar="S", type=float, help="CPU seconds of a generator.  [30]"),
    click.option("--tl-run", metavar="S", type=float, help="CPU seconds of a gold whose row has no time-limit.  [5]"),
    click.option("--ml-gen", metavar="MB", type=float, help="Megabytes of a generator.  [10240]"),
    click.option(
        "--ml-run", metavar="MB", type=float, help="Megabytes of a gold whose row has no memory-limit.  [1024]"
    ),
    click.option(
        "--calibrate",
        is_flag=True,
        help="Set each row's time-limit to twice the time of the slowest gold on this machine.",
    ),
    click.option("--retry-failed", is_flag=True, help="Do rows of the output again that have an error_info."),
    click.option("--plain", is_flag=True, help="Leave out the field test_provenance."),
    click.option(
        "--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation."
    ),
    runner_options,
    dashboard_option,
    click.option("--json", "as_json", is_flag=True, help="The summary as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="No progress."),
]


@click.command()
@options
@click.option("--ignore-checker", is_flag=True, help="Compare outputs also where a row has a checker.")
def gen(ignore_checker: bool, **given: Any) -> None:
    """Make tests for problems: run generators for inputs, golds for outputs, and keep what the golds agree on.

    \b
      codejury gen --input P.jsonl --output T.jsonl
      codejury gen --input P.jsonl --output T.jsonl --gen_index all --quorum 3

    A row has custom_id, solutions, input_generator; and where it likes checker, input_validator, time-limit,
    memory-limit. It comes out with error_info and reward.ground_truth.input_output. Lines that cannot be used go to
    T.errors.jsonl, the record of the run to T.run.json. A run that was interrupted goes on when it is called again.

    Exit code 0: every row has tests. 3: some rows have none, or could not be read. 2: wrong usage. 130: interrupted.
    """
    work(checker="ignored" if ignore_checker else "where_given", **given)


def work(
    *,
    checker: UseOfChecker,
    input_: Path,
    output: Path,
    workers: int | None,
    level: str,
    retry_failed: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """What both commands do."""
    from codejury.testgen.crew import Tally
    from codejury.testgen.run import generate

    chosen = _chosen(checker, **given)
    stop, tally = threading.Event(), Tally()
    progress.tell("rows", lambda: _told_of(tally))
    with interruptible(stop, "rows"), _shown(tally, quiet=quiet) as say:
        summary = generate(
            input_,
            output,
            chosen,
            workers=workers,
            level=level,
            retry_failed=retry_failed,
            stop=stop,
            tally=tally,
            note=_Notes(say),
        )
    _told(summary, as_json)
    if summary.stopped:
        click.echo("codejury: interrupted; the rows under way were finished. Call it again to go on.", err=True)
        sys.exit(130)
    if not summary.complete:
        sys.exit(3)


def _chosen(
    checker: UseOfChecker,
    *,
    gen_index: str,
    style: Any,
    seeds: int,
    quorum: str,
    set_aside: float,
    compare: str,
    tl_gen: float | None,
    tl_run: float | None,
    ml_gen: float | None,
    ml_run: float | None,
    calibrate: bool,
    plain: bool,
) -> Options:
    from codejury.errors import UsageError
    from codejury.judging import given
    from codejury.testgen.options import Options, Quorum, limits

    if gen_index != "all" and not (gen_index.isascii() and gen_index.isdigit() and len(gen_index) < 10):
        raise UsageError(f"--gen_index: expected a number from 0, or all, got {gen_index!r}")
    generator, run = limits(tl_gen=tl_gen, tl_run=tl_run, ml_gen=ml_gen, ml_run=ml_run)
    try:
        return Options(
            gen_index=None if gen_index == "all" else int(gen_index),
            style=style,
            seeds=seeds,
            quorum=Quorum.of(quorum),
            checker=checker,
            compare=given.comparison(compare),
            generator=generator,
            run=run,
            set_aside=set_aside,
            calibrate=calibrate,
            plain=plain,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


class _Notes:
    """The first ones in full; how many there are is told at the end, and all are in the errors file."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        with self._lock:
            self._count += 1
            if self._count <= _NOTES:
                self._say(f"codejury: {text}")
            if self._count == _NOTES:
                self._say("codejury: further lines of this kind are only counted")


# ── What is shown ────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _shown(tally: Tally, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Progress on standard error while the block runs; what is given prints a line without disturbing it."""
    if quiet:
        yield lambda text: click.echo(text, err=True)
        return
    over = threading.Event()
    show, say, every_s, close = _bar(tally) if sys.stderr.isatty() else _lines(tally)

    def loop() -> None:
        while not over.wait(every_s):
            show()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield say
    finally:
        over.set()
        thread.join()
        close()


_Shown = tuple[Callable[[], None], Callable[[str], None], float, Callable[[], None]]


def _lines(tally: Tally) -> _Shown:
    since = time.monotonic()

    def show() -> None:
        click.echo(f"codejury: {_state(tally, time.monotonic() - since)}", err=True)

    return show, lambda text: click.echo(text, err=True), _LINE_EVERY_S, lambda: None


def _bar(tally: Tally) -> _Shown:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    bar = Progress(BarColumn(bar_width=20), TaskProgressColumn(), TextColumn("{task.description}"), console=console)
    task = bar.add_task("", total=1.0)
    bar.start()
    since = time.monotonic()

    def show() -> None:
        bar.update(task, completed=_share(tally), description=_state(tally, time.monotonic() - since))

    def close() -> None:
        show()
        bar.stop()

    return show, lambda text: console.print(escape(text), highlight=False), _BAR_EVERY_S, close


def _share(tally: Tally) -> float:
    """Of the file that has been read: how many rows it has nobody knows before the end."""
    return tally["bytes read"] / tally["bytes"] if tally["bytes"] else 0.0


def _done(tally: Tally) -> int:
    return tally["made"] + tally["failed"] + tally["not done"]


def _told_of(tally: Tally) -> progress.Told:
    counts = {name: count for name, count in tally.counts().items() if not name.startswith("bytes")}
    return progress.Told(done=_done(tally), share=_share(tally), counts=counts)


def _state(tally: Tally, seconds: float) -> str:
    done = _done(tally)
    share = _share(tally)
    parts = [f"{done} rows", f"{done / seconds:.2f}/s" if seconds else ""]
    if 0 < share < 1 and done:
        parts.append(f"{_duration(seconds / share * (1 - share))} left")
    parts += [f"{tally[name]} {name}" for name in ("inputs", "distinct", "valid", "agreed", "tests", "runs")]
    parts += [f"{tally[name]} {name}" for name in ("failed", "bad lines", "not done", "done before") if tally[name]]
    dropped = sum(count for name, count in tally.counts().items() if name.startswith("dropped: "))
    return ", ".join(part for part in [*parts, f"{dropped} dropped" if dropped else ""] if part)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _told(summary: Summary, as_json: bool) -> None:
    if as_json:
        row = {
            "output": str(summary.output),
            "errors": str(summary.errors) if summary.errors.exists() else None,
            "record": str(summary.record),
            "seconds": round(summary.seconds, 3),
            "failed_before": summary.failed_before,
            "stopped": summary.stopped,
            "complete": summary.complete,
            "counts": summary.counts,
        }
        click.echo(json.dumps(row))
        return
    counts = {**summary.counts, "failed before": summary.failed_before}
    shown = {name: count for name, count in counts.items() if count or name in ("rows", "made", "inputs", "tests")}
    width = max(len(name) for name in shown)
    for name, count in shown.items():
        click.echo(f"{name:<{width}}  {count:>9}")
    rate = summary.counts["made"] / summary.seconds if summary.seconds else 0.0
    click.echo(f"{_duration(summary.seconds)} in all, {rate:.2f} rows a second; tests are in {summary.output}")
    if summary.errors.exists():
        click.echo(f"lines that could not be used are in {summary.errors}")
