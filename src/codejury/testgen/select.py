"""Few tests that reject as much as many: a choice by the kill matrix, never by length.

Owns the choice. In this order:

    0  the public tests: they belong to the statement
    1  a test for each class of answers, and the largest test: they stand for what no program here got wrong
    2  the fewest tests that reject every program that the whole suite rejects (exactly where it is small enough to be
       searched through, else greedily); where there is no room for both, these come before those of the first step
    3  up to the number that is allowed, the smallest test, in which most is nought or empty; and then in turn: tests
       by which programs are rejected a second and a third time, for a program that nobody has seen yet is caught by
       what catches others in more than one way; and tests that reject other programs together than any of those kept
       does, the larger ones first: they do something else, and that may be what a program nobody has seen gets wrong

Ties go, in the first two steps, to the smaller test, then to the faster one, then to the first. Faster is what takes a
tenth of the time, and milliseconds are all alike: the same tests and programs give the same choice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from codejury.errors import CodejuryError, UsageError
from codejury.judging.jury import Jury
from codejury.model import Problem, Submission, TestCase
from codejury.testgen.kills import matrix, programs_of

_EXACT_PROGRAMS = 64  # beyond, a greedy choice: it is within a few tests of the best
_EXACT_STEPS = 20_000
_CLASS_LENGTH = 12  # characters of an answer that tells a class: YES, NO, -1, Impossible
_MOST_CLASSES = 8
_QUICK_S = 0.1


def size_of(case: TestCase) -> int:
    def length(value: Any) -> int:
        return len(value) if isinstance(value, str) else len(repr(value))

    return length(case.input) + (length(case.output) if case.output is not None else 0)


def classes(problem: Problem) -> list[list[int]]:
    """The tests of each class of answers: short words where there are few of them (YES, NO, -1), numbers by their sign
    where there are many, and all others as one."""
    words = [_class_of(case.output) for case in problem.cases]
    if len(set(words)) > _MOST_CLASSES:
        words = [_sign_of(word) for word in words]
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        found.setdefault(word, []).append(place)
    return list(found.values())


def _sign_of(word: str) -> str:
    try:
        value = float(word)
    except ValueError:
        return ""
    return "positive" if value > 0 else "negative" if value < 0 else "zero"


def _class_of(output: Any) -> str:
    if isinstance(output, str):
        text = output.strip()
        return text.lower() if len(text) <= _CLASS_LENGTH and "\n" not in text else ""
    if output is None or isinstance(output, bool):
        return repr(output)
    if isinstance(output, (int, float)):
        return "number" if output > 0 else "zero" if output == 0 else "negative"
    if isinstance(output, (list, tuple, dict, set)):
        return "something" if output else "empty"
    return ""


def choose(
    problem: Problem,
    kills: Sequence[frozenset[int]],
    *,
    most: int,
    cpu_s: Sequence[float] = (),
    fill: bool = True,
) -> list[int]:
    """The places of the tests that are kept, in order. `fill` False: not one more than the first steps want."""
    sizes = [size_of(case) for case in problem.cases]
    speeds = [_slowness(each) for each in cpu_s] or [0] * len(sizes)
    cheap = sorted(range(len(sizes)), key=lambda at: (sizes[at], speeds[at], at))
    rank = {at: place for place, at in enumerate(cheap)}
    public = [at for at, case in enumerate(problem.cases) if case.group == "public"]
    standing = _stand_for_all(problem, kills, sizes, rank, given=public)
    cover = _cover_beyond(standing, kills, rank)
    steps = [standing, cover]
    if len(standing) + len(cover) > most:
        steps = [public, _cover_beyond(public, kills, rank), standing]
    kept: list[int] = []
    for places in (*steps, cheap[:1] if fill else []):
        kept += [at for at in places if at not in kept][: most - len(kept)]
    if fill:
        _fill(kept, kills, rank, most, sizes=sizes)
    return sorted(kept)


def kill_order(kills: Sequence[frozenset[int]]) -> list[int]:
    """The places of tests so that the first few reject as much as few can: first what rejects most, then what rejects
    most of those that few have rejected so far."""
    order: list[int] = []
    _fill(order, kills, {at: at for at in range(len(kills))}, len(kills))
    return order


def _slowness(cpu_s: float) -> int:
    """In steps of ten times as long: what is measured twice is never the same, and the choice is to be."""
    return 0 if cpu_s < _QUICK_S else 1 + int(math.log10(cpu_s / _QUICK_S))


def _stand_for_all(
    problem: Problem, kills: Sequence[frozenset[int]], sizes: Sequence[int], rank: dict[int, int], *, given: list[int]
) -> list[int]:
    kept = list(given)
    largest = max(range(len(sizes)), key=lambda at: (sizes[at], len(kills[at]), -at), default=None)
    if largest is not None and largest not in kept:
        kept.append(largest)
    for places in classes(problem):
        if not any(at in kept for at in places):
            kept.append(min(places, key=lambda at: (-len(kills[at]), rank[at])))
    return kept


def _cover_beyond(kept: Sequence[int], kills: Sequence[frozenset[int]], rank: dict[int, int]) -> list[int]:
    """Few tests that reject what all of them together reject and these do not, the strongest first."""
    every: frozenset[int] = frozenset().union(*kills)
    wanted = every.difference(*(kills[at] for at in kept))
    return _strongest_first(_smallest_cover(kills, wanted, rank), kills, rank)


def _strongest_first(places: Iterable[int], kills: Sequence[frozenset[int]], rank: dict[int, int]) -> list[int]:
    return sorted(places, key=lambda at: (-len(kills[at]), rank[at]))


def _smallest_cover(kills: Sequence[frozenset[int]], wanted: frozenset[int], rank: dict[int, int]) -> list[int]:
    greedy = _greedy(kills, wanted, rank)
    if len(wanted) > _EXACT_PROGRAMS or len(greedy) <= 1:
        return greedy
    return _exact(kills, wanted, rank, greedy)


def _greedy(kills: Sequence[frozenset[int]], wanted: frozenset[int], rank: dict[int, int]) -> list[int]:
    chosen: list[int] = []
    left = wanted
    while left:
        best = min(range(len(kills)), key=lambda at: (-len(kills[at] & left), rank[at]))
        chosen.append(best)
        left -= kills[best]
    return chosen


def _exact(
    kills: Sequence[frozenset[int]], wanted: frozenset[int], rank: dict[int, int], greedy: list[int]
) -> list[int]:
    """Branch and bound on the program that fewest tests reject. Without tests that another one covers; where it takes
    too long, the best that was found."""
    useful: dict[frozenset[int], int] = {}
    for at in sorted(range(len(kills)), key=lambda at: rank[at]):
        useful.setdefault(kills[at] & wanted, at)
    sets = [
        (covered, at)
        for covered, at in useful.items()
        if covered and not any(covered < other for other in useful if other is not covered)
    ]
    by_program = {
        program: sorted((each for each in sets if program in each[0]), key=lambda each: (-len(each[0]), rank[each[1]]))
        for program in wanted
    }
    largest = max((len(covered) for covered, _ in sets), default=1)
    best = list(greedy)
    steps = 0

    def search(left: frozenset[int], chosen: list[int]) -> None:
        nonlocal best, steps
        steps += 1
        if not left:
            if len(chosen) < len(best):
                best = list(chosen)
            return
        if steps > _EXACT_STEPS or len(chosen) + -(-len(left) // largest) >= len(best):
            return
        rarest = min(left, key=lambda program: (len(by_program[program]), program))
        for covered, at in by_program[rarest]:
            search(left - covered, [*chosen, at])

    search(wanted, [])
    return best


def _fill(
    kept: list[int], kills: Sequence[frozenset[int]], rank: dict[int, int], most: int, *, sizes: Sequence[int] = ()
) -> None:
    """More tests, each time the one whose programs are rejected by the fewest of those kept: a program that is
    rejected k times already counts 2**-k. With sizes, every other time the one that is least like any of those kept."""
    times: Counter[int] = Counter(program for at in kept for program in kills[at])
    left = [at for at in range(len(kills)) if at not in kept]
    like = {at: max((_likeness(kills[at], kills[each]) for each in kept), default=0.0) for at in left if sizes}
    while left and len(kept) < most:
        if sizes and len(kept) % 2:
            best = min(left, key=lambda at: (like[at], -sizes[at], at))
        else:
            best = min(left, key=lambda at: (-sum(2.0 ** -times[program] for program in sorted(kills[at])), rank[at]))
        left.remove(best)
        kept.append(best)
        times.update(kills[best])
        if sizes:
            like.update((at, max(like[at], _likeness(kills[at], kills[best]))) for at in left)


def _likeness(some: frozenset[int], others: frozenset[int]) -> float:
    """Of the programs that either test rejects, the share that both do. Two that reject nothing are alike."""
    either = len(some | others)
    return len(some & others) / either if either else 1.0


# ── A problem ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What decides which tests are kept.

    max_tests   of a problem
    mutants     of its golds, which tests are tried on beside the wrong programs that were given
    smallest    without the third step: no tests for programs that nobody has seen
    """

    max_tests: int = 20
    mutants: int = 40
    seed: int = 0
    smallest: bool = False
    family: int | None = None


