"""Whether a checker is to be trusted. Owns the rule:

    accepts      every gold's output on every test, beside the expected output and beside another gold's
    never fails  whatever it is given: a crash is no verdict
    rejects      95 % of the spoilt outputs that are surely wrong, all kinds together, and of each kind that is wrong
                 by itself; 80 % of each other kind
    looks        at every part: of what is spoilt in the first line, the last one, …, it rejects something
    is steady    asked again, it says the same

Surely wrong is a spoilt output, though the problem may have many right ones, where

    - it is in no form that any problem takes (group `never`: nothing, words for numbers, words behind the end); or
    - it has a number out of all range (group `range`), and neither inputs nor golds have any below nought; or
    - it differs in what is `settled`: the golds, who are free to differ, agree on it in all tests.

Others may be right. They do not count one by one: of all of them together some must be rejected.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from codejury.checkers.program import Answer, CheckResult, check_many
from codejury.errors import CheckerError, UsageError
from codejury.languages.execute import Job, Sandbox
from codejury.model import Checker, Limits, Problem, TestCase
from codejury.mutation import outputs as spoiling
from codejury.mutation.outputs import Spoilt
from codejury.testgen.trust.settled import Settled
from codejury.testgen.trust.words import (
    CASE_CHARACTERS,
    MAX_CASES,
    MAX_RUNS,
    SHARE,
    Miss,
    Said,
    Trust,
    handy,
    in_order,
    share_of,
    spread,
)

KIND_SHARE = 0.8  # the same of one kind that is wrong only by what is settled: that may be mistaken now and then
LOOSE = 0.25  # of what may be right, that must be rejected
_OF_A_KIND = 4  # trials of a kind, from which its share means something
_GOLDS = 6  # that are asked
_STEADY = 30  # trials that are run again
_FAILURES = 4  # after which the rest is not tried: each may take as long as a checker may
_BLIND_TRIALS, _BLIND_CASES = 4, 3


class _Trial(msgspec.Struct, frozen=True, kw_only=True):
    """`wanted` None: nobody knows."""

    case: int
    kind: str
    what: str
    answer: Answer
    wanted: Literal["accepted", "rejected"] | None
    group: str = ""
    place: str = ""


def chosen(cases: Sequence[TestCase], count: int = MAX_CASES) -> list[TestCase]:
    """The tests that a checker is tried on: of all sizes, none with the same input as another."""
    fit: dict[str, TestCase] = {}
    for case in cases:
        if not isinstance(case.input, str) or not isinstance(case.output, str):
            continue
        if len(case.input) + len(case.output) <= CASE_CHARACTERS:
            fit.setdefault(case.input, case)
    return spread(sorted(fit.values(), key=lambda case: len(case.input) + len(case.output)), count)


def gold_outputs(sandbox: Sandbox, problem: Problem, cases: Sequence[TestCase]) -> list[list[str | None]]:
    """What each of the problem's first golds prints on each of the cases; None where it fails. A gold in a language
    that is not here is left out."""
    limits = problem.limits or Limits()
    found: list[list[str | None]] = []
    for gold in problem.golds:
        if len(found) == _GOLDS:
            break
        jobs = (
            Job(source=gold.source, language=gold.language, files=gold.files, stdin=case.input, limits=limits)
            for case in cases
        )
        try:
            outcomes = list(sandbox.run_many(jobs))
        except UsageError:
            continue
        if all(outcome.status == "compile_error" for outcome in outcomes):
            continue
        found.append([each.stdout.decode("utf-8", "surrogateescape") if each.ok else None for each in outcomes])
    return found


def checker_trust(
    sandbox: Sandbox,
    checker: Checker,
    cases: Sequence[TestCase],
    gold_outputs: Sequence[Sequence[str | None]] = (),
    *,
    wrong_outputs: Sequence[Sequence[str | None]] = (),
    statement: str = "",
    seed: int = 0,
    max_runs: int = MAX_RUNS,
    limits: Limits | None = None,
) -> Trust:
    """Whether the checker is to be trusted, by these tests.

    cases           tests with the expected output; `chosen` picks them
    gold_outputs    for each gold, what it printed on each case; None where it failed
    wrong_outputs   the same of programs that are known to be wrong, each somewhere
    limits          of one run of the checker; None: as it has when it judges
    """
    for outputs in (*gold_outputs, *wrong_outputs):
        if len(outputs) != len(cases):
            raise UsageError(f"outputs: expected one for each of the {len(cases)} cases, got {len(outputs)}")
    for at, case in enumerate(cases):
        if not isinstance(case.input, str) or not isinstance(case.output, str):
            raise UsageError(f"cases: expected texts for input and output, got something else in case {at}")
    right = [
        list(dict.fromkeys([case.output, *(each[at] for each in gold_outputs if each[at] is not None)]))
        for at, case in enumerate(cases)
    ]
    hearing = _Hearing(sandbox, checker, limits)
    if not cases:
        return hearing.verdict(["there is no test to try it on"])
    try:
        hearing.hear(_to_accept(checker, cases, right))
        if hearing.misses:
            return hearing.verdict([])
        settled = Settled(cases, gold_outputs, statement)
        hearing.hear(_to_reject(cases, right, settled, seed, max_runs - hearing.runs))
        if not hearing.gave_up:
            hearing.hear_wrong(_of_wrong(cases, right, wrong_outputs))
            hearing.hear_again(random.Random(seed))
    except UsageError as error:
        return hearing.verdict([f"it cannot be run: {error}"])
    return hearing.verdict([])


def _to_accept(checker: Checker, cases: Sequence[TestCase], right: Sequence[list[str]]) -> Iterator[_Trial]:
    for at, case in enumerate(cases):
        outputs = right[at][: _GOLDS + 1]
        for number, output in enumerate(outputs):
            what = "the output of a correct solution" if number else "the expected output"
            yield _accepted(at, case, output, case.output, what)
            if len(outputs) > 1:
                beside = outputs[number - 1]
                yield _accepted(at, case, output, beside, "the output of a correct solution, beside another's")
        if checker.kind == "klear" and case.output.strip():
            # The other contracts leave white space to who wrote the checker; here nobody's output is read so closely.
            bare = case.output.rstrip()
            yield _accepted(at, case, bare, case.output, "the expected output without the end of its last line")
            yield _accepted(at, case, f"{bare} \n\n", case.output, "the expected output with white space at its end")


def _accepted(at: int, case: TestCase, output: str, reference: str, what: str) -> _Trial:
    answer = Answer(input=case.input, output=output, expected=reference)
    return _Trial(case=at, kind="gold", what=what, answer=answer, wanted="accepted")


def _to_reject(
    cases: Sequence[TestCase], right: Sequence[list[str]], settled: Settled, seed: int, most: int
) -> Iterator[_Trial]:
    """Round by round, one of each case, so that fewer runs are still of all cases and kinds."""
    lines: list[list[_Trial]] = []
    for at in handy([len(case.input) + len(case.output) for case in cases]):
        case = cases[at]
        others = [each for number, texts in enumerate(right) if number != at for each in texts[:1]]
        found = spoiling.spoilt(case.output, others=others[:50], input=case.input, seed=seed)
        gists = {" ".join(text.split()) for text in right[at]}
        trials = [_spoilt_trial(at, case, each, settled) for each in found if " ".join(each.text.split()) not in gists]
        random.Random(f"{seed}:{at}").shuffle(trials)
        lines.append(trials)
    rounds = itertools.zip_longest(*lines)
    yield from itertools.islice((each for turn in rounds for each in turn if each is not None), max(0, most))


def _spoilt_trial(at: int, case: TestCase, each: Spoilt, settled: Settled) -> _Trial:
    sure = each.group == "never" or (each.group == "range" and settled.range) or settled.differs(case.output, each.text)
    return _Trial(
        case=at,
        kind=each.kind,
        what=f"an output with {spoiling.KINDS[each.kind]}" + (f" ({each.place})" if each.place else ""),
        answer=Answer(input=case.input, output=each.text, expected=case.output),
        wanted="rejected" if sure else None,
        group=each.group,
        place=each.place,
    )


def _of_wrong(
    cases: Sequence[TestCase], right: Sequence[list[str]], wrong_outputs: Sequence[Sequence[str | None]]
) -> Iterator[list[_Trial]]:
    """For each wrong program, its outputs that are no right ones."""
    for outputs in wrong_outputs:
        trials = []
        for at, (case, output) in enumerate(zip(cases, outputs, strict=True)):
            if output is None or " ".join(output.split()) in {" ".join(text.split()) for text in right[at]}:
                continue
            answer = Answer(input=case.input, output=output, expected=case.output)
            what = "the output of a wrong solution"
            trials.append(_Trial(case=at, kind="wrong_program", what=what, answer=answer, wanted=None))
        if trials:
            yield trials


class _Hearing:
    """The trials of one checker, and what it said."""

    def __init__(self, sandbox: Sandbox, checker: Checker, limits: Limits | None) -> None:
        self._sandbox, self._checker, self._limits = sandbox, checker, limits
        self._heard: list[tuple[_Trial, Said, str]] = []
        self._reasons: list[str] = []
        self._wrong: list[bool] = []
        self._failures = 0
        self.misses: list[Miss] = []
        self.runs = 0
        self.gave_up = False

    def hear(self, trials: Iterable[_Trial]) -> None:
        with contextlib.closing(self._ask(list(trials))) as answers:
            for trial, said, message in answers:
                self._heard.append((trial, said, message))
                self._failures += said == "failed"
                if said == "failed" or (trial.wanted is not None and said != trial.wanted):
                    self.misses.append(_miss(trial, said, message))
                if self._failures >= _FAILURES:
                    self.gave_up = True
                    return

    def hear_wrong(self, programs: Iterable[list[_Trial]]) -> None:
        """Each must be rejected once, but a program that is wrong may be right on these tests."""
        passed: list[_Trial] = []
        for trials in programs:
            told = list(self._ask(trials))
            failures = [_miss(trial, said, message) for trial, said, message in told if said == "failed"]
            self._failures += len(failures)
            self.misses += failures
            self._wrong.append(any(said == "rejected" for _, said, _ in told))
            if not self._wrong[-1]:
                passed.append(min(trials, key=_size))
        if len(self._wrong) >= 2 and not any(self._wrong):
            self._reasons.append(f"it accepts all that {len(self._wrong)} wrong programs print")
            self.misses += [_miss(trial, "accepted", "") for trial in passed]

    def hear_again(self, rng: random.Random) -> None:
        again = rng.sample(self._heard, min(_STEADY, len(self._heard)))
        for (trial, before, _), (_, said, _) in zip(again, self._ask([trial for trial, _, _ in again]), strict=True):
            if said != before:
                self._reasons.append(f"asked twice about the same output, it says {before}, then {said}")
                self.misses.append(_miss(trial, said, f"{before} the first time"))
                return

    def _ask(self, trials: Sequence[_Trial]) -> Generator[tuple[_Trial, Said, str], None, None]:
        answers = [trial.answer for trial in trials]
        with contextlib.closing(_results(self._sandbox, self._checker, answers, self._limits)) as results:
            for trial, result in zip(trials, results, strict=True):
                self.runs += 1
                yield trial, *_said(result)

    def verdict(self, reasons: list[str]) -> Trust:
        accepts = [said == "accepted" for trial, said, _ in self._heard if trial.wanted == "accepted"]
        surely = [(trial, said) for trial, said, _ in self._heard if trial.wanted == "rejected"]
        loose = [said == "rejected" for trial, said, _ in self._heard if trial.wanted is None]
        kinds: dict[str, list[bool]] = {}
        for trial, said in surely:
            kinds.setdefault(trial.kind, []).append(said == "rejected")
        by_itself = {trial.kind for trial, _ in surely if trial.group}
        shares = {kind: share_of(each) for kind, each in sorted(kinds.items())}
        rejects = share_of([said == "rejected" for _, said in surely])
        why = [*reasons]
        if not all(accepts):
            why.append(f"of {len(accepts)} right outputs it accepts {sum(accepts)}")
        if self._failures:
            why.append(f"it fails, in place of a verdict, in {self._failures} of {len(self._heard)} cases")
        if surely and rejects.value < SHARE:
            why.append(f"of {rejects.total} outputs that are surely wrong it rejects {rejects.count}")
        for kind, share in shares.items():
            least = SHARE if kind in by_itself else KIND_SHARE if share.total >= _OF_A_KIND else 0.0
            if share.value < least:
                words = spoiling.KINDS[kind]
                why.append(f"it accepts {share.total - share.count} of {share.total} outputs with {words}")
        told: list[_Trial] = []  # that are perhaps right, one by one
        if len(loose) >= 10 and share_of(loose).value < LOOSE:
            why.append(f"of {len(loose)} outputs with a changed value, line or order it rejects {sum(loose)}")
            told += [trial for trial, _, _ in self._heard if trial.wanted is None]
        for part, trials in self._blind().items():
            why.append(f"it accepts whatever stands in {part}, as long as it can be read")
            told += trials
        why += self._reasons
        misses = [*self.misses, *self._doubtful(told)]
        return Trust(
            trusted=not why,
            reasons=tuple(why),
            accepts=share_of(accepts),
            rejects=rejects,
            loose=share_of(loose),
            wrong_programs=share_of(self._wrong),
            kinds=shares,
            runs=self.runs,
            misses=in_order(misses),
        )

    def _blind(self) -> dict[str, list[_Trial]]:
        """Parts of which it rejects nothing that can be read, and what it accepted there."""
        seen: dict[str, list[tuple[_Trial, Said]]] = {}
        for trial, said, _ in self._heard:
            if trial.place and trial.group != "never":
                seen.setdefault(trial.place, []).append((trial, said))
            if trial.kind == "changed_letter":
                seen.setdefault("a word with letters changed", []).append((trial, said))
        return {part: [trial for trial, _ in trials] for part, trials in seen.items() if _is_blind(trials)}

    def _doubtful(self, trials: Sequence[_Trial]) -> Iterator[Miss]:
        """Those that were accepted, though nobody knows whether they are right: nothing like them is ever rejected."""
        accepted = {id(trial) for trial, said, _ in self._heard if said == "accepted"}
        for trial in trials:
            if trial.wanted is None and id(trial) in accepted:
                what = f"{trial.what}; it may be right, but too little of the kind is rejected"
                yield _miss(msgspec.structs.replace(trial, what=what), "accepted", "")


def _is_blind(trials: Sequence[tuple[_Trial, Said]]) -> bool:
    cases = {trial.case for trial, _ in trials}
    enough = len(trials) >= _BLIND_TRIALS and len(cases) >= _BLIND_CASES
    return enough and all(said == "accepted" for _, said in trials)


def _results(
    sandbox: Sandbox, checker: Checker, answers: Sequence[Answer], limits: Limits | None
) -> Generator[CheckResult | CheckerError, None, None]:
    """Closed early, it waits for what is under way and begins no more."""
    yield from check_many(sandbox, checker, answers, limits=limits)


def _said(result: CheckResult | CheckerError) -> tuple[Said, str]:
    if isinstance(result, CheckerError):
        return "failed", str(result)
    return ("accepted" if result.accepted else "rejected"), result.message


def _miss(trial: _Trial, said: Said, message: str) -> Miss:
    return Miss(
        case=trial.case,
        kind=trial.kind,
        what=trial.what,
        wanted=trial.wanted or "rejected",
        said=said,
        message=message,
        input=trial.answer.input,
        output=trial.answer.output,
        reference=trial.answer.expected,
    )


def _size(trial: _Trial) -> int:
    return len(trial.answer.input) + len(trial.answer.output)
