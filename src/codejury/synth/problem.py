"""One row through all of it.

Owns the order of the stages, what is done where one fails, and what the row says about it. Whatever the model and its
programs do ends in a row; only where the model's server gives no answer, or one is still to come, it does not.

    validator, decision, generators    need nothing of each other: where answers are still to come, all are asked for
    checker                            needs inputs, and what the golds answer to them
    tests                              made as `gen` makes them, out of the row alone: so `gen` can repeat it
    harden, survivors                  need tests

    row["synthesis"] = {state, model, checker?, validator?, generators: [{index, stage, prompt, version, request, round,
                        source, …}], against: […], steps: [Step …]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from codejury.errors import ModelError, UsageError
from codejury.judging.jury import Jury
from codejury.llm.prompts import Prompts
from codejury.model import TestCase
from codejury.synth import adversary, artifacts, generators
from codejury.synth.artifacts import Artifact
from codejury.synth.asking import Asker, Request, Waiting
from codejury.synth.bench import Bench
from codejury.synth.dialogue import Dialogue
from codejury.synth.faults import Fault, steadied
from codejury.synth.generators import Rounds, Written
from codejury.synth.options import Options
from codejury.synth.trial import try_generator
from codejury.testgen import harden, pipeline, rows
from codejury.testgen.crew import Crew
from codejury.testgen.harden import provenance_of
from codejury.testgen.rows import Task, Validator

State = Literal[
    "made",  # the row has tests, or what alone was asked for
    "no generator",  # none gave a test
    "no checker",  # one is needed, and none was trusted
    "no validator",  # it alone was asked for, and none was trusted
    "no tests",  # the golds agree on no input in the end
    "no answer",  # the model's server gave none
]
WRONG_FOR_ALL = (401, 403, 404)  # the key or the model: no other question would fare better
_ANY_NUMBER = 10_000  # of inputs, that a generator may make which nobody asked for a number
_NEVER_S = 1e6  # hardening ends by its budget: by the clock it would end elsewhere each time


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """`row` is to be written."""

    row: dict[str, Any]
    state: State
    tests: int = 0


class Synthesis:
    """Of one row. `dialogue` holds the steps also where `run` was not finished."""

    def __init__(
        self,
        crew: Crew,
        jury: Jury,
        asker: Asker,
        prompts: Prompts,
        task: Task,
        options: Options,
        *,
        model: str,
        turn: int = 0,
    ) -> None:
        self.dialogue = Dialogue(asker, prompts, task.id)
        self._bench = Bench(crew, jury, task, options, how="checked" if task.checkers else "compared", turn=turn)
        self._options = options
        self._asker = asker
        self._told: dict[str, Any] = {"model": model}
        self._needs_checker = False
        self._asked_with_evidence = False
        self._written: list[Written] = []
        self._rounds: dict[str, list[str]] = {}
        self._last: Fault | None = None

    def run(self) -> Result:
        """Waiting where answers are still to come; ModelError where there will be none."""
        if self._options.only == "validators":
            return self._validator_alone()
        stages: list[Callable[[], object]] = [self._validator, self._decision]
        self._gather(stages if self._options.only == "checkers" else [*stages, self._first_questions])
        if self._needs_checker:
            self._bench = self._bench.having(how="open")
        if self._options.only == "checkers":
            self._given_generators()
        else:
            self._generators()
        if not self._written:
            return self._ended("no generator", "generators", self._why_no_generator())
        if self._needs_checker and not self._checker() and self._options.untrusted == "drop":
            return self._ended("no checker", "checker", self._told["checker"]["why"])
        return self._tests()

    # ── Stages ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _gather(self, stages: Sequence[Callable[[], object]]) -> None:
        """All of them, as far as they get: what one waits for does not keep the next from saying what it needs."""
        wanted: list[Request] = []
        for stage in stages:
            try:
                stage()
            except Waiting as waiting:
                wanted += waiting.requests
        if wanted:
            raise Waiting(list({request.digest: request for request in wanted}.values()))

    def _validator(self) -> None:
        task = self._bench.task
        if task.validators or task.fn_name is not None or not self._options.wants("validators"):
            return
        made = self._unless_refused(lambda: artifacts.write_validator(self.dialogue, self._bench))
        self._told["validator"] = made.account()
        if made.code is not None:
            self._bench = self._bench.having(validators=[Validator(source=made.code, kind="klear")])

    @staticmethod
    def _unless_refused(write: Callable[[], Artifact]) -> Artifact:
        """A problem can do without a validator, and may without a checker; so a server that does not take its prompt
        (too long, say) is no reason to give the problem up."""
        try:
            return write()
        except ModelError as error:
            if error.trouble != "refused" or error.status in WRONG_FOR_ALL:
                raise
            return Artifact(why=str(error))

    def _decision(self) -> None:
        task = self._bench.task
        if task.checkers or task.fn_name is not None or not self._options.wants("checkers"):
            return
        when = self._options.checkers
        self._needs_checker = when == "always" or (
            when == "auto" and artifacts.needs_checker(self.dialogue, self._bench)
        )

    def _kinds(self) -> list[tuple[str, int]]:
        wanted = (("regular", self._options.regular), ("corner", self._options.corner))
        return [(kind, count) for kind, count in wanted if count]

    def _first_questions(self) -> None:
        """Where answers come later, these are asked for together with the others: nothing that is still unknown is in
        them."""
        if not self._asker.defers:
            return
        questions = [
            (generators.first_question(self.dialogue, self._bench, kind=kind, wanted=wanted), sample)
            for kind, wanted in self._kinds()
            for sample in range(self._options.samples)
        ]
        task = self._bench.task
        self._gather(
            [
                lambda question=question, sample=sample: self._asker.ask(task.id, question.messages, sample=sample)  # type: ignore[misc]
                for question, sample in questions
            ]
        )

    def _generators(self) -> None:
        found: dict[str, list[Rounds]] = {kind: [] for kind, _ in self._kinds()}

        def one(kind: str, wanted: int, sample: int) -> None:
            first = generators.first_question(self.dialogue, self._bench, kind=kind, wanted=wanted)
            rounds = generators.write(
                self.dialogue,
                self._bench,
                first,
                stage=f"generator {kind}",
                wanted=wanted,
                sample=sample,
                settles=self._settles,
            )
            found[kind].append(rounds)

        self._gather(
            [
                lambda kind=kind, wanted=wanted, sample=sample: one(kind, wanted, sample)  # type: ignore[misc]
                for kind, wanted in self._kinds()
                for sample in range(self._options.samples)
            ]
        )
        if self._needs_checker and self._bench.how == "compared":  # the golds' answers showed it
            self._bench = self._bench.having(how="open")
            found = self._tried_again(found)
        if not any(rounds.best for each in found.values() for rounds in each) and self._is_validators_fault(found):
            why = "it rejects all that the generators make"
            self._told["validator"] = {**self._told["validator"], "trusted": False, "why": why}
            self._bench = self._bench.having(validators=[])
            found = self._tried_again(found)
        for kind, each in found.items():
            self._rounds[kind] = [fault for rounds in each for fault in rounds.faults]
            self._last = next((rounds.last for rounds in each if rounds.last), self._last)
            best = [rounds.best for rounds in each if rounds.best is not None]
            if best:
                self._written.append(max(best, key=lambda written: written.trial.worth))

    def _settles(self, fault: Fault) -> bool:
        """Golds disagree: is it that several outputs are right?"""
        task = self._bench.task
        if self._options.checkers != "auto" or not self._options.wants("checkers"):
            return False
        if task.fn_name is not None or task.checkers:
            return False
        if not self._needs_checker and not self._asked_with_evidence and self._bench.how == "compared":
            self._asked_with_evidence = True
            shown = f"input:\n{fault.input}\n{fault.evidence}"
            self._needs_checker = artifacts.needs_checker(self.dialogue, self._bench, evidence=shown)
        return self._needs_checker

    def _is_validators_fault(self, found: dict[str, list[Rounds]]) -> bool:
        """The model wrote both: where nothing is left, the one that was tried on less is not trusted any longer."""
        if not self._told.get("validator", {}).get("trusted"):
            return False
        faults = [fault for each in found.values() for rounds in each for fault in rounds.faults]
        return "invalid input" in faults

    def _tried_again(self, found: dict[str, list[Rounds]]) -> dict[str, list[Rounds]]:
        """The same generators on another bench; no question is asked."""
        wanted = dict(self._kinds())
        return {
            kind: [generators.tried_again(self._bench, rounds, wanted=wanted[kind]) for rounds in each]
            for kind, each in found.items()
        }

    def _given_generators(self) -> None:
        for code in self._bench.task.generators:
            trial = try_generator(self._bench, code, wanted=_ANY_NUMBER)
            self._last = trial.fault or self._last
            if trial.kept:
                self._written.append(Written(trial=trial, origin={}))

    def _checker(self) -> bool:
        trials = [written.trial for written in self._written]
        made = self._unless_refused(lambda: artifacts.write_checker(self.dialogue, self._bench, trials))
        self._told["checker"] = {**made.account(), "needed": True}
        if made.code is None:
            self._bench = self._bench.having(how="compared")
            return False
        self._bench = self._bench.having(checkers=[made.code], how="checked")
        return True

    def _validator_alone(self) -> Result:
        if self._bench.task.fn_name is not None:
            why = "arguments of functions have no validator"
            return self._finished("no validator", dict(self._bench.task.row), why)
        self._validator()
        told = self._told.get("validator", {"trusted": True})
        row = dict(self._bench.task.row)
        if self._bench.task.validators:
            row["input_validator"] = _plain(self._bench.task.validators)
        return self._finished("made" if told["trusted"] else "no validator", row, told.get("why"))

    # ── Tests ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _tests(self) -> Result:
        given = self._bench.task.generators
        ours = [written for written in self._written if written.origin]
        self._told["generators"] = [{"index": len(given) + at, **written.origin} for at, written in enumerate(ours)]
        self._bench = self._bench.having(generators=[*given, *(written.trial.code for written in ours)])
        task = self._kept()
        made = pipeline.make(self._bench.crew, task, self._bench.gen_options, turn=self._bench.turn)
        row = _without_measures(made.row)
        if made.error_info is not None:
            return self._finished("no tests", row, steadied(made.error_info))
        if self._options.only is None:
            self._hardened(row)
        return self._finished("made", row, None)

    def _kept(self) -> Task:
        """The task, whose row has what the model wrote."""
        task = self._bench.task
        row = {**task.row, "input_generator": list(task.generators)}
        if task.checkers:
            row["checker"] = list(task.checkers)
        if task.validators:
            row["input_validator"] = _plain(task.validators)
        return msgspec.structs.replace(task, row=row)

    def _hardened(self, row: dict[str, Any]) -> None:
        """New tests into the row: by mutation of inputs, then by the model."""
        tests: list[dict[str, Any]] = row["reward"]["ground_truth"]["input_output"]
        about_tests: list[dict[str, Any]] = row["test_provenance"]["tests"]
        options = self._options
        if options.budget and options.mutants:
            problem = self._bench.problem_of(tests)
            chosen = harden.Options(
                budget=options.budget, max_tests=max(1, len(tests)), mutants=options.mutants, seconds=_NEVER_S
            )
            try:
                made = harden.harden(self._bench.jury, problem, chosen)
            except UsageError as error:
                self._told["harden"] = {"error": str(error)}
                return
            names = ("programs", "killed_before", "killed", "tests_new")
            self._told["harden"] = {name: made.account[name] for name in names}
            for case in made.problem.cases[len(problem.cases) :]:
                tests.append(_test(case, like=tests[0]))
                about_tests.append(provenance_of(case))
        self._attacks(row, tests, about_tests)

    def _attacks(self, row: dict[str, Any], tests: list[dict[str, Any]], about_tests: list[dict[str, Any]]) -> None:
        if self._bench.task.fn_name is not None or not self._options.survivors:
            return
        told = []
        left = adversary.survivors(self._bench, self._bench.problem_of(tests), self._bench.programs)
        for number in range(self._options.survivors):
            if not left:
                break
            program = left.pop(0)
            try:
                attack = adversary.attack(self.dialogue, self._bench, program, number)
            except ModelError as error:
                if error.trouble != "refused" or error.status in WRONG_FOR_ALL:
                    raise
                told.append({"program": program.submission.id, "killed": False, "error": str(error)})
                continue
            account = attack.account()
            if attack.written is not None:
                index = len(row["input_generator"])
                row["input_generator"].append(attack.written.trial.code)
                known = {test["input"] for test in tests}
                for each, trusted in attack.written.trial.agreed:
                    if each.value not in known:
                        tests.append(pipeline.test_of(self._bench.task, each, trusted))
                        about_tests.append({"generator": index, "position": each.position, "golds": trusted.golds})
                account["index"] = index
                left = adversary.survivors(self._bench, self._bench.problem_of(tests), left)
            told.append(account)
        if told:
            self._told["against"] = told

    # ── What is written ──────────────────────────────────────────────────────────────────────────────────────────────

    def _why_no_generator(self) -> str:
        tried = "; ".join(f"{kind}: {', '.join(faults)}" for kind, faults in self._rounds.items())
        last = f"\nlast: {self._last.told()}" if self._last is not None else ""
        return f"no generator gives a test ({tried or 'the row has none'}){last}"

    def _ended(self, state: State, step: str, why: str) -> Result:
        row = rows.written(self._bench.task, [], error_info=None)
        return self._finished(state, row, f"step: {step}\nwhat: {why}")

    def unanswered(self, error: ModelError) -> Result:
        """The row where the server gave no answer."""
        return self._ended("no answer", "model", f"{error.trouble}: {error}")

    def _finished(self, state: State, row: dict[str, Any], error_info: str | None) -> Result:
        row["error_info"] = error_info
        row["synthesis"] = {
            "state": state,
            **self._told,
            "rounds": self._rounds,
            "steps": [msgspec.to_builtins(step) for step in self.dialogue.steps],
        }
        truth = row.get("reward", {}).get("ground_truth", {})
        return Result(row=row, state=state, tests=len(truth.get("input_output", [])))


def _plain(validators: Sequence[Validator]) -> list[Any]:
    """A source alone where nothing else is said, as others read it."""
    return [
        each.source
        if not each.files and each.language is None and each.kind in (None, "klear")
        else msgspec.to_builtins(each)
        for each in validators
    ]


def _test(case: TestCase, *, like: dict[str, Any]) -> dict[str, Any]:
    """In the form of the tests that are there."""
    if isinstance(case.input, str) or not isinstance(like["input"], str):
        return {"input": case.input, "output": case.output}
    return {"input": "\n".join(json.dumps(each) for each in case.input), "output": json.dumps(case.output)}


def _without_measures(row: dict[str, Any]) -> dict[str, Any]:
    """A row must be the same whenever it is made: what was measured is in nobody's way elsewhere."""
    told = row.get("test_provenance")
    if isinstance(told, dict):
        for each in told["tests"]:
            each.pop("cpu_s", None)
            each.pop("memory_mb", None)
        for each in told["dropped"]:
            each["first"] = steadied(each["first"])
        for each in told["set_aside"]:
            each["why"] = steadied(each["why"])
    return row
