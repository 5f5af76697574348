"""Which test rejects which program: the kill matrix.

Owns the programs that tests are tried on (mutants of the golds, and wrong programs that somebody gave), and the two
ways to try them: until the first test that rejects, where that is enough, or on all tests.

    golds ─► mutants ─┐
    wrong programs ───┴─► programs × tests ─► first kills, or the whole matrix
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, zip_longest

import msgspec

from codejury.errors import CodejuryError, UsageError
from codejury.judging import calls
from codejury.judging.jury import Jury
from codejury.languages.detect import detect
from codejury.model import CaseResult, Judgement, Limits, Problem, Submission
from codejury.mutation.programs import Mutant, mutants, supports
from codejury.testgen.order import Order

_CALL_S = 1.0  # CPU seconds of a mutant's call
_LEAST_S = 1.0  # CPU seconds that a mutant has in any case, and
_PACES = 10  # times what the slowest gold took: one that needs more does not end, or not for its answer's sake
_TOGETHER = 25  # calls in one process
_GOLDS = 3  # that are mutated
_LOOKED_AT = 8  # cases on which one that fails may show that it does not fail on all


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What tests are tried on. `mutant`, `gold`: which change of which gold; None, for one that was given."""

    submission: Submission
    mutant: Mutant | None = None
    gold: int | None = None

    @property
    def is_slow(self) -> bool:
        return self.mutant is not None and self.mutant.slow

    def timed(self, problem: Problem, pace_s: float | None) -> Problem:
        """The problem with the time that this program has. A mutant that is slow on purpose, and a program that was
        given, have the problem's own limit; of the others many loop for ever, and whether they get ten times what the
        golds took (`pace_s`; None: not known) or a hundred times changes nothing but how long one waits for them."""
        limits = problem.limits or Limits()
        if pace_s is None or self.mutant is None or self.mutant.slow or limits.cpu_s is None:
            return problem
        cpu_s = min(limits.cpu_s, max(_LEAST_S, _PACES * pace_s))
        return msgspec.structs.replace(problem, limits=msgspec.structs.replace(limits, cpu_s=cpu_s, wall_s=None))


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What a program came to.

    verdict     of its first failure; success: it passed
    killed_by   the place of the test that it failed; None: it passed, or never ran
    error       why it could not be judged
    """

    verdict: str = ""
    killed_by: int | None = None
    error: str = ""

    @property
    def survives(self) -> bool:
        return self.verdict == "success"


def language_of(jury: Jury, submission: Submission) -> str:
    catalog = jury.sandbox.catalog
    if submission.language is not None:
        return catalog.get(submission.language).name
    return detect(submission.source, None, catalog).name


def programs_of(
    jury: Jury,
    problem: Problem,
    wrong: Iterable[Submission] = (),
    *,
    most: int = 40,
    seed: int = 0,
    family: int | None = None,
) -> list[Program]:
    """The wrong programs that were given, and `most` mutants of the first golds in languages that we can mutate, in
    turns. The same ones for the same problem, seed and numbers."""
    found = [Program(submission=each) for each in wrong]
    sources: list[tuple[int, str, str]] = []
    for number, gold in enumerate(problem.golds):
        try:
            language = "python" if problem.kind == "function" else language_of(jury, gold)
            jury.sandbox.toolchain(jury.sandbox.catalog.get(language))
        except UsageError:  # a language that is not here, or none that we know
            continue
        if supports(language) and not gold.files:
            sources.append((number, gold.source, language))
    # Python first: it needs no compiler, and the same fault in two languages teaches little.
    sources.sort(key=lambda each: each[2] != "python")
    made = [
        [(number, language, mutant) for mutant in mutants(source, language, limit=most, seed=seed, family=family)]  # type: ignore[arg-type]
        for number, source, language in sources[:_GOLDS]
    ]
    turns = (each for row in zip_longest(*made) for each in row if each is not None)
    for count, (number, language, mutant) in enumerate(islice(turns, most)):
        name = f"{problem.id}/gold{number}/{mutant.operator}/{count}"
        submission = Submission(source=mutant.source, language=language, id=name, label="wrong_answer")
        found.append(Program(submission=submission, mutant=mutant, gold=number))
    return found


def first_kills(
    jury: Jury,
    problem: Problem,
    programs: Sequence[Program],
    *,
    order: Order | None = None,
    pace_s: float | None = None,
) -> Iterator[Tried]:
    """For each program, in order, the first test that rejects it: the first in the problem, or with an `order` the one
    that has rejected most so far, which is quicker to say who survives, and says by whom not always the same.
    `pace_s`: what the slowest gold took (Program.timed)."""
    ours, theirs = _shared_out(problem, programs)
    called = _first_calls(jury, problem, [programs[at] for at in ours])
    judged = _first_judged(jury, problem, [programs[at] for at in theirs], order, pace_s)
    for at in range(len(programs)):
        yield next(called) if at in ours else next(judged)


def fail_everywhere(
    jury: Jury, problem: Problem, programs: Sequence[Program], *, pace_s: float | None = None
) -> list[bool]:
    """Whether each of them fails whatever it is given, as far as some of the cases tell: any test would show such a
    program, so it says nothing of tests. Of a single case nothing follows."""
    left = list(range(len(programs))) if len(problem.cases) > 1 else []
    step = max(1, len(problem.cases) // _LOOKED_AT)
    for case in problem.cases[::-step][:_LOOKED_AT]:  # what comes last is mostly unlike the first
        if not left:
            break
        alone = msgspec.structs.replace(problem, cases=(case,))
        tried = first_kills(jury, alone, [programs[at] for at in left], pace_s=pace_s)
        left = [at for at, each in zip(left, tried, strict=True) if each.killed_by is not None]
    return [at in left for at in range(len(programs))]


def _shared_out(problem: Problem, programs: Sequence[Program]) -> tuple[list[int], list[int]]:
    """Mutants of functions are ours, and no less honest than their golds: many calls share a process. All others are
    judged as submissions are."""
    ours = [at for at, each in enumerate(programs) if problem.kind == "function" and each.mutant is not None]
    return ours, [at for at in range(len(programs)) if at not in ours]


def _first_judged(
    jury: Jury, problem: Problem, programs: Sequence[Program], order: Order | None, pace_s: float | None
) -> Iterator[Tried]:
    under_way: deque[Sequence[int]] = deque()

    def work() -> Iterator[tuple[Submission, Problem]]:
        for program in programs:
            places = order.places() if order is not None else range(len(problem.cases))
            under_way.append(places)
            cases = tuple(problem.cases[place] for place in places)
            yield program.submission, msgspec.structs.replace(program.timed(problem, pace_s), cases=cases)

    for said in jury.judge_each(work(), stop_on_first_failure=True):
        places = under_way.popleft()
        if isinstance(said, CodejuryError):
            yield Tried(error=str(said))
            continue
        failed = next((result.index for result in said.cases if result.verdict != "success"), None)
        place = places[failed] if failed is not None and failed < len(places) else None
        if place is not None and order is not None:
            order.killed(place)
        yield Tried(verdict=said.verdict, killed_by=place)


def _first_calls(jury: Jury, problem: Problem, programs: Sequence[Program]) -> Iterator[Tried]:
    def one(program: Program) -> Tried:
        for result in _called(jury, problem, program):
            if result.verdict != "success":
                return Tried(verdict=result.verdict, killed_by=result.index)
        return Tried(verdict="success")

    with ThreadPoolExecutor(jury.sandbox.workers, thread_name_prefix="codejury-kills") as threads:
        yield from threads.map(one, programs)


def _called(jury: Jury, problem: Problem, program: Program) -> Iterator[CaseResult]:
    """What the function comes to on each case, one after the other."""
    limits = problem.limits or Limits()
    limits = msgspec.structs.replace(limits, cpu_s=min(limits.cpu_s or _CALL_S, _CALL_S), wall_s=None)
    memo = jury.memo(program.submission, problem, together=True, limits=limits)
    known = [memo.get(index) for index in range(len(problem.cases))]
    missing = [index for index, result in enumerate(known) if result is None]
    answers = calls.each_answer(
        jury.sandbox,
        program.submission.source,
        problem.fn_name or "",
        [problem.cases[index].input for index in missing],
        limits=limits,
        batch=_TOGETHER,
        starter_code=problem.starter_code,
        matches=problem.compare.oracle == "not_none",
    )
    for index, result in enumerate(known):
        if result is None:
            result = _result(problem, index, next(answers))
            memo.put(index, result)
        yield result


def _result(problem: Problem, index: int, answer: calls.Answer) -> CaseResult:
    if answer.verdict is not None:
        return CaseResult(index=index, verdict=answer.verdict, message=answer.message[:200], cpu_s=answer.cpu_s)
    case = problem.cases[index]
    difference = calls.compare_values(case.output, answer.value, problem.compare, args=case.input)
    if difference is None:
        return CaseResult(index=index, verdict="success", cpu_s=answer.cpu_s)
    return CaseResult(index=index, verdict="wrong_answer", message=str(difference)[:200], cpu_s=answer.cpu_s)


class Matrix(msgspec.Struct, frozen=True):
    """`kills[test]`: the programs that it rejects, by their places; `errors`: programs that could not be judged;
    `cpu_s[test]`: of the slowest program that passed it."""

    kills: list[frozenset[int]]
    errors: dict[int, str]
    cpu_s: list[float]


def matrix(jury: Jury, problem: Problem, programs: Sequence[Program], *, pace_s: float | None = None) -> Matrix:
    """Every program on every test; but one that runs out of time only on the tests up to that."""
    kills: list[set[int]] = [set() for _ in problem.cases]
    cpu_s = [0.0] * len(problem.cases)
    errors: dict[int, str] = {}
    ours, theirs = _shared_out(problem, programs)
    with ThreadPoolExecutor(jury.sandbox.workers, thread_name_prefix="codejury-kills") as threads:
        called = threads.map(lambda at: list(_called(jury, problem, programs[at])), ours)
        for place, results in zip(ours, called, strict=True):
            for result in results:
                if result.verdict != "success":
                    kills[result.index].add(place)
    work = ((programs[at].submission, programs[at].timed(problem, pace_s)) for at in theirs)
    for place, said in zip(theirs, jury.judge_each(work, stop_on_time_limit=True), strict=True):
        if isinstance(said, CodejuryError):
            errors[place] = str(said)
            continue
        for test in _failed(said, len(kills)):
            kills[test].add(place)
        for result in said.cases:
            if result.verdict == "success" and result.index < len(cpu_s):
                cpu_s[result.index] = max(cpu_s[result.index], result.cpu_s)
    return Matrix(kills=[frozenset(some) for some in kills], errors=errors, cpu_s=cpu_s)


def _failed(said: Judgement, tests: int) -> list[int]:
    if said.verdict == "compile_error":  # rejected by whatever comes
        return list(range(tests))
    return [result.index for result in said.cases if result.verdict != "success" and result.index < tests]
