"""Each format's reader: what becomes of a row, and what is said of a bad one."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from dataset import samples

from codejury.dataset import FORMATS, BadRow, problem_of
from codejury.dataset.formats.detect import ROW_FORMATS, format_of
from codejury.dataset.formats.evalplus import converted
from codejury.dataset.problems import row_of
from codejury.errors import UsageError
from codejury.model import Comparison, Limits, Problem, TestCase

NAMES = list(samples.ROWS)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_recognised_and_read(name: str) -> None:
    expected, row = samples.ROWS[name]
    assert format_of(row, where="row") == expected
    problem = problem_of(row)
    assert problem == problem_of(row, format=expected)
    assert len(problem.cases) >= (0 if name == "klear" else 1)


def test_every_format_has_a_row_here() -> None:
    assert {expected for expected, _ in samples.ROWS.values()} == set(ROW_FORMATS)
    assert set(FORMATS) == {*ROW_FORMATS, "kattis"}


@pytest.mark.parametrize("name", NAMES)
def test_reading_does_not_change_the_row(name: str) -> None:
    row = samples.ROWS[name][1]
    before = json.dumps(row)
    problem_of(row)
    assert json.dumps(row) == before


def bad(row: dict[str, Any], field: str, *words: str) -> None:
    with pytest.raises(BadRow) as caught:
        problem_of(row, where="f.jsonl, line 3")
    assert caught.value.where == "f.jsonl, line 3"
    assert caught.value.field == field
    assert str(caught.value).startswith("f.jsonl, line 3: ")
    assert all(word in str(caught.value) for word in words)


# --- Klear


def test_klear_before_generation() -> None:
    problem = problem_of(samples.KLEAR)
    assert (problem.id, problem.kind, problem.cases, problem.fn_name) == ("add_1", "stdin", (), None)
    assert problem.limits == Limits(cpu_s=10, memory_mb=256)
    assert problem.checker is not None
    assert (problem.checker.kind, problem.checker.source) == ("klear", samples.CHECKER)
    assert [gold.source for gold in problem.golds] == samples.KLEAR["solutions"]
    assert {gold.label for gold in problem.golds} == {"success"}
    assert problem.extra["input_generator"] == samples.KLEAR["input_generator"]
    assert problem.extra["checker"] == samples.KLEAR["checker"]


def test_klear_after_generation_has_public_tests_then_generated_ones() -> None:
    problem = problem_of(samples.KLEAR_MADE)
    assert [(case.input, case.output, case.group) for case in problem.cases] == [
        ("0 0\n", "0\n", "public"),
        ("1 2\n", "3\n", "generated"),
        ("4 5\n", "9\n", "generated"),
    ]


def test_klear_function_calls_in_both_encodings() -> None:
    problem = problem_of(samples.KLEAR_CALL)
    assert (problem.kind, problem.fn_name) == ("function", "add")
    assert [(case.input, case.output) for case in problem.cases] == [([1, 2], [3]), ([4, 5], 9)]
    assert problem.compare == Comparison(tuple_is_list=True, unwrap=True)


def test_klear_function_whose_name_stands_in_another_part_of_the_row() -> None:
    """As `gen` takes them: arguments as lists, which are no text of a program's input."""
    tests = {"inputs": [[1, 2]], "outputs": [4]}
    for named in ({"fn_name": "add"}, {"reward": {"ground_truth": {"input_output": [], "fn_name": "add"}}}):
        problem = problem_of(
            {"custom_id": "x", "type": "function_call", "solutions": [], "input_output": tests, **named}
        )
        assert (problem.kind, problem.fn_name) == ("function", "add")
        assert [(case.input, case.output) for case in problem.cases] == [([1, 2], 4)]


def test_klear_function_before_generation_names_the_function_alone() -> None:
    row = {"custom_id": "x", "type": "function_call", "input_output": '{"fn_name": "add"}', "solutions": []}
    problem = problem_of(row)
    assert (problem.kind, problem.fn_name, problem.cases) == ("function", "add", ())


