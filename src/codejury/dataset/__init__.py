"""Files in and out: problems, cases and submissions in the formats that people have, and stores of results.

    file, directory ─► rows ─► a format's reader ─► Problem          problems.read_problems
                        └────► cases.cases_of ────► TestCase …       problems.read_cases
                        └────────────────────────► Entry             submissions.read_submissions
    rows ─► store.Store                                              append-only, resumable
    Problem ─► a format's writer ─► row, package                     writers.convert
    JSON lines + index ─► Problem by its id                          index.TestIndex

A side port: it imports the model and the errors only, and starts no process. Everything read here comes from strangers:
nothing is unpickled or evaluated, sizes are bounded, and whatever is wrong with a row is a `BadRow`, a UsageError that
names the file, the line, the field and what was expected there.

Two keys of `Problem.extra` mean something to other rooms:

    oracle    {"expected": "gold" | "unknown", …}: outputs of the cases are not known (a None in them is no value). The
              rest says how a value is held against what the golds give; `formats/evalplus.toml` has the words.
    kattis    what a problem package says beyond the model: time multiplier, groups and their grading
"""

from codejury.dataset.index import TestIndex
from codejury.dataset.labels import is_right
from codejury.dataset.problems import FORMATS, problem_of, read_cases, read_problems
from codejury.dataset.rows import BadRow
from codejury.dataset.store import Store
from codejury.dataset.submissions import Entry, read_submissions

__all__ = [
    "FORMATS",
    "BadRow",
    "Entry",
    "Store",
    "TestIndex",
    "is_right",
    "problem_of",
    "read_cases",
    "read_problems",
    "read_submissions",
]
