"""The shapes in which tests come to a reward: every one of the wire formats, with a right completion and a wrong one.

A shape is a ground truth for "double the number". `call` shapes test a function `double`, the others a program.
"""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import Any, NamedTuple


class Shape(NamedTuple):
    truth: Any
    call: bool


PAIRS = [("4\n", "8\n"), ("-3\n", "-6\n"), ("0\n", "0\n")]
LISTS: dict[str, Any] = {"inputs": [given for given, _ in PAIRS], "outputs": [answer for _, answer in PAIRS]}
CASES = [{"input": given, "output": answer} for given, answer in PAIRS]
CALLS: dict[str, Any] = {"fn_name": "double", "inputs": ["4", "-3", "0"], "outputs": ["8", "-6", "0"]}
ASSERTS = ["assert double(4) == 8", "assert double(-3) == -6", "assert double(0) == 0"]
CHECK = "def check(candidate):\n" + "".join(f"    {line.replace('double', 'candidate')}\n" for line in ASSERTS)
PYTEST = """from solution import double


def test_four():
    assert double(4) == 8


def test_less():
    assert double(-3) == -6
"""
LCB_CALLS = [
    {"input": given, "output": answer, "testtype": "functional"} for given, answer in [("4", "8"), ("-3", "-6")]
]
PACKED = base64.b64encode(
    zlib.compress(pickle.dumps(json.dumps([{**case, "testtype": "stdin"} for case in CASES])))
).decode()

SHAPES: dict[str, Shape] = {
    # 1 Klear-CodeTest
    "klear row": Shape(
        {
            "custom_id": "double",
            "question": "Double the number.",
            "solutions": [],
            "input_generator": [],
            "type": "stdin",
            "input_output": "",
            "time-limit": "5",
            "memory-limit": "256",
            "reward": {"ground_truth": {"input_output": CASES, "type": "stdin", "fn_name": None}},
        },
        False,
    ),
    "klear truth": Shape({"input_output": CASES, "type": "stdin", "fn_name": None}, False),
    "klear truth, text": Shape(json.dumps({"input_output": CASES, "type": "stdin", "fn_name": None}), False),
    "klear truth, calls": Shape(
        {"input_output": [{"input": "4", "output": "8"}], "type": "function_call", "fn_name": "double"}, True
    ),
    "klear io file, literal": Shape(str({"input": LISTS["inputs"], "output": LISTS["outputs"]}), False),
    # 2 SandboxFusion
    "common_oj": Shape([{"input": {"stdin": given}, "output": {"stdout": answer}} for given, answer in PAIRS], False),
    "common_oj row": Shape(
        {"id": 1, "test": [{"input": {"stdin": given}, "output": {"stdout": answer}} for given, answer in PAIRS]}, False
    ),
    # 3 verl
    "verl": Shape(json.dumps(LISTS), False),
    "verl, calls": Shape(json.dumps(CALLS), True),
    "verl, asserts": Shape(json.dumps({"inputs": [], "outputs": [], "assert_case": ASSERTS}), True),
    "verl row": Shape(
        {
            "data_source": "codecontests",
            "prompt": [{"role": "user", "content": "Double the number."}],
            "ability": "code",
            "reward_model": {"style": "rule", "ground_truth": json.dumps(LISTS)},
            "extra_info": {"index": 7},
        },
        False,
    ),
    # 4 TRL, open-r1, rllm, verifiers
    "open-r1": Shape({"language": "python", "test_cases": [{**case, "type": "stdin_stdout"} for case in CASES]}, False),
    "open-r1, text": Shape(json.dumps({"language": "python", "test_cases": CASES}), False),
    "taco": Shape(LISTS, False),
    "taco, calls": Shape({"fn_name": "double", "inputs": [[4], [-3]], "outputs": [[8], [-6]]}, True),
    "apps, lines": Shape({"inputs": [["4"], ["-3"]], "outputs": [["8"], ["-6"]]}, False),
    "livecodebench": Shape([{**case, "testtype": "stdin"} for case in CASES], False),
    "livecodebench, calls": Shape([{**case, "metadata": {"func_name": "double"}} for case in LCB_CALLS], True),
    "livecodebench, packed": Shape(PACKED, False),
    "livecodebench row": Shape(
        {
            "question_id": "1",
            "question_content": "Double.",
            "public_test_cases": json.dumps(LCB_CALLS),
            "private_test_cases": json.dumps(LCB_CALLS),
            "metadata": json.dumps({"func_name": "double"}),
        },
        True,
    ),
    "codeforces": Shape(CASES, False),
    "primeintellect": Shape(str(CASES), False),
    "primeintellect, calls": Shape(
        [
            {"type": "function_call", "fn_name": "double", "input": "4", "output": "8"},
            {"type": "function_call", "fn_name": "double", "input": "0", "output": "0"},
        ],
        True,
    ),
    "leetcode": Shape({"functional": CHECK + "\n\ncheck(double)\n"}, True),
    "kodcode": Shape(PYTEST, True),
    "humanevalplus": Shape(CHECK + "\ncheck(double)\n", True),
    # and what a caller writes down
    "pairs": Shape(PAIRS, False),
    "asserts": Shape(ASSERTS, True),
}

PROGRAM = "n = int(input())\nprint(2 * n)\n"
FUNCTION = "def double(n):\n    return 2 * n\n"
WRONG_PROGRAM = "n = int(input())\nprint(n * n)\n"
WRONG_FUNCTION = "def double(n):\n    return n * n\n"


def fenced(code: str, tag: str = "python") -> str:
    return f"Here is my solution.\n\n```{tag}\n{code}```\n"
