"""codejury report: results as one HTML file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from codejury.cli import progress

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=_PATH)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The HTML file; one that is there is replaced.",
)
@click.option("--title", metavar="TEXT", default="", help="Of the report; else what it is about.")
@click.option("--data", multiple=True, type=_PATH, help="A benchmark's tasks: prompts and tests of its samples.")
@click.option("--json", "as_json", is_flag=True, help="What was written, as JSON.")
@click.option("--quiet", is_flag=True, help="No progress.")
def report(
    paths: tuple[Path, ...], output: Path, title: str, data: tuple[Path, ...], as_json: bool, quiet: bool
) -> None:
    """Show results in one HTML file that opens from disk, and needs nothing else.

    \b
      codejury report T.jsonl
      codejury report Q.json S.jsonl --output quality.html
      codejury report A_eval_results.json B_eval_results.json --data HumanEvalPlus.jsonl.gz

    PATH is what gen, harden or select (T.jsonl), quality (Q.json), eval (eval_results.json, several are compared),
    judge (V.jsonl) or bench --json wrote; a file of submissions, whose programs are shown with the others; or a
    folder with any of them.

    Exit code 0: all was read. 2: wrong usage, or rows that could not be read; the report is of the others.
    """
    from codejury.report import build

    bad_rows = 0

    def complain(error: object) -> None:
        nonlocal bad_rows
        bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    with progress.counted("reading", quiet=quiet):
        built = build(paths, output, title=title, data=data, complain=complain)
    if as_json:
        row = {
            "output": str(built.output),
            "bytes": built.bytes,
            "sections": [{"kind": kind, "title": name} for kind, name in built.sections],
            "items": built.items,
            "without_page": built.without_page,
            "passed_over": [str(path) for path in built.passed],
            "bad_rows": bad_rows,
        }
        click.echo(json.dumps(row))
    else:
        for kind, name in built.sections:
            click.echo(f"{kind}: {name}")
        for path in built.passed:
            click.echo(f"codejury: {path}: passed over, as it is no result", err=True)
        click.echo(f"the report is {built.output} ({built.bytes / 1e6:.1f} MB)")
    if bad_rows:
        sys.exit(2)
