"""What the golds answer.

Owns one run of one gold on one input, and the order in which all of them run: input by input, so that what is held at a
time does not grow with the number of inputs. Who is right is agreement.py's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from codejury.checkers.compare import compare
from codejury.errors import UsageError
from codejury.judging import calls, clock, verdict
from codejury.languages.detect import detect
from codejury.languages.execute import Job
from codejury.model import Comparison, Limits, Outcome, Verdict
from codejury.testgen.agreement import Camp, Failed, Poll
from codejury.testgen.crew import Crew
from codejury.testgen.inputs import Input
from codejury.testgen.options import Options
from codejury.testgen.rows import Task
from codejury.testgen.trouble import Step, ending

# Every value is a list where JSON has no other word for it, also when the tests are used.
_VALUES = Comparison(tuple_is_list=True)


class Gold(msgspec.Struct, frozen=True, kw_only=True):
    """A solution of the row. `number` as in the row; `refusal`: why it cannot be run at all."""

    number: int
    source: str
    language: str | None = None
    refusal: str = ""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run: an answer (a text, or a function's value), or why there is none. `size`: bytes printed."""

    answer: Any = None
    size: int = 0
    failed: Failed | None = None
    cpu_s: float = 0.0
    memory_mb: float = 0.0


def golds_of(crew: Crew, task: Task, chosen: Sequence[int]) -> list[Gold]:
    """With their languages, told once for all runs."""
    found = []
    for number in chosen:
        source = task.golds[number]
        if task.fn_name is not None:
            found.append(Gold(number=number, source=source, language="python"))
            continue
        try:
            language = detect(source, None, crew.sandbox.catalog)
            crew.sandbox.toolchain(language)
        except UsageError as error:
            found.append(Gold(number=number, source=source, refusal=str(error)))
        else:
            found.append(Gold(number=number, source=source, language=language.name))
            crew.languages.add(language.name)
    return found


def limits_of(task: Task, options: Options) -> Limits:
    """The row's own limits, where it has any. To be calibrated, a gold has the time that rows without a limit have."""
    cpu_s = task.cpu_s or options.run.cpu_s
    if options.calibrate and options.run.cpu_s is not None and cpu_s is not None:
        cpu_s = max(cpu_s, options.run.cpu_s)
    return msgspec.structs.replace(options.run, cpu_s=cpu_s, memory_mb=task.memory_mb or options.run.memory_mb)


def run_gold(
    crew: Crew,
    task: Task,
    gold: Gold,
    each: Input,
    limits: Limits,
    *,
    fresh: bool = False,
    step: Step = "outputs",
) -> Ran:
    """`fresh`: in a new interpreter, where one is forked otherwise."""
    call: calls.Call | None = None
    if task.fn_name is None:
        job = Job(source=gold.source, language=gold.language, stdin=each.value)
    else:
        arguments = each.arguments or []
        try:
            call = calls.call_of(
                crew.sandbox, gold.source, task.fn_name, arguments, starter_code=task.starter_code, in_place=True
            )
        except UsageError as error:
            return Ran(failed=Failed(verdict="format_error", what=str(error)))
        job = call.job
    job = msgspec.structs.replace(job, fresh=fresh, limits=clock.widened(limits))
    outcome = crew.patiently(step, lambda: clock.measured(lambda: crew.sandbox.run_job(job), crew.gate, limits))
    return _text(outcome, limits) if call is None else _value(outcome, call, limits)


def _text(outcome: Outcome, limits: Limits) -> Ran:
    failed = verdict.failure(outcome, limits)
    if failed is not None:
        return _failed(outcome, failed, limits)
    try:
        answer = outcome.stdout.decode()
    except UnicodeDecodeError as error:
        return _failed(outcome, "format_error", limits, what=f"the output is no UTF-8: {error.reason}")
    return Ran(answer=answer, size=len(outcome.stdout), cpu_s=outcome.cpu_s, memory_mb=outcome.memory_mb)


