"""One row: from programs to tests. Golds that fail, lie or waver; limits; checkers; functions; what is written."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from testgen.rows import (
    GOLDS,
    SPLIT_CHECKER,
    SPLIT_GOLDS,
    SUM_C,
    SUM_CPP,
    SUM_LOOP_PY,
    SUM_PY,
    add_row,
    generator,
    pairs_of,
    right_sum,
    row,
    split_row,
)

from codejury import Sandbox
from codejury.dataset.problems import problem_of
from codejury.model import Comparison, Limits
from codejury.testgen import pipeline
from codejury.testgen.crew import Crew
from codejury.testgen.options import Options, Quorum
from codejury.testgen.pipeline import Made
from codejury.testgen.rows import task_of


def make(crew: Crew, given: dict[str, Any], **options: Any) -> Made:
    return pipeline.make(crew, task_of(given, where="rows, line 1"), Options(**options))


# ── A row as it should be ────────────────────────────────────────────────────────────────────────────────────────────


def test_golds_in_several_languages_make_tests(crew: Crew) -> None:
    made = make(crew, row(solutions=[SUM_PY, SUM_CPP, SUM_C, SUM_LOOP_PY]))
    assert made.error_info is None
    assert (made.tests, made.drops, made.set_aside) == (10, {}, 0)
    assert [(text, answer.strip()) for text, answer in pairs_of(made.row)] == [
        (text, right_sum(text)) for text, _ in pairs_of(made.row)
    ]


def test_the_row_keeps_its_fields_in_their_order(crew: Crew) -> None:
    given = row(difficulty={"a": [1, None]}, reward={"style": "rule", "ground_truth": "old"}, zzz="last")
    made = make(crew, given)
    before = {name: value for name, value in made.row.items() if name in given and name != "reward"}
    assert before == {name: value for name, value in given.items() if name != "reward"}
    assert list(made.row)[: len(given)] == list(given)
    assert list(made.row)[len(given) :] == ["error_info", "test_provenance"]
    assert made.row["reward"]["style"] == "rule"
    assert made.row["reward"]["ground_truth"]["type"] == "stdin"
    assert made.row["reward"]["ground_truth"]["fn_name"] is None
    assert given["reward"]["ground_truth"] == "old", "what was read is not changed"


def test_each_test_says_where_it_comes_from(crew: Crew) -> None:
    made = make(crew, row(input_generator=[generator(4), generator(4, seed=9)]), gen_index=None)
    told = made.row["test_provenance"]
    assert [(each["generator"], each["position"]) for each in told["tests"]] == [
        (g, p) for g in (0, 1) for p in range(4)
    ]
    for each in told["tests"]:
        assert each["golds"] == [0, 1, 2]
        assert 0 < each["cpu_s"] < 2
        assert 0 < each["memory_mb"] < 256
    assert "test_provenance" not in make(crew, row(), plain=True).row


def test_the_reader_takes_the_row(crew: Crew) -> None:
    for given in (row(), split_row(), add_row()):
        made = make(crew, given)
        problem = problem_of(json.loads(json.dumps(made.row)))
        assert len(problem.cases) == made.tests > 0


# ── Golds that are wrong ─────────────────────────────────────────────────────────────────────────────────────────────

_HEAD = "import sys\nn, *x = map(int, sys.stdin.read().split())\n"
CORRUPTED = {
    "off by one": _HEAD + "print(sum(x) + 1)",
    "off by one on odd counts": _HEAD + "print(sum(x) + n % 2)",
    "forgets the last": _HEAD + "print(sum(x[:-1]))",
    "forgets the first": _HEAD + "print(sum(x[1:]))",
    "absolute values": _HEAD + "print(sum(map(abs, x)))",
    "32 bits": _HEAD + "s = sum(x) & 0xffffffff\nprint(s - (1 << 32) if s >> 31 else s)",
    "floats": _HEAD + "print(float(sum(x)))",
    "constant": _HEAD + "print(0)",
    "silent": _HEAD,
    "echo": "import sys\nprint(sys.stdin.read())",
    "chatty": _HEAD + "print('the sum is', sum(x))",
    "crashes": _HEAD + "raise SystemExit(1)",
    "crashes on negative sums": _HEAD + "assert sum(x) >= 0\nprint(sum(x))",
    "wrong on negative sums": _HEAD + "print(max(0, sum(x)))",
    "wrong on one input in ten": _HEAD + "print(sum(x) + (sum(x) % 10 == 3))",
    "loops on long lists": _HEAD + "while n > 7: pass\nprint(sum(x))",
    "random": _HEAD + "import random\nprint(sum(x) + random.randint(0, 1))",
    "no program": "int main( { return 0; }",
    "eats memory": _HEAD + "x = bytearray(1 << 30)",
    "right, and then fails": _HEAD + "print(sum(x))\nsys.exit(3)",
}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_one_corrupted_gold_of_five_makes_no_wrong_test(crew: Crew, place: int) -> None:
    """Twenty ways, shared out over the first, a middle and the last place, ten inputs each; all of them at each place
    with fifty inputs, which makes a thousand tests a place, where CODEJURY_THOROUGH is set."""
    thorough = bool(os.environ.get("CODEJURY_THOROUGH"))
    count = 50 if thorough else 10
    right = [SUM_PY, SUM_LOOP_PY, SUM_CPP, SUM_C]
    assert len(CORRUPTED) == 20
    chosen = list(CORRUPTED.items()) if thorough else list(CORRUPTED.items())[place // 2 :: 3]
    total = 0
    for name, source in chosen:
        solutions = [*right[:place], source, *right[place:]]
        given = row(solutions=solutions, input_generator=[generator(count, seed=len(name))], **{"time-limit": 0.5})
        made = make(crew, given)
        wrong = [(text, answer) for text, answer in pairs_of(made.row) if answer.strip() != right_sum(text)]
        assert wrong == [], name
        assert made.tests > 0.4 * count, f"{name}: {made.error_info}"
        total += made.tests
    assert total > 0.8 * count * len(chosen)


def test_a_gold_that_is_wrong_most_of_the_time_is_set_aside(crew: Crew) -> None:
    made = make(crew, row(solutions=[CORRUPTED["off by one"], *GOLDS]))
    assert (made.tests, made.set_aside) == (10, 1)
    (told,) = made.row["test_provenance"]["set_aside"]
    assert told == {"gold": 0, "why": "stands against more than half of the golds on 10 of 10 inputs"}
    assert made.row["test_provenance"]["tests"][0]["golds"] == [1, 2, 3]


def test_a_gold_that_is_wrong_now_and_then_costs_these_inputs(crew: Crew) -> None:
    fields = {"input_generator": ["print([f'1\\n{n}' for n in range(20)])"]}
    sometimes = _HEAD + "print(sum(x) + (sum(x) in (3, 7)))"
    made = make(crew, row(solutions=[*GOLDS, sometimes], **fields))
    assert (made.tests, made.drops, made.set_aside) == (18, {"golds disagree": 2}, 0)
    (told,) = made.row["test_provenance"]["dropped"]
    assert told["positions"] == [[0, 3], [0, 7]]
    assert told["first"] == "golds 0, 1, 2 against gold 3"
    assert make(crew, row(solutions=[*GOLDS, sometimes], **fields), quorum=Quorum.of("3")).tests == 20


def test_two_golds_that_disagree_make_nothing(crew: Crew) -> None:
    made = make(crew, row(solutions=[SUM_PY, CORRUPTED["off by one"]]))
    assert made.tests == 0
    assert made.row["reward"]["ground_truth"]["input_output"] == []
    assert "step: agree" in made.error_info
    assert "golds disagree: gold 0 against gold 1" in made.error_info
    assert "first failing input: '" in made.error_info


def test_two_golds_of_which_one_fails_make_nothing(crew: Crew) -> None:
    made = make(crew, row(solutions=[SUM_PY, "print('half')\nraise KeyError('why')"]))
    assert made.tests == 0
    for words in ("step: outputs", "gold: 1", "gold 1 fails: runtime_error", "printed: 'half", "KeyError: 'why'"):
        assert words in made.error_info
    assert (
        make(crew, row(solutions=[SUM_PY, "print('half')\nraise KeyError('why')"]), quorum=Quorum.of("1")).tests == 10
    )


def test_a_gold_that_does_not_compile_is_named(crew: Crew) -> None:
    made = make(crew, row(solutions=[SUM_CPP.replace("long long", "nonsense"), *GOLDS]))
    assert made.tests == 10
    (told,) = made.row["test_provenance"]["set_aside"]
    assert told["gold"] == 0
    assert re.fullmatch(r"cannot be run: compile_error: main\.cpp:3:\d+: error: .*nonsense.*", told["why"])


def test_a_gold_in_no_known_language_is_named(crew: Crew) -> None:
    made = make(crew, row(solutions=["what is this?", *GOLDS]))
    assert made.tests == 10
    assert "cannot be run: " in made.row["test_provenance"]["set_aside"][0]["why"]


def test_a_gold_that_is_too_slow_is_not_run_to_the_end(crew: Crew) -> None:
    before = crew.tally["runs"]
    given = row(solutions=[*GOLDS, _HEAD + "while True: pass"], input_generator=[generator(60)], **{"time-limit": 0.2})
    made = make(crew, given)
    assert (made.tests, made.set_aside) == (60, 1)
    assert "time_limit_exceeded" in made.row["test_provenance"]["set_aside"][0]["why"]
    runs = crew.tally["runs"] - before
    assert runs < 1 + 3 * 60 + 60 + 40, "13 failures are enough; a few more were under way"


def test_klears_rule_asks_the_first_and_the_last(crew: Crew) -> None:
    before = crew.tally["runs"]
    made = make(crew, row(solutions=[SUM_PY, "print(0)", SUM_CPP]), quorum=Quorum.of("first-last"))
    assert made.tests == 10
    assert crew.tally["runs"] - before == 1 + 2 * 10
    assert made.row["test_provenance"]["tests"][0]["golds"] == [0, 2]


def test_a_single_gold_is_believed(crew: Crew) -> None:
    made = make(crew, row(solutions=[SUM_PY]))
    assert made.tests == 10
    assert made.row["test_provenance"]["tests"][0]["golds"] == [0]


def test_outputs_are_compared_as_asked(crew: Crew) -> None:
    third = "import sys\nprint(float(sys.stdin.read().split()[1]) / 3)"
    rounded = "import sys\nprint(f'{float(sys.stdin.read().split()[1]) / 3:.7f}')"
    given = row(solutions=[third, rounded], input_generator=["print(['1\\n5', '1\\n7'])"])
    assert make(crew, given).tests == 0
    assert make(crew, given, compare=Comparison(by="floats")).tests == 2


# ── Answers that change ──────────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_that_changes_is_dropped(crew: Crew) -> None:
    wavers = "import random, sys\nn = int(sys.stdin.read().split()[1])\nprint(random.random() if n % 2 else n)"
    made = make(crew, row(solutions=[wavers], input_generator=["print([f'1\\n{n}' for n in range(10)])"]))
    assert made.drops == {"flaky": 5}
    assert [text for text, _ in pairs_of(made.row)] == [f"1\n{n}" for n in range(0, 10, 2)]


SET_ORDER = "import sys\nprint(' '.join({word + 'x' for word in sys.stdin.read().split()}))"


@pytest.mark.parametrize("solutions", [[SET_ORDER], [SET_ORDER, SET_ORDER + "\n"]], ids=["one", "two"])
def test_an_answer_in_the_order_of_a_set_is_dropped(solutions: list[str]) -> None:
    """Programs forked from one interpreter share its hash seed, and agree on such an order by accident."""
    texts = "print([' '.join(f'{n}w{k}' for k in range(12)) for n in range(12)])"
    with Sandbox(workers=1) as one, Crew(one) as crew:
        made = make(crew, row(solutions=solutions, input_generator=[texts]))
    assert made.tests == 0
    assert made.drops == {"flaky": 12}
    assert "step: steady" in made.error_info


# ── Limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────

HUNGRY = SUM_PY + "x = bytearray(300 << 20)\n"
BUSY = "import time\nwhile time.process_time() < 0.3: pass\n" + SUM_PY


FEW = {"input_generator": [generator(3)]}


@pytest.mark.parametrize(("limit", "tests"), [(256, 0), ("256", 0), (512, 3), ("512", 3), ("0.5 GB", 3)])
def test_the_rows_memory_limit_holds(crew: Crew, limit: object, tests: int) -> None:
    made = make(crew, row(solutions=[HUNGRY, HUNGRY + "\n"], **FEW, **{"memory-limit": limit}))
    assert made.tests == tests
    if not tests:
        assert "memory_limit_exceeded: used more memory than 256 MB" in made.error_info


@pytest.mark.parametrize(("limit", "tests"), [(0.1, 0), ("0.1", 0), (1.5, 3), ("2", 3)])
def test_the_rows_time_limit_holds(crew: Crew, limit: object, tests: int) -> None:
    made = make(crew, row(solutions=[BUSY], **FEW, **{"time-limit": limit}))
    assert made.tests == tests
    if not tests:
        assert "time_limit_exceeded" in made.error_info


@pytest.mark.parametrize("limit", [None, ""])
def test_a_row_without_limits_has_those_of_the_options(crew: Crew, limit: object) -> None:
    fields = {**FEW, "memory-limit": limit, "time-limit": limit}
    tight = Limits(cpu_s=5, memory_mb=128)
    assert make(crew, row(solutions=[HUNGRY], **fields), run=tight).tests == 0
    assert make(crew, row(solutions=[HUNGRY], **fields), run=Limits(cpu_s=5, memory_mb=512)).tests == 3
    slow = make(crew, row(solutions=[BUSY], **{**fields, "memory-limit": 256}), run=Limits(cpu_s=0.1))
    assert "the limit is 0.1 s" in slow.error_info


def test_calibrating_stores_twice_the_slowest_gold(crew: Crew) -> None:
    made = make(crew, row(solutions=[BUSY, SUM_CPP], **FEW, **{"time-limit": "0.1"}), calibrate=True)
    assert made.tests == 3
    slowest = max(each["cpu_s"] for each in made.row["test_provenance"]["tests"])
    assert slowest >= 0.3
    assert made.row["time-limit"] == pytest.approx(2 * slowest, abs=0.002)
    assert list(made.row)[:8] == list(row())[:8]
    quick = make(crew, row(solutions=[SUM_CPP]), calibrate=True)
    assert quick.row["time-limit"] == 0.1


# ── Checkers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_checker_takes_answers_that_differ(crew: Crew) -> None:
    made = make(crew, split_row())
    assert (made.tests, made.drops) == (10, {})
    assert pairs_of(made.row)[0] == ("2", "1 1\n")
    assert made.row["test_provenance"]["tests"][5]["golds"] == [0, 1, 2]
    assert make(crew, split_row(), checker="ignored").tests < 3


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_gold_that_the_checker_rejects_is_set_aside(crew: Crew, place: int) -> None:
    """Also the first one, whose answer would be the reference: a checker that does not look at the reference would
    accept all others beside it."""
    wrong = "n = int(input())\nprint(n, 0)\n"
    made = make(crew, split_row(solutions=[*SPLIT_GOLDS[:place], wrong, *SPLIT_GOLDS[place:]]), checker="demanded")
    assert (made.tests, made.set_aside) == (10, 1)
    assert made.row["test_provenance"]["set_aside"][0]["gold"] == place
    for text, answer in pairs_of(made.row):
        assert sorted(map(int, answer.split()))[0] > 0
        assert sum(map(int, answer.split())) == int(text)


def test_a_gold_is_not_held_against_itself(crew: Crew) -> None:
    """This checker takes what equals the reference: each gold would pass beside its own answer."""
    equal = "def is_valid_output(input_str, output_str, reference):\n    return output_str == reference\n"
    made = make(crew, split_row(checker=[equal], solutions=SPLIT_GOLDS[:2]))
    assert (made.tests, made.drops) == (1, {"checker rejects": 9})


def test_agreement_does_not_replace_the_checker(crew: Crew) -> None:
    both_wrong = ["n = int(input())\nprint(n, 0)\n", "n = int(input())\nprint(n, 0)\n\n"]
    made = make(crew, split_row(solutions=both_wrong))
    assert made.tests == 0
    assert "it rejects the answer on which all golds agree" in made.error_info
    assert make(crew, split_row(solutions=both_wrong), quorum=Quorum.of("2")).tests == 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def is_valid_output(a, b, c):\n    return 1 / 0", "ZeroDivisionError"),
        ("#include <iostream>\nint main() { nonsense }", "compile"),
    ],
)
def test_a_checker_that_fails_is_told(crew: Crew, source: str, words: str) -> None:
    made = make(crew, split_row(checker=[source]))
    assert made.tests == 0
    assert "checker failed" in made.error_info
    assert words in made.error_info


def test_a_checker_of_testlibs_kind(crew: Crew) -> None:
    source = """#include <fstream>
