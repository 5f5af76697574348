"""Tests for a problem on standard input with no model: its inputs grown, its golds asked.

    samples, statement ─► Format ─► Texts ─► inputs ─► validators ─► golds, which must agree ─► cases

Owns which input becomes a test. Where the problem has validators, they must all accept it; where it has none, the
golds must agree and it must keep the format that was inferred (every text of Texts does). In both cases every gold
that is asked must answer alike, by the problem's comparison or checker, and need no more than half of the time limit.
A gold that is alone must give the same answer twice. Where inputs have real numbers and answers have none, an answer
that is another one when these are a millionth higher or lower is no test either: such an input is mostly excluded where
nobody says so, and right programs differ on it.

Which golds are asked is found out on the tests that are there: one that fails any of them is set aside.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from codejury.errors import CheckerError, CodejuryError, UsageError
from codejury.judging.jury import Jury
from codejury.model import CaseResult, Limits, Problem, Submission, TestCase
from codejury.mutation.inputs import Mismatch, Texts, infer, shrink
from codejury.testgen.crew import Crew
from codejury.testgen.rows import Validator
from codejury.testgen.validate import accepts

_MARGIN = 2.0  # the time limit over what the slowest gold took
_SAMPLES = 40  # texts that the format is inferred from
_SAMPLE_BYTES = 50_000
_LARGEST_ANSWER = 4 << 20
_SHRINK_TRIES = 60
_NUDGE = 1e-6
_HEAD = 3  # lines whose places are known one by one
_REAL = re.compile(r"[+-]?[0-9]+\.[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_TURNS = (("boundary", 2), ("small", 3), ("ramp", 1), ("growth", 2))


class Grown(msgspec.Struct, frozen=True, kw_only=True):
    """A case, and what the slowest gold took for it. `how`: the method of Texts that made it."""

    case: TestCase
    how: str
    cpu_s: float


class Growth:
    """New cases of one problem, as many as are asked for. What it makes depends on the problem, the golds and the seed,
    unless a gold is near its limit.

    counts   tried, and why the others were no tests: invalid, golds fail, golds disagree, too slow, too large, on the
             edge (_settled)
    """

    def __init__(
        self,
        jury: Jury,
        problem: Problem,
        golds: Sequence[Submission],
        *,
        validators: Sequence[Validator] = (),
        seed: int = 0,
        max_bytes: int = 500_000,
        limits: Limits | None = None,
    ) -> None:
        samples = _samples(problem)
        if not samples:
            raise UsageError(f"problem {problem.id!r}: expected tests or samples to grow inputs from, found none")
        self._jury = jury
        self._problem = problem
        self._limits = limits or problem.limits or Limits()
        # A gold that needs more than half of the limit makes no test: nobody waits for the other half.
        half_s = self._limits.cpu_s / _MARGIN if self._limits.cpu_s is not None else None
        self._gold_limits = msgspec.structs.replace(self._limits, cpu_s=half_s)
        self._golds = tuple(golds)
        self._validators = tuple(validators)
        self._seed = seed
        self.format = infer(samples, statement=problem.statement)
        self._texts = Texts(
            self.format,
            [case.input for case in problem.cases if isinstance(case.input, str)],
            seed=seed,
            max_bytes=max_bytes,
        )
        methods: dict[str, Callable[[], Iterator[str]]] = {
            "boundary": self._texts.boundaries,
            "small": self._texts.small,
            "ramp": self._texts.ramp,
            "growth": self._texts.grow,
        }
        self._turns = [(name, times, methods[name]()) for name, times in _TURNS]
        self.counts: dict[str, int] = dict.fromkeys(
            ("tried", "invalid", "golds fail", "golds disagree", "too slow", "too large", "on the edge"), 0
        )
        self._reals = _real_places(samples)

    def more(self, count: int, *, near: Sequence[str] = ()) -> list[Grown]:
        """Cases out of the next `count` inputs: the neighbours of some texts first, up to half of them."""
        wanted = list(itertools.islice(self._near(near), count // 2)) if near else []
        wanted += itertools.islice(self._mixed(), count - len(wanted))
        return self._tested(wanted)

    def shrunk(self, case: TestCase, is_interesting: Callable[[TestCase], bool]) -> TestCase:
        """The smallest test that was found of which that still holds."""
        best = case

        def tried(text: str) -> bool:
            nonlocal best
            found = self._tested([("shrunk", text)])
            if not found or not is_interesting(found[0].case):
                return False
            best = found[0].case
            return True

        with contextlib.suppress(Mismatch):
            shrink(case.input, self.format, tried, max_tries=_SHRINK_TRIES)
        return best

    def _mixed(self) -> Iterator[tuple[str, str]]:
        while self._turns:
            name, times, source = self._turns.pop(0)
            texts = list(itertools.islice(source, times))
            if texts:
                self._turns.append((name, times, source))
            yield from ((name, text) for text in texts)

    def _near(self, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        sources = []
        for text in texts:
            try:
                sources.append(self._texts.near(text))
                continue
            except Mismatch:
                continue
        while sources:
            source = sources.pop(0)
            try:
                found = next(source, None)
            except Mismatch:  # a text of somebody else's, which lacks the format
                continue
            if found is not None:
                yield "near", found
                sources.append(source)

    def _tested(self, wanted: Sequence[tuple[str, str]]) -> list[Grown]:
        self.counts["tried"] += len(wanted)
        valid = self._valid(wanted)
        answered = self._answered(valid)
        return self._settled(self._agreed(answered))

    def _valid(self, wanted: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        if not self._validators:
            return list(wanted)
        with Crew(self._jury.sandbox) as crew:
            said = list(crew.each(0, lambda each: accepts(crew, self._validators, each[1]), wanted))
        self.counts["invalid"] += said.count(False)
        return [each for each, valid in zip(wanted, said, strict=True) if valid]

    def _answered(self, valid: Sequence[tuple[str, str]]) -> list[Grown]:
        """With the answer of the first gold."""
        cases = tuple(TestCase(input=text, output=None) for _, text in valid)
        found = []
        for (how, _), case, ran in zip(valid, cases, self._ran(self._golds[0], cases, known=False), strict=True):
            if self._is_fit(ran):
                assert ran is not None
                told = {"origin": "mutation", "how": how, "seed": self._seed}
                told["validated_by"] = "validator" if self._validators else "format and golds"
                made = msgspec.structs.replace(
                    case, output=ran.output or "", provenance=json.dumps(told), group="mutation"
                )
                found.append(Grown(case=made, how=how, cpu_s=ran.cpu_s))
        return found

    def _agreed(self, found: list[Grown]) -> list[Grown]:
        """Those on which every other gold says the same; or the only one, asked again. A checker is asked about the
        first one's answer too: it may know of what an input lacks."""
        for gold in self._golds if self._problem.checker is not None else self._golds[1:] or self._golds:
            if not found:
                break
            ran = self._ran(gold, tuple(each.case for each in found), known=True)
            kept = []
            for each, result in zip(found, ran, strict=True):
                if self._is_fit(result):
                    assert result is not None
                    kept.append(msgspec.structs.replace(each, cpu_s=max(each.cpu_s, result.cpu_s)))
            found = kept
        return found

    def _settled(self, found: list[Grown]) -> list[Grown]:
        """Those whose answer does not hang on the last digit of a real number."""
        doubtful = [at for at, each in enumerate(found) if self._reals and "." not in str(each.case.output)]
        lost = set()
        for by in (_NUDGE, -_NUDGE):
            moved = [(at, nudged(found[at].case.input, self._reals, by)) for at in doubtful]
            moved = [(at, text) for at, text in moved if text != found[at].case.input]
            cases = tuple(msgspec.structs.replace(found[at].case, input=text) for at, text in moved)
            for (at, _), ran in zip(moved, self._ran(self._golds[0], cases, known=True), strict=True):
                if ran is not None and ran.verdict == "wrong_answer":
                    lost.add(at)
        self.counts["on the edge"] += len(lost)
        return [each for at, each in enumerate(found) if at not in lost]

    def _is_fit(self, ran: CaseResult | None) -> bool:
        if ran is not None and ran.verdict == "time_limit_exceeded":
            self.counts["too slow"] += 1
        elif ran is None or ran.verdict not in ("success", "wrong_answer"):
            self.counts["golds fail"] += 1
        elif ran.verdict == "wrong_answer":
            self.counts["golds disagree"] += 1
        elif self._limits.cpu_s is not None and ran.cpu_s * _MARGIN > self._limits.cpu_s:
            self.counts["too slow"] += 1
        elif len(ran.output or "") > _LARGEST_ANSWER:
            self.counts["too large"] += 1
        else:
            return True
        return False

    def _ran(self, gold: Submission, cases: tuple[TestCase, ...], *, known: bool) -> list[CaseResult | None]:
        """What a gold came to on each case. `known`: there are outputs, by which its answers are judged."""
        if not cases:
            return []
        changes: dict[str, Any] = {"cases": cases} if known else {"cases": cases, "checker": None}
        problem = msgspec.structs.replace(self._problem, **changes)
        (said,) = self._jury.judge_each([(gold, problem)], limits=self._gold_limits)
        if isinstance(said, CheckerError):  # on one of them: which one is found out one by one
            if len(cases) == 1:
                return [None]
            return [result for case in cases for result in self._ran(gold, (case,), known=known)]
        if isinstance(said, CodejuryError):
            raise said
        by_index = {result.index: result for result in said.cases}
        return [by_index.get(index) for index in range(len(cases))]


