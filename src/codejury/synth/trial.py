"""One generator before everything that can be said against it.

    run ─► a list? ─► the same list again? ─► inputs ─► validator ─► golds ─► tests, mutants killed
     └ crash, time, memory, output   └ unsteady         └ invalid    └ fail, disagree     └ too few, all alike

Owns the order of the questions and what share of bad inputs is too much. A generator with a fault may still have tests:
the best one is used, whatever its fault.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from codejury.languages.execute import Job
from codejury.mutation.inputs import Format, Mismatch
from codejury.synth import faults
from codejury.synth.bench import Agreed, Bench
from codejury.synth.faults import Fault
from codejury.testgen import pipeline, validate
from codejury.testgen.agreement import Poll, SetAside
from codejury.testgen.inputs import Input, texts_of, usable, values_of
from codejury.testgen.trouble import Drop, Drops, Trouble

_MUCH = 0.2  # of the inputs that are bad
_FEW = 4  # a quarter of what was asked for is enough
_MANY = 10  # times as many as were asked for
_ALIKE = 8  # tests with one answer
_PARSED = 100_000  # characters of an input whose form is looked at
_SHOWN = 1000  # characters of an input or an answer
_DISAGREE = ("golds disagree", "too few golds agree", "checker rejects", "checker failed", "flaky")


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """
    printed    inputs that it printed
    inputs     those that can be used; `polls` what the golds answer, where nobody knows yet who is right
    agreed     those that are tests
    killed     mutants that these reject
    """

    code: str
    fault: Fault | None = None
    printed: int = 0
    inputs: list[Input] = []
    polls: list[Poll] = []
    agreed: Agreed = []
    killed: int = 0

    @property
    def kept(self) -> int:
        return len(self.agreed) or len(self.polls)

    @property
    def worth(self) -> tuple[bool, int, bool, int]:
        """The more the better: that inputs are valid, mutants killed, no fault at all, tests."""
        is_valid = self.fault is None or self.fault.kind != "invalid input"
        return is_valid, self.killed, self.fault is None, self.kept

    def told(self) -> str:
        return f"{self.printed} inputs printed, {self.kept} kept, {self.killed} mutants killed"


def try_generator(bench: Bench, code: str, *, wanted: int) -> Trial:
    """Whatever the generator does ends in a Trial."""
    limits = bench.options.generator
    job = Job(source=code, language="python", limits=limits)
    bench.crew.languages.add("python")
    outcome = bench.crew.patiently("inputs", lambda: bench.crew.sandbox.run_job(job))
    if (fault := faults.of_run(outcome, limits)) is not None:
        return Trial(code=code, fault=fault)
    shown = faults.start_of(outcome.stdout)
    try:
        text = outcome.stdout.decode()
        values = texts_of(text) if bench.task.fn_name is None else values_of(text)
    except ValueError as error:
        said = f"The script did not print one list of inputs: {error}"
        return Trial(code=code, fault=Fault(kind="format", evidence=said, printed=shown))
    if not values:
        return Trial(code=code, fault=Fault(kind="too few", evidence="The script printed an empty list."))
    if len(values) > _MANY * wanted:
        said = f"The script printed {len(values)} inputs. About {wanted} are wanted."
        return Trial(code=code, printed=len(values), fault=Fault(kind="too many", evidence=said))
    fresh = msgspec.structs.replace(job, fresh=True)
    again = bench.crew.patiently("inputs", lambda: bench.crew.sandbox.run_job(fresh))
    if again.stdout != outcome.stdout:
        said = (
            "The script prints other inputs each time it is run. Call random.seed(1) first, and use no other source "
            "of chance: no time, no secrets, no order of a set."
        )
        return Trial(code=code, printed=len(values), fault=Fault(kind="unsteady", evidence=said))
    drops = Drops()
    found = usable(bench.crew, bench.task, 0, enumerate(values), set(), drops)
    return _answered(bench, code, wanted, len(values), found, drops)


def _answered(bench: Bench, code: str, wanted: int, printed: int, found: list[Input], drops: Drops) -> Trial:
    """The inputs before validators and golds."""
    polls: list[Poll] = []
    agreed: Agreed = []
    aside: list[SetAside] = []
    try:
        found = validate.keep_valid(bench.crew, bench.turn, bench.task, found, drops)
        task = msgspec.structs.replace(bench.task, validators=())
        if bench.how == "open":
            found, polls = _open(bench, found, drops)
        elif found:
            agreed = pipeline.agreed_on(bench.crew, bench.turn, task, found, bench.gen_options, drops, aside)
    except Trouble:
        pass  # the drops say why
    trial = Trial(
        code=code,
        printed=printed,
        inputs=found,
        polls=polls,
        agreed=agreed,
        killed=bench.killed(agreed),
    )
    return msgspec.structs.replace(trial, fault=_fault(bench, trial, drops, aside, wanted))


def _open(bench: Bench, found: Sequence[Input], drops: Drops) -> tuple[list[Input], list[Poll]]:
    """Inputs that more than half of the golds answer; whether they agree is not asked."""
    kept, polls = [], []
    for each, poll in zip(found, bench.polls(found), strict=True):
        answered = sum(len(camp.golds) for camp in poll.camps)
        if 2 * answered > len(bench.task.golds):
            kept.append(each)
            polls.append(poll)
        else:
            first = poll.failed[min(poll.failed)] if poll.failed else None
            detail = first.what if first else "too few solutions answer"
            drops.add(
                Drop(
                    step="outputs",
                    reason="golds fail",
                    generator=0,
                    position=each.position,
                    detail=detail,
                    input=each.value,
                )
            )
    return kept, polls


def _fault(bench: Bench, trial: Trial, drops: Drops, aside: Sequence[SetAside], wanted: int) -> Fault | None:
    counts = drops.counts()
    twice = counts.pop("duplicate", 0)
    distinct = trial.printed - twice
    bad = {
        "invalid input": sum(counts.get(reason, 0) for reason in ("invalid", "validator failed")),
        "golds fail": counts.get("golds fail", 0),
        "golds disagree": sum(counts.get(reason, 0) for reason in _DISAGREE),
        "format": sum(counts.get(reason, 0) for reason in ("no text", "no arguments")),
    }
    worst = max(bad, key=lambda kind: bad[kind])
    for each in aside:
        if each.position is not None and each.gold in bench.sound:
            return _against(bench, trial.inputs[each.position])
    if bad[worst] > _MUCH * distinct:
        return _bad_inputs(bench, worst, bad[worst], distinct, drops)
    if (odd := _odd(bench, trial)) is not None:
        return odd
    if trial.printed >= 4 and 2 * twice > trial.printed:
        said = f"The script printed {trial.printed} inputs, and only {distinct} of them are different."
        return Fault(kind="all alike", evidence=f"{said} Make them differ.")
    answers = {str(trusted.answer) for _, trusted in trial.agreed}
    if len(trial.agreed) >= _ALIKE and len(answers) == 1:
        answer = _shown(answers.pop())
        said = f"All {len(trial.agreed)} inputs have the same answer:\n{answer}\nMake inputs with other answers too."
        return Fault(kind="all alike", evidence=said)
    if trial.kept < max(1, wanted // _FEW):
        said = f"The script gave {trial.kept} different inputs that can be used. About {wanted} are wanted."
        return Fault(kind="too few", evidence=said)
    return None


def _odd(bench: Bench, trial: Trial) -> Fault | None:
    """Golds that read the first line alone agree on anything: without a validator, the samples say what form inputs
    have. Few samples may say too much, so this counts only where most inputs are of another form."""
    if bench.task.validators or bench.form is None:
        return None
    texts = [each.value for each in trial.inputs if len(each.value) <= _PARSED]
    odd = [text for text in texts if not _has_form(bench.form, text)]
    if 2 * len(odd) <= len(texts):
        return None
    said = "The input has another form than the valid input of the statement: other lines, or other words in a line."
    said += f"\n({len(odd)} of {len(texts)} inputs are so.)"
    return Fault(kind="invalid input", evidence=said, input=_shown(odd[0]))


def _has_form(form: Format, text: str) -> bool:
    try:
        form.parse(text)
    except Mismatch:
        return False
    return True


def _against(bench: Bench, first: Input) -> Fault:
    """A gold that solves the samples was set aside: it fails, or differs, on many inputs; this is the first."""
    said = (
        f"Not all correct solutions can answer it alike:{_answers_to(bench, first)}\n(It is so with other inputs too.)"
    )
    (poll,) = bench.polls([first])
    kind: faults.Kind = "golds fail" if poll.failed else "golds disagree"
    return Fault(kind=kind, evidence=said, input=_shown(first.value))


def _bad_inputs(bench: Bench, kind: str, count: int, of: int, drops: Drops) -> Fault:
    reasons = {
        "invalid input": ("invalid", "validator failed"),
        "golds fail": ("golds fail",),
        "golds disagree": _DISAGREE,
        "format": ("no text", "no arguments"),
    }[kind]
    first = next(drop for reason in reasons if (drop := drops.first(reason)) is not None)
    detail = faults.steadied(first.detail)
    parts = {
        "invalid input": f"The input breaks a rule of the statement: {detail}",
        "golds fail": f"Correct solutions fail on it: {detail}",
        "golds disagree": "Correct solutions give different outputs for it, or one that is not accepted.",
        "format": f"It is no list of arguments: {detail}",
    }[kind]
    if kind == "golds disagree":
        parts += _answers_to(bench, Input(value=first.input, generator=0, position=first.position))
    elif first.traceback:
        parts += f"\n{first.traceback}"
    said = f"{parts}\n({count} of {of} inputs are bad in this way.)"
    return Fault(kind=kind, evidence=said, input=_shown(first.input))  # type: ignore[arg-type]


def _answers_to(bench: Bench, each: Input) -> str:
    """What solutions say to an input, those that fail first."""
    if bench.task.fn_name is not None and each.arguments is None:
        return ""
    (poll,) = bench.polls([each])
    told = [
        f"Solution {gold + 1} fails: {faults.steadied(failed.what)}\n{failed.traceback}".rstrip()
        for gold, failed in sorted(poll.failed.items())
        if failed.verdict != "compile_error"
    ][:2]
    told += [f"Solution {camp.golds[0] + 1} prints:\n{_shown(str(camp.answer), 300)}" for camp in poll.camps[:3]]
    return "".join(f"\n{each}" for each in told)


def _shown(value: object, size: int = _SHOWN) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= size else f"{text[:size]}… ({len(text)} characters)"


# ── What is kept of the code ─────────────────────────────────────────────────────────────────────────────────────────


def steady(code: str) -> str:
    """With a seed, where the script uses `random` and sets none: `gen` is to make the same tests of it."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return code
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    seeds = any(isinstance(node, ast.Attribute) and node.attr == "seed" for node in ast.walk(tree))
    if "random" not in names or seeds:
        return code
    return f"import random; random.seed(1)  # added: the same inputs each time\n{code}"
