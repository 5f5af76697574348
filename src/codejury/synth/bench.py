"""What all trials of one problem share: its row, the sandbox, its golds' answers, and wrong programs to measure by.

Owns the mutants of the golds (made once a problem) and how tests become a problem that programs are judged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

from codejury.dataset.problems import problem_of
from codejury.errors import UsageError
from codejury.judging.jury import Jury
from codejury.languages.detect import detect
from codejury.model import Problem, TestCase
from codejury.mutation.inputs import Format, infer
from codejury.synth.options import Options
from codejury.testgen import agreement, outputs, pipeline, rows
from codejury.testgen.agreement import Poll, Trusted
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.kills import Program, first_kills, programs_of
from codejury.testgen.options import Options as GenOptions
from codejury.testgen.rows import Task, Validator

How = Literal[
    "compared",  # golds agree where their outputs are the same
    "checked",  # a checker says so
    "open",  # nobody knows yet: a checker is still to be written
]
Agreed = list[tuple[Input, Trusted]]


class Bench:
    """`task` and `how` change as artifacts are added: each state is a Bench of its own (`having`)."""

    def __init__(self, crew: Crew, jury: Jury, task: Task, options: Options, *, how: How, turn: int) -> None:
        self.crew = crew
        self.jury = jury
        self.task = task
        self.options = options
        self.how = how
        self.turn = turn

    def having(
        self,
        *,
        generators: Sequence[str] | None = None,
        checkers: Sequence[str] | None = None,
        validators: Sequence[Validator] | None = None,
        how: How | None = None,
    ) -> Bench:
        changed: dict[str, Any] = {
            name: tuple(value)
            for name, value in (("generators", generators), ("checkers", checkers), ("validators", validators))
            if value is not None
        }
        task = msgspec.structs.replace(self.task, **changed)
        return Bench(self.crew, self.jury, task, self.options, how=how or self.how, turn=self.turn)

    @property
    def gen_options(self) -> GenOptions:
        return GenOptions(
            gen_index=None,
            quorum=self.options.quorum,
            checker="ignored" if self.how == "compared" else "where_given",
            generator=self.options.generator,
            run=self.options.run,
        )

    # ── What the row has ─────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def public(self) -> list[TestCase]:
        """The samples of the statement."""
        given = {name: value for name, value in self.task.row.items() if name != "reward"}
        return list(problem_of(given, where=self.task.where, format="klear").cases)

    @cached_property
    def shown_gold(self) -> str:
        """For the model: one in Python where there is one, else the shortest."""
        catalog = self.crew.sandbox.catalog
        for source in self.task.golds:
            try:
                if self.task.fn_name is not None or detect(source, None, catalog).name == "python":
                    return source
            except UsageError:
                continue
        return min(self.task.golds, key=len)

    # ── Golds and mutants ────────────────────────────────────────────────────────────────────────────────────────────

    def polls(self, found: Sequence[Input]) -> list[Poll]:
        """What all golds answer."""
        chosen = agreement.asked(self.options.quorum, len(self.task.golds))
        golds = outputs.golds_of(self.crew, self.task, chosen)
        return list(outputs.polls(self.crew, self.turn, self.task, golds, found, self.gen_options))

    @cached_property
    def form(self) -> Format | None:
        """What inputs look like, by the samples; None where these are too few to say."""
        texts = [case.input for case in self.public if isinstance(case.input, str) and case.input.strip()]
        if self.task.fn_name is not None or len(texts) < 2:
            return None
        statement = self.task.row.get("question")
        return infer(texts, statement=statement if isinstance(statement, str) else "")

    @cached_property
    def sound(self) -> frozenset[int]:
        """The golds that answer all samples: what they fail on is more likely no valid input than their fault."""
        if self.task.fn_name is not None:
            return frozenset(range(len(self.task.golds)))
        found = [Input(value=case.input, generator=0, position=at) for at, case in enumerate(self.public)]
        failed = {gold for poll in self.polls(found) for gold in poll.failed} if found else set()
        return frozenset(range(len(self.task.golds))) - failed

    def problem(self, agreed: Agreed) -> Problem:
        """These tests and no others."""
        tests = [pipeline.test_of(self.task, each, trusted) for each, trusted in agreed]
        return self.problem_of(tests)

    def problem_of(self, tests: list[dict[str, Any]]) -> Problem:
        row = rows.written(self.task, tests, error_info=None)
        row["checker"] = list(self.task.checkers) if self.how == "checked" else []
        row["input_validator"] = [msgspec.to_builtins(each) for each in self.task.validators]
        row["input_output"] = ""
        if self.task.fn_name is not None:
            row["fn_name"] = self.task.fn_name
        return problem_of(row, where=self.task.where, format="klear")

    @cached_property
    def programs(self) -> list[Program]:
        """Mutants of the golds. Those that are only slow are left out: whether they are killed is a matter of
        milliseconds, and what is asked next must not depend on it."""
        if not self.options.mutants:
            return []
        made = programs_of(self.jury, self.problem_of([]), most=self.options.mutants)
        return [each for each in made if not each.is_slow]

    def killed(self, agreed: Agreed, programs: Sequence[Program] | None = None) -> int:
        """How many of the programs these tests reject."""
        tried = self.programs if programs is None else programs
        if not tried or not agreed or self.how == "open":
            return 0
        said = first_kills(self.jury, self.problem(agreed), tried)
        return sum(each.killed_by is not None for each in said)
