"""From paths to a report: sections in a fixed order, their lists packed into the room that there is.

How much of each item is shown follows from how many there are. Where the file would still be too large, all is made
again with less; what then does not fit is listed without a page of its own, and the report says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from codejury.errors import UsageError
from codejury.report import evals, page, problems, speed, suites, verdicts
from codejury.report.evals import Run
from codejury.report.pack import Sink
from codejury.report.programs import Programs
from codejury.report.section import Section
from codejury.report.sources import Source, sources_of

MOST_BYTES = 28_000_000
_TEXTS = 60_000_000  # characters of all items' texts, before they are packed
_LEAST, _MOST = 400, 200_000  # characters of one item's
_TRIES = 4

Complain = Callable[[object], None]


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """The report that was written.

    sections   kind and title of each part
    items      problems, tasks and submissions that it lists; without_page: those that there was no room to show
    passed     files of folders that are no results
    """

    output: Path
    bytes: int
    sections: tuple[tuple[str, str], ...]
    items: int
    without_page: int
    passed: tuple[Path, ...]


def build(
    paths: Sequence[Path],
    output: Path,
    *,
    title: str = "",
    data: Sequence[Path] = (),
    complain: Complain,
    most_bytes: int = MOST_BYTES,
) -> Built:
    """Writes one HTML file about all results in `paths`.

    data       a benchmark's tasks, for the prompts and tests of samples
    complain   is told what could not be read; the rest goes on
    """
    found, passed = sources_of(paths)
    programs = Programs()
    programs.read([source.path for source in found if source.kind == "programs"], complain=_once(complain))
    shown = [source for source in found if source.kind != "programs"]
    if not shown:
        raise UsageError(f"{paths[0]}: expected results to report on; programs alone are none")
    said = _once(complain)
    runs = [Run(source.path, complain=said) for source in shown if source.kind == "eval"]
    items = sum(_count(source) for source in shown) + len({task for run in runs for task in run.rows})
    allowance = max(_LEAST, min(_MOST, _TEXTS // max(1, items)))
    for left in reversed(range(_TRIES)):
        room = 2 * most_bytes if left else most_bytes
        parts = _parts(shown, runs, data, programs, allowance, room, said)
        packed = sum(sink.bytes for _, sink in parts if sink is not None)
        if packed <= most_bytes:
            break
        allowance = max(_LEAST // 2, int(allowance * 0.85 * most_bytes / packed))
    text = page.page(parts, title=title or _title(parts))
    _write(output, text)
    sinks = [sink for _, sink in parts if sink is not None]
    return Built(
        output=output,
        bytes=output.stat().st_size,
        sections=tuple((section.kind, section.title) for section, _ in parts),
        items=sum(sink.items for sink in sinks),
        without_page=sum(sink.without_page for sink in sinks),
        passed=tuple(passed),
    )


def _once(complain: Complain) -> Complain:
    """Files are read again where a report must be smaller; what is wrong with them is told once."""
    told: set[str] = set()

    def say(error: object) -> None:
        if str(error) not in told:
            told.add(str(error))
            complain(error)

    return say


def _count(source: Source) -> int:
    """How many items it has, about."""
    if source.kind == "quality":
        return len(source.value["problems"])
    if source.kind not in ("problems", "verdicts"):
        return 0
    if source.path.name.endswith(".gz"):
        return max(1, source.path.stat().st_size // 1000)
    lines = 0
    with source.path.open("rb") as file:
        while part := file.read(1 << 20):
            lines += part.count(b"\n")
    return max(1, lines)


def _parts(
    shown: Sequence[Source],
    runs: Sequence[Run],
    data: Sequence[Path],
    programs: Programs,
    allowance: int,
    room: int,
    complain: Complain,
) -> list[tuple[Section, Sink | None]]:
    found: list[tuple[Section, Sink | None]] = []
    left = room

    def sink(columns: Sequence[object]) -> Sink:
        return Sink(f"s{len(found)}", columns, allowance=allowance, room_bytes=max(0, left))  # type: ignore[arg-type]

    def of(kind: str) -> list[Source]:
        return [source for source in shown if source.kind == kind]

    for source in of("quality"):
        one = sink(suites.COLUMNS)
        found.append((suites.section(source.path, source.value, one, programs, complain=complain), one))
        left -= one.bytes
    if runs:
        one = sink(evals.columns(runs))
        found.append((evals.section(runs, one, data, complain=complain), one))
        left -= one.bytes
    for source in of("problems"):
        one = sink(problems.COLUMNS)
        found.append((problems.section(source.path, one, programs, complain=complain), one))
        left -= one.bytes
    for source in of("verdicts"):
        one = sink(verdicts.COLUMNS)
        found.append((verdicts.section(source.path, one, programs, complain=complain), one))
        left -= one.bytes
    found += [(speed.section(source.path, source.value), None) for source in of("bench")]
    return found


def _title(parts: Sequence[tuple[Section, Sink | None]]) -> str:
    kinds = list(dict.fromkeys(section.kind for section, _ in parts))
    return f"{', '.join(kinds)}: {parts[0][0].title}" if len(parts) == 1 else ", ".join(kinds)


def _write(output: Path, text: str) -> None:
    """In one step: whoever has the old report open keeps it whole."""
    beside = output.with_name(output.name + ".new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, output)
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from None
