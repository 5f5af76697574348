"""A row of every format, written for these tests. The problem is always the same: add two numbers."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import Any

GOLD = "a, b = map(int, input().split())\nprint(a + b)\n"
FUNCTION = "def add(a, b):\n    return a + b\n"
CHECKER = "def is_valid_output(i, o, r):\n    return o.split() == r.split()\n"
CASES = [{"input": "1 2\n", "output": "3\n"}, {"input": "4 5\n", "output": "9\n"}]
CALLS = [
    {"input": "1\n2", "output": "3", "testtype": "functional"},
    {"input": "4\n5", "output": "9", "testtype": "functional"},
]


def packed(tests: object, protocol: int = pickle.HIGHEST_PROTOCOL) -> str:
    """As LiveCodeBench packs its private tests."""
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests), protocol=protocol))).decode()


KLEAR: dict[str, Any] = {
    "custom_id": "add_1",
    "question": "Add two numbers.",
    "solutions": [GOLD, GOLD + "\n"],
    "input_generator": ["print(['1 2\\n'])"],
    "checker": ["def is_valid_output(*_): return True", CHECKER],
    "type": "stdin",
    "fn_name": None,
    "starter_code": "",
    "input_output": "",
    "time-limit": "10",
    "memory-limit": 256.0,
}
KLEAR_MADE: dict[str, Any] = {
    **KLEAR,
    "error_info": None,
    "input_output": json.dumps({"inputs": ["0 0\n"], "outputs": ["0\n"]}),
    "reward": {"ground_truth": {"input_output": CASES, "type": "stdin", "fn_name": None}},
}
KLEAR_CALL: dict[str, Any] = {
    "custom_id": "add_2",
    "solutions": [FUNCTION],
    "type": "function_call",
    "fn_name": "add",
    "input_output": {"fn_name": "add", "inputs": [[1, 2]], "outputs": [[3]]},
    "reward": {"ground_truth": {"input_output": [{"input": "4\n5", "output": "9"}], "type": "function_call"}},
}
APPS: dict[str, Any] = {
    "problem_id": 7,
    "question": "Add two numbers.",
    "solutions": json.dumps([GOLD]),
    "input_output": json.dumps({"inputs": ["1 2\n", ["4 5", ""]], "outputs": ["3\n", ["9"]]}),
    "difficulty": "introductory",
}
TACO_CALL: dict[str, Any] = {
    "name": "add",
    "question": "Add two numbers.",
    "solutions": [FUNCTION],
    "input_output": {"fn_name": "add", "inputs": [[1, 2], [4, 5]], "outputs": [[3], 9]},
    "time_limit": "2.0 seconds",
    "memory_limit": "256.0 megabytes",
}
LIVECODEBENCH: dict[str, Any] = {
    "question_id": "abc_a",
    "question_content": "Add two numbers.",
    "starter_code": "",
    "platform": "atcoder",
    "public_test_cases": json.dumps([{**CASES[0], "testtype": "stdin"}]),
    "private_test_cases": packed([{**CASES[1], "testtype": "stdin"}]),
    "metadata": "{}",
}
LIVECODEBENCH_CALL: dict[str, Any] = {
    **LIVECODEBENCH,
    "question_id": "3000",
    "starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:\n        ",
    "public_test_cases": json.dumps(CALLS[:1]),
    "private_test_cases": json.dumps(CALLS[1:]),
    "metadata": json.dumps({"func_name": "add"}),
}
VERL: dict[str, Any] = {
    "data_source": "taco",
    "prompt": [{"role": "system", "content": "You write code."}, {"role": "user", "content": "Add two numbers."}],
    "ability": "code",
    "reward_model": {
        "style": "rule",
        "ground_truth": json.dumps({"inputs": ["1 2\n", "4 5\n"], "outputs": ["3\n", "9\n"]}),
    },
    "extra_info": {"index": 3, "split": "train"},
}
VERL_CALL: dict[str, Any] = {
    **VERL,
    "reward_model": {
        "ground_truth": json.dumps({"fn_name": "add", "inputs": ["1\n2", "4\n5"], "outputs": ["3", "9"]}),
    },
}
VERL_ASSERT: dict[str, Any] = {
    **VERL,
    "reward_model": {"ground_truth": json.dumps({"assert_case": ["assert add(1, 2) == 3", "assert add(4, 5) == 9"]})},
}
PRIME: dict[str, Any] = {
    "problem": "Add.",
    "tests": json.dumps([{**c, "metadata": {"func_name": "add"}} for c in CALLS]),
}
COMMON_OJ: dict[str, Any] = {
    "id": 12,
    "content": "Add two numbers.",
    "labels": {"difficulty": "easy"},
    "test": [{"input": {"stdin": c["input"]}, "output": {"stdout": c["output"]}} for c in CASES],
}
OPEN_R1: dict[str, Any] = {
    "problem_id": "vcp_1",
    "prompt": "Add two numbers.",
    "verification_info": {
        "language": "python",
        "test_cases": [{**c, "type": "stdin_stdout", "fn_name": None} for c in CASES],
    },
}
LEETCODE: dict[str, Any] = {
    "question": "Add.",
    "entry_point": "Solution().add",
    "tests": {"functional": "def check(candidate):\n    assert candidate(1, 2) == 3\n"},
}
KODCODE: dict[str, Any] = {
    "question": "Add.",
    "test": "from solution import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
EVALPLUS: dict[str, Any] = {
    "task_id": "Mbpp/2",
    "prompt": '"""\nShared elements.\n"""\n',
    "entry_point": "similar_elements",
    "canonical_solution": "def similar_elements(a, b):\n    return tuple(set(a) & set(b))\n",
    "base_input": [[[3, 4], [4, 5]]],
    "plus_input": [[[], []], [["x"], ["x", 1]]],
    "atol": 0,
    "contract": "assert isinstance(a, tuple)",
    "assertion": "assert True",
}
MBPP: dict[str, Any] = {
    "task_id": 601,
    "text": "Add two numbers.",
    "code": FUNCTION,
    "test_list": ["assert add(1, 2) == 3", "assert add(4, 5) == 9"],
    "test_setup_code": "import math",
    "challenge_test_list": ["assert add(-1, 1) == 0"],
}
MBPP_PLUS: dict[str, Any] = {
    "task_id": 601,
    "prompt": "Add two numbers.",
    "code": FUNCTION,
    "source_file": "notebook",
    "test_imports": ["import math", "import re"],
    "test_list": ["assert add(1, 2) == 3"],
    "test": "for a in range(9):\n    assert add(a, a) == 2 * a\n",
}
HUMANEVAL: dict[str, Any] = {
    "task_id": "HumanEval/900",
    "prompt": 'def add(a, b):\n    """Adds."""\n',
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}
CODE_CONTESTS: dict[str, Any] = {
    "name": "1_A. Add",
    "description": "Add two numbers.",
    "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
    "private_tests": {"input": ["4 5\n"], "output": ["9\n"]},
    "generated_tests": {"input": [], "output": []},
    "solutions": {"language": [3, 2], "solution": [GOLD, "int main() {}"]},
    "incorrect_solutions": {"language": [3], "solution": ["print(0)"]},
    "time_limit": {"seconds": 2, "nanos": 500000000},
    "memory_limit_bytes": 256000000,
}
PLAIN: dict[str, Any] = {"inputs": ["1 2\n", "4 5\n"], "outputs": ["3\n", "9\n"]}
NATIVE: dict[str, Any] = {
    "codejury": 1,
    "id": "add",
    "kind": "function",
    "fn_name": "add",
    "cases": [{"input": [{"$tuple": [1, 2]}, {"$complex": [0.0, 1.0]}], "output": {"$set": [1]}, "group": "g"}],
    "limits": {"cpu_s": 2.0},
    "compare": {"absolute": 1e-6},
    "checker": {"kind": "testlib", "source": "int main(){}", "files": {"testlib.h": "Ly8="}, "args": ["-x"]},
    "golds": [{"source": FUNCTION, "language": "python"}],
    "extra": {"note": "x"},
}

ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "klear": ("klear", KLEAR),
    "klear made": ("klear", KLEAR_MADE),
    "klear call": ("klear", KLEAR_CALL),
    "apps": ("apps", APPS),
    "taco call": ("apps", TACO_CALL),
    "livecodebench": ("livecodebench", LIVECODEBENCH),
    "livecodebench call": ("livecodebench", LIVECODEBENCH_CALL),
    "code_contests": ("code_contests", CODE_CONTESTS),
    "verl": ("verl", VERL),
    "verl call": ("verl", VERL_CALL),
    "verl assert": ("verl", VERL_ASSERT),
    "prime": ("testlist", PRIME),
    "common_oj": ("testlist", COMMON_OJ),
    "open-r1": ("testlist", OPEN_R1),
    "leetcode": ("testlist", LEETCODE),
    "kodcode": ("testlist", KODCODE),
    "evalplus": ("evalplus", EVALPLUS),
    "mbpp": ("mbpp", MBPP),
    "mbpp plus": ("mbpp", MBPP_PLUS),
    "humaneval": ("humaneval", HUMANEVAL),
    "plain": ("plain", PLAIN),
    "codejury": ("codejury", NATIVE),
}