def select(
    jury: Jury, problem: Problem, options: Options, wrong: Sequence[Submission] = ()
) -> tuple[Problem, dict[str, Any]]:
    """The problem with the tests that are kept, and an account of what that costs."""
    if not problem.cases:
        raise UsageError(f"problem {problem.id!r}: expected tests to choose from, found none")
    programs = programs_of(jury, problem, wrong, most=options.mutants, seed=options.seed, family=options.family)
    found = matrix(jury, problem, programs, pace_s=_pace_s(jury, problem))
    kept = choose(problem, found.kills, most=options.max_tests, cpu_s=found.cpu_s, fill=not options.smallest)
    rejected = frozenset().union(*found.kills)
    still = frozenset().union(*(found.kills[at] for at in kept))
    account = {
        "tests_before": len(problem.cases),
        "tests": len(kept),
        "programs": len(programs),
        "killed_before": len(rejected),
        "killed": len(still),
        "lost": [programs[at].submission.id for at in sorted(rejected - still)],
        "kills": [len(found.kills[at]) for at in kept],
        "kill_order": kill_order([found.kills[at] for at in kept]),
        "errors": {programs[at].submission.id: error for at, error in found.errors.items()},
    }
    return msgspec.structs.replace(problem, cases=tuple(problem.cases[at] for at in kept)), account


def _pace_s(jury: Jury, problem: Problem) -> float | None:
    """The CPU seconds of a gold on the slowest test; None: there is none that passes them, or functions are called."""
    for gold in problem.golds if problem.kind != "function" else ():
        (said,) = jury.judge_each([(gold, problem)], stop_on_first_failure=True)
        if not isinstance(said, CodejuryError) and said.accepted:
            return max(result.cpu_s for result in said.cases)
    return None
