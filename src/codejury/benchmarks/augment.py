"""A task of a function benchmark, cleaned and strengthened: MBPP+ out of MBPP.

    task ─► does its reference pass its own tests? ─► the calls that they make ─► how answers are compared
                     │ no: set aside, and why                │
                     ▼                                        ├─ a model's calls, where there is one
              SetAside                                        ▼
                                            calls grown, the reference asked twice ─► with `mini`: the fewest that
                                            reject every mutant ─► a row, read back and judged once more ─► Made

Owns the way of one task, and what is evidence of how its answers count. Growing calls is testgen.functions', choosing
testgen.select's, rows are plus_rows', files augment_files'. No row is made whose reference fails it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from codejury.benchmarks import contract, evidence, plus_rows
from codejury.benchmarks.plus_rows import FORMS, Form
from codejury.benchmarks.recorded import calls_of, seconds_of
from codejury.dataset.problems import problem_of
from codejury.dataset.writers.values import Inexpressible
from codejury.errors import CodejuryError, InternalError, UsageError
from codejury.judging import calls
from codejury.judging.calls import Answer
from codejury.judging.jury import Jury
from codejury.model import Comparison, Judgement, Limits, Problem, Submission, TestCase
from codejury.mutation.values import parts
from codejury.testgen import functions, kills, select

Why = Literal[
    "no reference",  # nobody says what is right
    "reference fails",  # its own tests
    "flaky reference",  # another answer when it is asked again
    "not testable",  # its tests cannot be run: they are no Python, or test nothing
    "no calls",  # that could be grown: arguments or answers are no plain data
    "no form",  # values that the rows cannot hold
    "written tests fail",  # the reference does not pass what was made of it
]

_LIMITS = Limits(cpu_s=20.0)
_NEW_INTERPRETERS = 2  # in which the reference is asked again, each with a hash seed of its own
_MINI = 10  # new tests that `mini` leaves at least
_LEAST_FLOAT = 1e-6  # the tolerance of floats inside other values; alone they have it anyway

Ask = Callable[[Problem, int], Sequence[list[Any]]]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """tests      new ones of a task
    mini       only those of them that are needed to reject every mutant that all of them reject
    form       of the rows (plus_rows)
    asked      calls that a model is asked for, where there is one
    mutants    of the reference, for `mini`
    seconds    for growing the tests of one task
    reference_s   CPU seconds of the reference on all tests of a row: a quarter of what a submission mostly has
    """

    tests: int = 120
    mini: bool = False
    form: Form = "script"
    asked: int = 20
    mutants: int = 60
    seconds: float = 60.0
    reference_s: float = 5.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("tests", 1), ("asked", 1), ("mutants", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: expected a number from {least}, got {getattr(self, name)}")
        if self.form not in FORMS:
            raise ValueError(f"form: expected one of {', '.join(FORMS)}, got {self.form!r}")


class SetAside(msgspec.Struct, frozen=True, kw_only=True):
    """A task that nothing was made of."""

    why: Why
    message: str = ""


class Made(msgspec.Struct, frozen=True, kw_only=True):
    row: dict[str, Any]
    account: dict[str, Any]


class _Aside(Exception):
    def __init__(self, why: Why, message: str = "") -> None:
        super().__init__(message)
        self.told = SetAside(why=why, message=message[-600:])


def augment(jury: Jury, problem: Problem, options: Options, *, ask: Ask | None = None) -> Made | SetAside:
    """`ask` gives calls that a model thought of; what is wrong with them is found out here."""
    since = time.monotonic()
    problem = msgspec.structs.replace(problem, cases=tuple(problem.cases))
    try:
        check_reference(jury, problem)
        plain = as_calls(jury, problem)
        account: dict[str, Any] = {"base": len(plain.cases) if plain is not None else len(problem.cases)}
        if plain is None:
            written, told = _as_it_is(problem, options), ""
        else:
            made, told = _grown(jury, plain, options, account, ask)
            written = _written(jury, problem, made, options, told)
        account |= {
            "tests": written.tests,
            "plus": max(0, written.tests - account["base"]),
            "left_out": written.left_out,
            "contract": bool(told),
            "seconds": round(time.monotonic() - since, 3),
        }
        return Made(row=written.row, account=account)
    except _Aside as aside:
        return aside.told
    except Inexpressible as error:
        return SetAside(why="no form", message=str(error))


# ── The reference ────────────────────────────────────────────────────────────────────────────────────────────────────


def check_reference(jury: Jury, problem: Problem) -> None:
    if not problem.golds:
        raise _Aside("no reference")
    if not problem.cases:
        raise _Aside("not testable", "it has no tests")
    said = judged(jury, problem.golds[0], problem)
    if isinstance(said, UsageError):
        raise _Aside("not testable", str(said))
    if not said.accepted:
        raise _Aside("reference fails", told(said))


def judged(jury: Jury, submission: Submission, problem: Problem, **options: Any) -> Judgement | UsageError:
    """Once more where we failed ourselves."""
    for last in (False, True):
        (said,) = jury.judge_each([(submission, problem)], limits=problem.limits or _LIMITS, **options)
        if isinstance(said, InternalError) and not last:
            continue
        if isinstance(said, CodejuryError) and not isinstance(said, UsageError):
            raise said
        break
    return said  # type: ignore[return-value]


def told(said: Judgement) -> str:
    """A failure in a line."""
    bad = next((case for case in said.cases if case.verdict != "success"), None)
    if bad is None:
        return said.compile_message or said.verdict
    return f"test {bad.index}: {bad.verdict}: {bad.message.strip()}"


# ── Calls in the place of test code ──────────────────────────────────────────────────────────────────────────────────


def as_calls(jury: Jury, problem: Problem) -> Problem | None:
    """The task's own tests as calls with answers of the reference, and a comparison by evidence; None where they have
    arguments or answers that are no plain data."""
    source = problem.golds[0].source
    compare = problem.compare
    if problem.kind == "script":
        texts = [str(case.input) for case in problem.cases]
        fn_name = problem.fn_name or evidence.function_of(source, texts)
        if fn_name is None:
            raise _Aside("not testable", "its tests call no function of the reference")
        inputs = list(calls_of(jury.sandbox, problem, fn_name, limits=_LIMITS).calls)
        shown = evidence.shown(texts, (fn_name, "candidate"))
        oracle = shown.oracle or ("as_sets" if evidence.answers_a_set(source, fn_name) else "")
        compare = Comparison(absolute=shown.absolute or None, relative=shown.relative or None, oracle=oracle)
    elif problem.kind == "function" and problem.fn_name:
        fn_name, inputs = problem.fn_name, [list(case.input) for case in problem.cases if case.group != "plus"]
        inputs = inputs or [list(case.input) for case in problem.cases]
    else:
        raise _Aside("not testable", "expected a function to call, found a program that reads its input")
    made = msgspec.structs.replace(problem, kind="function", fn_name=fn_name, setup="", compare=compare, cases=())
    made = msgspec.structs.replace(made, outputs="given", limits=None)
    if not inputs:
        return None
    return _answered(jury, made, inputs)


def _answered(jury: Jury, problem: Problem, inputs: Sequence[list[Any]]) -> Problem | None:
    """With the inputs that the reference has a plain answer to, and what its answers show of the comparison."""
    answers = _answers(jury, problem, inputs)
    if any("re.Match" in each.message or "Match" in each.message for each in answers if each.verdict == "format_error"):
        # Found, or not found: a match itself is nothing that could be compared.
        compare = msgspec.structs.replace(problem.compare, oracle="not_none")
        problem = msgspec.structs.replace(problem, compare=compare)
        answers = _answers(jury, problem, inputs)
    good = [at for at, each in enumerate(answers) if each.verdict is None]
    for _ in range(_NEW_INTERPRETERS):
        again = _answers(jury, problem, [inputs[at] for at in good], fresh=True)
        for at, other in zip(good, again, strict=True):
            value = answers[at].value
            if other.verdict is not None:
                raise _Aside("flaky reference", f"{calls.shown(inputs[at])}: {other.message}")
            if calls.compare_values(value, other.value, problem.compare, args=inputs[at]) is None:
                continue
            unordered = msgspec.structs.replace(problem.compare, oracle="as_sets")
            if not isinstance(value, (list, tuple)) or calls.compare_values(value, other.value, unordered) is not None:
                words = f"{calls.shown(inputs[at])}: {calls.shown(value)}, then {calls.shown(other.value)}"
                raise _Aside("flaky reference", words)
            problem = msgspec.structs.replace(problem, compare=unordered)
    if not good:
        return None
    cases = [TestCase(input=inputs[at], output=answers[at].value, provenance="base", group="base") for at in good]
    problem = msgspec.structs.replace(problem, cases=tuple(cases))
    return msgspec.structs.replace(problem, compare=with_floats(problem.compare, [each.output for each in cases]))


def with_floats(compare: Comparison, outputs: Sequence[Any]) -> Comparison:
    """A tolerance where answers have floats inside other values: those alone, or in a list, have one anyway."""
    if compare.absolute is None and any(_has_deep_float(each, 0) for each in outputs):
        return msgspec.structs.replace(compare, absolute=_LEAST_FLOAT)
    return compare


def _has_deep_float(value: Any, depth: int) -> bool:
    if isinstance(value, float):
        return depth > 1 and not value.is_integer()
    if isinstance(value, dict):
        return any(_has_deep_float(each, depth + 2) for each in value.values())
    if isinstance(value, (list, tuple)):
        mixed = any(not isinstance(each, float) for each in value)
        return any(_has_deep_float(each, depth + 1 + mixed) for each in value)
    return False


def _answers(jury: Jury, problem: Problem, inputs: Sequence[list[Any]], *, fresh: bool = False) -> list[Answer]:
    return calls.gold_answers(
        jury.sandbox,
        problem.golds[0].source,
        problem.fn_name or "",
        inputs,
        limits=_LIMITS,
        starter_code=problem.starter_code,
        matches=problem.compare.oracle == "not_none",
        fresh=fresh,
    )


# ── More of them ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _grown(
    jury: Jury, base: Problem, options: Options, account: dict[str, Any], ask: Ask | None
) -> tuple[Problem, str]:
    """The calls of the task and new ones; and the contract that all of them keep."""
    wanted = options.tests
    cases = list(base.cases)
    if ask is not None:
        thought = _by_model(jury, base, ask(base, options.asked))[:wanted]
        account["by_model"] = len(thought)
        cases += thought
        wanted -= len(thought)
    seeds = msgspec.structs.replace(base, cases=tuple(cases))
    if wanted:
        try:
            found = functions.grow(jury, seeds, budget_tests=wanted, budget_s=options.seconds, seed=options.seed)
        except UsageError as error:  # its seeds take the reference longer than one of many tests may
            account["not_grown"] = str(error)[-300:]
        else:
            account |= {name: getattr(found, name) for name in ("tried", "invalid", "too_much", "unsteady")}
            cases += [msgspec.structs.replace(case, group="plus") for case in found.cases]
    if base.compare.oracle in ("as_sets", "any_order"):
        # As it happened to come is another order each time: a file that is made twice should be the same twice.
        cases = [msgspec.structs.replace(case, output=_ordered(case.output)) for case in cases]
    compare = with_floats(base.compare, [case.output for case in cases])
    made = msgspec.structs.replace(base, cases=tuple(cases), compare=compare)
    if options.mini:
        made = _fewest(jury, made, options, account)
    given = functions.contract_of(base)
    return made, given or contract.inferred(jury.sandbox, made)


def _ordered(value: Any) -> Any:
    return type(value)(sorted(value, key=repr)) if type(value) in (list, tuple) else value


def _by_model(jury: Jury, base: Problem, thought: Sequence[list[Any]]) -> list[TestCase]:
    """Those of a model's calls that are new, keep the contract, and have one answer."""
    seen = {repr(case.input) for case in base.cases}
    fresh = [args for args in {repr(args): args for args in thought}.values() if repr(args) not in seen]
    if not fresh:
        return []
    rule = functions.contract_of(base)
    try:
        first = _answers(jury, contract.joined(base, rule), fresh)
        second = _answers(jury, base, fresh, fresh=True)
    except UsageError:  # arguments that are no plain data
        return []
    return [
        TestCase(input=args, output=one.value, provenance="model", group="plus")
        for args, one, other in zip(fresh, first, second, strict=True)
        if one.verdict is None
        and other.verdict is None
        and calls.compare_values(one.value, other.value, base.compare, args=args) is None
    ]


