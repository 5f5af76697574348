"""`codejury judge`: one program as Klear's judge is called, or a file of submissions against a file of problems."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from codejury.cli import progress
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.model import CaseResult, Judgement, Limits, Problem


_PATH = click.Path(path_type=Path)
_EXISTING = click.Path(path_type=Path, exists=True)


@click.command()
@click.argument("source", metavar="[SRC]", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@click.argument("time_s", metavar="[TIME]", type=float, required=False)
@click.argument("memory_mb", metavar="[MEMORY]", type=float, required=False)
@click.argument("io_file", metavar="[IO_FILE]", type=click.Path(path_type=Path, exists=True), required=False)
@click.argument("stop", metavar="[STOP]", type=click.IntRange(0, 1), required=False)
@click.option(
    "--tests", metavar="FILE|DIR", type=click.Path(path_type=Path, exists=True), help="Problems, of any format."
)
@click.option("--submissions", metavar="FILE|DIR", type=click.Path(path_type=Path, exists=True), help="What to judge.")
@click.option(
    "--output", metavar="FILE", type=click.Path(path_type=Path), help="Verdicts are appended here, as they come."
)
@click.option("--format", "form", metavar="F", help="Of the problems, where it cannot be told from them.")
@click.option(
    "--time", "cpu_s", metavar="S", type=float, help="CPU seconds a case; else the problem's own limit, else 5."
)
@click.option("--memory", "memory_limit", metavar="MB", type=float, help="Megabytes; else the problem's, else 1024.")
@click.option("--language", "-l", metavar="L", help="Of the program; else told from its name and text.")
@click.option("--compare", metavar="HOW", default=None, help="default, exact, tokens, floats or unordered.")
@click.option("--checker", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A Python script with is_valid_output(input, output, reference).")  # fmt: skip
@click.option("--fn-name", metavar="NAME", help="The tests call this function.")
@click.option("--stop-on-first-failure", is_flag=True, help="Leave out the cases after the first that fails.")
@click.option(
    "--allow-shared-process", is_flag=True, help="Tests that read the candidate's code get it into their process."
)
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Programs at a time; else as many as cores.")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@runner_options
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
@click.option("--debug", is_flag=True, hidden=True)
@click.option("--ptrace", is_flag=True, hidden=True)
def judge(
    source: Path | None,
    time_s: float | None,
    memory_mb: float | None,
    io_file: Path | None,
    stop: int | None,
    tests: Path | None,
    submissions: Path | None,
    output: Path | None,
    form: str | None,
    cpu_s: float | None,
    memory_limit: float | None,
    language: str | None,
    compare: str | None,
    checker: Path | None,
    fn_name: str | None,
    stop_on_first_failure: bool,
    allow_shared_process: bool,
    workers: int | None,
    level: str,
    as_json: bool,
    quiet: bool,
    debug: bool,
    ptrace: bool,
) -> None:
    """Judge programs against tests.

    \b
    One program, called as Klear's judge is; a JSON array on standard output, an object a case:
      codejury judge generator.py                       no input: what it prints
      codejury judge gold.cpp 2 256 inputs.json         inputs alone: what it answers
      codejury judge solution.py 2 256 tests.json 1     inputs and outputs; 1: stop at the first failure
    \b
    Many submissions against a data set, or a Kattis package:
      codejury judge --tests T.jsonl --submissions S.jsonl --output V.jsonl
      codejury judge --tests package/ --submissions package/ --output V.jsonl

    Submissions are rows {custom_id, solution, language?}. What --output holds already is not judged again, so a run
    that was interrupted goes on where it stopped. A row that cannot be read or judged is told, and the rest goes on.
    """
    from codejury.errors import UsageError

    one, many = source is not None, submissions is not None
    if one == many:
        raise UsageError("expected SRC, one program, or --submissions, a file of them")
    if many and (tests is None or output is None):
        raise UsageError(f"--submissions: expected {'--tests' if tests is None else '--output'} with it")
    limits = _limits(time_s if time_s is not None else cpu_s, memory_mb if memory_mb is not None else memory_limit)
    options: dict[str, Any] = {"workers": workers, "level": level, "allow_shared_process": allow_shared_process}
    stop_early = bool(stop) or stop_on_first_failure
    changes: dict[str, Any] = {"fn_name": fn_name, "checker": _text(checker) if checker else None}
    if compare is not None:
        changes["compare"] = compare
    if source is not None:
        _one(source, io_file or tests, language, limits, stop_early, changes, options)
        return
    assert tests is not None
    assert submissions is not None
    assert output is not None
    _many(tests, form, submissions, output, limits, stop_early, changes, options, as_json=as_json, quiet=quiet)


def _text(file: Path) -> str:
    from codejury.errors import UsageError

    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: expected a text: {error}") from error


def _limits(cpu_s: float | None, memory_mb: float | None) -> Limits | None:
    from codejury.errors import UsageError
    from codejury.model import Limits

    if cpu_s is None and memory_mb is None:
        return None
    usual = Limits()
    try:
        return Limits(
            cpu_s=usual.cpu_s if cpu_s is None else cpu_s, memory_mb=usual.memory_mb if memory_mb is None else memory_mb
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


# ── One program, the Klear way ───────────────────────────────────────────────────────────────────────────────────────


def _one(
    source: Path,
    io_file: Path | None,
    language: str | None,
    limits: Limits | None,
    stop: bool,
    changes: dict[str, Any],
    options: dict[str, Any],
) -> None:
    from codejury.errors import InternalError
    from codejury.judging import given
    from codejury.judging.jury import Jury
    from codejury.model import Problem, TestCase

    problem = given.problem(Problem(cases=(TestCase(),)) if io_file is None else _tests(io_file), **changes)
    with Jury(kept=None, run_only=True, **options) as jury:
        submission = given.submission(source, language, jury.sandbox.catalog)
        (said,) = jury.judge_each([(submission, problem)], limits=limits, stop_on_first_failure=stop)
        if isinstance(said, InternalError):
            rows = [
                _klear_row(case.input, case.output, io_file, "", str(said), "unknown_error") for case in problem.cases
            ]
        elif isinstance(said, Exception):
            raise said
        else:
            rows = list(_klear_rows(said, problem, io_file))
    click.echo(json.dumps(rows, ensure_ascii=True))
    if isinstance(said, InternalError):
        sys.exit(3)


def _tests(io_file: Path) -> Problem:
    from codejury.dataset.cases import cases_of
    from codejury.dataset.problems import read_problems
    from codejury.dataset.rows import read_rows
    from codejury.errors import UsageError
    from codejury.judging import given

    if io_file.is_file():
        rows = list(read_rows(io_file))
        value = rows[0].value if len(rows) == 1 else None
        if isinstance(value, dict) and [] in (value.get("outputs"), value.get("output")):
            # Klear's way to say inputs alone; anywhere else a row that lacks its outputs is a bad row
            alone = {name: each for name, each in value.items() if name not in ("outputs", "output")}
            return given.problem(cases_of(alone, where=str(io_file)).cases)
    found = list(read_problems(io_file))
    if len(found) != 1:
        raise UsageError(f"{io_file}: expected the tests of one problem, found {len(found)} problems")
    return found[0]


def _klear_rows(said: Judgement, problem: Problem, io_file: Path | None) -> Iterator[dict[str, Any]]:
    if said.verdict == "compile_error":
        for case in problem.cases:
            yield _klear_row(case.input, case.output, io_file, "", said.compile_message, "compile_error")
    for result in said.cases:
        case = problem.cases[result.index]
        error, trace = _told(result)
        yield _klear_row(case.input, case.output, io_file, result.output or "", error, result.verdict, trace)


def _told(result: CaseResult) -> tuple[str, str]:
    """The error in a line, and the traceback where there is one."""
    if result.verdict in ("success", "wrong_answer"):
        return (result.message if result.verdict == "wrong_answer" else ""), ""
    at = result.message.find("Traceback (most recent call last)")
    if at < 0:
        return result.message, ""
    trace = result.message[at:]
    return trace.strip().splitlines()[-1], trace


def _klear_row(
    given: Any, expected: Any, io_file: Path | None, answer: str, error: str, status: str, trace: str = ""
) -> dict[str, Any]:
    return {
        "input": given,
        "output": answer,
        "expected_output": None if io_file is None else "" if expected is None else expected,
        "result": None,
        "error": error,
        "traceback": trace,
        "status": status,
    }


# ── Many ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _many(
    tests: Path,
    form: str | None,
    submissions: Path,
    output: Path,
    limits: Limits | None,
    stop: bool,
    changes: dict[str, Any],
    options: dict[str, Any],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    from collections import Counter

    from codejury.dataset.shelf import Shelf
    from codejury.dataset.store import Store
    from codejury.dataset.submissions import read_submissions
    from codejury.errors import CodejuryError
    from codejury.judging import given
    from codejury.judging.jury import Jury
    from codejury.model import Limits, Submission

    counts: Counter[str] = Counter()

    def complain(error: object) -> None:
        counts["bad rows"] += 1
        click.echo(f"codejury: {error}", err=True)

    with (
        Store(output) as store,
        Shelf(tests, format=form, on_error=complain) as shelf,
        Jury(**options) as jury,
        progress.counted("judging", quiet=quiet) as advance,
    ):
        if store.repaired:
            click.echo(f"codejury: {store.repaired}", err=True)
        under_way: dict[int, tuple[str, Submission, Limits]] = {}
        places = itertools.count()

        def work() -> Iterator[tuple[Submission, Problem]]:
            for entry in read_submissions(submissions, problems=shelf, on_error=complain):
                if entry.submission.id in store:
                    counts["done before"] += 1
                    advance()
                elif entry.problem in shelf:
                    problem = given.problem(shelf[entry.problem], **changes)
                    under_way[next(places)] = (entry.problem, entry.submission, limits or problem.limits or Limits())
                    yield entry.submission, problem
                elif len(shelf) == 1:  # the only problem there is
                    problem = given.problem(shelf.only, **changes)
                    under_way[next(places)] = (shelf.only.id, entry.submission, limits or problem.limits or Limits())
                    yield entry.submission, problem
                else:
                    name = entry.submission.id
                    complain(f"{submissions}: custom_id {name!r}: {tests} has no problem of the id {entry.problem!r}")

        for place, said in jury.judge_as_done(work(), limits=limits, stop_on_first_failure=stop):
            name, submission, bounds = under_way.pop(place)
            advance()
            if isinstance(said, CodejuryError):
                counts["not judged"] += 1
                click.echo(f"codejury: {submission.id}: {said}", err=True)
                continue
            counts[said.verdict] += 1
            store.append(_verdict_row(name, submission, said, bounds))
    _summary(counts, output, as_json)
    if counts["not judged"]:
        sys.exit(3)
    if counts["bad rows"]:
        sys.exit(2)


def _verdict_row(problem: str, submission: Any, said: Judgement, limits: Limits) -> dict[str, Any]:
    failed = next((result for result in said.cases if result.verdict != "success"), None)
    return {
        "custom_id": submission.id,
        "problem": problem,
        "verdict": said.verdict,
        "passed": said.passed,
        "total": said.total,
        "cpu_s": round(said.cpu_s, 6),
        "memory_mb": round(said.memory_mb, 3),
        "first_failure": None if failed is None else {"index": failed.index, "message": failed.message},
        "compile_message": said.compile_message,
        "cases": [result.verdict for result in said.cases],
        "shared_process": said.shared_process,
        "limits": {name: getattr(limits, name) for name in limits.__struct_fields__},
        **({"label": submission.label} if submission.label else {}),
    }


def _summary(counts: Any, output: Path, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(dict(counts)))
        return
    width = max((len(name) for name in counts), default=0)
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        click.echo(f"{name:<{width}}  {count:>7}")
    click.echo(f"verdicts are in {output}")
