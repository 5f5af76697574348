"""`codejury replay`: a stored judgement, judged again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from codejury.model import CaseResult, Judgement
    from codejury.reward.records import Replay

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("result", metavar="RESULT.json", type=_FILE)
@click.option("--id", "name", metavar="ID", help="Of several records in the file, this one.")
@click.option("--case", metavar="N", type=click.IntRange(0), help="That case alone; else all that were judged.")
@click.option("--tests", metavar="FILE|DIR", type=click.Path(path_type=Path, exists=True),
              help="The problems, for a row of `codejury judge --output`.")  # fmt: skip
@click.option("--submissions", metavar="FILE|DIR", type=click.Path(path_type=Path, exists=True),
              help="The programs, for the same.")  # fmt: skip
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@click.option("--json", "as_json", is_flag=True, help="Both judgements as a JSON object.")
def replay(
    result: Path,
    name: str | None,
    case: int | None,
    tests: Path | None,
    submissions: Path | None,
    level: str,
    as_json: bool,
) -> None:
    """Judge a stored case again, by the same limits, and show what differs.

    \b
      codejury replay reward.json                  a record of codejury.reward.records
      codejury replay rewards.jsonl --id 17 --case 3
      codejury replay V.jsonl --id p1/a --tests T.jsonl --submissions S.jsonl
                                                   a row that `codejury judge --output` wrote

    A record has all that it takes in it. A row of `judge` has the verdicts, and the limits; what was judged is looked
    up in the files that it was judged from.

    Exit code 0: every verdict is the same. 1: one is another. 2: wrong usage.
    """
    from codejury.errors import UsageError
    from codejury.judging.jury import Jury
    from codejury.reward.records import replay as again

    row, where = _chosen(result, name)
    if "codejury_record" not in row:
        if tests is None or submissions is None:
            raise UsageError(f"{where}: expected a record, or --tests and --submissions for a row of `codejury judge`")
        row = _of_judge(row, where, tests, submissions)
    with Jury(level=level) as jury:
        said = again(jury, row, case=case, where=where)
    if as_json:
        click.echo(json.dumps({"same": said.same, **msgspec.to_builtins(said)}))
    else:
        _show(said)
    if not said.same:
        sys.exit(1)


def _chosen(file: Path, name: str | None) -> tuple[dict[str, Any], str]:
    from codejury.dataset.rows import read_rows
    from codejury.errors import UsageError

    rows = []
    for row in read_rows(file):
        values = row.value if isinstance(row.value, list) else [row.value]
        rows += [(value, row.where) for value in values if isinstance(value, dict)]
    found = [each for each in rows if name is None or str(each[0].get("id", each[0].get("custom_id"))) == name]
    if len(found) != 1:
        which = f"{len(found)} of the id {name!r}" if name is not None else f"{len(found)}; --id chooses one"
        raise UsageError(f"{file}: expected one record, found {which}")
    return found[0]


def _of_judge(row: dict[str, Any], where: str, tests: Path, submissions: Path) -> dict[str, Any]:
    """The record that a row of verdicts stands for."""
    from codejury.dataset.shelf import Shelf
    from codejury.dataset.submissions import read_submissions
    from codejury.errors import UsageError
    from codejury.model import CaseResult, Judgement, Limits
    from codejury.reward.records import record

    wanted, problem_id = str(row.get("custom_id")), str(row.get("problem"))
    with Shelf(tests, on_error=lambda error: None) as shelf:
        entries = read_submissions(submissions, problems=shelf, on_error=lambda error: None)
        submission = next((each.submission for each in entries if each.submission.id == wanted), None)
        problem = shelf.get(problem_id)
    if submission is None or problem is None:
        what = f"{submissions}: custom_id {wanted!r}" if submission is None else f"{tests}: problem {problem_id!r}"
        raise UsageError(f"{where}: {what}: expected it there, as the row names it")
    try:
        cases = tuple(CaseResult(index=at, verdict=verdict) for at, verdict in enumerate(row["cases"]))
        said = Judgement(verdict=row["verdict"], cases=cases, passed=row["passed"], total=row["total"])
        limits = msgspec.convert(row["limits"], Limits) if "limits" in row else problem.limits or Limits()
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise UsageError(f"{where}: expected a row of `codejury judge --output`: {error}") from None
    return record(submission, problem, said, limits, id=wanted)


def _show(said: Replay) -> None:
    limits = f"{said.limits.cpu_s} s of CPU time, {said.limits.memory_mb} MB"
    click.echo(f"{said.id or 'record'}: {said.then.verdict} then, {said.now.verdict} now ({limits})")
    click.echo(f"{'case':>5}  {'then':<22} {'now':<22} {'CPU s':>15} {'MB':>15}")
    then, now = _by_index(said.then), _by_index(said.now)
    for at in sorted({*then, *now}):
        old, new = then.get(at), now.get(at)
        mark = " *" if at in said.changed else ""
        click.echo(
            f"{at:>5}  {_word(old):<22} {_word(new):<22} {_pair(old, new, 'cpu_s', 3):>15}"
            f" {_pair(old, new, 'memory_mb', 0):>15}{mark}"
        )
        if at in said.changed:
            for who, result in (("then", old), ("now", new)):
                if result is not None and result.message:
                    click.echo(f"       {who}: {result.message.strip().splitlines()[-1][:160]}")
    if said.now.compile_message and said.now.compile_message != said.then.compile_message:
        click.echo(f"the compiler now: {said.now.compile_message.strip()[:400]}")
    click.echo("the same" if said.same else f"{len(said.changed)} of the verdicts differ")


def _by_index(said: Judgement) -> dict[int, CaseResult]:
    return {result.index: result for result in said.cases}


def _word(result: CaseResult | None) -> str:
    return "(not judged)" if result is None else result.verdict


def _pair(old: CaseResult | None, new: CaseResult | None, name: str, digits: int) -> str:
    return " → ".join("-" if each is None else f"{getattr(each, name):.{digits}f}" for each in (old, new))
