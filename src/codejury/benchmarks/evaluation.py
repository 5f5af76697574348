"""A model on the tasks of one benchmark: asked, judged, recorded; both at the same time, and resumable.

    plan ─► askers (`batch` threads) ─► queue ─► judges (as many as workers) ─► results ─► the caller's thread counts
              └─► predictions file                 └─► reviews file

Owns what is under way. A row is in its file before anybody goes on with it: after the end of the process, however it
ended, a later run asks and judges what is missing and nothing twice. Only a question that was being answered at that
moment is asked again, since nobody has its answer.

A question that the model did not answer, after all retries, is recorded with its error, and in no mean. A failure of
ours to judge is told, and not recorded: the next run tries again. Queues are short, and tasks are read from the shelf
as they come: memory does not grow with the number of questions, but for two numbers a task.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from codejury.benchmarks import records
from codejury.benchmarks.catalog import SUBSETS, Benchmark, Strict, Subset
from codejury.benchmarks.extract import Program, program_of
from codejury.benchmarks.prepared import prepared
from codejury.benchmarks.records import Item, Rows, key_of
from codejury.benchmarks.report import Counts
from codejury.benchmarks.samples import Fairness, Judged, SubsetVerdict, Tasks, digest_of, judge_one
from codejury.dataset.store import Store
from codejury.errors import CodejuryError, InternalError, ModelError, UsageError
from codejury.judging.jury import Jury
from codejury.llm.client import Client
from codejury.model import Problem, Submission
from codejury.score.passk import Tally

_AT_HAND = 32  # tasks whose gold has answered
_IN_A_ROW = 10  # questions without an answer, after which no more are asked
_FOR_ALL = (401, 403, 404)  # statuses that the next question would get too
_TICK_S = 0.2


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is. `known`: from an earlier run. `passed` of `judged` pass: pass@1 so far."""

    total: int
    asked: int = 0
    known: int = 0
    judged: int = 0
    passed: int = 0
    unanswered: int = 0
    not_judged: int = 0

    @property
    def pass_at_1(self) -> float | None:
        return self.passed / self.judged if self.judged else None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """`asked`: questions that were sent in this run; `judged_now`: programs that were judged in it."""

    tallies: dict[Subset, dict[str, Tally]]
    counts: Counts
    asked: int
    judged_now: int


class _Question(msgspec.Struct, frozen=True):
    item: Item
    problem: Problem
    messages: list[dict[str, str]]
    key: str


class _Answer(msgspec.Struct, frozen=True):
    question: _Question
    text: str
    program: Program


class _Result(msgspec.Struct, frozen=True):
    kind: Literal["judged", "known", "unanswered", "not_judged", "asked"]
    item: Item
    passed: dict[Subset, bool] = {}
    message: str = ""
    no_code: bool = False


class _Stopped(Exception):
    """Somebody else has failed: there is nothing more to do."""


