"""Tests for a function problem with no model: its inputs grown, its golds asked.

    seeds ─► Values ─► inputs ─► gold with its contract ─► gold again, fresh, in another order ─► other golds ─► cases
                ▲                        │ fails: invalid, or too much work
                └────────────────────────┘

Owns which input becomes a test. It must be answered by every gold, alike, twice, by a value that has an encoding, and
far within the limits; where the problem has a contract (asserts at the head of the function), keep to that, and where
it has validators, they must all accept it. An input on
which a gold raises is never a test: a case has no word for that. Where a gold raises on a seed, raising says nothing
against an input, and is not held against the facts that the input broke.

What is made depends on the problem and the options alone, unless time runs out or a gold is near its limit.
"""

from __future__ import annotations

import functools
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice, zip_longest
from typing import Any

import msgspec

from codejury.dataset.writers.values import Inexpressible, arguments_text
from codejury.errors import UsageError
from codejury.judging import calls
from codejury.judging.calls import Answer
from codejury.judging.jury import Jury
from codejury.judging.values import BadValue, encode
from codejury.languages.execute import Sandbox
from codejury.model import Limits, Problem, Submission, TestCase
from codejury.mutation.values import Args, Values, mined, parts, shrink
from codejury.sandbox.pool import Task
from codejury.testgen.crew import Crew
from codejury.testgen.rows import Validator
from codejury.testgen.texts import Grown as GrownCase
from codejury.testgen.validate import accepts

_CHUNK = 40  # inputs that are tried together
_UNDER_WAY = 4  # chunks: what one shows is known when the one after the next three is made
_HOPELESS = 1200  # inputs in a row of which none becomes a case: there are no more
_CALL_S = 0.5  # CPU seconds of a gold on one input: a tenth of what submissions have
_RISKY_INT = 50_000  # inputs with larger numbers may be too much work, and are tried alone
_LARGEST_ANSWER = 100_000  # bytes
_SHRINK_TRIES = 60
_TOO_MUCH = ("time_limit_exceeded", "memory_limit_exceeded", "output_limit_exceeded")


class Grown(msgspec.Struct, frozen=True, kw_only=True):
    """Cases, and what became of the other inputs.

    invalid     a contract or a gold refused
    too_much    more work than a gold can do in time, or a larger answer than one wants to keep
    unsteady    another answer when asked again
    split       the golds disagree
    """

    cases: tuple[TestCase, ...]
    tried: int = 0
    invalid: int = 0
    too_much: int = 0
    unsteady: int = 0
    split: int = 0
    seconds: float = 0.0


def contract_of(problem: Problem) -> str:
    """The asserts that evalplus' rows have for the head of the function; none: an empty text."""
    contract = problem.extra.get("contract")
    return contract if isinstance(contract, str) else ""


