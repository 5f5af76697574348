"""What a part of the report says before its list: figures, charts, tables, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from codejury.report.charts import Chart, percent
from codejury.score.rates import Rate

SAYS_NOT_WHERE = "The file does not say on which host, at which level and with which versions this was found."


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`between`: its interval, in words; `note`: of what."""

    label: str
    value: str
    between: str = ""
    note: str = ""


Cell = str | tuple[str, str] | list[tuple[str, str]]
"""A text; a text that leads to an item; or several of them."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """`numeric`: columns that hold numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    numeric: frozenset[int] = frozenset()
    late: bool = False  # after the charts


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """kind       Tests, Quality, Samples, Verdicts, Speed: what it is
    title      whose it is: a file's name
    lead       what ran, in a sentence
    facts      groups of names and values: the run, sandbox, versions, host, settings
    list_title what the items of its list are called; empty: it has none
    """

    kind: str
    title: str
    lead: str = ""
    figures: tuple[Figure, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    notes: tuple[str, ...] = ()
    list_title: str = ""


def rate_figure(label: str, rate: Rate, *, note: str = "") -> Figure:
    between = rate.interval
    return Figure(
        label=label,
        value=percent(rate.value),
        between=f"{percent(between[0])} to {percent(between[1])}" if between else "",
        note=note or f"{rate.hits:,} of {rate.total:,}",
    )


def groups(*named: tuple[str, Mapping[str, Any]]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Facts as they are written down; what is empty is left out."""
    found = []
    for title, told in named:
        rows = tuple((str(name), _words(value)) for name, value in told.items() if value not in (None, "", [], {}))
        if rows:
            found.append((title, rows))
    return tuple(found)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(each)}" for name, each in value.items())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ", ".join(map(_words, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