def _value(outcome: Outcome, call: calls.Call, limits: Limits) -> Ran:
    if clock.too_slow(outcome, limits):
        return _failed(outcome, "time_limit_exceeded", limits)
    answer = calls.answer_of(outcome, call)
    if answer.verdict is not None:
        return _failed(outcome, answer.verdict, limits, what=f"{answer.verdict}: {answer.message}")
    try:
        held = json.loads(json.dumps(answer.value))
    except (TypeError, ValueError, RecursionError) as error:
        return _failed(outcome, "format_error", limits, what=f"the value is none that JSON can hold: {error}")
    if calls.compare_values(answer.value, held, _VALUES) is not None:  # a dictionary with keys that are no texts
        return _failed(outcome, "format_error", limits, what="the value is none that JSON can hold")
    return Ran(answer=held, size=len(outcome.stdout), cpu_s=outcome.cpu_s, memory_mb=outcome.memory_mb)


def _failed(outcome: Outcome, failed: Verdict, limits: Limits, what: str = "") -> Ran:
    said, printed, words = ending(outcome, limits)
    trace = "" if what else words
    return Ran(
        failed=Failed(verdict=failed, what=(what or said)[:2000], printed=printed, traceback=trace),
        cpu_s=outcome.cpu_s,
        memory_mb=outcome.memory_mb,
    )


def same(task: Task, options: Options) -> Callable[[Any, Any], bool]:
    """Whether two answers are one."""
    if task.fn_name is None:
        return lambda one, other: compare(one, other, options.compare) is None
    return lambda one, other: calls.compare_values(one, other, _VALUES) is None


def polls(
    crew: Crew, turn: int, task: Task, golds: Sequence[Gold], found: Sequence[Input], options: Options
) -> Iterator[Poll]:
    """What all golds answer to each input, in order; answers that are the same stand together. A gold that does not
    compile, or has failed too often to be asked in the end, is not run further.

    When it was seen that one fails too often depends on which run ended first; what it answered after the failure that
    was one too many, in the order of the inputs, is not used. No run before that one is left out: they begin in order.
    """
    limits = limits_of(task, options)
    alike = same(task, options)
    most = options.set_aside * len(found)
    seen: Counter[int] = Counter()  # failures, as they come
    counted: Counter[int] = Counter()  # failures, in order
    hopeless = {gold.number: Failed(verdict="compile_error", what=gold.refusal) for gold in golds if gold.refusal}

    def wanted() -> Iterator[tuple[int, Gold]]:
        for index in range(len(found)):
            for gold in golds:
                yield index, gold

    def one(run: tuple[int, Gold]) -> Ran | None:
        index, gold = run
        if gold.number in hopeless:
            return Ran(failed=hopeless[gold.number])
        if seen[gold.number] > most:
            return None
        ran = run_gold(crew, task, gold, found[index], limits)
        if ran.failed is not None:
            seen[gold.number] += 1  # one lost between two threads costs a run
            if ran.failed.verdict == "compile_error":
                hopeless[gold.number] = ran.failed
        return ran

    camps: list[Camp] = []
    failed: dict[int, Failed] = {}
    done = crew.each(turn, one, wanted(), weigh=lambda ran: ran.size if ran else 0)
    for (_, gold), ran in zip(wanted(), done, strict=True):
        if ran is None or (counted[gold.number] > most and gold.number not in hopeless):
            pass
        elif ran.failed is not None:
            failed[gold.number] = ran.failed
            counted[gold.number] += 1
        else:
            camp = next((camp for camp in camps if alike(camp.answer, ran.answer)), None)
            if camp is None:
                camp = Camp(answer=ran.answer)
                camps.append(camp)
            camp.join(gold.number, ran.cpu_s, ran.memory_mb)
        if gold is golds[-1]:
            yield Poll(camps=camps, failed=failed)
            camps, failed = [], {}
