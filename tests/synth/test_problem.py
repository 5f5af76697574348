"""One problem through all stages: validators and checkers that earn trust, hardening, survivors, functions, samples."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from llm.chat_server import ChatServer
from synth.author import QUICK, Author, run, when
from synth.problems import (
    ALWAYS,
    CORNER,
    CRASHES,
    FEW,
    GOOD,
    NEVER,
    SPLIT_CHECKER,
    SPLIT_GENERATOR,
    TAKES_ALL,
    VALIDATOR,
    add_row,
    cases_of,
    rows_of,
    split_row,
    sum_row,
)

from codejury import Sandbox
from codejury.synth.options import Options
from codejury.testgen import Options as GenOptions
from codejury.testgen import generate

ALL = Options(regular=8, corner=4, mutants=0, budget=0, survivors=0)
Made = Callable[..., dict[str, Any]]


@pytest.fixture
def made(tmp_path: Path, file_of: Callable[..., Path], sandbox: Sandbox) -> Made:
    """One row, made by an author."""

    def make(row: dict[str, Any], author: Author, options: Options = ALL, **more: Any) -> dict[str, Any]:
        with ChatServer(author) as server:
            run(tmp_path, file_of(row), server, options, sandbox=sandbox, **more)
        (found,) = rows_of(tmp_path / "T.jsonl")
        return found

    return make


def test_all_stages_and_gen_repeats_them(made: Made, tmp_path: Path) -> None:
    author = Author(
        regular_generator=GOOD, corner_generator=CORNER, input_validator=VALIDATOR, checker_decision="Answer: NO"
    )
    row = made(sum_row(), author)
    told = row["synthesis"]
    assert told["state"] == "made"
    assert [each["stage"] for each in told["steps"]] == [
        "validator",
        "decision",
        "generator regular",
        "generator corner",
    ]
    assert row["input_validator"][0].strip() == VALIDATOR
    assert [source.strip() for source in row["input_generator"]] == [GOOD, CORNER]
    assert len(cases_of(row)) == 12
    for index, each in enumerate(told["generators"]):
        assert each["index"] == index
        assert each["prompt"] == f"{('regular', 'corner')[index]}_generator"
        assert re.fullmatch(r"[0-9]+-[0-9a-f]{12}", each["version"])
        assert len(each["request"]) == 64
        assert (each["round"], each["source"]) == (1, "scripted")

    again = tmp_path / "again.jsonl"
    plain = {name: value for name, value in row.items() if name not in ("reward", "synthesis", "test_provenance")}
    (tmp_path / "plain.jsonl").write_text(json.dumps(plain) + "\n")
    generate(tmp_path / "plain.jsonl", again, GenOptions(gen_index=None), workers=2)
    assert cases_of(rows_of(again)[0]) == cases_of(row)


def test_a_seed_is_set_where_the_model_sets_none(made: Made) -> None:
    source = GOOD.replace("random.seed(3)\n", "")
    row = made(sum_row(), Author(regular_generator=source), QUICK)
    assert row["synthesis"]["rounds"] == {"regular": [""]}
    assert row["input_generator"][0].startswith("import random; random.seed(1)")


@pytest.mark.parametrize("first", [TAKES_ALL, "def is_valid_input(input_str):\n    return False"], ids=["all", "none"])
def test_a_validator_is_repaired_until_it_is_trusted(made: Made, first: str) -> None:
    evidence = "must be rejected" if first == TAKES_ALL else "must be accepted"
    author = Author(
        regular_generator=GOOD,
        input_validator=first,
        input_validator_repair=when(evidence, VALIDATOR, otherwise=first),
        checker_decision="NO",
    )
    row = made(sum_row(), author, msgspec.structs.replace(ALL, corner=0))
    assert row["synthesis"]["validator"]["trusted"]
    assert row["synthesis"]["validator"]["rounds"] == 2
    assert row["input_validator"][0].strip() == VALIDATOR


def test_a_validator_that_accepts_anything_is_not_used(made: Made) -> None:
    author = Author(input_validator=TAKES_ALL, input_validator_repair=TAKES_ALL)
    row = made(sum_row(), author, msgspec.structs.replace(ALL, only="validators"))
    told = row["synthesis"]
    assert told["state"] == "no validator"
    assert not told["validator"]["trusted"]
    assert "input_validator" not in row
    assert len(told["steps"]) == 3
    assert row["error_info"]


def test_a_validator_that_rejects_all_inputs_is_dropped(made: Made) -> None:
    strict = VALIDATOR.replace(
        "return 1 <= n <= 8", 'return input_str in ("3\\n1 2 3\\n", "1\\n-5\\n") and 1 <= n <= 8'
    )
    author = Author(regular_generator=GOOD, input_validator=strict, checker_decision="NO")
    row = made(sum_row(), author, msgspec.structs.replace(ALL, corner=0, rounds=1))
    assert row["synthesis"]["validator"]["trusted"] is False
    assert "rejects all" in row["synthesis"]["validator"]["why"]
    assert "input_validator" not in row
    assert len(cases_of(row)) == 8


CHECKED = msgspec.structs.replace(ALL, regular=6, corner=0)


@pytest.mark.parametrize(
    ("first", "evidence"), [(ALWAYS, "must be rejected"), (NEVER, "must be accepted")], ids=["always", "never"]
)
def test_a_checker_is_repaired_until_it_is_trusted(made: Made, first: str, evidence: str) -> None:
    author = Author(
        regular_generator=SPLIT_GENERATOR,
        checker_decision="For 5 both are right.\nAnswer: YES",
        checker=first,
        checker_review=first,
        checker_repair=when(evidence, SPLIT_CHECKER, otherwise=first),
    )
    row = made(split_row(input_validator="def is_valid_input(input_str):\n    return True"), author, CHECKED)
    told = row["synthesis"]
    assert told["checker"]["trusted"]
    assert told["checker"]["rounds"] == 2
    assert told["checker"]["prompt"] == "checker_repair"
    assert "__main__" in row["checker"][-1]
    assert SPLIT_CHECKER in row["checker"][-1]
    assert len(cases_of(row)) == 6


@pytest.mark.parametrize("untrusted", ["exact", "drop"])
def test_without_a_trusted_checker(made: Made, untrusted: Any) -> None:
    author = Author(
        regular_generator=SPLIT_GENERATOR,
        checker_decision="YES",
        checker=ALWAYS,
        checker_review=ALWAYS,
        checker_repair=ALWAYS,
    )
    options = msgspec.structs.replace(CHECKED, untrusted=untrusted, rounds=1)
    row = made(split_row(input_validator=["def is_valid_input(input_str):\n    return True"]), author, options)
    told = row["synthesis"]
    assert not told["checker"]["trusted"]
    assert told["checker"]["why"]
    assert "checker" not in row
    # Compared, the three golds agree on nothing, which is what the row then says.
    assert told["state"] == {"exact": "no tests", "drop": "no checker"}[untrusted]
    assert row["error_info"]
    assert cases_of(row) == []


def test_golds_that_disagree_lead_to_a_checker(made: Made) -> None:
    author = Author(
        regular_generator=SPLIT_GENERATOR,
        checker_decision=when("Solution 2 prints", "Answer: YES", otherwise="Answer: NO"),
        checker=SPLIT_CHECKER,
        checker_review=SPLIT_CHECKER,
    )
    row = made(split_row(input_validator=["def is_valid_input(input_str):\n    return True"]), author, CHECKED)
    told = row["synthesis"]
    assert [step["stage"] for step in told["steps"]][:3] == [
        "decision",
        "generator regular",
        "decision after the golds disagreed",
    ]
    assert told["checker"]["trusted"]
    assert len(cases_of(row)) == 6


def test_only_a_checker(made: Made) -> None:
    """The row's own generators make the inputs; nobody is asked whether one is needed."""
    blind = SPLIT_CHECKER.replace("min(values) >= 1 and ", "")  # 0 and below are no positive integers
    author = Author(
        checker=blind, checker_review=blind, checker_repair=when("smaller by as much", SPLIT_CHECKER, otherwise=blind)
    )
    options = msgspec.structs.replace(ALL, only="checkers", checkers="always")
    row = made(split_row(input_generator=[SPLIT_GENERATOR]), author, options)
    told = row["synthesis"]
    assert [step["prompt"] for step in told["steps"]] == ["checker", "checker_review", "checker_repair"]
    assert told["checker"]["rounds"] == 2
    assert row["input_generator"] == [SPLIT_GENERATOR]
    assert len(cases_of(row)) == 6


