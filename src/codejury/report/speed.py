"""What `codejury bench --json` measured: a run beside bare execution and the other sandboxes of the host."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from codejury.dataset.rows import BadRow
from codejury.report import charts
from codejury.report.charts import Bar
from codejury.report.section import Figure, Section, Table
from codejury.speed import Speed


def section(path: Path, told: Mapping[str, Any]) -> Section:
    try:
        speed = msgspec.convert(told, Speed)
    except msgspec.ValidationError as error:
        raise BadRow(str(path), "", "what codejury bench --json prints", str(error)) from None
    found, figures, rows = [], [], []
    for title, ways in (("Python", speed.python), ("C++", speed.cpp)):
        works = [way for way in ways if not way.failed]
        ours = next((way for way in works if way.name == "codejury"), None)
        bars = [
            Bar(
                label=way.name,
                value=way.median_ms,
                text=f"{way.median_ms:.2f} ms · {way.ratio_to_bare:.2f} × bare",
                tone="good" if way.name == "codejury" else "mute" if way.name == "bare" else "two",
            )
            for way in sorted(works, key=lambda way: way.median_ms)
        ]
        note = "; ".join(f"{way.name} does not work here: {way.failed[:80]}" for way in ways if way.failed)
        found.append(charts.bars(f"A run of a {title} program, median", bars, what="milliseconds", note=note))
        if ours is not None:
            rest = [way for way in works if way.name not in ("codejury", "bare")]
            best = min(rest, key=lambda way: way.median_ms, default=None)
            words = f"{best.median_ms / ours.median_ms:.1f} × as fast as {best.name}" if best and ours.median_ms else ""
            figures.append(Figure(label=f"{title} run", value=f"{ours.median_ms:.2f} ms", note=words))
    for one in speed.throughput:
        figures.append(
            Figure(
                label=f"{one.program} runs a second",
                value=f"{one.all_workers:,.0f}",
                note=f"{one.workers} workers; one alone {one.one_worker:,.0f}",
            )
        )
        rows.append(
            (one.program, f"{one.one_worker:,.0f}", f"{one.all_workers:,.0f}", str(one.workers), f"{one.ratio:.2f}")
        )
    head = ("program", "one worker", "all workers", "workers", "ratio")
    return Section(
        kind="Speed",
        title=path.name,
        lead=f"Median of {speed.runs} rounds at the level {speed.level}; all ways took turns in every round.",
        figures=tuple(figures),
        charts=tuple(found),
        tables=(
            Table(
                title="Runs a second, all workers busy", head=head, rows=tuple(rows), numeric=frozenset({1, 2, 3, 4})
            ),
        ),
    )
