"""codejury stats: what is in a file of problems."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from codejury.cli import progress


@click.command()
@click.argument("tests", metavar="T.jsonl|DIR", type=click.Path(path_type=Path, exists=True))
@click.option("--format", "form", help="How the problems are written; told from them otherwise.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress.")
def stats(tests: Path, form: str | None, as_json: bool, quiet: bool) -> None:
    """Count problems, tests, their sizes, the languages of the solutions, and how many have checkers.

    \b
      codejury stats T.jsonl
      codejury stats T.jsonl --json | jq .tests_per_problem

    Exit code 2 where rows could not be read.
    """
    from codejury import settings
    from codejury.dataset import read_problems
    from codejury.errors import UnknownLanguage
    from codejury.languages.catalog import Catalog
    from codejury.languages.detect import detect
    from codejury.testgen.stats import Stats

    catalog = Catalog.load(settings.load().languages)
    bad_rows = 0

    def complain(error: object) -> None:
        nonlocal bad_rows
        bad_rows += 1
        click.echo(f"codejury: {error}", err=True)

    def language_of(source: str) -> str:
        try:
            return detect(source, None, catalog).name
        except UnknownLanguage:
            return "unknown"

    found = Stats(language_of)
    with progress.counted("problems", quiet=quiet) as advance:
        for problem in read_problems(tests, format=form, on_error=complain):
            found.add(problem)
            advance()
    told = {**found.as_json(), "bad_rows": bad_rows}
    if as_json:
        click.echo(json.dumps(told))
    else:
        for line in _lines(told):
            click.echo(line)
    if bad_rows:
        sys.exit(2)


def _lines(told: dict[str, Any]) -> list[str]:
    problems = told["problems"]
    lines = []
    for name, value in told.items():
        label = name.replace("_", " ")
        if name == "with":
            lines += [
                f"{'with ' + part.replace('_', ' '):<22} {count:>12}  {count / problems if problems else 0:>7.1%}"
                for part, count in value.items()
            ]
        elif isinstance(value, dict):
            shown = ", ".join(f"{part} {count:g}" for part, count in value.items())
            lines.append(f"{label:<22} {shown}")
        else:
            lines.append(f"{label:<22} {value:>12}")
    return lines
