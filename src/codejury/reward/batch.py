"""A batch of completions -> rewards. The order of things, what is done once, what is tried again.

Owns the promise that a number is the completion's own doing. What is ours (a lost worker, a host without breath, a
checker that fails) is tried again after the rest, and then is None with a reason, never a nought; tests that cannot be
read are None too. What a completion does cannot become None, except through a checker that it makes fail.

    completions ─► program (once a text and problem) ─► jury (once a program and problem) ─► rule ─► Reward …
    truths ─► problem (once a truth) ─┘                   └─ failed with us ─► again, at the end

Programs are looked for as the jury asks for more work, so that it begins with the first completion.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury import runners
from codejury.dataset.index import TestIndex
from codejury.errors import (
    CodejuryError,
    HostOverloaded,
    InternalError,
    LanguageUnavailable,
    LevelUnavailable,
    UsageError,
)
from codejury.judging.jury import Jury
from codejury.model import Judgement, Limits, Problem, Submission, Verdict
from codejury.reward import programs, truths
from codejury.reward.programs import Program
from codejury.reward.rules import Rule, rule_of, worth

_BACK_OFF_S = 0.5  # before what failed for want of breath is tried again; doubled each time

Trouble = Literal[
    "",  # there is a score
    "tests",  # they could not be read, or nothing can be judged by them
    "host",  # the language that was asked for is not here
    "grader",  # our own failure, after the last try
]


class Reward(msgspec.Struct, frozen=True, kw_only=True):
    """What a completion is worth, and why.

    score          None: nobody knows, see `trouble`
    verdict        no_code: there was nothing to run; None: it was not judged
    passed, total  of the tests that counted; after an early stop the rest counts as not passed
    message        why it is not right, or why there is no score
    first_failure  the place among all the problem's tests
    duplicate_of   the place in the batch of the completion that was judged for this one
    tries          how often it was judged
    problem, submission, limits, judgement   what was judged, and by what
    """

    score: float | None
    verdict: Verdict | Literal["no_code"] | None = None
    trouble: Trouble = ""
    message: str = ""
    passed: int = 0
    total: int = 0
    first_failure: int | None = None
    duplicate_of: int | None = None
    tries: int = 0
    in_form: bool = True
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    shared_process: bool = False
    problem: Problem | None = None
    submission: Submission | None = None
    limits: Limits | None = None
    judgement: Judgement | None = None

    @property
    def is_right(self) -> bool:
        return self.verdict == "success"

    def metadata(self) -> dict[str, Any]:
        """Plain values, the same keys for every completion."""
        return {
            "score": self.score,
            "verdict": self.verdict or "",
            "trouble": self.trouble,
            "message": self.message,
            "passed": self.passed,
            "total": self.total,
            "first_failure": self.first_failure,
            "duplicate_of": self.duplicate_of,
            "tries": self.tries,
            "in_form": self.in_form,
            "cpu_s": self.cpu_s,
            "memory_mb": self.memory_mb,
            "shared_process": self.shared_process,
            "problem": "" if self.problem is None else self.problem.id,
            "language": "" if self.submission is None else self.submission.language or "",
            "code": None if self.submission is None else self.submission.source,
        }

    def record(self, *, id: str = "") -> dict[str, Any]:
        """All that `codejury replay` needs, as plain data. UsageError where nothing was judged."""
        from codejury.reward.records import record_of

        return record_of(self, id=id)


Tests = TestIndex | Mapping[str, Problem] | str | os.PathLike[str]


def score(
    completions: Sequence[Any],
    ground_truths: Sequence[Any],
    *,
    rule: str | Rule | Mapping[str, Any] = "binary",
    tests: Tests | None = None,
    language: str | None = None,
    limits: Limits | None = None,
    max_tests: int | None = None,
    stop_on_time_limit: bool = False,
    extract: bool = True,
    retries: int = 2,
    jury: Jury | None = None,
    runner: str = "local",
    ray_address: str | None = None,
) -> list[Reward]:
    """Rewards in the order of the completions. Safe from several threads at once, and after a fork.

    completions     texts, or lists of messages
    ground_truths   of each, its tests in any shape, or the id of some in `tests`
    rule            a name in rules.toml, a Rule, or its fields
    tests           a TestIndex, or the path of its JSON lines file; or problems by their ids
    language        all completions are in it; None: told by the row, then by the completion
    limits          None: the problem's own, else the usual ones
    max_tests       at most so many of each problem, those first that reject most programs
    stop_on_time_limit   tests after the first that runs out of time count as failed, and are not run
    extract         False: completions are programs as they are, and nothing is looked for in them
    retries         of what failed with us
    jury            None: the one of the process
    runner          `ray`: programs run on the nodes of a Ray cluster, for which the process has a jury of its own
    ray_address     of the cluster; None: the one that this process is connected to, or a new one on this machine
    """
    return _Batch(
        completions,
        ground_truths,
        rule=rule_of(rule),
        tests=tests,
        language=language,
        limits=limits,
        max_tests=max_tests,
        stop_on_time_limit=stop_on_time_limit,
        extract=extract,
        retries=retries,
        jury=jury,
        runner=runner,
        ray_address=ray_address,
    ).rewards()


async def score_async(completions: Sequence[Any], ground_truths: Sequence[Any], **options: Any) -> list[Reward]:
    """`score` as a coroutine. To cancel it is to judge no more than what is under way."""
    import asyncio

    loop, given_up = asyncio.get_running_loop(), threading.Event()
    done: asyncio.Future[list[Reward]] = loop.create_future()

    def tell(found: list[Reward] | BaseException) -> None:
        if done.cancelled():
            return
        if isinstance(found, BaseException):
            done.set_exception(found)
        else:
            done.set_result(found)

    def work() -> None:
        found: list[Reward] | BaseException
        try:
            options["rule"] = rule_of(options.get("rule", "binary"))
            found = _Batch(completions, ground_truths, given_up=given_up, **options).rewards()
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            found = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, found)

    # A thread of its own: those of the loop are few, and others wait for them too.
    threading.Thread(target=work, name="codejury-reward", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        given_up.set()
        raise


class _Truth(msgspec.Struct, frozen=True):
    """A ground truth that was read. `places`: where its tests stood before they were capped; `language`: which the
    completion has no choice about; `key`: its number in the batch."""

    problem: Problem
    places: Sequence[int]
    language: str | None
    key: int


class _Given(msgspec.Struct, frozen=True):
    """One completion as far as it is known before anybody judges. `key` None: nothing to judge."""

    truth: _Truth | None = None
    program: Program | None = None
    key: tuple[int, str, str | None] | None = None
    trouble: Trouble = ""
    message: str = ""


class _Batch:
    def __init__(
        self,
        completions: Sequence[Any],
        ground_truths: Sequence[Any],
        *,
        rule: Rule,
        tests: Tests | None = None,
        language: str | None = None,
        limits: Limits | None = None,
        max_tests: int | None = None,
        stop_on_time_limit: bool = False,
        extract: bool = True,
        retries: int = 2,
        jury: Jury | None = None,
        runner: str = "local",
        ray_address: str | None = None,
        given_up: threading.Event | None = None,
    ) -> None:
        if isinstance(completions, str) or isinstance(ground_truths, (str, Mapping)):
            raise UsageError("completions, ground_truths: expected a list of each")
        if len(completions) != len(ground_truths):
            raise UsageError(
                f"ground_truths: expected one for each of {len(completions)} completions, got {len(ground_truths)}"
            )
        if max_tests is not None and max_tests < 1:
            raise UsageError(f"max_tests: expected a number from 1, got {max_tests!r}")
        self._texts = [programs.text_of(each) for each in completions]
        self._given_truths = list(ground_truths)  # held: some are told apart by their identity
        self._rule, self._limits, self._max_tests = rule, limits, max_tests
        self._stop_on_time_limit, self._extract = stop_on_time_limit, extract
        self._retries = max(0, retries)
        self._given_up = given_up or threading.Event()
        if jury is not None and (runner != "local" or ray_address is not None):
            raise UsageError("jury, runner: expected one of the two; a jury has its runner already")
        self._jury = jury or runners.jury(runner, ray_address)
        self._language = None if language is None else self._jury.sandbox.catalog.get(language).name
        self._tests = _opened(tests)
        self._truths: dict[Any, _Truth | UsageError] = {}
        self._programs: dict[tuple[int, str], Program] = {}
        self._given: list[_Given] = []
        self._first: dict[tuple[int, str, str | None], int] = {}
        self._said: dict[tuple[int, str, str | None], Judgement | CodejuryError] = {}
        self._tries: dict[tuple[int, str, str | None], int] = {}

    def rewards(self) -> list[Reward]:
        self._judge(self._fresh())
        for round_ in range(self._retries):
            failed = [key for key, said in self._said.items() if isinstance(said, InternalError)]
            if not failed or self._given_up.is_set():
                break
            if any(isinstance(self._said[key], HostOverloaded) for key in failed):
                self._given_up.wait(_BACK_OFF_S * 2**round_)
            self._judge(iter(failed))
        return [self._reward(place) for place in range(len(self._texts))]

    # -- what is to be judged

    def _fresh(self) -> Iterator[tuple[int, str, str | None]]:
        for place, text in enumerate(self._texts):
            try:
                given = self._look_at(text, self._given_truths[place])
            except Exception as error:  # noqa: BLE001 - of one completion: the others must not suffer for it
                given = _Given(trouble="grader", message=f"{type(error).__name__}: {error}")
            self._given.append(given)
            if given.key is not None and given.key not in self._first:
                self._first[given.key] = place
                yield given.key

    def _look_at(self, text: str, truth: Any) -> _Given:
        known = self._truth(truth)
        if isinstance(known, LanguageUnavailable):
            return _Given(trouble="host", message=str(known))
        if isinstance(known, UsageError):
            return _Given(trouble="tests", message=str(known))
        looked = (known.key, text)
        program = self._programs.get(looked)
        if program is None:
            find = programs.program_of if self._extract else programs.program_as_it_is
            program = find(self._jury.sandbox, text, known.problem, known.language)
            self._programs[looked] = program
        key = None if program.source is None else (known.key, program.source, program.language)
        return _Given(truth=known, program=program, key=key)

    def _truth(self, truth: Any) -> _Truth | UsageError:
        """Each is read once: those of one prompt's completions are the same object, or equal."""
        name = _name_of(truth)
        known = self._truths.get(name)
        if known is None:
            try:
                problem, places = truths.capped(truths.problem_of(truth, self._tests), self._max_tests)
                language = programs.named_language(self._jury.sandbox, problem, self._language)
                known = _Truth(problem, places, language, len(self._truths))
            except UsageError as error:
                known = error
            self._truths[name] = known
        return known

    # -- judging

    def _judge(self, keys: Iterator[tuple[int, str, str | None]]) -> None:
        """Every key gets its say, whatever becomes of the others."""
        under_way: list[tuple[int, str, str | None]] = []

        def work() -> Iterator[tuple[Submission, Problem]]:
            for key in keys:
                if self._given_up.is_set():
                    return
                under_way.append(key)
                self._tries[key] = self._tries.get(key, 0) + 1
                yield Submission(source=key[1], language=key[2]), self._problem(key)

        while True:
            try:
                for said in self._jury.judge_each(
                    work(),
                    limits=self._limits,
                    stop_on_first_failure=self._rule.stops_early,
                    stop_on_time_limit=self._stop_on_time_limit,
                ):
                    if isinstance(said, LevelUnavailable):
                        raise said  # nothing will be judged on this host
                    self._said[under_way.pop(0)] = said
                return
            except CodejuryError:
                raise
            except Exception as error:  # a task's: the others must not suffer for it
                if not under_way:
                    raise
                failure = InternalError(f"{type(error).__name__}: {error}")
                failure.__cause__ = error
                for key in under_way:  # whose it was is not known: all that were under way are judged again
                    self._said[key] = failure
                under_way.clear()

    def _problem(self, key: tuple[int, str, str | None]) -> Problem:
        truth = self._given[self._first[key]].truth
        assert truth is not None
        return truth.problem

    # -- what it is worth

    def _reward(self, place: int) -> Reward:
        given = self._given[place] if place < len(self._given) else _Given(trouble="grader", message="given up")
        if given.truth is None or given.program is None:
            return Reward(score=None, trouble=given.trouble, message=given.message)
        program, problem = given.program, given.truth.problem
        in_form = program.source is not None and (self._rule.form == "code" or program.in_fence)
        if given.key is None:
            number = worth(self._rule, problem, None, in_form=False)
            return Reward(
                score=number,
                verdict="no_code",
                message=program.why,
                total=len(problem.cases),
                in_form=False,
                problem=problem,
            )
        said = self._said.get(given.key)
        first = self._first[given.key]
        common: dict[str, Any] = {
            "duplicate_of": None if first == place else first,
            "tries": self._tries.get(given.key, 0),
            "in_form": in_form,
            "problem": problem,
            "submission": Submission(source=given.key[1], language=given.key[2]),
            "limits": self._limits or problem.limits or Limits(),
        }
        if not isinstance(said, Judgement):
            trouble: Trouble = "tests" if isinstance(said, UsageError) else "grader"
            return Reward(score=None, trouble=trouble, message=str(said or "given up"), **common)
        failed = next((result for result in said.cases if result.verdict != "success"), None)
        places = given.truth.places
        return Reward(
            score=worth(self._rule, problem, said, in_form=in_form),
            verdict=said.verdict,
            message=said.compile_message if failed is None else failed.message,
            passed=said.passed,
            total=said.total,
            first_failure=None if failed is None else _place(failed.index, places, problem),
            cpu_s=said.cpu_s,
            memory_mb=said.memory_mb,
            shared_process=said.shared_process,
            judgement=said,
            **common,
        )


