"""A dialogue for each class of failure: round 1 fails, round 2 is told why and succeeds; untold, it does not.

All of them are rows of one run, and again of a second one, whose prompts leave the evidence out.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from llm.chat_server import ChatServer
from synth.author import QUICK, Author, prompts_without, run, when
from synth.conftest import written
from synth.problems import (
    CHANCE,
    CHATTY,
    CRASHES,
    DOUBLES,
    ENDLESS,
    FEW,
    FORKS,
    GOOD,
    HUNGRY,
    INVALID,
    MANY,
    NO_LIST,
    ONE_ANSWER,
    SHORT_LINES,
    VALIDATOR,
    cases_of,
    rows_of,
    sum_row,
)

from codejury import Sandbox
from codejury.llm.prompts import Prompts
from codejury.model import Limits


class Case(NamedTuple):
    """bad: the first answer; prompt: the repair it must lead to; evidence: what the author needs to be told."""

    kind: str
    bad: str
    prompt: str
    evidence: str
    row: dict[str, Any] = {}


# Right within the bounds of the statement.
SATURATES = "input()\nprint(sum(max(-1000, int(word)) for word in input().split()))"
# The golds read the first two lines, and agree.
LONGER = "tests = [f'1\\n{n}\\nx y\\n' for n in range(20, 28)]\nprint(tests)"
ERROR, OUTPUTS = "generator_repair_error", "generator_repair_outputs"
CASES = {
    "no-code": Case("format", "I think that random inputs would be best.", "again", "no code"),
    "no-parse": Case("format", "```python\nprint(tests\nfor\n```", "again", "no valid Python"),
    "no-list": Case("format", NO_LIST, ERROR, "did not print one list"),
    "crash": Case("crash", CRASHES, ERROR, "ZeroDivisionError"),
    "forks": Case("crash", FORKS, ERROR, "processes"),
    "time": Case("time", ENDLESS, ERROR, "more than 0.5 seconds"),
    "memory": Case("memory", HUNGRY, ERROR, "more than 256 MB of memory"),
    "output": Case("output", CHATTY, ERROR, "printed more than 8 MB"),
    "unsteady": Case("unsteady", CHANCE, ERROR, "other inputs each time"),
    "too-few": Case("too few", FEW, ERROR, "gave 1 different inputs"),
    "too-many": Case("too many", MANY, ERROR, "printed 1000 inputs"),
    "all-the-same": Case("all alike", DOUBLES, ERROR, "only 2 of them are different"),
    "one-answer": Case("all alike", ONE_ANSWER, ERROR, "the same answer"),
    "golds-fail": Case("golds fail", SHORT_LINES, OUTPUTS, "EOFError"),
    "invalid": Case("invalid input", INVALID, OUTPUTS, "is_valid_input returned False", {"input_validator": VALIDATOR}),
    "invalid-shown": Case("invalid input", INVALID, OUTPUTS, "1\n5000", {"input_validator": VALIDATOR}),
    "another-form": Case("invalid input", LONGER, OUTPUTS, "another form than the valid input"),
    "golds-disagree": Case(
        "golds disagree",
        GOOD.replace("-1000", "-2000"),
        OUTPUTS,
        "Solution 2 prints",
        {"solutions": ["input()\nprint(sum(map(int, input().split())))", SATURATES]},
    ),
}
LIMITS = Limits(cpu_s=0.5, memory_mb=256, output_mb=8)
OPTIONS = msgspec.structs.replace(QUICK, generator=LIMITS)
EVIDENCE: dict[str, tuple[str, ...]] = {
    "again": ("problem_found",),
    "afresh": ("problem_found",),
    "generator_repair_error": ("error", "printed"),
    "generator_repair_outputs": ("input", "reason"),
}


class Ran(NamedTuple):
    rows: dict[str, dict[str, Any]]
    author: Author


def ran(folder: Path, sandbox: Sandbox, prompts: Prompts | None) -> Ran:
    author = Author(
        {
            name: {
                "regular_generator": case.bad,
                case.prompt: when(case.evidence, GOOD, otherwise=case.bad),
                "afresh": when(case.evidence, GOOD, otherwise=case.bad),
            }
            for name, case in CASES.items()
        }
    )
    path = written(folder / "P.jsonl", *(sum_row(name, **case.row) for name, case in CASES.items()))
    with ChatServer(author) as server:
        run(folder, path, server, OPTIONS, prompts=prompts, sandbox=sandbox)
    return Ran({row["custom_id"]: row for row in rows_of(folder / "T.jsonl")}, author)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Ran:
    return ran(tmp_path_factory.mktemp("told"), sandbox, None)


@pytest.fixture(scope="module")
def untold(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Ran:
    folder = tmp_path_factory.mktemp("untold")
    return ran(folder, sandbox, prompts_without(folder / "prompts", **EVIDENCE))


@pytest.mark.parametrize("name", CASES)
def test_round_two_is_told_and_succeeds(name: str, told: Ran) -> None:
    case, row = CASES[name], told.rows[name]
    assert row["synthesis"]["rounds"] == {"regular": [case.kind, ""]}, row["synthesis"]["steps"][0]["evidence"]
    assert told.author.asked[name] == {"regular_generator": 1, case.prompt: 1}
    assert row["synthesis"]["state"] == "made"
    assert row["error_info"] is None
    assert [test["input"].split("\n")[0] for test in cases_of(row)] == list("12345678")
    assert row["input_generator"][0].strip() == GOOD


@pytest.mark.parametrize("name", CASES)
def test_untold_it_fails(name: str, untold: Ran) -> None:
    case, row = CASES[name], untold.rows[name]
    assert row["synthesis"]["rounds"] == {"regular": [case.kind] * 3}
    repairs = {"again": 2} if case.prompt == "again" else {case.prompt: 1, "afresh": 1}
    assert untold.author.asked[name] == {"regular_generator": 1, **repairs}


def test_the_same_script_twice_is_begun_afresh(tmp_path: Path, sandbox: Sandbox) -> None:
    """Who sees a script that it cannot mend gives it again; so it is not shown the third time, only its fault."""

    def anew(last: str) -> str:
        return GOOD if "ZeroDivisionError" in last and CRASHES.strip() not in last else CRASHES

    author = Author(regular_generator=CRASHES, generator_repair_error=CRASHES, afresh=anew)
    with ChatServer(author) as server:
        run(tmp_path, written(tmp_path / "P.jsonl", sum_row("p0")), server, sandbox=sandbox)
    (row,) = rows_of(tmp_path / "T.jsonl")
    assert row["synthesis"]["rounds"]["regular"] == ["crash", "crash", ""]
    assert [step["prompt"] for step in row["synthesis"]["steps"]] == [
        "regular_generator",
        "generator_repair_error",
        "afresh",
    ]
    assert author.bodies["afresh"]["temperature"] >= 0.8 > author.bodies["regular_generator"]["temperature"]
    roles = [message["role"] for message in author.bodies["afresh"]["messages"]]
    assert all(one != next for one, next in itertools.pairwise(roles)), "turns alternate"
