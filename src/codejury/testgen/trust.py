"""Has a checker, or an input validator, earned trust? It is tried on what it must accept and on what it must reject.

Owns the rule, and the words for who has to mend it. In which ways outputs are spoilt is `mutation.outputs`', and inputs
`mutation.inputs.spoiling`'s; running is `checkers.program`'s and `validate`'s.

A checker is trusted where it

    accepts      every gold's output on every test, beside the expected output and beside another gold's
    never fails  whatever it is given: a crash is no verdict
    rejects      95 % of the spoilt outputs that are surely wrong, all kinds together, and of each kind that is wrong
                 by itself
    looks        at every part: of what is spoilt in the first line, the last one, …, it rejects something
    is steady    asked again, it says the same

Surely wrong is a spoilt output, though the problem may have many right ones, where

    - it is in no form that any problem takes (group `never`: nothing, words for numbers, words behind the end); or
    - it has a number out of all range (group `range`), and neither inputs nor golds have any below nought; or
    - it differs in what is settled: the golds, who are free to differ, agree on it in all tests. That is a place (the
      first word, say), the number of words, or all of it where three golds never differ. Numbers agree within the
      statement's tolerance.

Others may be right. They do not count one by one: of all of them together some must be rejected.

A validator is trusted where it accepts every valid input and rejects 95 % of the spoilt ones: of each kind that no
problem takes (group `never`), and of the others (counts, bounds) together. That it fails in place of a verdict is as
good as a no, for then the input is dropped as well; but not that it runs into a limit.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

from codejury.checkers.program import Answer, CheckResult, check_many
from codejury.errors import CheckerError, UsageError
from codejury.languages.execute import Job, Sandbox
from codejury.model import Checker, Limits, Problem, TestCase
from codejury.mutation import outputs as spoiling
from codejury.mutation.inputs import Format, infer
from codejury.mutation.inputs.bounds import bounds_of, plain
from codejury.mutation.inputs.spoiling import KINDS as KINDS_OF_INPUTS
from codejury.mutation.inputs.spoiling import SpoiltInput, spoilt
from codejury.mutation.outputs import Spoilt, is_number
from codejury.testgen.crew import Crew
from codejury.testgen.rows import Validator
from codejury.testgen.trouble import Trouble
from codejury.testgen.validate import refusal

SHARE = 0.95  # of what is surely wrong, that must be rejected
LOOSE = 0.25  # of what may be right, that must be rejected
MAX_CASES = 20
MAX_RUNS = 600
_GOLDS = 6  # that are asked
_CASE_CHARACTERS = 200_000  # of input and output; larger ones cost time and teach nothing
_STEADY = 30  # trials that are run again
_FAILURES = 8  # after which the rest is not tried
_BATCH = 64
_BLIND_TRIALS, _BLIND_CASES = 4, 3
_SETTLED_CASES = 3
_AGREE = 1e-6
_DIFFER = 1e-4
_LARGE = 10**15

_LIMIT = re.compile(r"the validator (?:took|printed|started|opened|needs) more than |\w+_limit_exceeded")

Said = Literal["accepted", "rejected", "failed"]
_T = TypeVar("_T")


class Share(msgspec.Struct, frozen=True):
    count: int = 0
    total: int = 0

    @property
    def value(self) -> float:
        return self.count / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.count} of {self.total}"


class Miss(msgspec.Struct, frozen=True, kw_only=True):
    """One trial in which it said what it must not.

    case     the number of the test, from 0; None for what belongs to none
    kind     gold, or how the text was spoilt
    what     the same in words
    """

    case: int | None
    kind: str
    what: str
    wanted: Literal["accepted", "rejected"]
    said: Said
    message: str = ""
    input: str = ""
    output: str | None = None  # None: an input was the question
    reference: str | None = None


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whether it is trusted.

    reasons   why not, a sentence each; none where it is
    accepts   of what it must accept
    rejects   of what it must reject
    loose     rejected, of what may be right or wrong
    kinds     rejected, by the way of spoiling, of what it must reject
    runs      how often it was asked
    misses    the trials that speak against it, shortest first within a kind
    """

    trusted: bool
    reasons: tuple[str, ...] = ()
    accepts: Share = Share()
    rejects: Share = Share()
    loose: Share = Share()
    kinds: dict[str, Share] = {}
    runs: int = 0
    misses: tuple[Miss, ...] = ()

    def evidence(self, max_characters: int = 2400) -> str:
        """For a prompt that asks for a repair: the reasons, then trials, one of each kind first. "" where it is
        trusted."""
        if self.trusted:
            return ""
        text = "\n".join(f"- {reason}" for reason in self.reasons)
        text = _middle_cut(text, max_characters // 2)
        for miss in _one_of_each_first(self.misses):
            more = "\n\n" + _told(miss)
            if len(text) + len(more) > max_characters:
                continue
            text += more
        return text


def _told(miss: Miss, shown: int = 300) -> str:
    lines = [f"Case: {miss.what}."]
    lines.append(f"input:\n{_middle_cut(miss.input, shown)}")
    if miss.output is not None:
        lines.append(f"output:\n{_middle_cut(miss.output, shown) or '(nothing)'}")
    if miss.reference is not None and miss.reference != miss.output:
        lines.append(f"reference output:\n{_middle_cut(miss.reference, shown)}")
    said = "it failed" if miss.said == "failed" else f"it was {miss.said}"
    words = f" ({_middle_cut(miss.message, shown)})" if miss.message else ""
    lines.append(f"must be {miss.wanted}, but {said}{words}")
    return "\n".join(lines)


def _middle_cut(text: str, most: int) -> str:
    text = text.strip("\n")
    if len(text) <= most:
        return text
    half = (most - 5) // 2
    return f"{text[:half]} ... {text[-half:]}"


def _one_of_each_first(misses: Iterable[Miss]) -> list[Miss]:
    by_kind: dict[tuple[str, str], list[Miss]] = {}
    for miss in misses:
        by_kind.setdefault((miss.kind, miss.said), []).append(miss)
    rounds = itertools.zip_longest(*by_kind.values())
    return [miss for each in rounds for miss in each if miss is not None]


# ── Checkers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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
        if len(case.input) + len(case.output) <= _CASE_CHARACTERS:
            fit.setdefault(case.input, case)
    return _spread(sorted(fit.values(), key=lambda case: len(case.input) + len(case.output)), count)


def _spread(things: Sequence[_T], count: int) -> list[_T]:
    """So many of them, the first and the last among them."""
    if len(things) <= count:
        return list(things)
    return [things[at * (len(things) - 1) // max(1, count - 1)] for at in range(count)]


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
    for at, case in enumerate(cases):
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
        self._failures = 0
        self.misses: list[Miss] = []
        self.runs = 0
        self.gave_up = False

    def hear(self, trials: Iterable[_Trial]) -> None:
        coming = iter(trials)
        while batch := list(itertools.islice(coming, _BATCH)):
            for trial, said, message in self._ask(batch):
                self._heard.append((trial, said, message))
                self._failures += said == "failed"
                if said == "failed" or (trial.wanted is not None and said != trial.wanted):
                    self.misses.append(_miss(trial, said, message))
            if self._failures >= _FAILURES:
                self.gave_up = True
                return

    def hear_wrong(self, programs: Iterable[list[_Trial]]) -> None:
        """Each must be rejected once, but a program that is wrong may be right on these tests."""
        accepted: list[_Trial] = []
        total = 0
        for trials in programs:
            said = list(self._ask(trials))
            total += 1
            if not any(each == "rejected" for _, each, _ in said):
                accepted.append(min(trials, key=_size))
        if total >= 2 and len(accepted) == total:
            self._reasons.append(f"it accepts all that {total} wrong programs print")
            self.misses += [
                _miss(msgspec.structs.replace(trial, wanted="rejected"), "accepted", "") for trial in accepted
            ]

    def hear_again(self, rng: random.Random) -> None:
        again = rng.sample(self._heard, min(_STEADY, len(self._heard)))
        for (trial, before, _), (_, said, _) in zip(again, self._ask([trial for trial, _, _ in again]), strict=True):
            if said != before:
                self._reasons.append(f"asked twice about the same output, it says {before}, then {said}")
                self.misses.append(_miss(trial, said, f"{before} the first time"))
                return

    def _ask(self, trials: list[_Trial]) -> Iterator[tuple[_Trial, Said, str]]:
        answers = [trial.answer for trial in trials]
        results = check_many(self._sandbox, self._checker, answers, limits=self._limits)
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
        shares = {kind: _share(each) for kind, each in sorted(kinds.items())}
        rejects = _share([said == "rejected" for _, said in surely])
        why = [*reasons]
        if not all(accepts):
            why.append(f"of {len(accepts)} right outputs it accepts {sum(accepts)}")
        if self._failures:
            why.append(f"it fails, in place of a verdict, in {self._failures} of {len(self._heard)} cases")
        if surely and rejects.value < SHARE:
            why.append(f"of {rejects.total} outputs that are surely wrong it rejects {rejects.count}")
        for kind in sorted(by_itself):
            if shares[kind].value < SHARE:
                share, words = shares[kind], spoiling.KINDS[kind]
                why.append(f"it accepts {share.total - share.count} of {share.total} outputs with {words}")
        if len(loose) >= 10 and _share(loose).value < LOOSE:
            why.append(f"of {len(loose)} outputs with a changed value, line or order it rejects {sum(loose)}")
        why += [f"it accepts whatever stands in {place}, as long as it can be read" for place in self._blind()]
        why += self._reasons
        misses = sorted(self.misses, key=lambda miss: (miss.wanted == "rejected", miss.said != "failed"))
        return Trust(
            trusted=not why,
            reasons=tuple(why),
            accepts=_share(accepts),
            rejects=rejects,
            loose=_share(loose),
            kinds=shares,
            runs=self.runs,
            misses=tuple(sorted(misses, key=_length)[:200]) if len(misses) > 200 else tuple(misses),
        )

    def _blind(self) -> list[str]:
        """Places of which it rejects nothing that can be read."""
        seen: dict[str, list[tuple[int, Said]]] = {}
        for trial, said, _ in self._heard:
            if trial.place and trial.group != "never":
                seen.setdefault(trial.place, []).append((trial.case, said))
        return [
            place
            for place, trials in seen.items()
            if len(trials) >= _BLIND_TRIALS
            and len({case for case, _ in trials}) >= _BLIND_CASES
            and all(said == "accepted" for _, said in trials)
        ]


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


def _length(miss: Miss) -> int:
    return len(miss.input) + len(miss.output or "")


def _share(said: Sequence[bool]) -> Share:
    return Share(sum(said), len(said))


# ── Validators ───────────────────────────────────────────────────────────────────────────────────────────────────────


def validator_trust(
    sandbox: Sandbox,
    validators: Sequence[Validator],
    inputs: Sequence[str],
    *,
    statement: str = "",
    seed: int = 0,
    max_runs: int = MAX_RUNS,
) -> Trust:
    """Whether the validators, who must all accept, are to be trusted together.

    inputs      valid ones: samples, and inputs of tests that are known to be good
    statement   its bounds are tried
    """
    given = [text for text in dict.fromkeys(inputs) if text.strip() and len(text) <= _CASE_CHARACTERS]
    given = _spread(sorted(given, key=len), MAX_CASES)
    if not given or not validators:
        why = "there is no valid input to try it on" if validators else "there is none"
        return Trust(trusted=False, reasons=(why,))
    with Crew(sandbox) as crew:

        def asked(text: str) -> tuple[Said, str]:
            for validator in validators:
                refused = refusal(crew, validator, text)
                if refused is not None:
                    return ("failed" if refused[0] == "validator failed" else "rejected"), refused[1]
            return "accepted", ""

        try:
            heard = list(zip(given, crew.each(0, asked, given), strict=True))
            if any(said != "accepted" for _, (said, _) in heard):
                return _validator_verdict(heard, [])
            format = infer(given, statement=statement)
            trials = _inputs_to_reject(given, format, statement, seed, max_runs - len(given))
            said = crew.each(0, lambda each: asked(each[1].text), trials)
            return _validator_verdict(heard, [(at, each, *told) for (at, each), told in zip(trials, said, strict=True)])
        except Trouble as error:
            return Trust(trusted=False, reasons=(f"it cannot be run: {error}",))


def _inputs_to_reject(
    inputs: Sequence[str], format: Format, statement: str, seed: int, most: int
) -> list[tuple[int, SpoiltInput]]:
    bounds = bounds_of(statement)
    lines = [[(at, each) for each in spoilt(text, format, bounds=bounds, seed=seed)] for at, text in enumerate(inputs)]
    rounds = itertools.zip_longest(*lines)
    return list(itertools.islice((each for turn in rounds for each in turn if each is not None), max(0, most)))


def _validator_verdict(
    valid: Sequence[tuple[str, tuple[Said, str]]], spoilt: Sequence[tuple[int, SpoiltInput, Said, str]]
) -> Trust:
    accepts = [said == "accepted" for _, (said, _) in valid]
    misses = [
        Miss(case=at, kind="valid", what="a valid input", wanted="accepted", said=said, message=message, input=text)
        for at, (text, (said, message)) in enumerate(valid)
        if said != "accepted"
    ]
    kinds: dict[str, list[bool]] = {}
    never = {each.kind for _, each, _, _ in spoilt if each.group == "never"}
    for at, each, said, message in spoilt:
        is_out = said == "rejected" or (said == "failed" and not _LIMIT.match(message))
        kinds.setdefault(each.kind, []).append(is_out)
        if not is_out:
            what = f"an input with {KINDS_OF_INPUTS[each.kind]}" + (f" ({each.detail})" if each.detail else "")
            misses.append(
                Miss(case=at, kind=each.kind, what=what, wanted="rejected", said=said, message=message, input=each.text)
            )
    shares = {kind: _share(each) for kind, each in sorted(kinds.items())}
    why = []
    if not all(accepts):
        why.append(f"of {len(accepts)} valid inputs it accepts {sum(accepts)}")
    for kind in sorted(never):
        if shares[kind].value < SHARE:
            share = shares[kind]
            why.append(f"it accepts {share.total - share.count} of {share.total} inputs with {KINDS_OF_INPUTS[kind]}")
    others = [each for kind, said in kinds.items() if kind not in never for each in said]
    if _share(others).value < SHARE:
        worst = sorted((kind for kind in shares if kind not in never), key=lambda kind: shares[kind].value)
        told = ", ".join(KINDS_OF_INPUTS[kind] for kind in worst if shares[kind].value < SHARE)
        why.append(
            f"of {len(others)} inputs that are nearly valid it rejects {sum(others)}; it accepts some with {told}"
        )
    rejects = _share([each for said in kinds.values() for each in said])
    return Trust(
        trusted=not why,
        reasons=tuple(why),
        accepts=_share(accepts),
        rejects=rejects,
        kinds=shares,
        runs=len(valid) + len(spoilt),
        misses=tuple(sorted(misses, key=_length)),
    )


# ── What is settled ──────────────────────────────────────────────────────────────────────────────────────────────────

_POWER = re.compile(r"10 ?\^ ?\(?- ?(\d{1,2})|(?<![\d.])1e-(\d{1,2})")
_DECIMAL = re.compile(
    r"(?:error|tolerance|precis\w*|accura\w*|off by|differ\w*|fel|noggrann\w*|skekkj\w*|nákvæmni)"
    r"[^.\n]{0,80}?(0[.]0*1)\b",
    re.IGNORECASE,
)


def stated_tolerance(statement: str) -> float | None:
    """The largest error that the statement allows, where it speaks of one."""
    text = plain(statement)
    found = [10.0 ** -int(match[1] or match[2]) for match in _POWER.finditer(text)]
    found += [float(match[1]) for match in _DECIMAL.finditer(text)]
    return max((each for each in found if 0 < each < 1), default=None)


class Settled:
    """What golds agree on in all tests, though they could differ.

    range   all numbers of inputs and outputs are from 0 to 10^15, so that others are out of range
    """

    def __init__(
        self, cases: Sequence[TestCase], gold_outputs: Sequence[Sequence[str | None]], statement: str = ""
    ) -> None:
        tolerance = stated_tolerance(statement)
        self._agree = max(_AGREE, 2 * (tolerance or 0))
        self._differ = max(_DIFFER, 5 * (tolerance or 0))
        self._has_tolerance = tolerance is not None
        votes: list[list[list[list[str]]]] = []
        for at, case in enumerate(cases):
            texts = [text for each in gold_outputs if (text := each[at]) is not None]
            if case.output is not None and case.output.split() not in [text.split() for text in texts]:
                texts.append(case.output)  # somebody else's
            votes.append([_table(text) for text in texts])
        self.range = not any(
            _is_out_of_range(word)
            for case, tables in zip(cases, votes, strict=True)
            for text in (case.input[:20_000], *(" ".join(itertools.chain(*table)) for table in tables))
            for word in text.split()
        )
        several = [tables for tables in votes if len(tables) > 1]
        enough = len(several) >= _SETTLED_CASES
        self._golds = min((len(tables) for tables in several), default=0)
        self._never_differ = enough and all(self._same(tables[0], each) for tables in several for each in tables[1:])
        self._count = enough and all(len({sum(map(len, table)) for table in tables}) == 1 for tables in several)
        self._places = self._agreed_places(several) if enough and not self._never_differ else set()

    def differs(self, expected: str, output: str) -> bool:
        """Whether the output differs from the expected one in what is settled."""
        known, given = _table(expected), _table(output)
        words, given_words = list(itertools.chain(*known)), list(itertools.chain(*given))
        if self._count and len(words) != len(given_words):
            return True
        if self._never_differ:
            if len(words) != len(given_words):
                return True
            pairs = zip(words, given_words, strict=True)
            if self._golds >= 3:
                return any(self._unlike(one, other) for one, other in pairs)
            # Two golds may break ties alike; but fractions and words do not come out alike by chance.
            return any(("." in one or not is_number(one)) and self._unlike(one, other) for one, other in pairs)
        at_places, given_at_places = _at_places(known), _at_places(given)
        return any(
            place not in given_at_places or self._unlike(at_places[place], given_at_places[place])
            for place in self._places
            if place in at_places
        )

    def _agreed_places(self, several: list[list[list[list[str]]]]) -> set[tuple[int, int]]:
        seen: dict[tuple[int, int], int] = {}
        split: set[tuple[int, int]] = set()
        for tables in several:
            found = [_at_places(table) for table in tables]
            for place in set().union(*found):
                words = [each.get(place) for each in found]
                first = words[0]
                if first is None or any(word is None or not self._is_like(first, word) for word in words[1:]):
                    split.add(place)
                seen[place] = seen.get(place, 0) + 1
        return {place for place, count in seen.items() if count >= _SETTLED_CASES and place not in split}

    def _same(self, one: list[list[str]], other: list[list[str]]) -> bool:
        words, others = list(itertools.chain(*one)), list(itertools.chain(*other))
        return len(words) == len(others) and all(map(self._is_like, words, others))

    def _is_like(self, one: str, other: str) -> bool:
        return _distance(one, other, exact=False) <= self._agree

    def _unlike(self, one: str, other: str) -> bool:
        return _distance(one, other, exact=not self._has_tolerance) > self._differ


def _distance(one: str, other: str, *, exact: bool) -> float:
    """Between two words: 0 for the same; of numbers, the part of the larger of 1 and their size. `exact`: whole numbers
    that are not the same are far from each other."""
    if one.casefold() == other.casefold():
        return 0.0
    if not (is_number(one) and is_number(other)):
        return float("inf")
    if exact and "." not in one + other:
        return float("inf")
    a, b = float(one), float(other)
    return abs(a - b) / max(1.0, abs(a)) if abs(a) != float("inf") != abs(b) else float("inf")


def _is_out_of_range(word: str) -> bool:
    return is_number(word) and not 0 <= float(word) < _LARGE


def _table(text: str) -> list[list[str]]:
    return [words for line in text.splitlines() if (words := line.split())]


def _at_places(table: list[list[str]]) -> dict[tuple[int, int], str]:
    """The first words of the first lines, and of the last line (-1): places that are the same in tests of any size."""
    found = {(row, column): word for row, line in enumerate(table[:3]) for column, word in enumerate(line[:4])}
    if len(table) > 1:
        found |= {(-1, column): word for column, word in enumerate(table[-1][:4])}
    return found
