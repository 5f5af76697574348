"""`codejury convert`: problems of one format into another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from codejury.cli import progress

_TOLD = 20  # problems that are told one by one, of each kind


@click.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path, exists=True))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "form", metavar="F", help="Format of IN; else told from its content.")
@click.option("--to", metavar="F", required=True, help="Format of OUT.")
@click.option("--strict", is_flag=True, help="Leave out problems that would be judged by other rules than before.")
@click.option("--force", is_flag=True, help="Replace OUT, or add to a directory that is not empty.")
@click.option("--verbose", "-v", is_flag=True, help="Tell what every single problem lost.")
@click.option("--json", "as_json", is_flag=True, help="What was done as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def convert(
    source: Path,
    target: Path,
    form: str | None,
    to: str,
    strict: bool,
    force: bool,
    verbose: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make one format of problems of another.

    \b
      codejury convert T.jsonl --to verl train.parquet       for a trainer
      codejury convert T.jsonl --to kattis packages/         a package a problem: data, limits, submissions, validators
      codejury convert --from taco --to klear taco.jsonl P.jsonl
      codejury convert package/ --to codejury P.jsonl.gz     all that codejury knows of it, gzipped
    \b
    Formats:
      codejury        our own rows; they hold everything
      klear           Klear-CodeTest, before and after its tests are generated
      apps, taco      inputs and outputs as JSON in one field
      livecodebench   public and private tests
      verl            Parquet where OUT ends in .parquet (extra `parquet`), else JSON lines
      prime           the same rows, as JSON lines
      testlist        a list of tests in one field: PrimeIntellect, rllm, open-r1
      evalplus        function calls and a canonical solution that gives the answers
      kattis          problem packages; OUT is a directory
    IN may also be mbpp, humaneval or plain tests.

    Every row that is written is read back, and what is not the same as before is told: limits.output_mb, checker,
    golds … A problem that the format cannot hold at all, and a row that cannot be read, is told and left out; the rest
    goes on. OUT is written beside its place and renamed at the end.

    Exit code: 0 when all problems were written, 3 when some were left out, 2 for bad usage.
    """
    from codejury.dataset.writers import convert as make
    from codejury.dataset.writers.convert import SOURCES
    from codejury.dataset.writers.losses import changes_verdicts
    from codejury.errors import UsageError

    if form is not None and form not in SOURCES:
        raise UsageError(f"--from: expected one of {', '.join(SOURCES)}; got {form!r}")
    told = _Told(None if verbose else _TOLD)
    with progress.counted("problems", quiet=quiet) as advance:
        done = make(
            source,
            target,
            to=to,
            format=form,
            strict=strict,
            force=force,
            language_of=_language_of() if to == "kattis" else None,
            on_error=lambda error: told.say("left out", str(error)),
            on_loss=lambda name, lost: told.say("lost", f"{name!r} lost {', '.join(lost)}") if verbose else None,
            on_progress=advance,
        )
    told.end()
    if as_json:
        import msgspec

        click.echo(json.dumps({"target": str(target), **msgspec.to_builtins(done)}))
    else:
        click.echo(f"{target}: {done.written} of {done.read} problems")
        for name, count in done.lost.items():
            what = f"filled in {name[6:]}" if name.startswith("added.") else f"lost {name}"
            click.echo(f"    {what:<30} {count:>7}" + ("  verdicts may change" if changes_verdicts(name) else ""))
        if done.refused:
            click.echo(f"    left out: {done.refused}, which the format cannot hold")
        if done.bad_rows:
            click.echo(f"    left out: {done.bad_rows} rows that cannot be read")
    if done.refused or done.bad_rows:
        sys.exit(3)


def _language_of() -> Any:
    """Golds seldom say their language, and a package's files have endings."""
    from codejury.errors import UnknownLanguage
    from codejury.languages.catalog import Catalog
    from codejury.languages.detect import detect

    catalog = Catalog.load()

    def language_of(source: str) -> str | None:
        try:
            return detect(source, None, catalog).name
        except UnknownLanguage:
            return None

    return language_of


class _Told:
    """The first of each kind to stderr, and how many more there were."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._counts: dict[str, int] = {}

    def say(self, kind: str, message: str) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._most is None or self._counts[kind] <= self._most:
            click.echo(f"codejury: {message}", err=True)

    def end(self) -> None:
        for kind, count in self._counts.items():
            if self._most is not None and count > self._most:
                click.echo(f"codejury: … and {count - self._most} more {kind}", err=True)
