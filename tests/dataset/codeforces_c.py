"""The rows of codeforces_c: contest problems with C submissions and a letter for each of their tests. For tests alone.

{id, time: "1s", memory: "256m", tests: [{input, output}…], accepted: [{id, lang, code, vector}…], buggy: […]}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codejury.dataset.fields import Fields
from codejury.dataset.formats import testlist
from codejury.dataset.rows import read_rows
from codejury.model import Problem, Submission


def read(file: Path) -> Iterator[tuple[Problem, list[tuple[Submission, str]]]]:
    """Each problem, and its submissions with their letters: A pass, W wrong, R crash, T slow."""
    for row in read_rows(file):
        value = row.value
        time = (
            value["time"] if value["time"] != "0s" else "0.5s"
        )  # half a second, rounded down by whoever wrote the row
        problem = testlist.read(Fields({**value, "time-limit": time, "memory-limit": value["memory"]}, row.where))
        labelled = [(each, "success") for each in value["accepted"]] + [(each, "") for each in value["buggy"]]
        found = [
            (
                Submission(source=each["code"], id=str(each["id"]), language=each["lang"], label=label),
                each.get("vector", ""),
            )
            for each, label in labelled
        ]
        yield problem, found
