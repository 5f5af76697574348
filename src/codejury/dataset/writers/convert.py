"""One file of problems into another format: read, write, read back, tell what was lost. One problem in memory at a
time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from codejury.dataset.formats import native
from codejury.dataset.problems import FORMATS, read_problems
from codejury.dataset.writers import apps, evalplus, kattis, klear, livecodebench, testlist, verl
from codejury.dataset.writers.sinks import JsonLines, Packages, Parquet, Rows, Sink, Writer, refuse_existing
from codejury.dataset.writers.values import Inexpressible
from codejury.errors import UsageError

ALIASES = {"taco": "apps", "prime": "verl"}  # PRIME's rows are verl's, as JSON lines

_WRITERS: dict[str, Writer] = {
    "codejury": native.row_of,
    "klear": klear.write,
    "apps": apps.write,
    "livecodebench": livecodebench.write,
    "verl": verl.write,
    "evalplus": evalplus.write,
    "testlist": testlist.write,
}
TARGETS = (*_WRITERS, *ALIASES, "kattis")
SOURCES = (*FORMATS, *ALIASES)


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """What was done.

    refused    problems that the format has no form for, or with `strict` none that judges alike
    bad_rows   that could not be read
    lost       what was lost -> in how many of the written problems
    """

    read: int
    written: int
    refused: int
    bad_rows: int
    lost: dict[str, int]


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    to: str,
    format: str | None = None,
    strict: bool = False,
    force: bool = False,
    language_of: kattis.LanguageOf | None = None,
    on_error: Callable[[UsageError], None] | None = None,
    on_loss: Callable[[str, list[str]], None] | None = None,
    on_progress: Callable[[], None] | None = None,
) -> Conversion:
    """Reads problems and writes them in another format.

    to           one of TARGETS; kattis makes a directory of packages, verl Parquet where the target's name ends so
    format       of the source; None: told from it
    strict       refuse a problem where something is lost by which verdicts could change
    force        replace what is at the target
    language_of  tells the language of a source, for packages, whose files have endings
    on_error     is given what cannot be read or written, and the rest goes on; None: the first one is raised
    on_loss      is given the id of each problem that lost something, and what
    on_progress  is called for each problem
    """
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()

    def complain(error: UsageError, what: str) -> None:
        if on_error is None:
            raise error
        counts[what] += 1
        on_error(error)

    form = ALIASES.get(format, format) if format is not None else None
    sink = _sink(Path(source), Path(target), to, strict, force, language_of)
    problems = read_problems(source, format=form, on_error=lambda error: complain(error, "bad_rows"))
    with sink as out:
        for problem in problems:
            counts["read"] += 1
            try:
                names = out.write(problem)
            except Inexpressible as error:
                complain(Inexpressible(f"{source}: {problem.id!r}: {error}"), "refused")
            else:
                counts["written"] += 1
                lost.update(names)
                if names and on_loss is not None:
                    on_loss(problem.id, names)
            if on_progress is not None:
                on_progress()
    return Conversion(
        read=counts["read"],
        written=counts["written"],
        refused=counts["refused"],
        bad_rows=counts["bad_rows"],
        lost=dict(lost.most_common()),
    )


def _sink(
    source: Path, target: Path, to: str, strict: bool, force: bool, language_of: kattis.LanguageOf | None
) -> Sink:
    if to not in TARGETS:
        raise UsageError(f"--to: expected one of {', '.join(TARGETS)}; got {to!r}")
    if source.exists() and target.exists() and source.samefile(target):
        raise UsageError(f"{target}: is the source itself; name another place")
    if to == "kattis":
        return Packages(target, language_of, strict=strict, force=force)
    if target.is_dir():
        raise UsageError(f"{target}: expected a file, found a directory; only kattis makes directories")
    refuse_existing(target, force)
    name = ALIASES.get(to, to)
    rows = Rows(_WRITERS[name], name, beside=name != "codejury", strict=strict)
    if target.suffix == ".parquet":
        if to != "verl":
            raise UsageError(f"{target}: Parquet is made of verl's rows alone; name the file .jsonl, or say --to verl")
        return Parquet(target, rows, force=force)
    return JsonLines(target, rows, force=force)