def _place(index: int, places: Sequence[int], problem: Problem) -> int:
    """Among all tests; the parts of a script have places of their own."""
    return index if problem.kind == "script" or index >= len(places) else places[index]


def _name_of(truth: Any) -> Any:
    """Equal for equal truths alone, and cheap to hash. It may differ for equal ones: then they are read twice."""
    if isinstance(truth, (str, int, bytes)) and not isinstance(truth, bool):
        return truth
    if isinstance(truth, (dict, list, tuple)):
        try:
            # Not JSON, which has one form for 1 and "1" as keys, for lists and tuples.
            return ("value", hashlib.blake2b(marshal.dumps(truth, 2), digest_size=16).digest())
        except ValueError:  # some value of another kind, or nested too deeply
            pass
    return ("object", id(truth))


# ── Tests by reference ───────────────────────────────────────────────────────────────────────────────────────────────

_indexes: dict[str, tuple[float, TestIndex]] = {}
_indexes_lock = threading.Lock()


def _opened(tests: Tests | None) -> Mapping[str, Problem] | None:
    """An index that is named by its path is opened once, and anew when the file is another."""
    if tests is None or isinstance(tests, Mapping):
        return tests
    path = os.path.abspath(Path(tests))
    try:
        changed = os.stat(path).st_mtime
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    with _indexes_lock:
        known = _indexes.get(path)
        if known is None or known[0] != changed:
            known = _indexes[path] = (changed, TestIndex(path))
        return known[1]


def _after_fork() -> None:
    global _indexes_lock
    _indexes_lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
