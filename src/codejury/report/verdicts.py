"""Verdicts of submissions, as `codejury judge --output` writes them: by kind, by test, and against what is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codejury.dataset.rows import read_rows
from codejury.report import blocks, charts
from codejury.report.charts import Bar, Cells, Chart, Tone
from codejury.report.pack import Column, Sink
from codejury.report.programs import Programs
from codejury.report.section import SAYS_NOT_WHERE, Figure, Section, Table, rate_figure
from codejury.score.rates import Rate

LETTERS: dict[str, tuple[str, Tone]] = {
    "success": ("a", "good"),
    "wrong_answer": ("w", "bad"),
    "time_limit_exceeded": ("t", "warn"),
    "memory_limit_exceeded": ("m", "three"),
    "output_limit_exceeded": ("o", "three"),
    "runtime_error": ("r", "four"),
    "compile_error": ("c", "mute"),
    "format_error": ("f", "two"),
}
COLUMNS = (
    Column(name="verdict", kind="state", tones={name: tone for name, (_, tone) in LETTERS.items()}),
    Column(name="passed", kind="percent"),
    Column(name="tests", kind="number"),
    Column(name="cpu s", kind="number"),
    Column(name="memory MB", kind="number"),
    Column(name="problem"),
    Column(name="known to be", kind="state"),
)
_MATRICES = 8
_MOST_PROGRAMS = 120


def section(path: Path, sink: Sink, programs: Programs, *, complain: Any) -> Section:
    counts: Counter[str] = Counter()
    labels: Counter[tuple[str, bool]] = Counter()
    cpu: list[float] = []
    by_problem: dict[str, list[tuple[str, Sequence[str], str]]] = defaultdict(list)
    for row in read_rows(path, on_error=complain):
        said = row.value
        if not isinstance(said, dict) or "verdict" not in said:
            continue
        name, verdict, problem = (str(said.get(key, "")) for key in ("custom_id", "verdict", "problem"))
        given = said.get("cases")
        cases = [str(each) for each in given] if isinstance(given, list) else []
        counts[verdict] += 1
        label = str(said.get("label", ""))
        if label:
            labels[label, verdict == "success"] += 1
        cpu.append(_number(said.get("cpu_s")))
        if len(by_problem[problem]) < _MOST_PROGRAMS:
            by_problem[problem].append((name, cases, verdict))
        total = _number(said.get("total"))
        passed = _number(said.get("passed")) / total if total else None
        values = (
            verdict,
            passed,
            int(total),
            _number(said.get("cpu_s")),
            _number(said.get("memory_mb")),
            problem,
            label,
        )
        sink.add(name, values, _page(said, cases, programs.source(name), sink.allowance))
    sink.close()
    right = Rate(counts["success"], sum(counts.values()))
    return Section(
        kind="Verdicts",
        title=path.name,
        lead=f"{right.total:,} submissions to {len(by_problem):,} problems were judged.",
        figures=(
            rate_figure("accepted", right),
            *_against(labels),
            Figure(label="CPU time", value=f"{sum(cpu):.1f} s", note=f"slowest submission {max(cpu, default=0):.2f} s"),
        ),
        charts=tuple(_charts(counts, by_problem)),
        tables=_table(labels),
        notes=(
            SAYS_NOT_WHERE,
            *((f"Kill matrices are drawn of {_MATRICES} problems.",) if len(by_problem) > _MATRICES else ()),
        ),
        list_title="Submissions",
    )


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _page(said: Mapping[str, Any], cases: Sequence[str], source: str, allowance: int) -> list[blocks.Block]:
    failure = said.get("first_failure")
    names = ("problem", "verdict", "passed", "total", "cpu_s", "memory_mb", "label")
    found = [blocks.facts([(name.replace("_", " "), said.get(name)) for name in names])]
    if isinstance(failure, dict):
        title = f"First failure: test {failure.get('index')}"
        found.append(blocks.text(title, str(failure.get("message", "")), allowance // 4, opened=True))
    if said.get("compile_message"):
        found.append(blocks.text("What the compiler says", str(said["compile_message"]), allowance // 4, opened=True))
    if cases:
        found.append(blocks.picture(_cells("Test by test", [("", cases)], across=40)))
    if source:
        found.append(blocks.text("Program", source, allowance // 2, opened=True))
    return found


def _against(labels: Mapping[tuple[str, bool], int]) -> list[Figure]:
    right = Rate(
        labels.get(("success", True), 0), sum(count for (label, _), count in labels.items() if label == "success")
    )
    wrong_total = sum(count for (label, _), count in labels.items() if label != "success")
    wrong = Rate(
        sum(count for (label, passed), count in labels.items() if label != "success" and not passed), wrong_total
    )
    found = []
    if right.total:
        found.append(rate_figure("right programs accepted (TPR)", right))
    if wrong.total:
        found.append(rate_figure("wrong programs rejected (TNR)", wrong))
    return found


def _charts(counts: Counter[str], by_problem: Mapping[str, Sequence[tuple[str, Sequence[str], str]]]) -> list[Chart]:
    bars = [
        Bar(label=name, value=count, text=f"{count:,}", tone=LETTERS.get(name, ("?", "mute"))[1])
        for name, count in counts.most_common()
    ]
    found = [charts.bars("Verdicts", bars, what="submissions")]
    several = {name: rows for name, rows in by_problem.items() if any(len(cases) > 1 for _, cases, _ in rows)}
    for name, rows in list(several.items())[:_MATRICES]:
        ordered = sorted(rows, key=lambda row: (row[2] == "success", [case != "success" for case in row[1]]))
        found.append(_cells(f"Kill matrix of {name}", [(program, cases) for program, cases, _ in ordered]))
    return found


def _cells(title: str, rows: Sequence[tuple[str, Sequence[str]]], *, across: int = 0) -> Chart:
    """Submissions against tests; or the tests of one, `across` a line."""
    drawn, labels = [], []
    for name, cases in rows:
        line = "".join(LETTERS.get(case, ("?", "mute"))[0] for case in cases)
        parts = [line[at : at + across] for at in range(0, len(line), across)] if across else [line]
        drawn += parts
        labels += [name] * len(parts)
    tones: dict[str, tuple[Tone, str]] = {letter: (tone, name) for name, (letter, tone) in LETTERS.items()}
    cells = Cells(
        rows=tuple(drawn), labels=tuple(labels), tones=tones, across="tests", down="lines" if across else "submissions"
    )
    return charts.cells(title, cells)


def _table(labels: Mapping[tuple[str, bool], int]) -> tuple[Table, ...]:
    if not labels:
        return ()
    names = sorted({label for label, _ in labels}, key=lambda label: (label != "success", label))
    rows = tuple((name, f"{labels.get((name, True), 0):,}", f"{labels.get((name, False), 0):,}") for name in names)
    head = ("known to be", "accepted", "rejected")
    return (Table(title="Against what is known", head=head, rows=rows, numeric=frozenset({1, 2})),)