class Evaluation:
    """One run. `run` may be called once.

    folder          of the run's files: predictions/, reviews/
    name            of the files, in the folder of the model: <dataset>_<subset>
    settings        of the questions, as far as they decide what is answered: part of each question's key
    on_progress     is called in the thread that runs, after every result
    on_trouble      is told what went wrong with a single question
    """

    def __init__(
        self,
        benchmark: Benchmark,
        tasks: Tasks,
        client: Client,
        jury: Jury,
        *,
        model_id: str,
        folder: Path,
        name: str,
        repeats: int = 1,
        batch: int = 1,
        peer: Strict | None = None,
        prompt_template: str | None = None,
        system_prompt: str | None = None,
        settings: Mapping[str, Any] | None = None,
        ignore_errors: bool = False,
        rerun_review: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        on_trouble: Callable[[str], None] | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._tasks = tasks
        self._client = client
        self._jury = jury
        self._model_id = model_id
        self.predictions = folder / "predictions" / model_id / f"{name}.jsonl"
        self.reviews = folder / "reviews" / model_id / f"{name}.jsonl"
        self._repeats = repeats
        self._batch = batch
        self._peer = peer
        self._template = prompt_template
        self._system = system_prompt
        self._settings = dict(settings or {})
        self._ignore_errors = ignore_errors
        self._rerun_review = rerun_review
        self._on_progress = on_progress
        self._on_trouble = on_trouble or (lambda words: None)
        self._progress = Progress(total=len(tasks) * repeats)
        self._stop = threading.Event()
        self._fatal: BaseException | None = None
        self._guard = threading.Lock()  # of what follows
        self._in_a_row = 0
        self._askers = self._judges = 0
        self._ready: OrderedDict[str, _Ready] = OrderedDict()
        self._answers: queue.Queue[_Answer | None] = queue.Queue(2 * jury.sandbox.workers)
        self._results: queue.Queue[_Result | None] = queue.Queue(256)

    def run(self) -> Outcome:
        for path in (self.predictions, self.reviews):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"{path.parent}: cannot be made: {error.strerror}") from None
        replies: dict[int, str] = {}  # index -> digest of the reply that is there
        reviewed: dict[int, tuple[dict[Subset, bool], bool]] = {}  # and whether there was no code
        with contextlib.ExitStack() as stack:
            self._predicted = stack.enter_context(self._open_predictions(replies))
            self._known = replies
            self._reviewed = stack.enter_context(self._open_reviews(replies, reviewed))
            self._verdicts = reviewed
            self._rows = stack.enter_context(Rows(self.predictions))
            return self._counted()

    # ── What an earlier run has left ─────────────────────────────────────────────────────────────────────────────────

    def _open_predictions(self, replies: dict[int, str]) -> Store:
        keys = {question.item.index: question.key for question in self._questions()} if _has(self.predictions) else {}

        def keep(row: Mapping[str, Any]) -> bool:
            index = row.get("index")
            if index not in keys:  # of another limit: it is nobody's business now
                return True
            try:
                key, text = row["metadata"]["key"], records.text_of(row)
            except (KeyError, TypeError, IndexError):
                key, text = "", ""
            if key != keys[index]:
                raise UsageError(
                    f"{self.predictions}: row {index} answers another question than it would be asked now: the data, "
                    "the prompt or the settings differ; name another folder, or go on with the old settings"
                )
            if text is None:  # no answer: it is asked again
                return False
            replies[index] = key_of(text)
            return True

        return Store(self.predictions, key="index", keep=keep)

    def _open_reviews(self, replies: Mapping[int, str], reviewed: dict[int, tuple[dict[Subset, bool], bool]]) -> Store:
        keys: dict[int, str] = {}
        if _has(self.reviews) and not self._rerun_review:
            for question in self._questions():
                if question.item.index in replies:
                    keys[question.item.index] = self._review_key(question, replies[question.item.index])

        def keep(row: Mapping[str, Any]) -> bool:
            index = row.get("index")
            if isinstance(index, int) and index >= self._progress.total:
                return not self._rerun_review
            try:
                score = row["sample_score"]
                if index not in keys or score["sample_metadata"]["key"] != keys[index]:
                    return False
                subsets = msgspec.convert(score["score"]["metadata"]["subsets"], dict[Subset, SubsetVerdict])
            except (KeyError, TypeError, msgspec.ValidationError):
                return False
            reviewed[index] = (records.passes(subsets), score["score"].get("extracted_prediction") is None)
            return True

        return Store(self.reviews, key="index", keep=keep)

    def _review_key(self, question: _Question, reply: str) -> str:
        return key_of(question.key, reply, self._tests_of(question).hexdigest())

    def _tests_of(self, question: _Question) -> Any:
        """Repeats of a task come one after another: the last digest is kept."""
        task, digest = getattr(self, "_last_tests", ("", None))
        if task != question.item.task_id:
            digest = digest_of(self._benchmark, question.problem, self._peer)
            self._last_tests = (question.item.task_id, digest)
        return digest

    # ── The plan ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _questions(self) -> Iterator[_Question]:
        for group, task_id in enumerate(self._tasks):
            problem = self._tasks[task_id]
            messages = [{"role": "user", "content": self._benchmark.prompt_of(problem, template=self._template)}]
            if self._system:
                messages.insert(0, {"role": "system", "content": self._system})
            for repeat in range(self._repeats):
                item = Item(group * self._repeats + repeat, group, repeat, task_id)
                key = key_of(self._client.model, messages, self._settings, repeat, task_id)
                yield _Question(item, problem, messages, key)

    # ── Threads ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _counted(self) -> Outcome:
        self._plan = self._questions()
        self._plan_lock = threading.Lock()
        self._askers, self._judges = self._batch, self._jury.sandbox.workers
        threads = [
            *(
                threading.Thread(target=self._serve, args=(self._ask_all, "ask"), daemon=True)
                for _ in range(self._askers)
            ),
            *(
                threading.Thread(target=self._serve, args=(self._judge_all, "judge"), daemon=True)
                for _ in range(self._judges)
            ),
        ]
        tallies: dict[Subset, dict[str, Tally]] = {}
        now, no_code = 0, 0
        try:
            for thread in threads:
                thread.start()
            while (result := self._next_result()) is not None:
                now += result.kind == "judged"
                no_code += result.no_code
                self._count(result, tallies)
                if self._on_progress is not None:
                    self._on_progress(self._progress)
            if self._fatal is not None:
                raise self._fatal
        finally:
            self._stop.set()
            if any(thread.is_alive() for thread in threads):
                self._client.close()  # what is being asked is given up
            for thread in threads:
                thread.join(30)
        order = {name: at for at, name in enumerate(self._tasks)}
        done = self._progress
        return Outcome(
            tallies={
                subset: dict(sorted(tallies[subset].items(), key=lambda pair: order[pair[0]]))
                for subset in SUBSETS
                if subset in tallies
            },
            counts=Counts(
                requested=done.total,
                judged=done.judged,
                unanswered=done.unanswered,
                not_judged=done.not_judged,
                no_code=no_code,
            ),
            asked=done.asked,
            judged_now=now,
        )

    def _next_result(self) -> _Result | None:
        while True:
            try:
                return self._results.get(timeout=_TICK_S)
            except queue.Empty:
                with self._guard:
                    if self._fatal is not None or (not self._judges and self._results.empty()):
                        return None

    def _count(self, result: _Result, tallies: dict[Subset, dict[str, Tally]]) -> None:
        done = self._progress
        if result.kind == "asked":
            self._progress = msgspec.structs.replace(done, asked=done.asked + 1)
            return
        if result.kind in ("unanswered", "not_judged"):
            self._on_trouble(result.message)
            changes = {result.kind: getattr(done, result.kind) + 1}
            self._progress = msgspec.structs.replace(done, **changes)
            return
        right = True
        for subset in SUBSETS:
            if subset in result.passed:
                right = right and result.passed[subset]
                tally = tallies.setdefault(subset, {}).get(result.item.task_id, Tally(0, 0))
                tallies[subset][result.item.task_id] = Tally(tally.samples + 1, tally.correct + right)
        self._progress = msgspec.structs.replace(
            done, judged=done.judged + 1, passed=done.passed + right, known=done.known + (result.kind == "known")
        )

    def _serve(self, work: Callable[[], None], role: Literal["ask", "judge"]) -> None:
        """The life of a thread. Whatever ends it too early ends the run."""
        try:
            work()
        except _Stopped:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that runs
            self._end_with(error)
        finally:
            with self._guard:
                if role == "ask":
                    self._askers -= 1
                    last = not self._askers
                else:
                    self._judges -= 1
                    last = False
            if last:
                with contextlib.suppress(_Stopped):
                    for _ in range(self._jury.sandbox.workers):
                        self._put(self._answers, None)

    def _end_with(self, error: BaseException) -> None:
        with self._guard:
            self._fatal = self._fatal or error
        self._stop.set()

    def _put(self, line: queue.Queue[Any], value: Any) -> None:
        while not self._stop.is_set():
            try:
                line.put(value, timeout=_TICK_S)
            except queue.Full:
                continue
            return
        raise _Stopped

    # ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _ask_all(self) -> None:
        while not self._stop.is_set():
            with self._plan_lock:
                question = next(self._plan, None)
            if question is None:
                return
            self._answered(question)

    def _answered(self, question: _Question) -> None:
        item = question.item
        if item.index in self._verdicts:
            passed, no_code = self._verdicts[item.index]
            self._put(self._results, _Result("known", item, passed, no_code=no_code))
            return
        if item.index in self._known:
            row = self._rows[item.index]
            text, reason = records.text_of(row) or "", str(row["metadata"].get("finish_reason", ""))
            self._put(self._answers, _Answer(question, text, self._program(question, text, reason)))
            return
        if not len(question.problem.cases):
            words = f"{item.task_id}: not asked: the task has no tests"
            self._put(self._results, _Result("not_judged", item, message=words))
            return
        began = time.monotonic()
        try:
            reply = self._client.ask(question.messages, sample=item.repeat)
        except ModelError as error:
            if not self._stop.is_set():
                self._not_answered(question, error)
            return
        with self._guard:
            self._in_a_row = 0
        program = self._program(question, reply.text, reply.finish_reason)
        self._predicted.append(
            records.prediction_row(
                item,
                self._model_id,
                question.messages,
                reply,
                program,
                key=question.key,
                took_s=time.monotonic() - began,
            )
        )
        self._put(self._results, _Result("asked", item))
        self._put(self._answers, _Answer(question, reply.text, program))

    def _program(self, question: _Question, text: str, finish_reason: str) -> Program:
        return program_of(text, question.problem, self._benchmark, finish_reason=finish_reason, peer=self._peer)

    def _not_answered(self, question: _Question, error: ModelError) -> None:
        item = question.item
        self._predicted.append(
            records.failure_row(
                item, self._model_id, question.messages, str(error), trouble=error.trouble, key=question.key
            )
        )
        with self._guard:
            self._in_a_row += 1
            many = self._in_a_row >= _IN_A_ROW and not self._ignore_errors
        if many or error.trouble in ("spent", "missing") or error.status in _FOR_ALL:
            words = f"{error}; no more is asked. What was answered is kept: go on with --use-cache"
            raise ModelError(error.trouble, words, status=error.status)
        words = f"{item.task_id}: the model did not answer: {error}"
        self._put(self._results, _Result("unanswered", item, message=words))

    # ── Judging ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _judge_all(self) -> None:
        while True:
            try:
                answer = self._answers.get(timeout=_TICK_S)
            except queue.Empty:
                if self._stop.is_set():
                    raise _Stopped from None
                continue
            if answer is None:
                return
            self._judged(answer)

    def _judged(self, answer: _Answer) -> None:
        question, program = answer.question, answer.program
        item = question.item
        ready = self._ready_for(item.task_id, question.problem)
        try:
            judged = ready.judge(self._jury, self._benchmark, item, program, self._peer)
        except CodejuryError as error:
            judged = Judged(task_id=item.task_id, source="", error=f"{type(error).__name__}: {error}")
        if judged.error:
            words = f"{item.task_id}: not judged: {judged.error}"
            self._put(self._results, _Result("not_judged", item, message=words))
            return
        golds = question.problem.golds
        row = records.review_row(
            item,
            question.messages,
            answer.text,
            program,
            judged,
            target=golds[0].source if golds else "",
            key=key_of(question.key, key_of(answer.text), ready.digest(self._benchmark, self._peer).hexdigest()),
        )
        self._reviewed.append(row)
        passed = records.passes(judged.subsets)
        self._put(self._results, _Result("judged", item, passed, no_code=program.source is None))

    def _ready_for(self, task_id: str, problem: Problem) -> _Ready:
        with self._guard:
            found = self._ready.get(task_id)
            if found is None:
                found = self._ready[task_id] = _Ready(problem)
                if len(self._ready) > _AT_HAND:
                    self._ready.popitem(last=False)
            self._ready.move_to_end(task_id)
            return found