def test_klear_bad_rows() -> None:
    bad({**samples.KLEAR, "time-limit": "soon"}, "time-limit", "a positive number of seconds", "'soon'")
    bad({**samples.KLEAR, "memory-limit": -1}, "memory-limit", "a positive number of megabytes", "-1")
    bad({**samples.KLEAR, "type": "socket"}, "type", "stdin or function_call")
    bad({**samples.KLEAR, "type": "function_call"}, "fn_name", "name of the function")
    bad({**samples.KLEAR, "input_output": "{"}, "input_output", "JSON")
    bad({**samples.KLEAR, "solutions": [1]}, "solutions[0]", "text", "got 1")
    bad({**samples.KLEAR_CALL, "type": "stdin"}, "type", "function_call")
    bad({**samples.KLEAR_MADE, "reward": 5}, "reward", "an object", "got 5")
    made = {"ground_truth": {"input_output": [{"input": 1, "output": "1"}]}}
    bad({**samples.KLEAR_MADE, "reward": made}, "reward.ground_truth.input_output[0].input", "text, or a list of lines")


# --- APPS, TACO


def test_apps_with_lines_as_lists() -> None:
    problem = problem_of(samples.APPS)
    assert (problem.id, problem.kind) == ("7", "stdin")
    assert [(case.input, case.output) for case in problem.cases] == [("1 2\n", "3\n"), ("4 5\n", "9")]
    assert [gold.source for gold in problem.golds] == [samples.GOLD]
    assert problem.extra == {"difficulty": "introductory"}


def test_taco_calls_keep_the_wrapped_value_and_say_that_it_may_be_unwrapped() -> None:
    problem = problem_of(samples.TACO_CALL)
    assert [(case.input, case.output) for case in problem.cases] == [([1, 2], [3]), ([4, 5], 9)]
    assert problem.compare == Comparison(tuple_is_list=True, unwrap=True)
    assert problem.limits == Limits(cpu_s=2, memory_mb=256)


def test_apps_dictionaries_get_their_whole_numbers_back() -> None:
    tests = {
        "fn_name": "f",
        "inputs": [[{"1": "a", "-2": "b"}], [{"x": 1}], [{"1": 2}, 3]],
        "outputs": [{"7": 1}, [{"8": 1}], {}],
    }
    cases = problem_of({"input_output": tests}).cases
    assert [case.input for case in cases] == [[{1: "a", -2: "b"}], [{"x": 1}], [{"1": 2}, 3]]
    assert [case.output for case in cases] == [{7: 1}, [{8: 1}], {}]


def test_calls_without_outputs_say_that_they_are_unknown() -> None:
    problem = problem_of({"input_output": {"fn_name": "f", "inputs": [[1]]}})
    assert problem.outputs == "unknown"
    known = problem_of({"input_output": {"fn_name": "f", "inputs": [[1]], "outputs": [None]}})
    assert known.outputs == "given"


def test_apps_bad_rows() -> None:
    bad({"input_output": {"inputs": ["1"], "outputs": []}}, "input_output.outputs", "as many outputs as inputs (1)")
    bad(
        {"input_output": {"fn_name": "f", "inputs": [3], "outputs": [3]}}, "input_output.inputs[0]", "list of arguments"
    )
    bad({"input_output": {"fn_name": 3, "inputs": []}}, "input_output.fn_name", "name of a function")
    bad({"input_output": 5}, "input_output", "tests")


# --- LiveCodeBench


def test_livecodebench_stdin() -> None:
    problem = problem_of(samples.LIVECODEBENCH)
    assert (problem.id, problem.kind, problem.fn_name) == ("abc_a", "stdin", None)
    assert [(c.input, c.output, c.group) for c in problem.cases] == [
        ("1 2\n", "3\n", "public"),
        ("4 5\n", "9\n", "private"),
    ]
    assert problem.limits == Limits(cpu_s=6)


def test_livecodebench_functional() -> None:
    problem = problem_of(samples.LIVECODEBENCH_CALL)
    assert (problem.kind, problem.fn_name) == ("function", "add")
    assert [(case.input, case.output) for case in problem.cases] == [([1, 2], 3), ([4, 5], 9)]
    assert problem.compare == Comparison(tuple_is_list=True)


def test_livecodebench_bad_rows() -> None:
    bad(
        {**samples.LIVECODEBENCH, "private_test_cases": samples.packed(samples.CALLS)}, "private_test_cases", "function"
    )
    bad({**samples.LIVECODEBENCH_CALL, "metadata": "{}"}, "public_test_cases", "metadata.func_name")
    tests = [{"input": "1", "output": "1", "testtype": "telepathy"}]
    bad({**samples.LIVECODEBENCH, "public_test_cases": tests}, "public_test_cases[0].testtype", "telepathy")


