"""`codejury bench`: runs against bare execution and the sandboxes that are installed beside us."""

from __future__ import annotations

import json
import sys
from typing import Any

import click


@click.command()
@click.option("--runs", metavar="N", type=click.IntRange(3, 100000), default=100, show_default=True, help="Rounds.")
@click.option("--workers", metavar="N", type=click.IntRange(1, 4096), help="For the runs per second.  [default: cores]")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def bench(runs: int, workers: int | None, level: str, as_json: bool) -> None:
    """Run a+b in Python and in compiled C++, bare, in codejury, and in each of Firejail, bubblewrap, nsjail and isolate
    that is installed. The ways take turns in every round; what is printed is the median and its ratio to bare.

    \b
    codejury bench --runs 200
    """
    import msgspec

    from codejury.speed import measure

    with click.progressbar(length=3 * runs, label="measuring", file=sys.stderr) as bar:
        speed = measure(runs=runs, level=level, workers=workers, progress=bar.update)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(speed), indent=2))
        return
    click.echo(f"level {speed.level}, {speed.runs} rounds, milliseconds a run (median)")
    for title, ways in (("Python a+b", speed.python), ("C++ a+b", speed.cpp)):
        click.echo(f"\n{title}")
        ours = next(way.median_ms for way in ways if way.name == "codejury")
        for way in ways:
            click.echo(_line(way, ours))
    click.echo("\nRuns per second, all workers busy")
    for one in speed.throughput:
        click.echo(
            f"  {one.program:<8} 1 worker {one.one_worker:8.0f}    {one.workers} workers {one.all_workers:8.0f}"
            f"    ratio {one.ratio:.2f} (bare {one.bare_ratio:.2f})"
        )


def _line(way: Any, ours: float) -> str:
    if way.failed:
        return f"  {way.name:<11} does not work here: {way.failed}"
    faster = f"codejury is {way.median_ms / ours:.1f} x as fast" if way.name not in ("codejury",) else ""
    return f"  {way.name:<11} {way.median_ms:8.2f} ms   {way.ratio_to_bare:6.2f} x bare   {faster}"
