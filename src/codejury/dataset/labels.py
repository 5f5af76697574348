"""What a submission is known to be, in whatever words a data set says it.

Owns the words. A label is a verdict of ours where it can be one (`success`, `wrong_answer`, …); other words, such as
`partially_accepted`, stay as they are.
"""

from __future__ import annotations

from typing import TypeVar

from codejury.dataset.fields import Fields
from codejury.model import Submission

_T = TypeVar("_T")

RIGHT = "success"
WRONG = "wrong_answer"

_WORDS = {
    "ac": RIGHT,
    "accepted": RIGHT,
    "correct": RIGHT,
    "ok": RIGHT,
    "pass": RIGHT,
    "passed": RIGHT,
    "success": RIGHT,
    "fail": WRONG,
    "failed": WRONG,
    "incorrect": WRONG,
    "rejected": WRONG,
    "wa": WRONG,
    "wrong": WRONG,
    "ce": "compile_error",
    "compilation_error": "compile_error",
    "compiler_error": "compile_error",
    "mle": "memory_limit_exceeded",
    "ole": "output_limit_exceeded",
    "re": "runtime_error",
    "rte": "runtime_error",
    "run_time_error": "runtime_error",
    "tle": "time_limit_exceeded",
}


def label_of(word: str) -> str:
    """`Accepted`, `AC` -> success; `Run Time Error` -> runtime_error; unknown words in small letters."""
    plain = "_".join(word.lower().replace("-", " ").split())
    return _WORDS.get(plain, plain)


def is_right(submission: Submission) -> bool | None:
    """None: nobody has said. What is right for a part of the tests only is wrong."""
    return label_of(submission.label) == RIGHT if submission.label else None


def told(row: Fields, count: int) -> list[str]:
    """The labels of a row's `count` programs, out of its `label` and `correct`, each for all or a list of one for each
    program; "" where it says nothing."""
    words = [label_of(word) if word else "" for word in _each(row, "label", str, count, "text")]
    verdicts = _each(row, "correct", bool, count, "true or false")
    found = []
    for word, correct in zip(words, verdicts, strict=True):
        if word and correct is not None and correct != (word == RIGHT):
            raise row.bad("correct", f"what the label says, which is {word}", correct)
        found.append(word or {None: "", True: RIGHT, False: WRONG}[correct])
    return found


def _each(row: Fields, name: str, kind: type[_T], count: int, expected: str) -> list[_T | None]:
    value = row.value(name)
    given = value if isinstance(value, list) else [value] * count
    if len(given) != count:
        raise row.bad(name, f"one for each of {count} programs", value)
    for each in given:
        if each is not None and not isinstance(each, kind):
            raise row.bad(name, expected, each)
    return given