def test_an_argument_may_hold_any_end_of_line_but_the_line_feed() -> None:
    test = {"input": '"a\u2028b\x85c"\n1', "output": "null", "testtype": "functional"}
    row = {"question_id": "1", "public_test_cases": [test], "metadata": {"func_name": "f"}}
    assert problem_of(row).cases[0].input == ["a\u2028b\x85c", 1]


# --- verl, and lists of tests


def test_verl() -> None:
    problem = problem_of(samples.VERL)
    assert (problem.id, problem.kind, problem.statement) == ("taco/3", "stdin", "Add two numbers.")
    assert [(case.input, case.output) for case in problem.cases] == [("1 2\n", "3\n"), ("4 5\n", "9\n")]
    assert problem.extra["extra_info"] == {"index": 3, "split": "train"}


def test_verl_calls_are_lines_of_json() -> None:
    problem = problem_of(samples.VERL_CALL)
    assert [(case.input, case.output) for case in problem.cases] == [([1, 2], 3), ([4, 5], 9)]
    assert problem.compare == Comparison(tuple_is_list=True)


def test_verl_asserts_are_scripts() -> None:
    problem = problem_of(samples.VERL_ASSERT)
    assert problem.kind == "script"
    assert [case.input for case in problem.cases] == ["assert add(1, 2) == 3", "assert add(4, 5) == 9"]


def test_verl_bad_rows() -> None:
    bad({**samples.VERL, "reward_model": {}}, "reward_model.ground_truth", "the tests")
    bad({**samples.VERL, "reward_model": {"ground_truth": "what?"}}, "reward_model.ground_truth", "JSON")
    truth = json.dumps({"fn_name": "f", "inputs": ["1\n{"], "outputs": ["1"]})
    bad({**samples.VERL, "reward_model": {"ground_truth": truth}}, "reward_model.ground_truth.inputs[0]", "JSON")


@pytest.mark.parametrize(
    "row", [samples.COMMON_OJ, samples.OPEN_R1, samples.PLAIN], ids=["common_oj", "open-r1", "plain"]
)
def test_lists_of_stdin_tests(row: dict[str, Any]) -> None:
    problem = problem_of(row)
    assert problem.kind == "stdin"
    assert [(case.input, case.output) for case in problem.cases] == [("1 2\n", "3\n"), ("4 5\n", "9\n")]


def test_prime_list_names_its_function() -> None:
    problem = problem_of(samples.PRIME)
    assert (problem.kind, problem.fn_name) == ("function", "add")
    assert [(case.input, case.output) for case in problem.cases] == [([1, 2], 3), ([4, 5], 9)]


def test_open_r1_keeps_the_language() -> None:
    assert problem_of(samples.OPEN_R1).extra["language"] == "python"


def test_source_as_tests_is_a_script() -> None:
    leetcode, kodcode = problem_of(samples.LEETCODE), problem_of(samples.KODCODE)
    assert (leetcode.kind, leetcode.fn_name) == ("script", "Solution().add")
    assert (kodcode.kind, kodcode.cases[0].input) == ("script", samples.KODCODE["test"])


def test_list_bad_rows() -> None:
    bad(
        {"tests": [{**samples.CASES[0], "testtype": "stdin"}, samples.CALLS[0]], "fn_name": "f"}, "tests", "of one kind"
    )
    two = [{**c, "metadata": {"func_name": name}} for c, name in zip(samples.CALLS, "fg", strict=True)]
    bad({"tests": two}, "tests[1].fn_name", "one function for all cases (f)")
    bad({"tests": samples.CALLS}, "tests", "the name of the function")
    bad({"tests": [{"output": "1"}]}, "tests[0].input", "an input")
    bad({"tests": "[1, "}, "tests", "JSON")
    bad({"tests": [{"input": {"stdin": 3}, "output": {}}]}, "tests[0].input.stdin", "text")


# --- evalplus


def test_evalplus() -> None:
    problem = problem_of(samples.EVALPLUS)
    assert (problem.id, problem.kind, problem.fn_name) == ("Mbpp/2", "function", "similar_elements")
    assert [(c.input, c.output, c.provenance) for c in problem.cases] == [
        ([(3, 4), (4, 5)], None, "base"),
        ([(), ()], None, "plus"),
        ([("x",), ("x", 1)], None, "plus"),
    ]
    assert [gold.source for gold in problem.golds] == [
        samples.EVALPLUS["prompt"] + samples.EVALPLUS["canonical_solution"]
    ]
    assert problem.outputs == "gold"
    assert problem.compare == Comparison(oracle="as_sets")
    assert problem.extra["contract"] == "assert isinstance(a, tuple)"


