"""MBPP and MBPP+, tested by scripts.

    MBPP             {task_id: number, text, code, test_list[], test_setup_code, challenge_test_list[]}
    MBPP sanitized   {task_id, prompt, code, test_list[], test_imports[], source_file}
    MBPP+            the same, and `test`: a script with many more inputs

Every assert of `test_list` is a case of the group `base`, those of `challenge_test_list` are of the group `challenge`;
the script `test` is one case of the group `plus`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.fields import Fields
from codejury.model import Problem, Submission, TestCase


def recognises(row: Mapping[str, Any]) -> bool:
    return "test_list" in row


def read(row: Fields) -> Problem:
    problem_id = row.name("task_id")
    cases = [
        TestCase(input=text, provenance=f"test_list[{n}]", group="base")
        for n, text in enumerate(row.texts("test_list", default=None))
    ]
    for number, text in enumerate(row.texts("challenge_test_list")):
        cases.append(TestCase(input=text, provenance=f"challenge_test_list[{number}]", group="challenge"))
    if row.has("test"):
        cases.append(TestCase(input=row.text("test"), provenance="test", group="plus"))
    setup = [row.text("test_setup_code", default=""), *row.texts("test_imports")]
    code = row.text("code", default="")
    return Problem(
        id=problem_id,
        kind="script",
        cases=tuple(cases),
        setup="\n".join(text for text in setup if text),
        statement=row.text("text", "prompt", default=""),
        golds=(Submission(source=code, id=f"{problem_id}/code", language="python", label="success"),) if code else (),
        extra=row.rest(),
    )
