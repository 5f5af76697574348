"""codejury select: few tests that reject as much as many."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from codejury.cli import progress, rework
from codejury.cli.runner import runner_options

_FILE = click.Path(exists=True, path_type=Path)


@click.command()
@click.option("--input", "input_", required=True, type=_FILE, help="Problems with solutions and tests.")
@click.option("--output", required=True, type=click.Path(path_type=Path), help="The same with fewer tests.")
@click.option("--max-tests", type=click.IntRange(1), default=20, show_default=True, help="Tests of a problem.")
@click.option("--wrong", type=_FILE, help="Wrong programs: {custom_id, solution, language?, correct?}.")
@click.option("--split", help="Of these only this share, such as 0/2; score with the other: quality --split 1/2.")
@click.option("--mutants", type=click.IntRange(0), default=40, show_default=True, help="Of a problem's solutions.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the mutants, as for harden.")
@click.option("--smallest", is_flag=True, help="None only for programs that nobody has seen.")
@click.option("--format", "form", help="How the problems are written; told from them otherwise.")
@click.option("--workers", type=click.IntRange(1, 4096), help="Programs at a time.  [as many as cores]")
@click.option("--level", default="auto", show_default=True, help="auto, full, rootless or landlock.")
@runner_options
@click.option("--no-cache", is_flag=True, help="Run everything, whatever is known from earlier runs.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object for each problem, and one for all.")
@click.option("--quiet", is_flag=True, help="No progress.")
def select(
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
    """Keep few tests that reject as much as many.

    \b
      codejury select --input H.jsonl --output M.jsonl --max-tests 20

    Every wrong program (mutants of the solutions, and those given) runs on every test. Kept are public tests, the
    largest test, one for each class of answers, and the fewest that reject what all together reject; and then the
    smallest, those that reject again what few others do, and those that reject other programs together than any that
    is kept (not with --smallest). The same tests and programs give the same choice.

    Rows that the output holds are not made again. Exit code 0: all problems were done. 3: some were not. 2: wrong
    usage, or rows that could not be read. 130: interrupted.
    """
    from codejury import settings
    from codejury.judging.jury import Jury
    from codejury.judging.results import Results
    from codejury.model import Problem
    from codejury.testgen.rework import Rework
    from codejury.testgen.select import Options
    from codejury.testgen.select import select as one

    options = Options(**chosen)
    given = rework.wrong_programs(wrong, split)
    with ExitStack() as stack:
        results = None if no_cache else stack.enter_context(Results(settings.load().cache / "results"))
        jury = stack.enter_context(Jury(workers=workers, level=level, kept=0, results=results))
        advance = stack.enter_context(progress.counted("selecting", quiet=quiet))

        def work(problem: Problem) -> tuple[Problem, dict[str, Any]]:
            made, account = one(jury, problem, options, given.of(problem.id))
            if not account["programs"]:
                progress.note(
                    f"{problem.id}: no wrong program to choose by: none is given, and no solution can be mutated"
                )
            return made, {"selected": account}

        more = {"wrong": str(wrong) if wrong else None, "split": split}
        work_all = Rework(
            input_, output, work, options=options, more=more, sandbox=jury.sandbox, format=form, note=progress.note
        )
        rework.show(work_all, "selected", _HEAD, _line, advance=advance, as_json=as_json)
    rework.end(work_all, output, given, as_json=as_json)


_HEAD = f"{'problem':<32} {'tests':>11} {'programs':>9} {'killed':>13}"


def _line(name: str, told: dict[str, Any]) -> str:
    tests, killed = (f"{told[f'{each}_before']} → {told[each]}" for each in ("tests", "killed"))
    return f"{name[:32]:<32} {tests:>11} {told['programs']:>9} {killed:>13}"