def test_evalplus_tolerance_goes_into_the_comparison() -> None:
    row = {**samples.EVALPLUS, "task_id": "HumanEval/32", "entry_point": "find_zero", "atol": 1e-4}
    problem = problem_of(row)
    assert problem.compare == Comparison(absolute=1e-4, oracle="any_root")
    assert problem.cases[0].input == [[3, 4], [4, 5]], "HumanEval's arguments are as JSON has them"


@pytest.mark.parametrize(
    ("value", "word", "expected"),
    [
        ([1, [2]], "same", [1, [2]]),
        ([1, [2]], "tuple", (1, [2])),
        (5, "tuple", 5),
        ([[1], 2], "tuple[tuple]", ((1,), 2)),
        ([[1, [2]], 3], "list[tuple]", [(1, [2]), 3]),
        ({"a": [1]}, "dict[tuple]", {"a": (1,)}),
        ([1, [2, [3]]], "tuples", (1, (2, (3,)))),
        ([[], [1, 1], None], "list[set_or_dict]", [{}, {1}, None]),
        ("(-0-1j)", "complex", complex("-0-1j")),
        (4, "complex", 4 + 0j),
        ("1e-3", "float", 1e-3),
    ],
)
def test_evalplus_conversions(value: object, word: str, expected: object) -> None:
    result = converted(value, word)
    assert result == expected
    assert repr(result) == repr(expected)


def test_evalplus_bad_rows() -> None:
    bad({**samples.EVALPLUS, "plus_input": [3]}, "plus_input[0]", "a list of arguments")
    bad({**samples.EVALPLUS, "atol": "small"}, "atol", "a tolerance")
    bad({**samples.EVALPLUS, "task_id": "Mbpp/252", "base_input": [["x"]]}, "base_input[0]", "complex")
    bad({**samples.EVALPLUS, "canonical_solution": None}, "canonical_solution", "text")


# --- MBPP, HumanEval


def test_mbpp() -> None:
    problem = problem_of(samples.MBPP)
    assert (problem.id, problem.kind, problem.fn_name, problem.setup) == ("601", "script", None, "import math")
    assert [case.group for case in problem.cases] == ["base", "base", "challenge"]
    assert problem.cases[1].input == "assert add(4, 5) == 9"
    assert problem.golds[0].source == samples.FUNCTION


def test_mbpp_plus() -> None:
    problem = problem_of(samples.MBPP_PLUS)
    assert problem.setup == "import math\nimport re"
    assert [(case.group, case.input) for case in problem.cases] == [
        ("base", "assert add(1, 2) == 3"),
        ("plus", samples.MBPP_PLUS["test"]),
    ]


def test_humaneval() -> None:
    problem = problem_of(samples.HUMANEVAL)
    assert (problem.id, problem.kind, problem.fn_name) == ("HumanEval/900", "script", "add")
    assert [case.input for case in problem.cases] == [samples.HUMANEVAL["test"]]
    assert problem.golds[0].source == samples.HUMANEVAL["prompt"] + samples.HUMANEVAL["canonical_solution"]
    assert problem.starter_code == samples.HUMANEVAL["prompt"]


def test_humaneval_in_another_language_is_refused() -> None:
    bad({**samples.HUMANEVAL, "task_id": "Rust/0", "declaration": "fn add()"}, "task_id", "a task in Python")


# --- codejury's own


def test_native() -> None:
    problem = problem_of(samples.NATIVE)
    assert problem.cases[0] == TestCase(input=[(1, 2), 1j], output={1}, group="g")
    assert problem.limits == Limits(cpu_s=2)
    assert problem.checker is not None
    assert problem.checker.files == {"testlib.h": b"//"}


@pytest.mark.parametrize("name", NAMES)
def test_native_rows_give_the_problem_back(name: str) -> None:
    problem = problem_of(samples.ROWS[name][1])
    assert problem_of(json.loads(json.dumps(row_of(problem)))) == problem


@pytest.mark.parametrize(
    "value",
    [
        (1, (2, [3])),
        {1, 2},
        frozenset({"a"}),
        1 - 2j,
        b"\x00\xff",
        math.inf,
        -math.inf,
        -0.0,
        10**400,
        {1: "a", (2, 3): None},
        {"$tuple": [1]},
        {"a": {"$x": 1}},
        "\ud800",
        True,
        None,
    ],
    ids=repr,
)
def test_native_values_survive(value: object) -> None:
    problem = Problem(kind="function", fn_name="f", cases=(TestCase(input=[value], output=value),))
    (case,) = problem_of(json.loads(json.dumps(row_of(problem), allow_nan=False))).cases
    assert case.output == value
    assert repr(case.input) == repr([value])