def grow(
    box: Jury | Sandbox,
    problem: Problem,
    golds: Sequence[Submission] | None = None,
    *,
    budget_tests: int = 200,
    budget_s: float = 60.0,
    seed: int = 0,
    use_contract: bool = True,
) -> Grown:
    """At most `budget_tests` new cases beside those that the problem has, which are the seeds; fewer after `budget_s`
    seconds, or where there are no more. With an account of what was tried."""
    since = time.monotonic()
    sandbox = box.sandbox if isinstance(box, Jury) else box
    judges = tuple(golds if golds is not None else problem.golds)
    if problem.kind != "function" or problem.fn_name is None:
        raise UsageError(f"problem {problem.id!r}: expected a function to call, got kind {problem.kind!r}")
    if not judges:
        raise UsageError(f"problem {problem.id!r}: expected a gold, whose answers cases are to have")
    seeds = [list(case.input) for case in problem.cases]
    if not seeds:
        raise UsageError(f"problem {problem.id!r}: expected cases to grow from, found none")
    bench = _Bench(sandbox, problem, judges, seeds, contract_of(problem) if use_contract else "")
    values = Values(
        seeds,
        source=judges[0].source,
        fn_name=problem.fn_name,
        contract=bench.contract,
        seed=seed,
        breaking=0.2 if bench.contract else 0.05,
    )
    inputs = _alternating(values.boundaries(), values.grow())
    cases: list[TestCase] = []
    last = 0  # how many were tried when the last case was found
    counts = dict.fromkeys(("tried", "invalid", "too_much", "unsteady", "split"), 0)
    why = {"origin": "mutation", "seed": seed, "validated_by": "contract" if bench.contract else "golds"}
    under_way: deque[tuple[list[Args], Future[list[_Said]]]] = deque()
    task = Task()
    with ThreadPoolExecutor(sandbox.workers, thread_name_prefix="codejury-grow") as threads:
        try:
            more = True
            while more or under_way:
                while more and len(under_way) < _UNDER_WAY:
                    chunk = list(islice(inputs, _CHUNK))
                    more = bool(chunk) and time.monotonic() - since < budget_s
                    if more:
                        risky = max(_RISKY_INT, 2 * values.seed_int)
                        ask = functools.partial(bench.ask, chunk, risky)
                        under_way.append((chunk, threads.submit(sandbox.run_for, task, ask)))
                if not under_way:
                    break
                if futures.wait([under_way[0][1]], since + budget_s - time.monotonic()).not_done:
                    break
                chunk, future = under_way.popleft()
                for args, said in zip(chunk, future.result(), strict=True):
                    counts["tried"] += 1
                    if not _learnt(values, bench, counts, args, said):
                        continue
                    last = counts["tried"]
                    told = json.dumps({**why, "number": counts["tried"] - 1, **_warning(args, values.seed_int)})
                    cases.append(TestCase(input=args, output=said.value, provenance=told, group="mutation"))
                if len(cases) >= budget_tests or counts["tried"] - last >= _HOPELESS:
                    break
        except BaseException:
            task.give_up()  # nobody waits for them
            raise
        finally:
            left = [future for _, future in under_way if not future.cancel()]
            if futures.wait(left, since + budget_s - time.monotonic()).not_done:
                task.give_up()
    return Grown(cases=tuple(cases[:budget_tests]), seconds=time.monotonic() - since, **counts)


def _alternating(*sources: Iterator[Args]) -> Iterator[Args]:
    for row in zip_longest(*sources):
        yield from (each for each in row if each is not None)


def _warning(args: Args, seed_int: int) -> dict[str, bool]:
    """Numbers far beyond those of the seeds: a right program may need a step for each where the gold has a formula."""
    return {"extreme": True} if parts.largest(args) > max(10**6, 1000 * seed_int) else {}


class _Said(msgspec.Struct, frozen=True):
    """Of one input: the value that all agree on, or what is wrong, in the words of `Grown`."""

    value: Any = None
    fault: str = ""