int main(int, char **v) { std::ifstream i(v[1]), o(v[2]); int n, a, b; i >> n; o >> a >> b; return a + b == n ? 0 : 1; }
"""
    assert make(crew, split_row(checker=source)).tests == 10


def test_where_a_checker_is_demanded(crew: Crew) -> None:
    without = make(crew, row(), checker="demanded")
    assert (without.tests, without.error_info.splitlines()[0]) == (0, "step: agree")
    assert "the row has no checker" in without.error_info
    alone = make(crew, split_row(solutions=SPLIT_GOLDS[:1]), checker="demanded")
    assert "the row has a single solution" in alone.error_info


def test_klears_rule_with_a_checker(crew: Crew) -> None:
    given = split_row(solutions=[SPLIT_GOLDS[0], "print(0)", SPLIT_GOLDS[2]], checker=[SPLIT_CHECKER])
    assert make(crew, given, quorum=Quorum.of("first-last")).tests == 10


# ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_function_is_called(crew: Crew) -> None:
    made = make(crew, add_row())
    assert pairs_of(made.row) == [([n, n * n], n + n * n) for n in range(6)]
    assert made.row["reward"]["ground_truth"]["type"] == "function_call"
    assert made.row["reward"]["ground_truth"]["fn_name"] == "add"


def test_arguments_as_lines_have_an_answer_as_text(crew: Crew) -> None:
    made = make(
        crew, add_row(input_generator=["print(['\"a\"\\n\"b\"', '[1]\\n[2]'])"], solutions=[add_row()["solutions"][0]])
    )
    assert pairs_of(made.row) == [('"a"\n"b"', '"ab"'), ("[1]\n[2]", "[1, 2]")]
    problem = problem_of(made.row)
    assert [(case.input, case.output) for case in problem.cases] == [(["a", "b"], "ab"), ([[1], [2]], [1, 2])]


def test_the_name_may_stand_with_the_public_tests(crew: Crew) -> None:
    given = add_row(fn_name=None, input_output=json.dumps({"fn_name": "add"}))
    assert make(crew, given).tests == 6


def test_a_function_that_fails_or_gives_what_json_lacks(crew: Crew) -> None:
    raises = make(crew, add_row(solutions=["def add(a, b):\n    raise ValueError('not today')\n"]))
    assert "not today" in raises.error_info
    sets = make(crew, add_row(solutions=["def add(a, b):\n    return {a, b}\n"]))
    assert "none that JSON can hold" in sets.error_info
    keys = make(crew, add_row(solutions=["def add(a, b):\n    return {a: b}\n"]))
    assert "none that JSON can hold" in keys.error_info


def test_functions_that_disagree(crew: Crew) -> None:
    made = make(crew, add_row(solutions=["def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a | b\n"]))
    assert 0 < made.tests < 6
    assert all(answer == a + b for (a, b), answer in pairs_of(made.row))


def test_an_answer_in_place(crew: Crew) -> None:
    source = "def turn(x: list) -> None:\n    x.reverse()\n"
    made = make(crew, add_row(solutions=[source], fn_name="turn", input_generator=["print([[[1, 2, 3]]])"]))
    assert pairs_of(made.row) == [([[1, 2, 3]], [3, 2, 1])]


# ── What is told ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_first_failing_input_is_cut(crew: Crew) -> None:
    made = make(crew, row(solutions=["1/0 if input() else print()"], input_generator=["print(['9' * 100000])"]))
    assert "first failing input: '999" in made.error_info
    assert "(100000 characters)" in made.error_info
    assert len(made.error_info) < 5000


def test_output_that_is_no_text_makes_no_test(crew: Crew) -> None:
    made = make(crew, row(solutions=["import sys\nsys.stdout.buffer.write(b'\\xff')"]))
    assert "the output is no UTF-8" in made.error_info


def test_validators_are_asked_before_the_golds(crew: Crew) -> None:
    """The golds agree on a sum of nothing; the statement promises a number."""
    generator = "print(['0\\n\\n', '1\\n5\\n'])"
    validator = "def is_valid_input(text):\n    return 1 <= int(text.split()[0])\n"
    assert make(crew, row(input_generator=[generator])).tests == 2
    made = make(crew, row(input_generator=[generator], input_validator=[validator]))
    assert pairs_of(made.row) == [("1\n5\n", "5\n")]
    assert made.drops == {"invalid": 1}