class _Ready:
    """A task that is being judged: its subsets, made once, and what its programs came to."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._making = threading.Lock()
        self._subsets: dict[Subset, Problem] | None = None
        self._digest: Any = None
        self._fairness: Fairness | None = None
        self._seen: dict[str, Judged] = {}

    def subsets(self, jury: Jury, benchmark: Benchmark, peer: Strict | None) -> dict[Subset, Problem]:
        with self._making:
            if self._subsets is None:
                try:
                    self._subsets = prepared(jury, benchmark, self._problem, peer=peer)
                except InternalError:
                    self._subsets = prepared(jury, benchmark, self._problem, peer=peer)
                self._fairness = Fairness(jury, benchmark, self._subsets, peer)
            return self._subsets

    def digest(self, benchmark: Benchmark, peer: Strict | None) -> Any:
        with self._making:
            if self._digest is None:
                self._digest = digest_of(benchmark, self._problem, peer)
            return self._digest

    def judge(self, jury: Jury, benchmark: Benchmark, item: Item, program: Program, peer: Strict | None) -> Judged:
        """CodejuryError where the task cannot be used; `error` where we fail on this program."""
        subsets = self.subsets(jury, benchmark, peer)
        if program.source is None:
            return records.no_code(item, program, list(subsets))
        known = self._seen.get(program.source)
        if known is not None:
            return known
        sample = Submission(source=program.source, id=f"{item.task_id}#{item.repeat}", language=benchmark.language)
        judged = judge_one(jury, item.task_id, sample, subsets, peer=peer)
        if not judged.error and self._fairness is not None:
            judged = self._fairness.of(judged, sample)
        if not judged.error:
            self._seen[program.source] = judged
        return judged


def _has(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
