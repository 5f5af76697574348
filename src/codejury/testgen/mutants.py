"""What became of mutants when they ran.

    compile_error        the compiler refuses it
    fails_at_once        it fails on every case that was looked at: any test would show it, so it says nothing of tests
    killed               the problem's tests tell it from the gold
    alive                they do not; a further case does, or none was tried
    equivalent_so_far    they do not, and no further case that was tried does either

Owns the marks. Making mutants is `mutation.programs`'; new inputs for those alive are made elsewhere. An internal error
is no mark: the run is tried once more, and then the error raised. Only where the problem's own checker breaks down on
what a mutant answers, that mutant is left out: the checker would do so again, and the others can be marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from codejury.errors import CheckerError, CodejuryError, InternalError
from codejury.judging.jury import Jury
from codejury.model import Judgement, Limits, Problem, Submission, TestCase, Verdict
from codejury.mutation.programs import Mutant

State = Literal["compile_error", "fails_at_once", "equivalent_so_far", "alive", "killed"]
STATES: tuple[State, ...] = ("compile_error", "fails_at_once", "equivalent_so_far", "alive", "killed")

_LOOKED_AT = 8  # cases on which a mutant that failed the first may show that it fails not on all


class Marked(Mutant, frozen=True, kw_only=True):
    """A mutant that was run.

    killed_by   the place of the first of the problem's cases that it fails; None where it fails none
    verdict     what it got there
    shown_by    the place of the first of the further cases that it fails
    """

    state: State
    killed_by: int | None = None
    verdict: Verdict | None = None
    shown_by: int | None = None


def mark(
    jury: Jury,
    problem: Problem,
    mutants: Iterable[Mutant],
    *,
    language: str,
    further: Sequence[TestCase] = (),
    limits: Limits | None = None,
    looked_at: int = _LOOKED_AT,
) -> list[Marked]:
    """The mutants in their order, each with what it came to on the problem's cases, up to its first failure; without
    those on whose answers the checker breaks down.

    further     cases with the gold's outputs beyond the tests: a long differential run, for those that pass the tests
    looked_at   cases, spread over all, of which one has to go well for a mutant that fails the first not to be
                `fails_at_once`
    """
    tried = list(mutants)
    said = list(zip(tried, _judged(jury, problem, tried, language, limits), strict=True))
    made = [mutant for mutant, judgement in said if judgement is not None]
    first = [judgement for _, judgement in said if judgement is not None]
    state: list[State] = [_state(judgement) for judgement in first]

    doubtful = [place for place, each in enumerate(first) if state[place] == "killed" and _failed_at(each) == 0]
    for case in _spread(len(problem.cases), looked_at):
        if not doubtful:
            break
        alone = msgspec.structs.replace(problem, cases=(problem.cases[case],))
        again = _judged(jury, alone, [made[place] for place in doubtful], language, limits)
        doubtful = [place for place, each in zip(doubtful, again, strict=True) if each is None or not each.accepted]
    for place in doubtful if len(problem.cases) > 1 else ():
        state[place] = "fails_at_once"

    shown: dict[int, int] = {}
    if further:
        alive = [place for place, each in enumerate(state) if each == "alive"]
        beyond = msgspec.structs.replace(problem, cases=tuple(further))
        for place, judgement in zip(
            alive, _judged(jury, beyond, [made[place] for place in alive], language, limits), strict=True
        ):
            if judgement is None:
                continue
            if judgement.accepted:
                state[place] = "equivalent_so_far"
            else:
                shown[place] = _failed_at(judgement) or 0
    return [
        Marked(
            **msgspec.structs.asdict(mutant),
            state=state[place],
            killed_by=_failed_at(first[place]),
            verdict=None if first[place].accepted else first[place].verdict,
            shown_by=shown.get(place),
        )
        for place, mutant in enumerate(made)
    ]


def _state(judgement: Judgement) -> State:
    if judgement.verdict == "compile_error":
        return "compile_error"
    return "alive" if judgement.accepted else "killed"


def _failed_at(judgement: Judgement) -> int | None:
    return next((case.index for case in judgement.cases if case.verdict != "success"), None)


def _spread(count: int, looked_at: int) -> list[int]:
    """Places of up to `looked_at` cases after the first, from the last on: what comes last is mostly unlike it."""
    most = min(looked_at, count - 1)
    if most < 1:
        return []
    return [count - 1 - place * (count - 1) // most for place in range(most)]


def _judged(
    jury: Jury, problem: Problem, mutants: Sequence[Mutant], language: str, limits: Limits | None
) -> list[Judgement | None]:
    work = [(Submission(source=each.source, language=language), problem) for each in mutants]
    return list(_twice(jury, work, limits))


def _twice(jury: Jury, work: list[tuple[Submission, Problem]], limits: Limits | None) -> Iterator[Judgement | None]:
    """Judgements in the order of the work; None where the checker broke down."""
    said = jury.judge_each(work, limits=limits, stop_on_first_failure=True)
    for one, judgement in zip(work, said, strict=True):
        if isinstance(judgement, InternalError):
            (judgement,) = jury.judge_each([one], limits=limits, stop_on_first_failure=True)
        if isinstance(judgement, CheckerError):
            yield None
        elif isinstance(judgement, CodejuryError):
            raise judgement
        else:
            yield judgement
