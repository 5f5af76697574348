"""Numbers for Prometheus, in its text format.

Owns counting and writing; names and meanings stand where they are counted. Everything is touched by the event loop's
thread alone, so nothing is locked.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import Protocol

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class _Family(Protocol):
    name: str
    help: str
    kind: str

    def lines(self) -> list[str]: ...


class Counter:
    """Goes up. `labels` are the names; `add` takes their values in this order."""

    kind = "counter"

    def __init__(self, name: str, help: str, labels: Sequence[str] = ()) -> None:
        self.name, self.help, self._labels = name, help, tuple(labels)
        self._values: dict[tuple[str, ...], float] = {} if labels else {(): 0}

    def add(self, *values: str, by: float = 1) -> None:
        self._values[values] = self._values.get(values, 0) + by

    def value(self, *values: str) -> float:
        return self._values.get(values, 0)

    def values(self) -> dict[tuple[str, ...], float]:
        return dict(self._values)

    def lines(self) -> list[str]:
        return [
            f"{self.name}{_braces(zip(self._labels, key, strict=True))} {_number(n)}" for key, n in self._values.items()
        ]


class Gauge:
    """Asked when it is written."""

    kind = "gauge"

    def __init__(self, name: str, help: str, ask: Callable[[], float]) -> None:
        self.name, self.help, self._ask = name, help, ask

    def lines(self) -> list[str]:
        return [f"{self.name} {_number(self._ask())}"]


class Histogram:
    """Seconds, in buckets."""

    kind = "histogram"

    def __init__(self, name: str, help: str, buckets: Sequence[float] = SECONDS) -> None:
        self.name, self.help, self._buckets = name, help, tuple(buckets)
        self._counts = [0] * (len(self._buckets) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        self._counts[bisect.bisect_left(self._buckets, value)] += 1
        self._sum += value

    def lines(self) -> list[str]:
        lines, total = [], 0
        for edge, count in zip((*map(_number, self._buckets), "+Inf"), self._counts, strict=True):
            total += count
            lines.append(f'{self.name}_bucket{{le="{edge}"}} {total}')
        return [*lines, f"{self.name}_sum {_number(self._sum)}", f"{self.name}_count {total}"]


class Metrics:
    """All families of a service, in the order in which they were made."""

    def __init__(self) -> None:
        self._families: list[_Family] = []

    def counter(self, name: str, help: str, labels: Sequence[str] = ()) -> Counter:
        made = Counter(name, help, labels)
        self._families.append(made)
        return made

    def gauge(self, name: str, help: str, ask: Callable[[], float]) -> None:
        self._families.append(Gauge(name, help, ask))

    def histogram(self, name: str, help: str) -> Histogram:
        made = Histogram(name, help)
        self._families.append(made)
        return made

    def text(self) -> str:
        lines: list[str] = []
        for family in self._families:
            lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}", *family.lines()]
        return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _braces(pairs: object) -> str:
    made = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)  # type: ignore[attr-defined]
    return f"{{{made}}}" if made else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
