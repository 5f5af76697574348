"""codejury compare: two runs of a benchmark, task by task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from codejury.score.paired import Paired

_RUN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("run_a", type=_RUN)
@click.argument("run_b", type=_RUN)
@click.option("--subset", type=click.Choice(["base", "plus"]), help="Only these tests.  [all that both runs have]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the tables.")
def compare(run_a: Path, run_b: Path, subset: str | None, as_json: bool) -> None:
    """Means of two runs, the tasks that flipped, and McNemar's test.

    \b
      codejury compare A/eval_results.json B/eval_results.json

    A run is an eval_results.json, of ours or of evalplus', or a folder with one: of samples, or of a model's run. With
    several samples a task, a task is gained where the second run passes a larger share of them.
    """
    from codejury.benchmarks.catalog import SUBSETS
    from codejury.benchmarks.results import rates, read_results
    from codejury.errors import UsageError
    from codejury.score.paired import paired

    first, second = read_results(run_a), read_results(run_b)
    found = {}
    for name in SUBSETS:
        if subset in (None, name):
            one, other = rates(first, name), rates(second, name)
            if one and other:
                found[name] = paired(one, other)
    if not found:
        raise UsageError(f"{run_a}, {run_b}: expected verdicts on {subset or 'the same tests'} in both, found none")
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(found)))
        return
    click.echo("\n\n".join(_shown(name, said) for name, said in found.items()))


def _shown(subset: str, said: Paired) -> str:
    interval = "" if said.low is None or said.high is None else f"   ({said.low * 100:+.1f} to {said.high * 100:+.1f})"
    lines = [
        f"{subset}: {said.tasks} tasks",
        f"  A {said.first * 100:.1f}   B {said.second * 100:.1f}   B - A {said.difference * 100:+.1f}{interval}",
        f"  gained {len(said.gained)}, lost {len(said.lost)}; McNemar exact p = {said.exact:.4g}, "
        f"mid-p = {said.mid_p:.4g}",
    ]
    named = (
        ("gained", said.gained),
        ("lost", said.lost),
        ("only in A", said.only_first),
        ("only in B", said.only_second),
    )
    lines += [f"  {what}: {', '.join(tasks)}" for what, tasks in named if tasks]
    return "\n".join(lines)
