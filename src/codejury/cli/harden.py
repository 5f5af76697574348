"""codejury harden: new tests for what tests still miss."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from codejury.cli import progress, rework
from codejury.cli.dashboard import dashboard_option
from codejury.cli.runner import runner_options

_FILE = click.Path(exists=True, path_type=Path)


@click.command()
@click.option("--input", "input_", required=True, type=_FILE, help="Problems with solutions and tests, or samples.")
@click.option("--output", required=True, type=click.Path(path_type=Path), help="The same with more tests.")
@click.option("--wrong", type=_FILE, help="Wrong programs: {custom_id, solution, language?, correct?}.")
@click.option("--split", help="Of these only this share, such as 0/2; score with the other: quality --split 1/2.")
@click.option("--budget", type=click.IntRange(0), default=400, show_default=True, help="Inputs tried for a problem.")
@click.option("--max-tests", type=click.IntRange(1), default=100, show_default=True, help="Tests of a problem.")
@click.option("--mutants", type=click.IntRange(0), default=40, show_default=True, help="Of a problem's solutions.")
@click.option("--golds", type=click.IntRange(1), default=4, show_default=True, help="Solutions that are asked.")
@click.option("--seconds", type=click.FloatRange(1), default=300.0, show_default=True, help="Of work, for a problem.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another one makes other tests.")
@click.option("--shrink", is_flag=True, help="Make tests that reject programs as small as they can be.")
@click.option("--calibrate", is_flag=True, help="Set a time limit by what the solutions take on this machine.")
@click.option("--format", "form", help="How the problems are written; told from them otherwise.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@runner_options
@dashboard_option
@click.option("--no-cache", is_flag=True, help="Run everything, whatever is known from earlier runs.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object for each problem, and one for all.")
@click.option("--quiet", is_flag=True, help="No progress.")
def harden(
    input_: Path,
    output: Path,
    wrong: Path | None,
    split: str | None,
    form: str | None,
    workers: int | None,
    level: str,
    no_cache: bool,
    as_json: bool,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Find programs that are wrong and still pass, and make tests that they fail. No model is needed.

    \b
      codejury harden --input T.jsonl --output H.jsonl
      codejury harden --input T.jsonl --output H.jsonl --wrong S.jsonl --split 0/2

    Wrong programs are made of the solutions by small changes; more may be given. New inputs are grown from the tests
    that are there, within the format that these and the statement show; an input is a test where the solutions agree on
    it, and where the problem's input validators accept it. Tests that reject a program that passed before are kept, and
    others up to --max-tests. A run that was interrupted goes on when it is called again.

    Rows that the output holds are not made again. Exit code 0: all problems were done. 3: some were not. 2: wrong
    usage, or rows that could not be read. 130: interrupted.
    """
    from codejury import settings
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury
    from codejury.judging.results import Results
    from codejury.model import Problem
    from codejury.testgen.harden import Options
    from codejury.testgen.harden import harden as one
    from codejury.testgen.rework import Rework

    try:
        options = Options(**chosen)
    except ValueError as error:
        raise UsageError(str(error)) from error
    given = rework.wrong_programs(wrong, split)
    with ExitStack() as stack:
        results = None if no_cache else stack.enter_context(Results(settings.load().cache / "results"))
        jury = stack.enter_context(Jury(workers=workers, level=level, kept=None, run_only=True, results=results))
        advance = stack.enter_context(progress.counted("hardening", quiet=quiet))

        def work(problem: Problem) -> tuple[Problem, dict[str, Any]]:
            made = one(jury, problem, options, given.of(problem.id))
            return made.problem, {"hardened": made.account}

        more = {"wrong": str(wrong) if wrong else None, "split": split}
        work_all = Rework(
            input_, output, work, options=options, more=more, sandbox=jury.sandbox, format=form, note=progress.note
        )
        rework.show(work_all, "hardened", _HEAD, _line, advance=advance, as_json=as_json)
    rework.end(work_all, output, given, as_json=as_json)


_HEAD = f"{'problem':<32} {'tests':>11} {'programs':>9} {'killed':>13} {'survive':>8} {'inputs':>7} {'seconds':>8}"


def _line(name: str, told: dict[str, Any]) -> str:
    tests = f"{told['tests_before']} + {told['tests_new']}"
    killed = f"{told['killed_before']} + {told['killed'] - told['killed_before']}"
    inputs = told["inputs"].get("tried", 0)
    return (
        f"{name[:32]:<32} {tests:>11} {told['programs']:>9} {killed:>13} {len(told['survivors']):>8} {inputs:>7}"
        f" {told['seconds']:>8.1f}"
    )
