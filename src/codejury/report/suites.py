"""How good suites of tests are, as `codejury quality` says it: Q.json, and Q.programs.jsonl where it is there.

TPR: right programs accepted. TNR: wrong programs rejected. Of each problem the page says what every suite says of every
program, and shows the program where somebody gave it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codejury.dataset.rows import BadRow, read_rows
from codejury.report import blocks, charts
from codejury.report.charts import SERIES, Bar, Cells, Chart, Point, Tone, percent
from codejury.report.pack import Column, Sink
from codejury.report.programs import Programs
from codejury.report.section import SAYS_NOT_WHERE, Cell, Figure, Section, Table, rate_figure
from codejury.score.quality import ALL
from codejury.score.rates import Rate

COLUMNS = (
    Column(
        name="state",
        kind="state",
        tones={"all as they should be": "good", "some wrong ones pass": "bad", "some right ones fail": "warn"},
    ),
    Column(name="TPR", kind="percent"),
    Column(name="TNR", kind="percent"),
    Column(name="right", kind="number"),
    Column(name="wrong", kind="number"),
    Column(name="suite"),
)
_MOST_SURVIVORS = 20
_MOST_ROWS = 400


class _Row:
    """A line of the table, or of a problem."""

    def __init__(self, row: Mapping[str, Any], where: str) -> None:
        self.suite = str(row.get("suite", ""))
        self.name = str(row.get("problem", row.get("language", "")))
        self.tpr = self._rate(row, "tpr", where)
        self.tnr = self._rate(row, "tnr", where)
        given = row.get("not_judged")
        self.not_judged = given if isinstance(given, int) else 0

    @staticmethod
    def _rate(row: Mapping[str, Any], name: str, where: str) -> Rate:
        hits, total = row.get(f"{name}_hits"), row.get(f"{name}_programs")
        if not isinstance(hits, int) or not isinstance(total, int) or not 0 <= hits <= total:
            raise BadRow(
                where,
                f"{name}_hits, {name}_programs",
                "how many programs, and how many of them",
                f"{hits!r}, {total!r}"[:80],
            )
        return Rate(hits, total)


def programs_beside(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".json") + ".programs.jsonl")


def section(path: Path, told: Mapping[str, Any], sink: Sink, programs: Programs, *, complain: Any) -> Section:
    table = [_Row(row, f"{path}: table[{at}]") for at, row in enumerate(_rows(told, "table", path))]
    problems = [_Row(row, f"{path}: problems[{at}]") for at, row in enumerate(_rows(told, "problems", path))]
    verdicts = _verdicts(programs_beside(path), complain)
    suites = list(dict.fromkeys(row.suite for row in table))
    by_problem: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for said in verdicts:
        by_problem[str(said.get("problem", ""))].append(said)
    for row in problems:
        sink.add(
            row.name, _values(row), _page(row, problems, by_problem.get(row.name, []), suites, programs, sink.allowance)
        )
    sink.close()
    return Section(
        kind="Quality",
        title=path.name,
        lead=_lead(table, suites),
        figures=_figures(table, suites),
        charts=tuple(_charts(table, problems, verdicts, suites)),
        tables=(_table(table), *_survivors(verdicts, suites, sink)),
        notes=(
            SAYS_NOT_WHERE,
            *(
                (f"What each program came to is not known: there is no {programs_beside(path).name}.",)
                if not verdicts
                else ()
            ),
        ),
        list_title="Problems",
    )


def _rows(told: Mapping[str, Any], name: str, path: Path) -> list[Mapping[str, Any]]:
    rows = told.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRow(str(path), name, "rows of rates, as codejury quality writes them")
    return rows


def _verdicts(path: Path, complain: Any) -> list[Mapping[str, Any]]:
    if not path.is_file():
        return []
    return [row.value for row in read_rows(path, on_error=complain) if isinstance(row.value, dict)]


def _values(row: _Row) -> tuple[Any, ...]:
    state = "all as they should be"
    if row.tnr.hits < row.tnr.total:
        state = "some wrong ones pass"
    elif row.tpr.hits < row.tpr.total:
        state = "some right ones fail"
    return (state, row.tpr.value, row.tnr.value, row.tpr.total, row.tnr.total, row.suite)


def _page(
    row: _Row,
    problems: Sequence[_Row],
    said: Sequence[Mapping[str, Any]],
    suites: Sequence[str],
    programs: Programs,
    allowance: int,
) -> list[blocks.Block]:
    here = [each for each in problems if each.name == row.name]
    rates = [
        [
            each.suite,
            percent(each.tpr.value),
            _between(each.tpr),
            each.tpr.total,
            percent(each.tnr.value),
            _between(each.tnr),
            each.tnr.total,
        ]
        for each in here
    ]
    head = ["suite", "TPR", "95 %", "right", "TNR", "95 %", "wrong"]
    found = [blocks.table("Rates", head, rates)]
    by_program: dict[str, dict[str, Mapping[str, Any]]] = {}
    for each in said:
        by_program.setdefault(str(each.get("program", "")), {})[str(each.get("suite", ""))] = each
    entries = []
    ordered = sorted(by_program.items(), key=lambda item: (not _is_off(item[1]), item[0]))
    most = max(3, allowance // 300)
    for name, verdicts in ordered[:most]:
        first = next(iter(verdicts.values()))
        right = bool(first.get("correct"))
        words = {suite: _word(verdicts[suite]) for suite in suites if suite in verdicts}
        source = programs.source(name)
        parts = [("program", blocks.cut(source, allowance // max(1, min(most, len(ordered)))))] if source else []
        errors = [str(each["error"]) for each in verdicts.values() if each.get("error")]
        parts += [("not judged", blocks.cut(errors[0], 400))] if errors else []
        entries.append(
            blocks.opened(
                name,
                parts or [("program", "not given: add the file of submissions to the report's paths")],
                state=("right" if right else "wrong") + (": not as it should be" if _is_off(verdicts) else ""),
                tone="bad" if _is_off(verdicts) else "good",
                told={"language": first.get("language"), **words},
            )
        )
    if entries:
        note = f"the first {most} of {len(ordered)}" if len(ordered) > most else ""
        found.append(blocks.entries(f"Programs ({len(ordered)})", entries, note))
    return found


def _is_off(verdicts: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(
        each.get("accepted") is not None and each.get("accepted") != each.get("correct") for each in verdicts.values()
    )


def _word(said: Mapping[str, Any]) -> str:
    accepted = said.get("accepted")
    return "not judged" if accepted is None else "accepted" if accepted else "rejected"


def _between(rate: Rate) -> str:
    between = rate.interval
    return f"{percent(between[0])} to {percent(between[1])}" if between else "–"


# ── All problems ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _lead(table: Sequence[_Row], suites: Sequence[str]) -> str:
    overall = [row for row in table if row.name == ALL]
    right = max([row.tpr.total for row in overall] + [0])
    wrong = max([row.tnr.total for row in overall] + [0])
    words = "suite" if len(suites) == 1 else "suites"
    return f"{len(suites)} {words} of tests before {right:,} right and {wrong:,} wrong programs: {', '.join(suites)}."


def _figures(table: Sequence[_Row], suites: Sequence[str]) -> tuple[Figure, ...]:
    found: list[Figure] = []
    for row in table:
        if row.name == ALL and len(found) < 8:
            of = f" of {row.suite}" if len(suites) > 1 else ""
            found.append(
                rate_figure(f"TPR{of}", row.tpr, note=f"{row.tpr.hits:,} of {row.tpr.total:,} right programs accepted")
            )
            found.append(
                rate_figure(f"TNR{of}", row.tnr, note=f"{row.tnr.hits:,} of {row.tnr.total:,} wrong programs rejected")
            )
    not_judged = sum(row.not_judged for row in table if row.name == ALL)
    if not_judged:
        found.append(Figure(label="not judged", value=f"{not_judged:,}", note="failures of ours, in neither rate"))
    return tuple(found)


def _table(table: Sequence[_Row]) -> Table:
    rows = []
    before = None
    for row in table:
        cells = [row.suite if row.suite != before else "", row.name]
        for rate in (row.tpr, row.tnr):
            cells += [percent(rate.value), _between(rate), f"{rate.total:,}"]
        rows.append((*cells, str(row.not_judged)))
        before = row.suite
    head = ("Dataset", "Language", "TPR ↑", "95 %", "right", "TNR ↑", "95 %", "wrong", "not judged")
    return Table(title="TPR and TNR", head=head, rows=tuple(rows), numeric=frozenset(range(2, 9)))


def _charts(
    table: Sequence[_Row], problems: Sequence[_Row], verdicts: Sequence[Mapping[str, Any]], suites: Sequence[str]
) -> list[Chart]:
    found: list[Chart] = []
    tones: dict[str, Tone] = {suite: SERIES[at % len(SERIES)] for at, suite in enumerate(suites)}
    for name, title in (("tpr", "TPR: right programs accepted"), ("tnr", "TNR: wrong programs rejected")):
        bars = []
        languages = sorted({row.name for row in table}, key=lambda each: (each != ALL, each))
        for language in languages:
            for row in table:
                rate: Rate = getattr(row, name)
                if row.name == language and rate.value is not None:
                    low, high = rate.interval or (None, None)
                    label = f"{language} · {row.suite}" if len(suites) > 1 else language
                    bars.append(
                        Bar(
                            label=label,
                            value=rate.value,
                            text=percent(rate.value),
                            low=low,
                            high=high,
                            tone=tones[row.suite],
                        )
                    )
        if bars:
            found.append(charts.bars(title, bars, most=1.0, what="rate"))
    points: dict[tuple[float, float, str], list[str]] = defaultdict(list)
    for row in problems:
        if row.tpr.value is not None and row.tnr.value is not None:
            points[round(row.tpr.value, 2), round(row.tnr.value, 2), row.suite].append(row.name)
    for suite in suites:
        given = [
            Point(x=x, y=y, count=len(names), names=tuple(names[:6]), tone=tones[suite])
            for (x, y, of), names in points.items()
            if of == suite
        ]
        if given:
            title = "Problems" + (f" by {suite}" if len(suites) > 1 else "")
            found.append(
                charts.scatter(
                    title,
                    given,
                    across="TPR",
                    up="TNR",
                    note="a dot in the upper right corner is a problem without a wrong verdict",
                )
            )
    matrix = _matrix(verdicts, suites)
    return [*found, matrix] if matrix else found


def _matrix(verdicts: Sequence[Mapping[str, Any]], suites: Sequence[str]) -> Chart | None:
    """Wrong programs one after the other, a block of lines for each suite."""
    wrong: dict[str, dict[str, str]] = {}
    for said in verdicts:
        if said.get("correct") is False:
            letter = {True: "s", False: "k"}.get(said.get("accepted"), "e")  # type: ignore[arg-type]
            wrong.setdefault(str(said.get("program", "")), {})[str(said.get("suite", ""))] = letter
    if not wrong:
        return None
    names = sorted(wrong, key=lambda name: "".join(wrong[name].get(suite, " ") for suite in suites))[: _MOST_ROWS * 40]
    across = 40
    rows, labels = [], []
    for suite in suites:
        line = "".join(wrong[name].get(suite, " ") for name in names)
        parts = [line[at : at + across] for at in range(0, len(line), across)]
        rows += [*parts, " "]
        labels += [suite] * len(parts) + [""]
    tones: dict[str, tuple[Tone, str]] = {
        "k": ("good", "rejected"),
        "s": ("bad", "accepted: survives"),
        "e": ("warn", "not judged"),
    }
    listed = [
        (
            name,
            *(
                ({"k": "rejected", "s": "accepted", "e": "not judged"}.get(wrong[name].get(suite, ""), "–"))
                for suite in suites
            ),
        )
        for name in names[:_MOST_ROWS]
    ]
    table = Chart(title="", picture=charts.bars("", ()).picture, head=("wrong program", *suites), rows=tuple(listed))
    down = "suites: " + ", ".join(charts.short(suite, 20) for suite in suites)
    note = "each square is a wrong program, in the same order for each suite"
    return charts.cells(
        "Wrong programs",
        Cells(rows=tuple(rows), labels=tuple(labels), tones=tones, across=f"{len(names)} programs", down=down),
        note=note,
        table=table,
    )


def _survivors(verdicts: Sequence[Mapping[str, Any]], suites: Sequence[str], sink: Sink) -> tuple[Table, ...]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for said in verdicts:
        if said.get("correct") is False and said.get("accepted") is True:
            key = (str(said.get("problem", "")), str(said.get("program", "")), str(said.get("language", "")))
            found.setdefault(key, []).append(str(said.get("suite", "")))
    if not found:
        return ()
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    rows: list[tuple[Cell, ...]] = []
    for (problem, program, language), passed in ordered[:_MOST_SURVIVORS]:
        place = sink.place(problem)
        rows.append((program, (problem, place) if place else problem, language, ", ".join(passed)))
    note = f"the first {_MOST_SURVIVORS} of {len(found)}" if len(found) > _MOST_SURVIVORS else ""
    return (
        Table(
            title="Wrong programs that survive",
            head=("program", "problem", "language", "accepted by"),
            rows=tuple(rows),
            note=note,
            late=True,
        ),
    )
