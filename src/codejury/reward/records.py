"""A judgement as a file of its own, and the same judged again.

Owns the record: all that decides a verdict (program, language, tests, limits, comparison, checker) beside what was said
then, so that it can be held against what is said now, on another day or another host.

    {"codejury_record": 1, "version", "id", "submission": {…}, "problem": {codejury's own row}, "limits": {…},
     "judgement": {…}, "score"?, "level"?}

`problem` has the tests that were judged by, be they few of many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from codejury import __version__
from codejury.dataset.problems import problem_of, row_of
from codejury.errors import UsageError
from codejury.judging.jury import Jury
from codejury.model import CaseResult, Judgement, Limits, Problem, Submission
from codejury.reward.batch import Reward

VERSION = 1


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What was said then, and what is said now. `changed`: the places of the cases whose verdicts differ."""

    id: str
    then: Judgement
    now: Judgement
    changed: tuple[int, ...]
    limits: Limits

    @property
    def same(self) -> bool:
        return self.then.verdict == self.now.verdict and not self.changed


def record_of(reward: Reward, *, id: str = "", level: str = "") -> dict[str, Any]:
    """Plain data, for JSON. UsageError where nothing was judged."""
    if reward.judgement is None or reward.problem is None or reward.submission is None or reward.limits is None:
        raise UsageError(f"record: expected a reward that was judged: {reward.message or reward.trouble}")
    return record(reward.submission, reward.problem, reward.judgement, reward.limits, id=id, level=level) | {
        "score": reward.score
    }


def record(
    submission: Submission, problem: Problem, said: Judgement, limits: Limits, *, id: str = "", level: str = ""
) -> dict[str, Any]:
    bare = msgspec.structs.replace(problem, golds=(), statement="", extra={}) if problem.outputs == "given" else problem
    return {
        "codejury_record": VERSION,
        "version": __version__,
        "id": id or submission.id or problem.id,
        "submission": msgspec.to_builtins(submission),
        "problem": row_of(bare),
        "limits": msgspec.to_builtins(limits),
        "judgement": msgspec.to_builtins(said),
        "level": level,
    }


def read_record(row: Mapping[str, Any], *, where: str) -> tuple[str, Submission, Problem, Judgement, Limits]:
    if row.get("codejury_record") != VERSION:
        raise UsageError(f"{where}: expected a record of a judgement (codejury_record: {VERSION})")
    try:
        problem = problem_of(row["problem"], where=where)
        submission = msgspec.convert(row["submission"], Submission)
        limits = msgspec.convert(row["limits"], Limits)
        said = msgspec.convert(row["judgement"], Judgement)
    except KeyError as error:
        raise UsageError(f"{where}: expected the field {error}") from None
    except (msgspec.ValidationError, ValueError) as error:
        raise UsageError(f"{where}: expected a whole record: {error}") from None
    return str(row.get("id") or ""), submission, problem, said, limits


def replay(jury: Jury, row: Mapping[str, Any], *, case: int | None = None, where: str = "record") -> Replay:
    """The same cases again, by the same limits; `case`: that one alone."""
    name, submission, problem, then, limits = read_record(row, where=where)
    known = {result.index: result for result in then.cases}
    if case is not None and case not in known:
        shown = ", ".join(map(str, sorted(known))) or "none"
        raise UsageError(f"{where}: --case: expected one of the cases that were judged ({shown}), got {case}")
    if problem.kind == "script":  # its parts share a process: they are judged together or not at all
        now = _judged(jury, submission, problem, limits)
        wanted = set(known) | {result.index for result in now.cases} if case is None else {case}
    else:
        # After an early stop the rest was not judged, and is not asked for.
        places = sorted(known) if case is None else [case]
        wanted = set(places)
        few = msgspec.structs.replace(problem, cases=tuple(problem.cases[at] for at in places) or problem.cases)
        now = _numbered(_judged(jury, submission, few, limits), places, len(problem.cases))
    found = {result.index: result for result in now.cases}
    changed = tuple(at for at in sorted(wanted) if _verdict(known, at) != _verdict(found, at))
    if case is not None:
        then, now = (_of_case(each, case) for each in (then, now))
    return Replay(id=name, then=then, now=now, changed=changed, limits=limits)


def _judged(jury: Jury, submission: Submission, problem: Problem, limits: Limits) -> Judgement:
    (said,) = jury.judge_many([(submission, problem)], limits=limits)
    return said


def _numbered(said: Judgement, places: Sequence[int], total: int) -> Judgement:
    cases = tuple(msgspec.structs.replace(each, index=places[each.index]) for each in said.cases)
    return msgspec.structs.replace(said, cases=cases, total=total)


def _of_case(said: Judgement, case: int) -> Judgement:
    kept = tuple(each for each in said.cases if each.index == case)
    verdict = kept[0].verdict if kept else said.verdict
    return msgspec.structs.replace(said, cases=kept, verdict=verdict, passed=int(verdict == "success"), total=1)


def _verdict(results: Mapping[int, CaseResult], at: int) -> str | None:
    return results[at].verdict if at in results else None