def test_the_best_generator_survives(made: Made) -> None:
    """The second round is good, but kills less than the first, whose fault is that it makes few."""
    telling = "tests = ['3\\n4 -7 9\\n']\nprint(tests)"
    dull = "tests = [f'1\\n{n}\\n' for n in range(8)]\nprint(tests)"
    author = Author(regular_generator=telling, generator_repair_error=dull)
    options = msgspec.structs.replace(QUICK, mutants=12)
    row = made(sum_row(), author, options)
    assert row["synthesis"]["rounds"] == {"regular": ["too few", ""]}
    (kept,) = row["synthesis"]["generators"]
    assert (kept["round"], kept["tests"]) == (1, 1)
    assert kept["killed"] > 0
    assert row["input_generator"][0].strip() == telling


def test_of_several_samples_the_best(made: Made) -> None:
    """The same question twice: the server says another thing to the second."""
    said = iter([FEW, GOOD])
    author = Author(regular_generator=lambda last: next(said), generator_repair_error=FEW)
    options = msgspec.structs.replace(QUICK, samples=2, mutants=8, rounds=1)
    row = made(sum_row(), author, options)
    (kept,) = row["synthesis"]["generators"]
    assert kept["sample"] == 1
    assert len(cases_of(row)) == 8


def test_functions(made: Made) -> None:
    good = "calls = [[n, n * n] for n in range(-6, 6)]\nprint(calls)"
    bad = "calls = [5, 6]\nprint(calls)"
    author = Author(function_seeds=bad, again=when("no list of arguments", good, otherwise=bad))
    row = made(add_row(), author, msgspec.structs.replace(ALL, mutants=6, budget=16))
    assert row["synthesis"]["rounds"] == {"regular": ["format", ""], "corner": ["format", ""]}
    assert {"input": [-6, 36], "output": 30} in cases_of(row)