class _Bench:
    """The golds, ready to be asked."""

    def __init__(
        self, sandbox: Sandbox, problem: Problem, golds: Sequence[Submission], seeds: list[Args], contract: str
    ) -> None:
        assert problem.fn_name is not None
        self._sandbox = sandbox
        self._problem = problem
        self._fn_name = problem.fn_name
        self._golds = [gold.source for gold in golds]
        self._limits = msgspec.structs.replace(problem.limits or Limits(), cpu_s=_CALL_S, wall_s=None)
        self.contract = contract
        self._first = self._golds[0]
        told = self._answers(self._first, seeds)
        self.raising_is_meant = any(answer.verdict == "runtime_error" for answer in told)
        if all(answer.verdict is not None for answer in told):
            raise UsageError(f"problem {problem.id!r}: its gold answers none of its cases: {told[0].message[-300:]}")
        if contract:
            # One that cannot be put in place, or that refuses every seed, is not this function's.
            joined = mined.with_contract(self._first, self._fn_name, contract)
            told = self._answers(joined, seeds) if joined is not None else []
            if joined is not None and any(answer.verdict is None for answer in told):
                self._first = joined
            else:
                self.contract = ""

    def ask(self, chunk: list[Args], risky: int) -> list[_Said]:
        said: list[_Said] = [_Said(fault="too_much")] * len(chunk)
        calm = [at for at, args in enumerate(chunk) if parts.largest(args) <= risky]
        found = dict(zip(calm, self._answers(self._first, [chunk[at] for at in calm]), strict=True))
        bold = sorted(set(range(len(chunk))) - set(calm), key=lambda at: (parts.largest(chunk[at]), at))
        for at in bold:
            found[at] = self._alone(chunk[at])
            if found[at].verdict in _TOO_MUCH:
                break  # the others are larger
        for at, answer in found.items():
            said[at] = _judged(answer)
        for number, source in enumerate((self._golds[0], *self._golds[1:])):
            left = [at for at in reversed(range(len(chunk))) if not said[at].fault]
            again = self._answers(source, [chunk[at] for at in left], fresh=number == 0)
            for at, answer in zip(left, again, strict=True):
                if answer.verdict in _TOO_MUCH:
                    said[at] = _Said(fault="too_much")
                elif answer.verdict is not None or self._differ(said[at].value, answer.value, chunk[at]):
                    said[at] = _Said(fault="split" if number else "unsteady")
        return said

    def _differ(self, one: Any, other: Any, args: Args) -> bool:
        return calls.compare_values(one, other, self._problem.compare, args=args) is not None

    def _answers(self, source: str, inputs: list[Args], *, fresh: bool = False) -> list[Answer]:
        if not inputs:
            return []
        return calls.gold_answers(
            self._sandbox,
            source,
            self._fn_name,
            inputs,
            limits=self._limits,
            starter_code=self._problem.starter_code,
            in_place=True,
            matches=self._problem.compare.oracle == "not_none",
            fresh=fresh,
        )

    def _alone(self, args: Args) -> Answer:
        call = calls.call_of(
            self._sandbox,
            self._first,
            self._fn_name,
            args,
            limits=self._limits,
            starter_code=self._problem.starter_code,
            in_place=True,
            matches=self._problem.compare.oracle == "not_none",
        )
        return calls.answer_of(self._sandbox.run_job(call.job), call)


def _learnt(values: Values, bench: _Bench, counts: dict[str, int], args: Args, said: _Said) -> bool:
    """Whether it is a test; the growth learns from it either way."""
    if not said.fault:
        values.accept(args)
        return True
    counts[said.fault] += 1
    if said.fault == "too_much":
        values.reject(args, too_slow=True)
    elif said.fault == "invalid" and not bench.raising_is_meant:
        values.reject(args)
    return False


def _judged(answer: Answer) -> _Said:
    if answer.verdict in _TOO_MUCH:
        return _Said(fault="too_much")
    if answer.verdict is not None:
        return _Said(fault="invalid")
    try:
        size = len(encode(answer.value))
    except BadValue:
        return _Said(fault="invalid")
    return _Said(fault="too_much") if size > _LARGEST_ANSWER else _Said(value=answer.value)


# ── As much as is asked for ──────────────────────────────────────────────────────────────────────────────────────────


