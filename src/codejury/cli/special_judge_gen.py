"""`codejury special-judge-gen`: `codejury gen` with a checker that decides; a row without one fails."""

from __future__ import annotations

from typing import Any

import click

from codejury.cli.gen import options, work


@click.command("special-judge-gen")
@options
def special_judge_gen(**given: Any) -> None:
    """Make tests for problems with several right answers: the row's last checker must accept what the golds answer.

    \b
      codejury special-judge-gen --input P.jsonl --output T.jsonl

    As `codejury gen`, which see; but each row needs a checker and two solutions. An answer is kept when the checker
    accepts it beside another gold's, and those of the other golds beside it.
    """
    work(checker="demanded", **given)
