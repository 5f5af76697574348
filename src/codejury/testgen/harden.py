"""Tests for what tests still miss: programs that are wrong and pass, and new inputs until they fail.

    tests ─► which programs pass them? ─► new inputs, near those that told their kin from the golds ─► golds ─► tests
                        ▲                                                                               │
                        └───────────────────────────────────────────────────────────────────────────────┘

Owns the loop of one problem. The programs are mutants of its golds and any wrong ones that were given (kills.py); the
inputs are grown (texts.py, functions.py). A new test is kept because a program that passed so far fails it; beside
those, up to the number that is wanted, tests that nobody fails, of every kind in turn, for programs that nobody has
seen. A program that fails nothing that was tried is told: it may be as right as the gold.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from codejury.errors import UsageError
from codejury.judging.jury import Jury
from codejury.model import Limits, Problem, Submission, TestCase
from codejury.testgen import functions, texts
from codejury.testgen.kills import Program, Tried, fail_everywhere, first_kills, programs_of
from codejury.testgen.order import Order
from codejury.testgen.rows import validators_of
from codejury.testgen.texts import Grown, timed_golds

_BATCH = 64
_FIRST = 16  # inputs of the first round, which shows how long one takes
_NEAR = 6  # texts whose neighbours are tried in a round
_SHRUNK_FOR = 4  # programs that a smaller test must still reject
_PATIENCE = 10  # seconds on the clock for one of work
_CALIBRATED = 4.0  # a calibrated limit over what the slowest gold took
_CALIBRATED_LEAST_S = 1.0


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What decides how far a problem is hardened.

    budget      inputs that are tried, at most
    max_tests   tests that the problem has in the end, at most; what was there before stays in any case, but once
    mutants     of its golds
    golds       that are asked, at most
    seconds     of work for every worker, after which no new round of inputs is begun; they count from the first round,
                for compiling mutants may take long, too. Work is CPU time, or a busy machine would make weaker tests;
                but after ten times as long on the clock it is over in any case
    shrink      tests that reject programs are made as small as they can be and still reject them
    calibrate   the problem gets a time limit of this machine: four times what its slowest gold takes for any of the
                tests, and a second at least; never more than the limit that it has
    """

    budget: int = 400
    max_tests: int = 100
    mutants: int = 40
    golds: int = 4
    seed: int = 0
    seconds: float = 300.0
    shrink: bool = False
    calibrate: bool = False
    family: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("budget", 0), ("max_tests", 1), ("mutants", 0), ("golds", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: expected a number from {least}, got {getattr(self, name)}")


class Hardened(msgspec.Struct, frozen=True, kw_only=True):
    """A problem with its new tests.

    account    of what was done, for the row and the report
    """

    problem: Problem
    account: dict[str, Any]


class Grower(Protocol):
    """Where new cases come from."""

    counts: dict[str, int]

    def more(self, count: int, *, near: Sequence[Any] = ()) -> list[Grown]: ...

    def shrunk(self, case: TestCase, is_interesting: Any) -> TestCase: ...


def harden(jury: Jury, problem: Problem, options: Options, wrong: Sequence[Submission] = ()) -> Hardened:
    """`jury`: one that keeps whole answers and runs cases without outputs (`run_only`)."""
    return _Hardening(jury, problem, options, wrong).run()


class _Work:
    """How long it has taken: what programs used, shared by the workers, and what this thread used."""

    def __init__(self, jury: Jury) -> None:
        self._jury = jury
        self._cpu_s, self._own_s, self._began = jury.cpu_s, time.thread_time(), time.monotonic()

    @property
    def seconds(self) -> float:
        programs_s = (self._jury.cpu_s - self._cpu_s) / self._jury.sandbox.workers
        work_s = programs_s + time.thread_time() - self._own_s
        return max(work_s, (time.monotonic() - self._began) / _PATIENCE)


class _Hardening:
    def __init__(self, jury: Jury, problem: Problem, options: Options, wrong: Sequence[Submission]) -> None:
        if problem.kind == "script":
            raise UsageError(f"problem {problem.id!r}: a test script has no inputs that could be grown")
        if not problem.golds:
            raise UsageError(f"problem {problem.id!r}: expected solutions, by whose answers new tests are made")
        self._jury = jury
        given = len(problem.cases)
        problem = msgspec.structs.replace(problem, cases=_distinct(problem.cases))
        self._dropped = given - len(problem.cases)
        self._problem = problem
        self._options = options
        self._since = time.monotonic()
        self._golds, self._pace_s = timed_golds(jury, problem, most=options.golds)
        if not self._golds:
            raise UsageError(
                f"problem {problem.id!r}: none of its {len(problem.golds)} solutions passes its tests; the first one: "
                f"{texts.why_unsound(jury, problem)}"
            )
        self._programs = programs_of(
            jury, problem, wrong, most=options.mutants, seed=options.seed, family=options.family
        )
        self._tried: dict[int, Tried] = {}  # the last word on each program
        self._killers: dict[int, int] = {}  # program -> the place of the new test that rejected it
        self._new: list[Grown] = []
        self._grower: Grower | None = None

    def run(self) -> Hardened:
        self._try(list(range(len(self._programs))), self._problem.cases)
        before = [at for at, tried in self._tried.items() if not tried.survives]
        if self._options.budget:
            self._grower = self._growing()
            self._loop()
        self._settle_limit()
        places = self._kept()
        kept = [self._shrunk(place) if self._options.shrink else self._new[place] for place in places]
        cases = (*self._problem.cases, *(grown.case for grown in kept))
        problem = msgspec.structs.replace(self._timed(), cases=cases)
        return Hardened(problem=problem, account=self._account(before, places))

    def _growing(self) -> Grower:
        growth = functions.Growth if self._problem.kind == "function" else texts.Growth
        validators = validators_of(self._problem)
        return growth(self._jury, self._problem, self._golds, validators=validators, seed=self._options.seed)

    def _loop(self) -> None:
        assert self._grower is not None
        left, batch, work = self._options.budget, _FIRST, _Work(self._jury)
        while left > 0 and (rest_s := self._options.seconds - work.seconds) > 0:
            tried = self._grower.counts["tried"]
            if tried:  # no more than there is time for
                batch = max(1, min(_BATCH, int(rest_s * tried / work.seconds)))
            grown = self._grower.more(min(batch, left), near=self._close())
            spent = self._grower.counts["tried"] - tried
            if not spent:  # nothing new can be made
                break
            left -= spent
            self._pace_s = max([self._pace_s, *(each.cpu_s for each in grown)])
            self._try(self._survivors(), [each.case for each in grown], offset=len(self._new))
            self._new += grown
            if not self._survivors() and len(self._new) >= self._room:
                break

    @property
    def _room(self) -> int:
        return max(0, self._options.max_tests - len(self._problem.cases))

    def _survivors(self) -> list[int]:
        return [at for at, tried in self._tried.items() if tried.survives]

    def _close(self) -> list[Any]:
        """Inputs that told a mutant of the same gold, nearest to the line of one that survives, from it."""
        chosen: list[int] = []
        for at in self._survivors():
            mutant, gold = self._programs[at].mutant, self._programs[at].gold
            if mutant is None:
                continue
            kin = [
                (abs(other.line - mutant.line), place)
                for killed, place in self._killers.items()
                if (other := self._programs[killed].mutant) is not None and self._programs[killed].gold == gold
            ]
            if kin and (place := min(kin)[1]) not in chosen:
                chosen.append(place)
            if len(chosen) == _NEAR:
                break
        return [self._new[place].case.input for place in chosen]

    def _try(self, places: Sequence[int], cases: Sequence[TestCase], *, offset: int | None = None) -> None:
        """These programs on these cases. `offset`: how many new tests there were before these."""
        if not cases:
            for at in places:
                self._tried.setdefault(at, Tried(verdict="success"))
            return
        problem = msgspec.structs.replace(self._timed(), cases=tuple(cases))
        # Which new test is kept must not depend on who was faster.
        order = Order(len(cases)) if offset is None else None
        programs = [self._programs[at] for at in places]
        said = first_kills(self._jury, problem, programs, order=order, pace_s=self._pace_s)
        for at, tried in zip(places, said, strict=True):
            self._tried[at] = tried
            if offset is not None and tried.killed_by is not None:
                self._killers[at] = offset + tried.killed_by

    # -- the time limit

    def _timed(self) -> Problem:
        """The problem with the limit that holds by what is known of its golds so far."""
        limits = self._problem.limits or Limits()
        if not self._options.calibrate:
            return self._problem
        cpu_s = round(max(_CALIBRATED_LEAST_S, _CALIBRATED * self._pace_s), 1)
        cpu_s = cpu_s if limits.cpu_s is None else min(cpu_s, limits.cpu_s)
        return msgspec.structs.replace(self._problem, limits=msgspec.structs.replace(limits, cpu_s=cpu_s, wall_s=None))

    def _settle_limit(self) -> None:
        """A calibrated limit rises as slower tests are found: who failed for an earlier one is tried again."""
        if not self._options.calibrate:
            return
        for at, place in list(self._killers.items()):
            if self._tried[at].verdict == "time_limit_exceeded":
                problem = msgspec.structs.replace(self._timed(), cases=(self._new[place].case,))
                (again,) = first_kills(self._jury, problem, [self._programs[at]], pace_s=self._pace_s)
                if again.survives:
                    self._tried[at] = again
                    del self._killers[at]

    # -- what is kept

    def _kept(self) -> list[int]:
        """The places of tests that rejected somebody; then of every kind in turn, up to the number that is wanted.
        Neighbours that missed whom they were aimed at are much alike, and what is odd about the input that they were
        made of is odd about them: they do not fill up what the other kinds leave."""
        chosen = dict.fromkeys(sorted(set(self._killers.values())))
        kinds: dict[str, list[int]] = {}
        for place, grown in enumerate(self._new):
            if place not in chosen:
                kinds.setdefault(grown.how, []).append(place)
        queues = [places for _, places in sorted(kinds.items())]
        if "ramp" in kinds:  # the largest ones are at its end
            kinds["ramp"].reverse()
        near = kinds.get("near")
        while any(places is not near for places in queues) and len(chosen) < self._room:
            places = queues.pop(0)
            chosen[places.pop(0)] = None
            if places:
                queues.append(places)
        return sorted(chosen)

    def _shrunk(self, place: int) -> Grown:
        """A new test, as small as it can be and still reject whom it was the first to reject."""
        grown = self._new[place]
        killed = [self._programs[at] for at, by in self._killers.items() if by == place][:_SHRUNK_FOR]
        if not killed:
            return grown
        assert self._grower is not None

        def still_rejects(case: TestCase) -> bool:
            problem = msgspec.structs.replace(self._timed(), cases=(case,))
            said = first_kills(self._jury, problem, killed, pace_s=self._pace_s)
            return all(tried.killed_by is not None for tried in said)

        return msgspec.structs.replace(grown, case=self._grower.shrunk(grown.case, still_rejects))

    # -- what is said

    def _states(self) -> list[str]:
        """What became of each program."""
        cases = (*self._problem.cases, *(grown.case for grown in self._new))
        failed = [at for at, tried in self._tried.items() if tried.killed_by is not None]
        problem = msgspec.structs.replace(self._timed(), cases=cases)
        programs = [self._programs[at] for at in failed]
        everywhere = fail_everywhere(self._jury, problem, programs, pace_s=self._pace_s)
        at_once = {at for at, fails in zip(failed, everywhere, strict=True) if fails}
        return [self._state(at, tried, at_once) for at, tried in self._tried.items()]

    def _state(self, at: int, tried: Tried, at_once: set[int]) -> str:
        if tried.error:
            return "not judged"
        if tried.survives:
            return "survives"
        if tried.verdict == "compile_error":
            return "does not compile"
        if at in at_once:
            return "fails on every input"
        return "killed by new tests" if at in self._killers else "killed before"

    def _account(self, before: Sequence[int], places: Sequence[int]) -> dict[str, Any]:
        states = Counter(self._states())
        slow = [at for at in self._tried if self._programs[at].is_slow]
        limits = self._timed().limits or Limits()
        return {
            "golds": [self._problem.golds.index(gold) for gold in self._golds],
            "set_aside": len(self._problem.golds) - len(self._golds),
            "programs": len(self._programs),
            "mutants": sum(program.mutant is not None for program in self._programs),
            "killed_before": len(before),
            "killed": sum(not tried.survives and not tried.error for tried in self._tried.values()),
            "states": dict(sorted(states.items())),
            "survivors": [_told(self._programs[at]) for at in self._survivors()],
            "errors": {
                self._programs[at].submission.id: tried.error for at, tried in self._tried.items() if tried.error
            },
            "tests_before": len(self._problem.cases),
            "tests_dropped": self._dropped,
            "tests_new": len(places),
            "tests_that_kill": len(set(self._killers.values())),
            "kills": [  # of each new test, in order: whom it was the first to reject
                [self._programs[at].submission.id for at, by in self._killers.items() if by == place]
                for place in places
            ],
            "inputs": dict(self._grower.counts) if self._grower is not None else {},
            "slow": {
                "programs": len(slow),
                "killed": sum(self._tried[at].verdict == "time_limit_exceeded" for at in slow),
                "limit_s": limits.cpu_s,
                "calibrated": self._options.calibrate,
                "slowest_gold_s": round(self._pace_s, 4),
                "smallest_input": min(
                    (
                        len(str(self._new[self._killers[at]].case.input))
                        for at in slow
                        if at in self._killers and self._tried[at].verdict == "time_limit_exceeded"
                    ),
                    default=None,
                ),
            },
            "seconds": round(time.monotonic() - self._since, 3),
        }


def _distinct(cases: Sequence[TestCase]) -> tuple[TestCase, ...]:
    """Without those that say what an earlier one says."""
    found: dict[str, TestCase] = {}
    for case in cases:
        found.setdefault(repr((case.input, case.output, case.group)), case)
    return tuple(found.values())


def _told(program: Program) -> dict[str, Any]:
    told: dict[str, Any] = {"id": program.submission.id}
    if program.mutant is not None:
        mutant = program.mutant
        told |= {"operator": mutant.operator, "line": mutant.line, "before": mutant.before, "after": mutant.after}
        told |= {"slow": True} if mutant.slow else {}
    return told


def provenance_of(case: TestCase) -> dict[str, Any]:
    """What a case says of where it comes from, as data."""
    try:
        told = json.loads(case.provenance)
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {"origin": case.provenance or "given"}
