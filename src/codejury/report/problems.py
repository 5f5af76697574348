"""Problems with tests, as `gen`, `harden` and `select` write them: where tests came from, and what they are worth.

Reads a file of problems in any format and the record beside it (T.run.json). The funnel is counted from what the rows
say of their tests (test_provenance), so it holds for runs that were resumed; where rows say nothing, the record does.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codejury.dataset.problems import read_problems
from codejury.model import Problem, TestCase
from codejury.report import blocks, charts
from codejury.report.charts import Bar, Cells, Chart, Tone
from codejury.report.pack import Column, Sink
from codejury.report.programs import Programs
from codejury.report.section import Figure, Section, Table, duration, groups, rate_figure
from codejury.score.rates import Rate

_STEPS = (
    ("inputs", "different inputs"),
    ("validate", "valid inputs"),
    ("agree", "the golds agree"),
    ("steady", "kept tests"),
)
_STATES: dict[str, Tone] = {
    "killed before": "two",
    "killed by new tests": "good",
    "survives": "bad",
    "fails on every input": "three",
    "does not compile": "mute",
    "not judged": "warn",
}
_KNOWN = ("style", "quorum", "tests", "dropped", "set_aside", "hardened", "selected")

COLUMNS = (
    Column(name="state", kind="state", tones={"tests": "good", "no tests": "bad"}),
    Column(name="tests", kind="number"),
    Column(name="dropped", kind="number"),
    Column(name="golds", kind="number"),
    Column(name="killed", kind="percent"),
    Column(name="survivors", kind="number"),
)


def record_of(path: Path) -> list[dict[str, Any]]:
    """The runs that made the file, oldest first; none where nobody wrote them down."""
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    try:
        runs = json.loads(path.with_name(f"{name}.run.json").read_bytes())["runs"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []


class _Counted:
    """What all problems come to."""

    def __init__(self) -> None:
        self.problems = self.with_tests = self.dropped = self.with_account = 0
        self.tests: list[int] = []
        self.reasons: Counter[str] = Counter()
        self.steps: Counter[str] = Counter()
        self.how: Counter[str] = Counter()
        self.golds: list[int] = []
        self.aside = 0
        self.hardened: list[tuple[str, dict[str, Any]]] = []
        self.selected: list[tuple[str, dict[str, Any]]] = []
        self.failed: Counter[str] = Counter()


def section(path: Path, sink: Sink, programs: Programs, *, complain: Any) -> Section:
    counted = _Counted()
    matrix: list[Chart] = []
    for problem in read_problems(path, on_error=complain):
        _add(problem, counted, sink, programs, matrix)
    sink.close()
    runs = record_of(path)
    last = runs[-1] if runs else {}
    kind = "Hardened tests" if counted.hardened else "Selected tests" if counted.selected else "Tests"
    return Section(
        kind=kind,
        title=path.name,
        lead=_lead(counted, runs),
        figures=_figures(counted, runs),
        charts=(*_charts(counted, runs), *(matrix if counted.problems <= 3 else ())),
        tables=_tables(counted, sink),
        facts=_facts(last, len(runs)),
        notes=_notes(counted, runs),
        list_title="Problems",
    )


# ── One problem ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _add(problem: Problem, counted: _Counted, sink: Sink, programs: Programs, matrix: list[Chart]) -> None:
    given = problem.extra.get("test_provenance")
    told: dict[str, Any] = given if isinstance(given, dict) else {}
    cases = list(problem.cases)
    dropped = [each for each in _list(told.get("dropped")) if isinstance(each, dict)]
    hardened, selected = (_dict(told.get(name)) for name in ("hardened", "selected"))
    generated = [case for case in cases if case.group != "public"]
    counted.problems += 1
    counted.with_tests += bool(generated)
    counted.tests.append(len(generated))
    counted.golds.append(len(problem.golds))
    counted.with_account += bool(told)
    counted.aside += len(_list(told.get("set_aside")))
    for each in dropped:
        count = _count(each.get("count"))
        counted.dropped += count
        counted.reasons[str(each.get("reason", ""))] += count
        step = str(each.get("step", ""))
        counted.steps["agree" if step == "outputs" else step] += count
    provenance = _provenance(told, cases, len(generated))
    for each in provenance:
        counted.how[str(each.get("how") or each.get("origin") or "generator")] += bool(each)
    error = problem.extra.get("error_info")
    if error:
        lines = dict(line.partition(": ")[::2] for line in str(error).splitlines()[:2])
        counted.failed[lines.get("step", "other")] += 1
    if hardened:
        counted.hardened.append((problem.id, hardened))
    if selected:
        counted.selected.append((problem.id, selected))
    account = hardened or selected
    total, killed = _count(account.get("programs")), _count(account.get("killed"))
    values = (
        "tests" if generated else "no tests",
        len(generated),
        sum(_count(each.get("count")) for each in dropped),
        len(problem.golds),
        killed / total if total else None,
        len(_list(hardened.get("survivors"))) if hardened else None,
    )
    page = _page(problem, told, cases, provenance, sink.allowance, programs)
    if hardened and len(matrix) < 3:
        chart = _kills(problem.id, hardened)
        matrix += [chart] if chart else []
    sink.add(problem.id, values, page, hint=_hint(problem.statement))


def _hint(statement: str) -> str:
    lines = (line.strip("#* \t") for line in statement[:2000].splitlines())
    return next((line for line in lines if line), "")


def _provenance(told: Mapping[str, Any], cases: Sequence[TestCase], generated: int) -> list[dict[str, Any]]:
    """Of each case; the account of a row may be of the generated ones alone, which come last."""
    given = [_dict(each) for each in _list(told.get("tests"))]
    if len(given) == len(cases):
        return given
    if len(given) == generated:
        return [*({} for _ in range(len(cases) - generated)), *given]
    return [{} for _ in cases]


def _page(
    problem: Problem,
    told: Mapping[str, Any],
    cases: Sequence[TestCase],
    provenance: Sequence[dict[str, Any]],
    allowance: int,
    programs: Programs,
) -> list[blocks.Block]:
    extra = problem.extra
    limits = problem.limits
    hardened = _dict(told.get("hardened"))
    found = [
        blocks.facts(
            [
                ("kind", problem.kind + (f", {problem.fn_name}()" if problem.fn_name else "")),
                ("tests", len(cases)),
                ("golds", len(problem.golds)),
                ("time limit", f"{limits.cpu_s:g} s" if limits and limits.cpu_s else None),
                ("memory limit", f"{limits.memory_mb:g} MB" if limits and limits.memory_mb else None),
                ("quorum", told.get("quorum")),
                ("checker", problem.checker.kind if problem.checker else None),
                *(
                    (name, value)
                    for name, value in told.items()
                    if name not in _KNOWN and not isinstance(value, (dict, list))
                ),
            ]
        )
    ]
    if extra.get("error_info"):
        found.append(blocks.text("Why there are no tests", str(extra["error_info"]), allowance // 4, opened=True))
    if problem.statement:
        found.append(blocks.text("Statement", problem.statement, allowance * 3 // 10, prose=True, opened=True))
    found += _strength_blocks(problem.id, told, programs, allowance)
    found.append(_tests_block(cases, provenance, hardened, allowance * 3 // 10))
    sources = [
        *(
            (f"Gold {n}" + (f" ({gold.language})" if gold.language else ""), gold.source)
            for n, gold in enumerate(problem.golds)
        ),
        *((f"Generator {n}", text) for n, text in enumerate(_texts(extra.get("input_generator")))),
        *((f"Validator {n}", text) for n, text in enumerate(_texts(extra.get("input_validator")))),
        *((("Checker", problem.checker.source),) if problem.checker else ()),
    ]
    room = allowance * 4 // 10
    if sources:
        each = max(150, room // len(sources))
        entries = [blocks.opened(name, [("", blocks.cut(text, each))]) for name, text in sources[: max(2, room // 150)]]
        note = f"{len(sources) - len(entries)} more are left out" if len(entries) < len(sources) else ""
        found.append(blocks.entries("Golds, generators, checkers", entries, note))
    dropped = [_dict(each) for each in _list(told.get("dropped"))]
    if dropped:
        rows = [
            [
                str(each.get("step", "")),
                str(each.get("reason", "")),
                _count(each.get("count")),
                str(each.get("first") or "")[:400],
            ]
            for each in dropped
        ]
        found.append(blocks.table("Inputs that were dropped", ["step", "reason", "count", "the first one"], rows))
    aside = [_dict(each) for each in _list(told.get("set_aside"))]
    if aside:
        rows = [[f"gold {each.get('gold')}", str(each.get("why", ""))[:600]] for each in aside]
        found.append(blocks.table("Golds that were set aside", ["gold", "why"], rows))
    for name, value in told.items():
        if name not in _KNOWN and isinstance(value, (dict, list)) and value:
            found.append(blocks.text(name, json.dumps(value, indent=1, ensure_ascii=False), allowance // 5))
    return found


def _tests_block(
    cases: Sequence[TestCase], provenance: Sequence[dict[str, Any]], hardened: Mapping[str, Any], room: int
) -> blocks.Block:
    """As many tests as there is room for, each with at least a line of its own."""
    most = max(3, min(len(cases), room // 60))
    each = max(40, room // max(1, most) // 2)
    kills = _list(hardened.get("kills"))
    first = len(cases) - len(kills)
    entries = []
    for at, (case, told) in enumerate(zip(cases[:most], provenance, strict=False)):
        killed = _list(kills[at - first]) if kills and at >= first else []
        parts = [("input", blocks.shown(case.input, each)), ("output", blocks.shown(case.output, each))]
        if killed:
            parts.append(("first to reject", blocks.cut(", ".join(map(str, killed)), 400)))
        known = {name: value for name, value in told.items() if value not in ("given", None)}
        entries.append(
            blocks.opened(
                f"{case.group + ' ' if case.group == 'public' else ''}test {at}",
                parts,
                state=f"rejects {len(killed)}" if killed else "",
                tone="good" if killed else "",
                told=known or ({"from": case.provenance} if case.provenance and not told else None),
            )
        )
    note = f"the first {most} of {len(cases)} tests" if most < len(cases) else ""
    return blocks.entries(f"Tests ({len(cases)})", entries, note)


# ── Wrong programs ───────────────────────────────────────────────────────────────────────────────────────────────────


def _strength_blocks(name: str, told: Mapping[str, Any], programs: Programs, allowance: int) -> list[blocks.Block]:
    found: list[blocks.Block] = []
    hardened, selected = _dict(told.get("hardened")), _dict(told.get("selected"))
    for title, account in (("Hardened", hardened), ("Selected", selected)):
        if account:
            plain = [
                (key.replace("_", " "), value) for key, value in account.items() if isinstance(value, (int, float, str))
            ]
            found.append(
                blocks.facts(
                    [*plain, ("inputs", _words(account.get("inputs"))), ("programs", _words(account.get("states")))],
                    title,
                )
            )
    chart = _kills(name, hardened)
    if chart is not None:
        found.append(blocks.picture(chart))
    survivors = [_dict(each) for each in _list(hardened.get("survivors"))]
    killed = [str(each) for some in _list(hardened.get("kills")) for each in _list(some)]
    entries = []
    for each in survivors:
        own = str(each.get("id", ""))
        parts: list[tuple[str, Any]] = []
        if each.get("operator"):
            parts.append(("the gold has", blocks.cut(str(each.get("before", "")), 600)))
            parts.append(("it has", blocks.cut(str(each.get("after", "")), 600)))
        elif source := programs.source(own):
            parts.append(("program", blocks.cut(source, max(200, allowance // 6))))
        near = _nearest(own, killed)
        if near:
            parts.append(("its nearest relative that a new test rejects", blocks.cut(near, 200)))
        said = {"operator": each.get("operator"), "line": each.get("line"), "slow": each.get("slow")}
        entries.append(blocks.opened(own, parts, state="survives", tone="bad", told=said))
    if entries:
        note = "A mutant that fails nothing that was tried may be as right as its gold."
        found.append(blocks.entries(f"Programs that survive ({len(entries)})", entries, note))
    return found


def _nearest(survivor: str, killed: Sequence[str]) -> str:
    """A mutant of the same gold, of the same operator where there is one. A name is PROBLEM/goldN/OPERATOR/COUNT."""
    start, _, rest = survivor.rpartition("/gold")
    gold, _, rest = rest.partition("/")
    operator = rest.partition("/")[0]
    kin = [each for each in killed if start and each.startswith(f"{start}/gold{gold}/")]
    return next((each for each in kin if each.startswith(f"{start}/gold{gold}/{operator}/")), kin[0] if kin else "")


def _kills(name: str, hardened: Mapping[str, Any]) -> Chart | None:
    """Programs against new tests: whom each was the first to reject; below, who survives all of them."""
    kills = [[str(each) for each in _list(some)] for some in _list(hardened.get("kills"))]
    first = {program: at for at, some in reversed(list(enumerate(kills))) for program in some}
    survivors = [str(_dict(each).get("id", "")) for each in _list(hardened.get("survivors"))]
    if not kills or not (first or survivors):
        return None
    programs = [*sorted(first, key=lambda program: (first[program], program)), *survivors][:200]
    rows = tuple(
        "".join(
            "k"
            if first.get(program) == at
            else "b"
            if at < first.get(program, -1)
            else "s"
            if program not in first
            else "n"
            for at in range(len(kills))
        )
        for program in programs
    )
    tones: dict[str, tuple[Tone, str]] = {
        "k": ("good", "the first to reject"),
        "b": ("two", "passed before that"),
        "n": ("mute", "not tried any more"),
        "s": ("bad", "passed, survives"),
    }
    before = _count(hardened.get("killed_before"))
    table = Chart(
        title="",
        picture=charts.cells("", Cells(rows=(), labels=(), tones={}, across="", down="")).picture,
        head=("program", "first rejected by new test"),
        rows=tuple((program, str(first[program]) if program in first else "none: survives") for program in programs),
    )
    return charts.cells(
        f"Kill matrix of {name}",
        Cells(rows=rows, labels=tuple(programs), tones=tones, across="new tests", down="programs"),
        note=f"{before} programs more were rejected by the tests that were there before" if before else "",
        table=table,
    )


# ── All problems ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _lead(counted: _Counted, runs: Sequence[dict[str, Any]]) -> str:
    parts = [f"{counted.problems:,} problems with {sum(counted.tests):,} tests"]
    if runs:
        last = runs[-1]
        seconds = sum(float(run.get("seconds") or 0) for run in runs)
        parts.append(f"made in {duration(seconds)}" + (f" by {len(runs)} runs" if len(runs) > 1 else ""))
        started = str(last.get("started", ""))[:16].replace("T", " ")
        parts.append(f"last run {started} UTC, {last.get('state', '')}")
        box = _dict(last.get("sandbox"))
        if box:
            parts.append(f"isolation level {box.get('level')} with {box.get('workers')} workers")
        version = _dict(last.get("versions")).get("codejury")
        parts.append(f"codejury {version}" if version else "")
    return "; ".join(filter(None, parts)) + "."


def _figures(counted: _Counted, runs: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    total = sum(counted.tests)
    found = [
        rate_figure("problems with tests", Rate(counted.with_tests, counted.problems)),
        Figure(
            label="tests",
            value=f"{total:,}",
            note=f"median {statistics.median(counted.tests):g} a problem" if counted.tests else "",
        ),
    ]
    if counted.dropped or (counted.with_account and not counted.hardened and not counted.selected):
        found.append(rate_figure("inputs that became tests", Rate(total, total + counted.dropped)))
    if counted.hardened:
        account = [each for _, each in counted.hardened]
        programs, before, after = (
            sum(_count(each.get(name)) for each in account) for name in ("programs", "killed_before", "killed")
        )
        found.append(rate_figure("wrong programs rejected before", Rate(min(before, programs), programs)))
        found.append(rate_figure("wrong programs rejected now", Rate(min(after, programs), programs)))
        found.append(Figure(label="new tests", value=f"{sum(_count(each.get('tests_new')) for each in account):,}"))
    if counted.selected:
        account = [each for _, each in counted.selected]
        before, after = (sum(_count(each.get(name)) for each in account) for name in ("tests_before", "tests"))
        found.append(Figure(label="tests kept", value=f"{after:,}", note=f"of {before:,}"))
        killed, still = (sum(_count(each.get(name)) for each in account) for name in ("killed_before", "killed"))
        found.append(rate_figure("rejected programs that still are", Rate(min(still, killed), killed)))
    seconds = sum(float(run.get("seconds") or 0) for run in runs)
    if seconds:
        ran = sum(_count(_dict(run.get("counts")).get("runs")) for run in runs)
        found.append(Figure(label="time", value=duration(seconds), note=f"{ran:,} runs of programs" if ran else ""))
    return tuple(found)


def _charts(counted: _Counted, runs: Sequence[dict[str, Any]]) -> list[Chart]:
    found = []
    steps = _funnel(counted, runs)
    if steps:
        found.append(charts.funnel("From generators to tests", steps))
    if counted.reasons:
        bars = [
            Bar(label=name, value=count, text=f"{count:,}", tone="bad") for name, count in counted.reasons.most_common()
        ]
        found.append(charts.bars("Why inputs were dropped", bars, what="inputs"))
    if counted.failed:
        bars = [
            Bar(label=name, value=count, text=f"{count:,}", tone="bad") for name, count in counted.failed.most_common()
        ]
        found.append(charts.bars("Problems without tests, by the step that failed", bars, what="problems"))
    if counted.hardened:
        rows = [
            (name, {key: _count(value) for key, value in _dict(each.get("states")).items()})
            for name, each in counted.hardened
        ]
        rows.sort(key=lambda each: -each[1].get("survives", 0))
        present = {name: tone for name, tone in _STATES.items() if any(parts.get(name) for _, parts in rows)}
        found.append(charts.stacked("Wrong programs of each problem", rows, present))
        tried = Counter[str]()
        for _, account in counted.hardened:
            tried.update({name: _count(count) for name, count in _dict(account.get("inputs")).items()})
        inputs = [
            Bar(label=name, value=count, text=f"{count:,}", tone="one" if name == "tried" else "bad")
            for name, count in tried.items()
            if count
        ]
        if inputs:
            found.append(charts.bars("New inputs: tried, and why some are no tests", inputs, what="inputs"))
        how = [Bar(label=name, value=count, text=f"{count:,}") for name, count in counted.how.most_common()]
        found.append(charts.bars("Tests by how they were made", how, what="tests"))
    if len(set(counted.tests)) > 1:
        found.append(charts.histogram("Tests of a problem", counted.tests, what="tests"))
    if len(set(counted.golds)) > 1:
        found.append(charts.histogram("Golds of a problem", counted.golds, what="golds"))
    timings: dict[str, float] = {}
    for run in runs:
        for step, seen in _dict(run.get("timings")).items():
            timings[step] = timings.get(step, 0.0) + float(_dict(seen).get("total_s") or 0)
    if timings:
        bars = [Bar(label=name, value=taken, text=duration(taken), tone="two") for name, taken in timings.items()]
        found.append(charts.bars("Time of the steps, all workers together", bars, what="time"))
    return found


def _funnel(counted: _Counted, runs: Sequence[dict[str, Any]]) -> list[tuple[str, int]]:
    if counted.hardened or counted.selected:
        return []
    if counted.with_account:
        left = sum(counted.tests) + counted.dropped
        found = [("inputs from generators", left)]
        for step, label in _STEPS:
            left -= counted.steps[step]
            found.append((label, left))
        return found
    names = {
        "inputs": "inputs from generators",
        "distinct": _STEPS[0][1],
        "valid": _STEPS[1][1],
        "agreed": _STEPS[2][1],
        "tests": _STEPS[3][1],
    }
    told = {name: sum(_count(_dict(run.get("counts")).get(name)) for run in runs) for name in names}
    return [(label, told[name]) for name, label in names.items()] if told["inputs"] else []


def _tables(counted: _Counted, sink: Sink) -> tuple[Table, ...]:
    if not counted.hardened:
        return ()
    rows = []
    worst = sorted(counted.hardened, key=lambda each: -len(_list(each[1].get("survivors"))))
    for name, account in worst[:12]:
        survivors = _list(account.get("survivors"))
        if not survivors:
            continue
        operators = Counter(str(_dict(each).get("operator") or "given") for each in survivors)
        told = ", ".join(f"{operator} {count}" for operator, count in operators.most_common(5))
        place = sink.place(name)
        rows.append(((name, place) if place else name, str(len(survivors)), str(_count(account.get("programs"))), told))
    if not rows:
        return ()
    head = ("problem", "survivors", "programs", "what was changed in them")
    note = "A mutant that fails nothing that was tried may be as right as its gold."
    return (Table(title="Who survives", head=head, rows=tuple(rows), note=note, numeric=frozenset({1, 2}), late=True),)


def _facts(run: Mapping[str, Any], runs: int) -> Any:
    told = {name: run.get(name) for name in ("state", "started", "seconds", "input", "output")}
    return groups(
        ("Run", {**told, **({"runs in the record": runs} if runs > 1 else {})}),
        ("Sandbox", _dict(run.get("sandbox"))),
        ("Versions", _dict(run.get("versions"))),
        ("Host", _dict(run.get("host"))),
        ("Settings", {name: _without_nothing(value) for name, value in _dict(run.get("settings")).items()}),
        ("Counts", _dict(run.get("counts"))),
    )


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: each for name, each in value.items() if each not in (None, "", False)}
    return value


def _notes(counted: _Counted, runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    found = []
    if not runs:
        found.append("There is no record beside the file (….run.json): who made it, where and when is not known.")
    elif runs[-1].get("state") != "done":
        found.append(f"The last run did not end by itself: its state is {runs[-1].get('state')}.")
    if counted.aside:
        found.append(f"{counted.aside} golds were set aside.")
    return tuple(found)


# ── What a row says, whoever wrote it ────────────────────────────────────────────────────────────────────────────────


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 <= value < 2**53 else 0


def _words(value: Any) -> str:
    return ", ".join(f"{name} {count}" for name, count in _dict(value).items())


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in _list(value)]
