"""Samples of a benchmark, as `codejury eval` and evalplus write them: one run, and several side by side.

A run is its eval_results.json. Beside it the verdicts (eval_verdicts.jsonl) say why a sample failed, and the
benchmark's data, where they are given, what was asked and tested.

The store of verdicts names programs by digests that take the data to compute. A sample's reason is taken from the
verdict of its task that failed at the same input; where several of them give different reasons, none is told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from codejury.benchmarks.catalog import SUBSETS, Subset
from codejury.benchmarks.results import Rows, rates, read_results, tallies
from codejury.dataset.problems import read_problems
from codejury.dataset.rows import read_rows
from codejury.errors import UsageError
from codejury.model import Problem
from codejury.report import blocks, charts
from codejury.report.charts import SERIES, Bar, Cells, Chart, Curve, Tone, percent
from codejury.report.pack import Column, Sink
from codejury.report.section import Cell, Figure, Section, Table, groups
from codejury.score.paired import Paired, paired
from codejury.score.passk import KS, Estimate, estimate

_STATES: dict[str, tuple[str, Tone]] = {
    "pass": ("p", "good"),
    "base alone": ("b", "warn"),
    "fail": ("f", "bad"),
    "timeout": ("t", "four"),
}
_TONES = {"all pass": "good", "some pass": "warn", "none passes": "bad", "no sample": "mute"}
_KS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200)
_CURVES = 4
_FLIPS = 30  # that are named; the list has all
_KNOWN = frozenset(
    {"task_id", "solution", *(f"{name}_{part}" for name in SUBSETS for part in ("status", "fail_tests"))}
)


class Run:
    """One eval_results.json, and what lies beside it."""

    def __init__(self, path: Path, *, complain: Any) -> None:
        self.path = path
        self.rows: Rows = read_results(path)
        self.whole = _whole(path)
        self.name = _name(path)
        self.subsets: tuple[Subset, ...] = tuple(subset for subset in SUBSETS if tallies(self.rows, subset))
        self._reasons = _reasons(path, complain)
        self._said = _reviewed(path, complain)
        for task, samples in self.rows.items():
            for sample in samples:
                told = self._said.get((task, str(sample.get("solution", ""))))
                if told is not None:
                    sample.update({"prompt": told.prompt, "reply": told.reply})

    @property
    def knows_why(self) -> bool:
        return bool(self._reasons or self._said)

    @property
    def about(self) -> dict[str, Any]:
        told = self.whole.get("codejury")
        return told if isinstance(told, dict) else {}

    def state(self, sample: Mapping[str, Any]) -> str:
        """pass: all that it was tried on."""
        statuses = [sample.get(f"{subset}_status") for subset in SUBSETS]
        if all(status in ("pass", None) for status in statuses):
            return "pass"
        if statuses[0] == "pass":
            return "base alone" if "timeout" not in statuses else "timeout"
        return "timeout" if statuses[0] == "timeout" else "fail"

    def reason(self, sample: Mapping[str, Any]) -> tuple[str, str]:
        """The verdict and the message of its first failure; empty where nobody says."""
        told = self._said.get((str(sample.get("task_id", "")), str(sample.get("solution", ""))))
        if told is not None:
            return told.verdict, told.message
        found = self._reasons.get(_mark(str(sample.get("task_id", "")), sample), set())
        return next(iter(found)) if len(found) == 1 else ("", "")


class _Told(NamedTuple):
    prompt: str
    reply: str
    verdict: str
    message: str


def _reviewed(path: Path, complain: Any) -> dict[tuple[str, str], _Told]:
    """What a model was asked and said, by task and program: the reviews of an `eval --model` run (records.py)."""
    found: dict[tuple[str, str], _Told] = {}
    if path.parent.parent.name != "results":
        return found
    name = path.name.removesuffix("_eval_results.json") + "_default.jsonl"
    file = path.parent.parent.parent / "reviews" / path.parent.name / name
    for row in read_rows(file, on_error=complain) if file.is_file() else ():
        try:
            score = row.value["sample_score"]["score"]
            *asked, said = row.value["messages"]
            task = str(row.value["sample_score"]["sample_metadata"]["task_id"])
            subsets = score["metadata"]["subsets"].values()
            worst = next((each for each in subsets if each["status"] != "pass"), {"verdict": "", "message": ""})
            told = _Told(
                "\n\n".join(str(each["content"]) for each in asked),
                str(said["content"]),
                worst["verdict"],
                worst["message"],
            )
            found[task, score["extracted_prediction"] or ""] = told
        except (KeyError, TypeError, ValueError, AttributeError):  # somebody else's row
            continue
    return found


def _whole(path: Path) -> dict[str, Any]:
    told = json.loads(path.read_bytes())
    return told if isinstance(told, dict) else {}


def _name(path: Path) -> str:
    start = path.name.removesuffix("eval_results.json").rstrip("_.")
    if path.parent.parent.name == "results":
        return f"{path.parent.name} {start}"
    return start or path.parent.name or path.name


def names_of(runs: Sequence[Run]) -> list[str]:
    """That tell the runs apart."""
    found: list[str] = []
    for run in runs:
        alike = [each for each in runs if each.name == run.name]
        found.append(run.name if len(alike) == 1 else f"{run.name} ({run.path})")
    return [name if found.count(name) == 1 else f"{name} #{at + 1}" for at, name in enumerate(found)]


def _mark(task: str, sample: Mapping[str, Any]) -> str:
    parts = [[sample.get(f"{subset}_status"), sample.get(f"{subset}_fail_tests") or []] for subset in SUBSETS]
    return json.dumps([task, parts], default=str)


def _reasons(path: Path, complain: Any) -> dict[str, set[tuple[str, str]]]:
    beside = path.with_name(path.name.removesuffix("results.json") + "verdicts.jsonl")
    found: dict[str, set[tuple[str, str]]] = {}
    if beside == path or not beside.is_file():
        return found
    for row in read_rows(beside, on_error=complain):
        said = row.value if isinstance(row.value, dict) else {}
        subsets = said.get("subsets")
        if not isinstance(subsets, dict):
            continue
        known = {name: subsets[name] for name in SUBSETS if isinstance(subsets.get(name), dict)}
        sample: dict[str, Any] = {}
        for name, each in known.items():
            sample |= {f"{name}_status": each.get("status"), f"{name}_fail_tests": each.get("failed") or []}
        first: dict[str, Any] = next((each for each in known.values() if each.get("status") != "pass"), {})
        reason = (str(first.get("verdict", "")), str(first.get("message", "")))
        found.setdefault(_mark(str(said.get("task_id", "")), sample), set()).add(reason)
    return found


def columns(runs: Sequence[Run]) -> list[Column]:
    names = names_of(runs)
    if len(runs) == 1:
        return [
            Column(name="state", kind="state", tones=_TONES),
            *(Column(name=subset, kind="percent") for subset in runs[0].subsets),
            Column(name="samples", kind="number"),
            Column(name="first failure", kind="state"),
        ]
    return [
        Column(name="change", kind="state", tones={"gained": "good", "lost": "bad", "mixed": "warn"}),
        *(Column(name=name, kind="percent") for name in names),
    ]


def section(runs: Sequence[Run], sink: Sink, data: Sequence[Path], *, complain: Any) -> Section:
    """One part for all runs: with several the list says what changed from the first to the last."""
    tasks = _tasks(data, complain)
    names = names_of(runs)
    order = list(dict.fromkeys(task for run in runs for task in run.rows))
    failures: list[Counter[str]] = [Counter() for _ in runs]
    for task in order:
        page = _page(task, runs, names, tasks, sink.allowance)
        sink.add(task, _values(task, runs), page, hint=_hint(tasks, task))
    sink.close()
    for run, counts in zip(runs, failures, strict=True):
        for samples in run.rows.values():
            for sample in samples:
                if run.state(sample) != "pass":
                    counts[run.reason(sample)[0] or run.state(sample)] += 1
    found = [*_curves(runs, names)]
    for run, name, counts in zip(runs, names, failures, strict=True):
        of = f" of {name}" if len(runs) > 1 else ""
        found.append(_grid(run, f"Samples{of}"))
        bars = [Bar(label=kind, value=count, text=f"{count:,}", tone="bad") for kind, count in counts.most_common()]
        if bars:
            found.append(charts.bars(f"Failures by kind{of}", bars, what="samples"))
    return Section(
        kind="Samples" if len(runs) == 1 else "Samples, compared",
        title=names[0] if len(runs) == 1 else " · ".join(names),
        lead=_lead(runs, names),
        figures=_figures(runs, names),
        charts=tuple(found),
        tables=(_rates(runs, names), *_compared(runs, names, sink)),
        facts=_facts(runs, names),
        notes=_notes(runs, tasks),
        list_title="Tasks",
    )


# ── One task ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _tasks(data: Sequence[Path], complain: Any) -> dict[str, Problem]:
    return {problem.id: problem for path in data for problem in read_problems(path, on_error=complain)}


def _problem(tasks: Mapping[str, Problem], task: str) -> Problem | None:
    """`Mbpp/2` and `2` are the same task."""
    return tasks.get(task) or tasks.get(task.rpartition("/")[2])


def _hint(tasks: Mapping[str, Problem], task: str) -> str:
    problem = _problem(tasks, task)
    return (problem.fn_name or "") if problem else ""


def _values(task: str, runs: Sequence[Run]) -> tuple[Any, ...]:
    shares = [_share(run, task) for run in runs]
    if len(runs) > 1:
        first, last = shares[0], shares[-1]
        middle = [each for each in shares if each is not None]
        change = "same"
        if first is None or last is None:
            change = "only in some"
        elif last != first:
            change = "gained" if last > first else "lost"
        elif len(set(middle)) > 1:
            change = "mixed"
        return (change, *shares)
    run, (share,) = runs[0], shares
    samples = run.rows.get(task, [])
    subsets = [_share(run, task, subset) for subset in run.subsets]
    failed = next((sample for sample in samples if run.state(sample) != "pass"), None)
    reason = "" if failed is None else run.reason(failed)[0] or run.state(failed)
    state = "no sample" if share is None else "all pass" if share == 1 else "some pass" if share else "none passes"
    return (state, *subsets, len(samples), reason)


def _share(run: Run, task: str, subset: Subset | None = None) -> float | None:
    samples = run.rows.get(task)
    if not samples:
        return None
    if subset is None:
        return sum(run.state(sample) == "pass" for sample in samples) / len(samples)
    tally = tallies({task: samples}, subset).get(task)
    return tally.correct / tally.samples if tally else None


def _page(
    task: str, runs: Sequence[Run], names: Sequence[str], tasks: Mapping[str, Problem], allowance: int
) -> list[blocks.Block]:
    found: list[blocks.Block] = []
    problem = _problem(tasks, task)
    if len(runs) > 1:
        rows = [
            [name, _many(len(run.rows.get(task, []))), *(percent(_share(run, task, subset)) for subset in SUBSETS)]
            for run, name in zip(runs, names, strict=True)
        ]
        found.append(blocks.table("Runs", ["run", "samples", *SUBSETS], rows))
    if problem is not None:
        prompt = problem.statement or problem.starter_code
        if prompt:
            found.append(blocks.text("Prompt", prompt, allowance // 5, opened=True))
    total = sum(len(run.rows.get(task, [])) for run in runs)
    each = max(200, allowance // 2 // max(1, total))
    for run, name in zip(runs, names, strict=True):
        samples = run.rows.get(task, [])
        most = max(1, min(len(samples), allowance // 2 // each))
        entries = [_sample(run, at, sample, each) for at, sample in enumerate(samples[:most])]
        note = f"the first {most} of {len(samples)}" if most < len(samples) else ""
        title = f"Samples of {name}" if len(runs) > 1 else "Samples"
        found.append(blocks.entries(f"{title} ({len(samples)})", entries, note))
    if problem is not None:
        found += _tests(problem, allowance // 5)
        if problem.golds:
            found.append(blocks.text("Canonical solution", problem.golds[0].source, allowance // 10))
    return found


def _many(count: int) -> str:
    return str(count) if count else "none"


def _sample(run: Run, at: int, sample: Mapping[str, Any], most: int) -> dict[str, Any]:
    state = run.state(sample)
    verdict, message = run.reason(sample)
    parts: list[tuple[str, Any]] = []
    if message:
        parts.append(("why", blocks.cut(message, 500)))
    for subset in SUBSETS:
        failed = sample.get(f"{subset}_fail_tests")
        if failed:
            parts.append(
                (
                    f"first input of {subset} that it fails",
                    blocks.shown(failed[0] if isinstance(failed, list) else failed, 300),
                )
            )
    parts.append(("code", blocks.cut(str(sample.get("solution", "")), most)))
    for name, value in sample.items():
        if name not in _KNOWN and isinstance(value, str) and value:
            parts.append((name, blocks.cut(value, most)))
    told: dict[str, Any] = {subset: sample.get(f"{subset}_status") for subset in SUBSETS}
    return blocks.opened(
        f"sample {at}",
        parts,
        state=verdict if state != "pass" and verdict else state,
        tone=_STATES[state][1],
        told=told,
    )


def _tests(problem: Problem, room: int) -> list[blocks.Block]:
    cases = list(problem.cases[: max(3, min(200, room // 80))])
    if not cases:
        return []
    each = max(60, room // len(cases) // 2)
    entries = []
    for at, case in enumerate(cases):
        parts = [("input" if problem.kind != "script" else "test", blocks.shown(case.input, each))]
        if case.output is not None:
            parts.append(("expected", blocks.shown(case.output, each)))
        entries.append(blocks.opened(f"test {at}", parts, told={"subset": case.group} if case.group else None))
    note = f"the first {len(cases)} of {len(problem.cases)}" if len(cases) < len(problem.cases) else ""
    return [blocks.entries(f"Tests ({len(problem.cases)})", entries, note)]


# ── All tasks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _lead(runs: Sequence[Run], names: Sequence[str]) -> str:
    parts = []
    for run, name in zip(runs, names, strict=True):
        samples = sum(map(len, run.rows.values()))
        dataset = run.about.get("dataset")
        version = run.about.get("version")
        words = [f"{name}: {samples:,} samples of {len(run.rows):,} tasks"]
        words.append(f"of {dataset}" if dataset else "")
        words.append(f"on {run.whole['date']}" if run.whole.get("date") else "")
        words.append(f"by codejury {version}, scoring {run.about.get('scoring')}" if version else "in evalplus' layout")
        parts.append(" ".join(filter(None, words)))
    return "; ".join(parts) + "."


def _estimates(run: Run, subset: Subset) -> list[Estimate]:
    given = list(tallies(run.rows, subset).values())
    return [found for k in _KS if (found := estimate(given, k)) is not None]


def _figures(runs: Sequence[Run], names: Sequence[str]) -> tuple[Figure, ...]:
    found = []
    for run, name in zip(runs, names, strict=True):
        for subset in run.subsets:
            for each in _estimates(run, subset):
                if each.k in KS:
                    of = f", {name}" if len(runs) > 1 else ""
                    found.append(
                        Figure(
                            label=f"pass@{each.k} {subset}{of}",
                            value=percent(each.value),
                            between=f"{percent(each.low)} to {percent(each.high)}",
                            note=f"{each.tasks:,} tasks",
                        )
                    )
        left = run.about.get("not_judged")
        if left:
            found.append(Figure(label="not judged", value=str(len(left)), note="failures of ours, in no mean"))
    return tuple(found)


def _curves(runs: Sequence[Run], names: Sequence[str]) -> list[Chart]:
    found = []
    for subset in SUBSETS:
        given = []
        for at, (run, name) in enumerate(zip(runs[:_CURVES], names, strict=False)):
            points = tuple((each.k, each.value, each.low, each.high) for each in _estimates(run, subset))
            if points:
                given.append(Curve(label=name, points=points, tone=SERIES[at]))
        if not given:
            continue
        if all(len(curve.points) == 1 for curve in given):
            bars = [
                Bar(
                    label=curve.label,
                    value=curve.points[0][1],
                    text=percent(curve.points[0][1]),
                    low=curve.points[0][2],
                    high=curve.points[0][3],
                    tone=curve.tone,
                )
                for curve in given
            ]
            found.append(charts.bars(f"pass@1, {subset} tests", bars, most=1.0, what="pass@1"))
        else:
            found.append(charts.curves(f"pass@k, {subset} tests", given, across="k", note="bands are 95 % intervals"))
    return found


def _grid(run: Run, title: str) -> Chart:
    """A line of squares a task where it has several samples; else tasks side by side, in their order."""
    letters = {task: "".join(_STATES[run.state(sample)][0] for sample in samples) for task, samples in run.rows.items()}
    tones: dict[str, tuple[Tone, str]] = {letter: (tone, name) for name, (letter, tone) in _STATES.items()}
    if max(map(len, letters.values()), default=0) > 1:
        labels = sorted(letters, key=lambda task: (-letters[task].count("p") / max(1, len(letters[task])), task))
        rows = tuple("".join(sorted(letters[task], key="pbft".index)) for task in labels)
        cells = Cells(rows=rows, labels=tuple(labels), tones=tones, across="samples", down="tasks, the best first")
        return charts.cells(title, cells)
    line, across = "".join(letters.values()), 30
    rows = tuple(line[at : at + across] for at in range(0, len(line), across))
    listed = tuple(
        (task, next(name for name, (mark, _) in _STATES.items() if mark == letter))
        for task, letter in letters.items()
        if letter
    )
    table = Chart(title="", picture=charts.bars("", ()).picture, head=("task", "state"), rows=listed[:600])
    cells = Cells(rows=rows, labels=(), tones=tones, across="tasks, in their order", down=f"{across} a line")
    return charts.cells(title, cells, table=table)


def _rates(runs: Sequence[Run], names: Sequence[str]) -> Table:
    rows = []
    for run, name in zip(runs, names, strict=True):
        for subset in run.subsets:
            for each in _estimates(run, subset):
                if each.k not in KS:
                    continue
                rows.append(
                    (
                        name,
                        subset,
                        f"pass@{each.k}",
                        percent(each.value),
                        f"{percent(each.low)} to {percent(each.high)}",
                        str(each.tasks),
                    )
                )
    head = ("run", "tests", "", "value", "95 %", "tasks")
    return Table(title="pass@k", head=head, rows=tuple(rows), numeric=frozenset({3, 4, 5}))


def _compared(runs: Sequence[Run], names: Sequence[str], sink: Sink) -> list[Table]:
    """The others against the first."""
    found: list[Table] = []
    if len(runs) < 2:
        return found
    rows: list[tuple[str, ...]] = []
    flips: list[tuple[str, Subset, Paired]] = []
    for run, name in zip(runs[1:], names[1:], strict=True):
        for subset in SUBSETS:
            one, other = rates(runs[0].rows, subset), rates(run.rows, subset)
            try:
                said = paired(one, other)
            except UsageError:  # nothing that both have
                continue
            between = (
                "–" if said.low is None or said.high is None else f"{said.low * 100:+.1f} to {said.high * 100:+.1f}"
            )
            rows.append(
                (
                    name,
                    subset,
                    str(said.tasks),
                    percent(said.first),
                    percent(said.second),
                    f"{said.difference * 100:+.1f}",
                    between,
                    str(len(said.gained)),
                    str(len(said.lost)),
                    f"{said.exact:.3g}",
                    f"{said.mid_p:.3g}",
                )
            )
            flips.append((name, subset, said))
    head = ("run", "tests", "tasks", "first", "this one", "difference", "95 %", "gained", "lost", "McNemar p", "mid-p")
    found.append(Table(title=f"Against {names[0]}", head=head, rows=tuple(rows), numeric=frozenset(range(2, 11))))
    flipped: list[tuple[Cell, ...]] = []
    for name, subset, said in flips:
        for change, tasks in (("gained", said.gained), ("lost", said.lost)):
            links = [(task, sink.place(task) or "#") for task in tasks[:_FLIPS]]
            if len(tasks) > _FLIPS:
                links.append(("…", f"#{sink.key}-items"))
            if tasks:
                flipped.append((name, subset, change, str(len(tasks)), links))
    if flipped:
        names_of_columns = ("run", "tests", "change", "tasks", "which")
        found.append(
            Table(
                title="Tasks that flipped",
                head=names_of_columns,
                rows=tuple(flipped),
                numeric=frozenset({3}),
                late=True,
            )
        )
    return found


def _facts(runs: Sequence[Run], names: Sequence[str]) -> Any:
    found = []
    for run, name in zip(runs, names, strict=True):
        about = run.about
        told = {
            "file": str(run.path),
            "date": run.whole.get("date"),
            "data (MD5)": run.whole.get("hash"),
            **{key: about.get(key) for key in ("version", "dataset", "scoring", "differs", "micro")},
            "tasks without samples": len(about.get("without_samples") or []) or None,
        }
        found.append((name, told))
    return groups(*found)


def _notes(runs: Sequence[Run], tasks: Mapping[str, Problem]) -> tuple[str, ...]:
    found = []
    if not tasks:
        found.append("Prompts and tests are not shown: --data names the benchmark's file.")
    if any(max(map(len, run.rows.values()), default=0) > 0 and not run.knows_why for run in runs):
        found.append(
            "Why samples failed is not known of every run: eval_verdicts.jsonl, or reviews/, is not beside it."
        )
    return tuple(found)