def sound_golds(jury: Jury, problem: Problem, *, most: int) -> list[Submission]:
    """The first golds that pass every test that is there."""
    return timed_golds(jury, problem, most=most)[0]


def timed_golds(jury: Jury, problem: Problem, *, most: int) -> tuple[list[Submission], float]:
    """The same, and the CPU seconds of the slowest of them on one test."""
    found: list[Submission] = []
    slowest_s = 0.0
    work = ((gold, problem) for gold in problem.golds)
    said = jury.judge_each(work, stop_on_first_failure=True) if problem.cases else itertools.repeat(None)
    for gold, judgement in zip(problem.golds, said, strict=False):
        if judgement is None:
            found.append(gold)
        elif not isinstance(judgement, CodejuryError) and judgement.accepted:
            found.append(gold)
            slowest_s = max(slowest_s, *(result.cpu_s for result in judgement.cases), 0.0)
        if len(found) == most:
            break
    return found, slowest_s


def why_unsound(jury: Jury, problem: Problem) -> str:
    """Of a problem none of whose golds is sound: what becomes of the first."""
    (said,) = jury.judge_each([(problem.golds[0], problem)], stop_on_first_failure=True)
    if isinstance(said, CodejuryError):
        return str(said)
    failed = next((result for result in said.cases if result.verdict != "success"), None)
    if failed is None:
        return f"{said.verdict}: {said.compile_message[:400]}" if said.compile_message else said.verdict
    return f"{failed.verdict} on test {failed.index + 1}" + (f": {failed.message}" if failed.message else "")