class Growth:
    """New cases of one problem, batch by batch (as texts.Growth for programs).

    counts   tried, and in the words of `Grown` what became of those that are no tests
    """

    def __init__(
        self,
        jury: Jury,
        problem: Problem,
        golds: Sequence[Submission],
        *,
        validators: Sequence[Validator] = (),
        seed: int = 0,
    ) -> None:
        seeds = [list(case.input) for case in problem.cases]
        if not seeds:
            raise UsageError(f"problem {problem.id!r}: expected cases to grow from, found none")
        self._jury = jury
        self._seed = seed
        self._validators = tuple(validators)
        self._bench = _Bench(jury.sandbox, problem, golds, seeds, contract_of(problem))
        self._values = Values(
            seeds,
            source=golds[0].source,
            fn_name=problem.fn_name or "",
            contract=self._bench.contract,
            seed=seed,
            breaking=0.2 if self._bench.contract else 0.05,
        )
        boundaries = (("boundary", args) for args in self._values.boundaries())
        growth = (("growth", args) for args in self._values.grow())
        self._inputs = (each for pair in zip_longest(boundaries, growth) for each in pair if each is not None)
        self._seen = {_key(args) for args in seeds}
        self.counts = dict.fromkeys(("tried", "invalid", "too_much", "unsteady", "split"), 0)

    def more(self, count: int, *, near: Sequence[Args] = ()) -> list[GrownCase]:
        """Cases out of the next `count` inputs: the neighbours of some first, up to half of them."""
        wanted: list[tuple[str, Args]] = []
        sources = [self._values.near(args, most=count) for args in near]
        for row in zip_longest(*sources):
            wanted += [("near", each) for each in row if each is not None and self._is_new(each)]
            if len(wanted) >= count // 2:
                break
        wanted = wanted[: count // 2]
        for how, args in self._inputs:
            if len(wanted) >= count:
                break
            if self._is_new(args):
                wanted.append((how, args))
        return self._tested(wanted)

    def shrunk(self, case: TestCase, is_interesting: Callable[[TestCase], bool]) -> TestCase:
        best = case

        def tried(args: list[Any]) -> bool:
            nonlocal best
            found = self._tested([("shrunk", args)])
            if not found or not is_interesting(found[0].case):
                return False
            best = found[0].case
            return True

        shrink(case.input, tried, max_tries=_SHRINK_TRIES)
        return best

    def _is_new(self, args: Args) -> bool:
        key = _key(args)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _valid(self, wanted: Sequence[tuple[str, Args]]) -> list[tuple[str, Args]]:
        """Those that all validators accept; to them a call is text, an argument a line."""
        if not self._validators:
            return list(wanted)
        with Crew(self._jury.sandbox) as crew:
            said = list(crew.each(0, lambda each: self._accepted(crew, each[1]), wanted))
        for (_, args), valid in zip(wanted, said, strict=True):
            if not valid:
                self.counts["invalid"] += 1
                self._values.reject(args)
        return [each for each, valid in zip(wanted, said, strict=True) if valid]

    def _accepted(self, crew: Crew, args: Args) -> bool:
        try:
            text = arguments_text(args)
        except Inexpressible:
            return False
        return accepts(crew, self._validators, text)

    def _tested(self, wanted: Sequence[tuple[str, Args]]) -> list[GrownCase]:
        self.counts["tried"] += len(wanted)
        wanted = self._valid(wanted)
        risky = max(_RISKY_INT, 2 * self._values.seed_int)
        chunks = [wanted[at : at + _CHUNK // 2] for at in range(0, len(wanted), _CHUNK // 2)]
        made = []
        with ThreadPoolExecutor(self._jury.sandbox.workers, thread_name_prefix="codejury-grow") as threads:
            answers = threads.map(lambda chunk: self._bench.ask([args for _, args in chunk], risky), chunks)
            for chunk, said in zip(chunks, answers, strict=True):
                for (how, args), one in zip(chunk, said, strict=True):
                    if not _learnt(self._values, self._bench, self.counts, args, one):
                        continue
                    told = {"origin": "mutation", "how": how, "seed": self._seed}
                    by = ("validator", self._validators), ("contract", self._bench.contract), ("golds", True)
                    told["validated_by"] = next(name for name, there in by if there)
                    case = TestCase(input=args, output=one.value, provenance=json.dumps(told), group="mutation")
                    made.append(GrownCase(case=case, how=how, cpu_s=0.0))
        return made


def _key(args: Sequence[Any]) -> str:
    return repr(args)