def test_the_model_kills_what_mutation_does_not(made: Made) -> None:
    """A mutant of this gold is wrong at one value in thousands; the model is shown it, and knows."""
    gold = "n = int(input())\na = list(map(int, input().split()))\nprint(sum(a) + (1 if sum(a) == 777 else 0))\n"
    telling = "tests = ['1\\n777\\n', '2\\n700 77\\n']\nprint(tests)"
    small = "tests = [f'1\\n{n}\\n' for n in range(8)]\nprint(tests)"
    author = Author(
        regular_generator=GOOD,
        adversarial_generator=small,
        again=when("gives the right output for all 8 inputs", telling, otherwise=small),
        checker_decision="NO",
    )
    options = Options(regular=8, corner=0, mutants=12, budget=4, survivors=3, rounds=2)
    row = made(sum_row(solutions=[gold, gold], input_validator=[VALIDATOR]), author, options)
    against = row["synthesis"]["against"]
    killed = [each for each in against if each["killed"]]
    assert killed, against
    assert killed[0]["round"] == 2
    assert row["input_generator"][killed[0]["index"]].strip() == telling
    assert "1\n777\n" in [test["input"] for test in cases_of(row)]
    assert len(row["test_provenance"]["tests"]) == len(cases_of(row))


def test_what_the_row_has_is_kept(made: Made) -> None:
    row = made(sum_row(input_generator=[CORNER], note="mine"), Author(regular_generator=GOOD), QUICK)
    assert [source.strip() for source in row["input_generator"]] == [CORNER, GOOD]
    assert row["note"] == "mine"
    assert len(cases_of(row)) == 12


def test_a_cut_answer_goes_on(made: Made) -> None:
    from llm.chat_server import Say

    text = f"```python\n{GOOD}\n```"
    author = Author(regular_generator=Say(text[:120], "length"), go_on=Say(text[120:]))
    row = made(sum_row(), author, QUICK)
    assert row["synthesis"]["rounds"] == {"regular": [""]}
    assert [step["prompt"] for step in row["synthesis"]["steps"]] == ["regular_generator", "go_on"]


def test_an_answer_in_circles_is_not_asked_to_go_on(made: Made) -> None:
    """As a small model does it: it falls into saying the same line again until it is cut off. It is asked afresh, and
    what it is told that it said has the line once."""
    from llm.chat_server import Say

    line = "        tests.append(f'{n} {m}')\n"
    author = Author(
        regular_generator=Say("```python\nfor n in range(9):\n" + line * 40 + line[:11], "length"), again=GOOD
    )
    row = made(sum_row(), author, QUICK)
    assert row["synthesis"]["rounds"] == {"regular": ["format", ""]}
    assert row["synthesis"]["steps"][0]["fault"] == "format: in circles"
    assert [step["prompt"] for step in row["synthesis"]["steps"]] == ["regular_generator", "again"]
    told = author.bodies["again"]["messages"]
    assert [message["content"].count(line.strip()) for message in told[-2:]] == [1, 0]


def test_no_round_succeeds(made: Made) -> None:
    row = made(sum_row(), Author(regular_generator=CRASHES, generator_repair_error=CRASHES, afresh=CRASHES), QUICK)
    assert row["synthesis"]["state"] == "no generator"
    assert row["synthesis"]["rounds"] == {"regular": ["crash"] * 3}
    assert "ZeroDivisionError" in row["error_info"]
    assert cases_of(row) == []
