"""`codejury doctor`: what this host can enforce, which languages work inside, what to change to get more."""

from __future__ import annotations

import json
import sys
from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--languages/--no-languages", default=True, help="Compile and run each language's self-test.  [default: yes]"
)
def doctor(as_json: bool, languages: bool) -> None:
    """Set up every level for real, run every language's self-test, and tell what came of it.

    Exits with 0 when programs can be run here at some level, with 3 when not.

    \b
    codejury doctor
    codejury doctor --json | jq .chosen
    """
    import msgspec

    from codejury.languages.execute import Sandbox
    from codejury.languages.selftest import LanguageReport, selftest
    from codejury.sandbox.probe import probe

    report = probe()
    found: list[LanguageReport] = []
    if not as_json:
        _show_levels(report)
    if languages and report.chosen is not None:
        if not as_json:
            click.echo("\nLanguages, each compiled and run inside:")
        with Sandbox(workers=1) as box:
            for language in box.catalog:
                found.append(selftest(box, language))
                if not as_json:
                    _show_language(found[-1])
    if as_json:
        from codejury import __version__

        row: dict[str, Any] = {"codejury": __version__, **msgspec.to_builtins(report)}
        row["languages"] = [msgspec.to_builtins(one) for one in found]
        click.echo(json.dumps(row, indent=2))
    sys.exit(0 if report.chosen else 3)


def _show_levels(report: Any) -> None:
    click.echo(f"Linux {report.kernel}, as {report.user}, Python {report.python}")
    click.echo(f"Control groups: {f'version {report.cgroup_version}' if report.cgroup_version else 'none'}")
    click.echo("\nLevels, strongest first:")
    for level in report.levels:
        mark = "yes" if level.available else "no "
        chosen = "   <- chosen" if level.level == report.chosen else ""
        click.echo(f"  {mark}  {level.level:<9}{chosen}")
        if level.available:
            click.echo(f"         {' '.join(level.layers)}")
        else:
            click.echo(f"         {level.failed}: {level.reason}")
            if level.advice:
                click.echo(f"         to get it: {level.advice}")


def _show_language(one: Any) -> None:
    mark = "yes" if one.works else "no " if one.installed else "-  "
    click.echo(f"  {mark}  {one.name:<11} {one.version if one.works else one.reason}")
