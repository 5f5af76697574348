"""The fields of one row, asked for by what they must be.

A field that is absent and one that is null are the same. What was never asked for is left over, for `Problem.extra`.
"""

from __future__ import annotations

import re
from typing import Any

from codejury.dataset.rows import BadRow, data_of, shown
from codejury.model import Limits

_SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "millisecond": 1e-3}
_SECONDS["milliseconds"] = 1e-3
_MEGABYTES = {"": 1.0, "m": 1.0, "mb": 1.0, "mib": 1.0, "megabyte": 1.0, "megabytes": 1.0, "mebibytes": 1.0}
_MEGABYTES |= {"g": 1024.0, "gb": 1024.0, "gib": 1024.0, "gigabytes": 1024.0, "kb": 1 / 1024, "kilobytes": 1 / 1024}
_MEGABYTES |= {"b": 2.0**-20, "bytes": 2.0**-20}


class Fields:
    """A row and where it stands. `field` is where in the row these fields lie, for messages."""

    def __init__(self, row: object, where: str, *, field: str = "") -> None:
        if not isinstance(row, dict):
            raise BadRow(where, field, "an object", shown(row))
        self.row: dict[Any, Any] = row
        self.where = where
        self.field = field
        self._asked: set[str] = set()

    def bad(self, name: str, expected: str, got: object = None) -> BadRow:
        return BadRow(self.where, self._path(name), expected, shown(got))

    def _path(self, name: str) -> str:
        return f"{self.field}.{name}" if self.field else name

    def has(self, name: str) -> bool:
        return self.row.get(name) is not None

    def value(self, *names: str) -> Any:
        """The first of these that is there, whatever it is; None where none is."""
        self._asked.update(names)
        return next((self.row[name] for name in names if self.row.get(name) is not None), None)

    def text(self, *names: str, default: str | None = None) -> str:
        value = self.value(*names)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.bad(self._named(names), "text", value)
        return value

    def name(self, *names: str, required: bool = False) -> str:
        """An id: text, or a whole number. Empty where there is none."""
        value = self.value(*names)
        if value is None and not required:
            return ""
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**100:
            return str(value)
        if not isinstance(value, str):
            raise self.bad(self._named(names), "text or a whole number", value)
        return value

    def items(self, *names: str, default: tuple[Any, ...] | None = None) -> list[Any]:
        """A list; also as JSON in a text."""
        value = self.data(*names)
        if value is None and default is not None:
            return list(default)
        if not isinstance(value, (list, tuple)):
            raise self.bad(self._named(names), "a list", value)
        return list(value)

    def texts(self, *names: str, default: tuple[str, ...] | None = ()) -> list[str]:
        values = self.items(*names, default=default)
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self.bad(f"{self._named(names)}[{position}]", "text", value)
        return values

    def inner(self, *names: str) -> Fields:
        """An object inside this one; also as JSON in a text."""
        value = self.data(*names)
        name = self._named(names)
        if not isinstance(value, dict):
            raise self.bad(name, "an object", value)
        return Fields(value, self.where, field=self._path(name))

    def data(self, *names: str) -> Any:
        """Anything; a text is taken as JSON, or as a Python literal, and an empty one as nothing."""
        value = self.value(*names)
        if not isinstance(value, str):
            return value
        if not value.strip():
            return None
        return data_of(value, where=self.where, field=self._path(self._named(names)))

    def limits(self) -> Limits | None:
        """`time-limit` and `memory-limit`, or with an underscore: numbers (seconds, megabytes), also as text with a
        unit. None where the row has neither."""
        cpu_s = self._amount(("time-limit", "time_limit"), _SECONDS, "seconds")
        memory_mb = self._amount(("memory-limit", "memory_limit"), _MEGABYTES, "megabytes")
        if cpu_s is None and memory_mb is None:
            return None
        usual = Limits()
        try:
            return Limits(cpu_s=cpu_s or usual.cpu_s, memory_mb=memory_mb or usual.memory_mb)
        except ValueError as error:
            raise BadRow(self.where, self._path("time-limit"), "limits within reason", str(error)) from None

    def rest(self) -> dict[str, Any]:
        """The fields that nobody asked for."""
        return {name: value for name, value in self.row.items() if isinstance(name, str) and name not in self._asked}

    def _named(self, names: tuple[str, ...]) -> str:
        return next((name for name in names if self.has(name)), names[0])

    def _amount(self, names: tuple[str, ...], units: dict[str, float], unit: str) -> float | None:
        value = self.value(*names)
        if value is None or value == "":
            return None
        number = value
        if isinstance(value, str):
            match = re.fullmatch(r"\s*([0-9]{1,15}(?:\.[0-9]{0,15})?(?:e\+?[0-9])?)\s*([a-z]*)\s*", value.lower())
            number = float(match[1]) * units[match[2]] if match and match[2] in units else None
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < 2**40:
            raise self.bad(self._named(names), f"a positive number of {unit}", value)
        return float(number)