def _real_places(samples: Sequence[str]) -> frozenset[tuple[int, int]]:
    """Line and word of what is a real number in some sample. Beyond the lines that most samples have, places say
    nothing: -1 stands for any line."""
    found = set()
    for text in samples:
        for line, words in enumerate(text.splitlines()):
            for place, word in enumerate(words.split()):
                if _REAL.fullmatch(word):
                    found.add((line if line < _HEAD else -1, place))
    return frozenset(found)


def nudged(text: str, reals: frozenset[tuple[int, int]], by: float) -> str:
    """The text with the real numbers in it, and what stands where those of samples do, so much higher."""
    lines = []
    for line, words in enumerate(text.splitlines()):
        row = [
            f"{float(word) + by:.9f}"
            if _REAL.fullmatch(word) or ((line if line < _HEAD else -1, place) in reals and _NUMBER.fullmatch(word))
            else word
            for place, word in enumerate(words.split(" "))
        ]
        lines.append(" ".join(row))
    return "\n".join(lines) + "\n"


def _samples(problem: Problem) -> list[str]:
    texts = [case.input for case in problem.cases if isinstance(case.input, str) and len(case.input) <= _SAMPLE_BYTES]
    step = max(1, len(texts) // _SAMPLES)
    return texts[::step][:_SAMPLES]