def test_native_nan_survives() -> None:
    row = row_of(Problem(cases=(TestCase(output=math.nan),)))
    assert math.isnan(problem_of(json.loads(json.dumps(row, allow_nan=False))).cases[0].output)


def test_native_refuses_what_it_has_no_form_for() -> None:
    with pytest.raises(UsageError, match="a value of type object"):
        row_of(Problem(cases=(TestCase(output=object()),)))


def test_native_bad_rows() -> None:
    bad({**samples.NATIVE, "codejury": 2}, "codejury", "version 1", "got 2")
    bad({**samples.NATIVE, "kind": "dance"}, "", "own form", "kind")
    bad({**samples.NATIVE, "limits": {"cpu_s": -1}}, "", "own form", "cpu_s")
    bad({**samples.NATIVE, "cases": [{"input": {"$pickle": "x"}}]}, "cases", "unknown encoding", "$pickle")
    bad({**samples.NATIVE, "colour": "red"}, "colour", "a field of Problem")


# --- any


def test_a_row_in_no_format_names_the_formats_and_its_fields() -> None:
    bad({"colour": "red"}, "", "klear", "evalplus", "the fields colour")


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="expected one of codejury, klear"):
        problem_of(samples.KLEAR, format="cobol")


@pytest.mark.parametrize("row", [[], "x", None, 3])
def test_a_row_is_an_object(row: Any) -> None:
    with pytest.raises(BadRow, match="expected a row: an object"):
        problem_of(row)


@pytest.mark.parametrize("name", ROW_FORMATS)
def test_a_row_of_nothing_is_no_row_of_any_format(name: str) -> None:
    with pytest.raises(BadRow):
        problem_of({"colour": "red"}, format=name)


# --- CodeContests


def test_code_contests() -> None:
    problem = problem_of(samples.CODE_CONTESTS)
    assert (problem.id, problem.kind, problem.statement) == ("1_A. Add", "stdin", "Add two numbers.")
    assert [(case.input, case.output, case.group) for case in problem.cases] == [
        ("1 2\n", "3\n", "public"),
        ("4 5\n", "9\n", "private"),
    ]
    assert [(gold.language, gold.source) for gold in problem.golds] == [
        ("python", samples.GOLD),
        ("cpp", "int main() {}"),
    ]
    assert problem.limits == Limits(cpu_s=2.5, memory_mb=256000000 / 2**20)
    assert set(problem.extra) == {"incorrect_solutions"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"time_limit": None, "memory_limit_bytes": 0}, None),
        ({"time_limit": {"seconds": 0, "nanos": 0}, "memory_limit_bytes": 0}, None),
        ({"time_limit": 3, "memory_limit_bytes": 0}, Limits(cpu_s=3.0)),
    ],
)
def test_limits_of_code_contests(change: dict[str, Any], expected: Limits | None) -> None:
    assert problem_of({**samples.CODE_CONTESTS, **change}).limits == expected


def test_bad_rows_of_code_contests() -> None:
    bad({**samples.CODE_CONTESTS, "time_limit": {"seconds": "2"}}, "time_limit", "seconds and nanos")
    bad({**samples.CODE_CONTESTS, "memory_limit_bytes": -1}, "memory_limit_bytes", "bytes")
    bad({**samples.CODE_CONTESTS, "solutions": {"language": [1, 2], "solution": ["x"]}}, "solutions.language", "one")


def test_a_row_says_what_its_arguments_are() -> None:
    row = {
        "task_id": "mine/1",
        "prompt": "def f(a, b):\n",
        "entry_point": "f",
        "canonical_solution": "    return a\n",
        "base_input": [[[[1, 2]], [3]]],
        "arguments": ["list[tuple]", "set"],
        "oracle": "any_order",
    }
    problem = problem_of(row)
    assert problem.cases[0].input == [[(1, 2)], {3}]
    assert problem.compare.oracle == "any_order"
    for wrong in ("lists", "list[", "tuple[lists]", "list[tuple[x]]"):
        with pytest.raises(BadRow, match=r"arguments\[0\]"):
            problem_of({**row, "arguments": [wrong, "same"]})
