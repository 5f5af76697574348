"""codejury quality: how many right programs tests accept, and how many wrong ones they reject."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from codejury.cli import progress
from codejury.cli.dashboard import dashboard_option
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.score.quality import Row
    from codejury.testgen.quality import Verdict

_FILE = click.Path(exists=True, path_type=Path)


@click.command()
@click.option("--tests", multiple=True, required=True, type=_FILE, help="A suite; give it again for another.")
@click.option("--submissions", required=True, type=_FILE, help="Programs that are known to be right or wrong.")
@click.option(
    "--output", type=click.Path(path_type=Path), help="Write Q.json, Q.csv, Q.problems.csv, Q.programs.jsonl."
)
@click.option("--format", "form", help="How the suites are written; told from them otherwise.")
@click.option("--split", help="Only programs of this share, such as 1/2; give the other to harden and select.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@runner_options
@dashboard_option
@click.option("--no-cache", is_flag=True, help="Run everything, whatever is known from earlier runs.")
@click.option("--problems", is_flag=True, help="Also a line for each problem.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress.")
def quality(
    tests: tuple[Path, ...],
    submissions: Path,
    output: Path | None,
    form: str | None,
    split: str | None,
    workers: int | None,
    level: str,
    no_cache: bool,
    problems: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """TPR and TNR of tests, by language and in all, with 95 % intervals.

    \b
      codejury quality --tests A.jsonl --tests B.jsonl --submissions S.jsonl --output Q

    Submissions are {custom_id, solution, language?, correct}; or rows with solutions and incorrect_solutions; or
    problem packages with their submissions. A program is accepted where it passes all tests of its problem. Programs
    that could not be judged for a failure of ours are counted apart, in neither rate.

    What is written takes the place of an earlier result at the end, when all have been judged.

    Exit code 0: all were judged. 3: some were not. 2: wrong usage, or rows that could not be read. 130: interrupted.
    """
    from codejury import settings
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury
    from codejury.judging.results import Results
    from codejury.score.quality import Counts
    from codejury.testgen.quality import Split, judged

    bad_rows = 0

    def complain(error: object) -> None:
        nonlocal bad_rows
        bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    if output is not None and not output.name:
        raise UsageError(f"--output: expected the name of a file, got {output}")
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"--output: {output.parent}: expected a folder that is there")
    if twice := [path for at, path in enumerate(tests) if path.resolve() in {each.resolve() for each in tests[:at]}]:
        raise UsageError(f"--tests: {twice[0]} is given twice")
    share = Split.of(split) if split is not None else None
    names = _names(tests)
    counts = Counts(list(names.values()))
    with ExitStack() as stack:
        results = None if no_cache else stack.enter_context(Results(settings.load().cache / "results"))
        if results is not None and results.problem:
            click.echo(f"codejury: nothing is kept for the next time: {results.problem}", err=True)
        jury = stack.enter_context(Jury(workers=workers, level=level, results=results))
        advance = stack.enter_context(progress.counted("judging", quiet=quiet))
        programs = stack.enter_context(_new(_beside(output, ".programs.jsonl")).open("w")) if output else None
        for said in judged(jury, tests, submissions, complain=complain, format=form, split=share):
            suite = names[said.suite]
            counts.add(suite, said.problem, said.language, correct=said.correct, accepted=said.accepted)
            if said.error:
                click.echo(f"codejury: {said.program}: {said.error}", err=True)
            if programs is not None:
                programs.write(json.dumps(_program(suite, said)) + "\n")
            advance()
    _show(counts.table(), counts.problems(), output, problems=problems, as_json=as_json)
    if sum(row.not_judged for row in counts.problems()):
        sys.exit(3)
    if bad_rows:
        sys.exit(2)


def _program(suite: str, said: Verdict) -> dict[str, Any]:
    told = {**msgspec.structs.asdict(said), "suite": suite}
    return told if said.error else {name: value for name, value in told.items() if name != "error"}


def _names(tests: tuple[Path, ...]) -> dict[str, str]:
    """What the suites are called: by their files' names, where those tell them apart."""
    short = [path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json") or path.name for path in tests]
    return {str(path): name if short.count(name) == 1 else str(path) for path, name in zip(tests, short, strict=True)}


def _beside(output: Path, ending: str) -> Path:
    return output.with_name(output.name.removesuffix(".json").removesuffix(".csv") + ending)


def _new(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _show(table: list[Row], problems_: list[Row], output: Path | None, *, problems: bool, as_json: bool) -> None:
    told = {"table": [row.as_json() for row in table], "problems": [row.as_json() for row in problems_]}
    if output is not None:
        _new(_beside(output, ".json")).write_text(json.dumps(told, indent=1) + "\n")
        _csv(_new(_beside(output, ".csv")), told["table"])
        _csv(_new(_beside(output, ".problems.csv")), told["problems"])
        for ending in (".json", ".csv", ".problems.csv", ".programs.jsonl"):
            _new(_beside(output, ending)).replace(_beside(output, ending))
    if as_json:
        click.echo(json.dumps(told))
        return
    click.echo(_table(table, "Language", [row.language for row in table]))
    if problems:
        click.echo("\n" + _table(problems_, "Problem", [row.problem for row in problems_]))
    if output is not None:
        click.echo(f"\nmore in {_beside(output, '.*')}")


def _csv(path: Path, rows: list[dict[str, Any]]) -> None:
    import csv

    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)


def _table(rows: list[Row], second: str, names: list[str]) -> str:
    lines = [["Dataset", second, "TPR ↑", "(95 %)", "right", "TNR ↑", "(95 %)", "wrong", "not judged"]]
    before = None
    for row, name in zip(rows, names, strict=True):
        cells = [row.suite if row.suite != before else "", name]
        for rate in (row.tpr, row.tnr):
            between = rate.interval
            cells.append("-" if rate.value is None else f"{rate.value * 100:.1f}")
            cells.append("-" if between is None else f"{between[0] * 100:.1f}–{between[1] * 100:.1f}")
            cells.append(str(rate.total))
        lines.append([*cells, str(row.not_judged) if row.not_judged else ""])
        before = row.suite
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    shown = []
    for line in lines:
        cells = [
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)