def _fewest(jury: Jury, problem: Problem, options: Options, account: dict[str, Any]) -> Problem:
    """The task's own tests, and the fewest others that reject the mutants which those do not."""
    programs = kills.programs_of(jury, problem, most=options.mutants, seed=options.seed)
    found = kills.matrix(jury, problem, programs)
    base = [at for at, case in enumerate(problem.cases) if case.group == "base"]
    plus = [at for at, case in enumerate(problem.cases) if case.group != "base"]
    known = frozenset().union(*(found.kills[at] for at in base))
    beyond = [found.kills[at] - known for at in plus]
    some = msgspec.structs.replace(problem, cases=tuple(problem.cases[at] for at in plus))
    kept = select.choose(some, beyond, most=options.tests, fill=False) if plus else []
    if len(kept) < min(_MINI, len(plus)):  # few mutants say little: others from all over
        left = [at for at in range(len(plus)) if at not in kept]
        room = min(_MINI, len(plus)) - len(kept)
        kept = sorted([*kept, *(left[at * len(left) // room] for at in range(room))])
    account["before_mini"] = len(problem.cases)
    account["mutants"] = {"all": len(programs), "base": len(known), "plus": len(frozenset().union(known, *beyond))}
    chosen = [*base, *(plus[at] for at in kept)]
    return msgspec.structs.replace(problem, cases=tuple(problem.cases[at] for at in chosen))


# ── The row ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _written(jury: Jury, origin: Problem, made: Problem, options: Options, rule: str) -> plus_rows.Written:
    """A row that the reference passes, read back as anybody would read it."""
    for quick in (False, True):
        written = plus_rows.row_of(options.form, origin, made, contract=rule)
        back = problem_of(written.row, where=f"task {origin.id!r}")
        limits = msgspec.structs.replace(_LIMITS, cpu_s=_LIMITS.cpu_s if quick else 2 * options.reference_s)
        said = judged(jury, origin.golds[0], msgspec.structs.replace(back, limits=limits))
        if isinstance(said, UsageError):
            raise _Aside("written tests fail", str(said))
        in_time = said.cpu_s <= options.reference_s and said.verdict != "time_limit_exceeded"
        if said.accepted and (in_time or quick):
            return written
        if in_time or quick:
            raise _Aside("written tests fail", told(said))
        made = _quick(jury, made, most_s=options.reference_s / 2)
    raise AssertionError("unreachable")


def _quick(jury: Jury, made: Problem, *, most_s: float) -> Problem:
    """The task's own tests, and as many of the new ones as the reference does in a part of the time; the small ones
    first."""
    plus = [at for at, case in enumerate(made.cases) if case.group == "plus"]
    plus.sort(key=lambda at: (parts.largest(made.cases[at].input), select.size_of(made.cases[at])))
    inputs = [made.cases[at].input for at in plus]
    taken = seconds_of(jury.sandbox, made.golds[0].source, made.fn_name or "", inputs, most_s=most_s)
    kept = set(plus[: max(0, len(taken) - 1)])  # with the last one it is too much
    cases = [case for at, case in enumerate(made.cases) if case.group != "plus" or at in kept]
    return msgspec.structs.replace(made, cases=tuple(cases))


def _as_it_is(origin: Problem, options: Options) -> plus_rows.Written:
    """Its own tests alone, which the reference has passed."""
    if options.form != "script":
        raise _Aside("no calls", "its tests have arguments or answers that are no plain data")
    return plus_rows.unchanged(origin)
