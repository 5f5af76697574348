"""Runs every program of programs/ against its problem, as a program, as a function and under test scripts.

    programs/<name>.py   one attack a file; its honest twin is the same text with HOSTILE = False
    aimed/<name>.py      the attack of that name once more, played on other judges' channels (benchmarks/tricks.py)
    judges.py            what those have in common

A header is the first comment block, a key a line:

    attack:   what it tries, in one sentence
    defence:  what stops it
    problem:  one of PROBLEMS below, which the honest twin solves
    kinds:    kinds of problem that it is run as: stdin function script
    expect:   verdicts, any of them: wrong_answer | runtime_error
    parts:    `some`: single asserts may pass, since the answers to them are right; else not one of them may
    peer:     of aimed ones: who is taken in by it
    with:     a file that is put in front

Invariant: no attack is accepted, in no kind of problem and under no form of test, and every honest twin is.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import codejury
from codejury import model
from codejury.judging import calls, scripts

HERE = Path(__file__).resolve().parent
KEYS = ("attack", "defence", "problem", "kinds", "expect")
LIMITS = codejury.Limits(cpu_s=2, wall_s=2, memory_mb=512, output_mb=16)


@dataclass(frozen=True)
class Problem:
    """Arguments with their answers, and asserts of which a wrong answer passes none."""

    answers: dict[int, typing.Any]
    asserts: tuple[str, ...]
    setup: str = ""


PROBLEMS = {
    "number": Problem(
        {3: 10, 7: 50, -2: 5},
        (
            "assert solve(3) == 10",
            "assert abs(solve(7) - 50) < 1e-9",
            "assert not solve(-2) != 5",
            "assert math.isclose(solve(4), 17)",
            "assert solve(5) in [26, 26.0]",
            "assert {10: True}.get(solve(3))",
            "assert solve(7) - 50 == 0",
            "assert 4 < solve(-2) < 6",
        ),
        "import math",
    ),
    "text": Problem(
        {3: "xxx", 1: "x", 2: "xx"},
        (
            "assert solve(3) == 'xxx'",
            "assert solve(2).startswith('xx')",
            "assert 'xx' in solve(2)",
            "assert solve(2).count('x') == 2",
            "assert str(solve(3)) == 'xxx'",
            "assert solve(3) in {'xxx': 1}",
            "assert solve(2).replace('x', '') == ''",
        ),
    ),
    "items": Problem(
        {4: [0, 1, 2, 3], 3: [0, 1, 2], 2: [0, 1]},
        (
            "assert solve(4) == [0, 1, 2, 3]",
            "assert list(solve(4)) == [0, 1, 2, 3]",
            "assert set(solve(3)) == {0, 1, 2}",
            "assert sorted(solve(4)) == [0, 1, 2, 3]",
            "assert 2 in solve(3)",
            "assert [a == b for a, b in zip(solve(2), [0, 1])] == [True, True]",
            "assert set(solve(4)).issuperset([1, 2]) and len(solve(4)) == 4",
        ),
    ),
    "floats": Problem(
        {2: 2 / 3, 5: 5 / 3, -1: -1 / 3},
        (
            "assert solve(2) == 2 / 3",
            "assert abs(solve(5) - 5 / 3) < 1e-9",
            "assert math.isclose(solve(2), 2 / 3)",
            "assert np.allclose(solve(5), 5 / 3)",
            "assert not abs(solve(-1) + 1 / 3) > 1e-9",
        ),
        "import math\nimport numpy as np",
    ),
}


@dataclass(frozen=True)
class Attack:
    name: str
    source: str
    problem: str
    kinds: tuple[str, ...]
    expect: frozenset[str]
    some_parts: bool

    @property
    def honest(self) -> str:
        return self.source.replace("HOSTILE = True", "HOSTILE = False", 1)


def read(path: Path) -> Attack:
    text = path.read_text()
    rows: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("# "):
            break
        key, _, value = line.removeprefix("# ").partition(":")
        rows[key] = value.strip()
    missing = [key for key in KEYS if not rows.get(key)]
    expect = frozenset(part.strip() for part in rows.get("expect", "").split("|"))
    kinds = tuple(rows.get("kinds", "").split())
    if missing or text.count("HOSTILE = True") != 1 or "def solve(" not in text:
        raise ValueError(f"{path.name}: no {', '.join(missing) or 'HOSTILE = True, or no solve'}")
    if rows["problem"] not in PROBLEMS or not set(kinds) <= set(typing.get_args(model.Kind)):
        raise ValueError(f"{path.name}: expected a problem and kinds that there are")
    if not expect <= set(typing.get_args(model.Verdict)) - {"success"}:
        raise ValueError(f"{path.name}: expect: expected verdicts, got {rows['expect']!r}")
    if "with" in rows:
        shared = (HERE / rows["with"]).read_text()
        text = text.replace("HOSTILE = True\n", f"HOSTILE = True\n{shared}\n", 1)
    name = str(path.relative_to(HERE / "programs" if path.parent.name == "programs" else HERE))
    return Attack(name, text, rows["problem"], kinds, expect, rows.get("parts") == "some")


ATTACKS = [read(path) for folder in ("programs", "aimed") for path in sorted((HERE / folder).glob("*.py"))]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[codejury.Sandbox]:
    with codejury.Sandbox(workers=2) as made:
        yield made


# --- how a program is judged: the one place to change ----------------------------------------------------------------


def verdicts(sandbox: codejury.Sandbox, kind: str, problem: Problem, source: str) -> list[str]:
    """The verdict on each case, or on each form of test."""
    if kind == "stdin":
        return [judged_program(sandbox, source, n, answer) for n, answer in problem.answers.items()]
    if kind == "function":
        cases = [model.TestCase(input=[n], output=answer) for n, answer in problem.answers.items()]
        return [calls.judge_call(sandbox, source, "solve", case, limits=LIMITS).verdict for case in cases]
    return [
        scripts.judge_script(sandbox, source, form, setup=problem.setup, fn_name="solve", limits=LIMITS).verdict
        for form in forms(problem)
    ]


def judged_program(sandbox: codejury.Sandbox, source: str, n: int, answer: typing.Any) -> str:
    outcome = sandbox.run(source, language="python", stdin=f"{n}\n", limits=LIMITS)
    verdict = calls.verdict_of(outcome)
    return verdict or ("success" if outcome.stdout.decode(errors="replace").rstrip() == str(answer) else "wrong_answer")


def forms(problem: Problem) -> list[str]:
    """The asserts as a script, as check(candidate), as test functions and as a class of unittest, and a loop."""
    lines = problem.asserts
    check = "\n".join(["def check(candidate):", *(f"    {line.replace('solve(', 'candidate(')}" for line in lines)])
    tests = "\n".join(f"def test_{n}():\n    {line}" for n, line in enumerate(lines))
    methods = "\n".join(f"    def test_{n}(self):\n        {line}" for n, line in enumerate(lines))
    equal = "\n".join(f"        self.assertEqual(solve({n}), {answer!r})" for n, answer in problem.answers.items())
    case = f"import unittest\nclass TestSolve(unittest.TestCase):\n{methods}\n    def test_equal(self):\n{equal}"
    given, wanted = list(problem.answers), list(problem.answers.values())
    loop = f"for got, wanted in zip(map(solve, {given}), {wanted}):\n    assert got == wanted"
    return ["\n".join(lines), check, tests, case, loop]


# --- the attacks and their twins -------------------------------------------------------------------------------------

RUNS = [pytest.param(attack, kind, id=f"{attack.name}-{kind}") for attack in ATTACKS for kind in attack.kinds]


def test_there_are_enough_of_them() -> None:
    assert len(ATTACKS) >= 40
    aimed, programs = ({path.name for path in (HERE / name).glob("*.py")} for name in ("aimed", "programs"))
    assert aimed <= programs
    for kind in typing.get_args(model.Kind):
        assert sum(kind in attack.kinds for attack in ATTACKS) >= 40


@pytest.mark.parametrize(("attack", "kind"), RUNS)
def test_attack_is_not_accepted(sandbox: codejury.Sandbox, attack: Attack, kind: str) -> None:
    found = verdicts(sandbox, kind, PROBLEMS[attack.problem], attack.source)
    if attack.some_parts:
        assert set(found) - {"success"}, "accepted"
    assert set(found) - ({"success"} if attack.some_parts else set()) <= attack.expect


@pytest.mark.parametrize("attack", [a for a in ATTACKS if "script" in a.kinds], ids=lambda attack: attack.name)
def test_attack_passes_no_single_assert(sandbox: codejury.Sandbox, attack: Attack) -> None:
    problem = PROBLEMS[attack.problem]
    result = scripts.judge_script(
        sandbox, attack.source, problem.asserts, setup=problem.setup, fn_name="solve", limits=LIMITS
    )
    passed = [problem.asserts[int(part.name[5:]) - 1] for part in result.parts if part.verdict == "success"]
    assert not result.passed
    assert attack.some_parts or passed == []


@pytest.mark.parametrize(("attack", "kind"), RUNS)
def test_honest_twin_is_accepted(sandbox: codejury.Sandbox, attack: Attack, kind: str) -> None:
    found = verdicts(sandbox, kind, PROBLEMS[attack.problem], attack.honest)
    assert set(found) == {"success"}
