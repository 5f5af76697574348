"""verl's rows, with PRIME's tests in them.

    {data_source, prompt: text | [{role, content}…], ability, reward_model: {style, ground_truth}, extra_info?}

`ground_truth` is, mostly as JSON in a text, {"inputs", "outputs", "fn_name"?, "assert_case"?}, a list of cases, or
{"functional": source}. The id is the row's own, or else its index (extra_info) after the data source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codejury.dataset.cases import cases_of
from codejury.dataset.fields import Fields
from codejury.model import Problem


def recognises(row: Mapping[str, Any]) -> bool:
    return "reward_model" in row


def read(row: Fields) -> Problem:
    truth = row.inner("reward_model")
    value = truth.value("ground_truth")
    if value is None:
        raise truth.bad("ground_truth", "the tests")
    tests = cases_of(value, where=row.where, field="reward_model.ground_truth")
    return Problem(
        id=_id(row),
        kind=tests.kind,
        cases=tests.cases,
        fn_name=tests.fn_name,
        statement=statement_of(row.value("prompt"), row),
        limits=row.limits(),
        compare=tests.compare,
        outputs=tests.outputs,
        extra=row.rest(),
    )


def statement_of(prompt: object, row: Fields) -> str:
    """The text of a prompt; of a conversation, what the user said last."""
    if prompt is None:
        return ""
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list):
        raise row.bad("prompt", "text, or a list of messages", prompt)
    said = ""
    for number, message in enumerate(prompt):
        inner = Fields(message, row.where, field=f"prompt[{number}]")
        text = inner.text("content", default="")
        if inner.text("role", default="user") == "user":
            said = text
    return said


def _id(row: Fields) -> str:
    own = row.name("id", "uid", "problem_id")
    source = row.name("data_source")
    if own or not row.has("extra_info"):
        return own or source
    extra_info = row.row["extra_info"]  # not asked for: it stays in `extra`
    index = Fields(extra_info, row.where, field="extra_info").name("index", "id", "idx")
    return f"{source}/{index}" if index and source else index or source
