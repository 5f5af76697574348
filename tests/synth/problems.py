"""Rows without generators, and what an author may write for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from testgen.rows import ADD_GOLDS, SPLIT_GOLDS, SUM_LOOP_PY, SUM_PY

SUM_STATEMENT = """Read n, then n integers on the next line. Print their sum.
1 <= n <= 8, -1000 <= a_i <= 1000."""


def sum_row(name: str = "sum", **fields: Any) -> dict[str, Any]:
    return {
        "custom_id": name,
        "question": f"Problem {name}. {SUM_STATEMENT}",
        "solutions": [SUM_PY, SUM_LOOP_PY],
        "type": "stdin",
        "input_output": {"inputs": ["3\n1 2 3\n", "1\n-5\n"], "outputs": ["6\n", "-5\n"]},
        "time-limit": 2,
        "memory-limit": 256,
        **fields,
    }


def split_row(name: str = "split", **fields: Any) -> dict[str, Any]:
    statement = f"Problem {name}. Read n (2 <= n <= 1000). Print any two positive integers whose sum is n, on one line."
    given = {
        "question": statement,
        "solutions": [*SPLIT_GOLDS[:2], "n = int(input())\nprint(n // 2, n - n // 2)\n"],
        "input_output": {"inputs": ["5\n"], "outputs": ["1 4\n"]},
    }
    return sum_row(name, **{**given, **fields})


def add_row(name: str = "add", **fields: Any) -> dict[str, Any]:
    given = {
        "question": f"Problem {name}. Add two integers.",
        "solutions": ADD_GOLDS,
        "type": "function_call",
        "fn_name": "add",
    }
    public = {"inputs": [[1, 2], [3, 4]], "outputs": [3, 7], "fn_name": "add"}
    return sum_row(name, **{**given, "input_output": public, **fields})


# Generators for the sum.
GOOD = """import random
random.seed(3)
tests = []
for n in [1, 2, 3, 4, 5, 6, 7, 8]:
    tests.append(f"{n}\\n{' '.join(str(random.randint(-1000, 1000)) for _ in range(n))}\\n")
print(tests)"""
CORNER = """tests = ["1\\n-1000\\n", "1\\n1000\\n", "8\\n" + " ".join(["1000"] * 8) + "\\n", "2\\n1000 -1000\\n"]
print(tests)"""
CRASHES = "tests = [str(1 // 0)]\nprint(tests)"
ENDLESS = "tests = []\nwhile True:\n    tests.append('')\n    tests.clear()\nprint(tests)"
HUNGRY = "tests = [bytearray(1 << 20) for _ in range(4000)]\nprint([str(len(tests))])"
CHATTY = "while True:\n    print('1' * (1 << 20))"
# The children sleep: if they forked too, it would be a matter of luck which limit is met first.
FORKS = "import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)\nprint([])"
NO_LIST = "for n in range(3):\n    print(n)"
FEW = "tests = ['1\\n5\\n']\nprint(tests)"
MANY = "tests = [f'1\\n{n}\\n' for n in range(1000)]\nprint(tests)"
DOUBLES = "tests = ['1\\n5\\n', '1\\n6\\n'] * 8\nprint(tests)"
ONE_ANSWER = "tests = [f'2\\n{n} {-n}\\n' for n in range(1, 12)]\nprint(tests)"
CHANCE = "import secrets\ntests = [f'1\\n{secrets.randbelow(1000)}\\n' for _ in range(8)]\nprint(tests)"
SHORT_LINES = "tests = [f'{n}\\n' for n in range(1, 9)]\nprint(tests)"  # golds want a second line
INVALID = "tests = [f'1\\n{n}\\n' for n in range(5000, 5008)]\nprint(tests)"

VALIDATOR = """def is_valid_input(input_str):
    lines = input_str.split("\\n")
    if len(lines) != 3 or lines[2] != "":
        return False
    words = lines[1].split(" ")
    for word in [lines[0], *words]:
        digits = word[1:] if word.startswith("-") else word
        if not digits.isascii() or not digits.isdigit() or (digits[0] == "0" and word != "0") or len(digits) > 5:
            return False
    n = int(lines[0])
    return 1 <= n <= 8 and len(words) == n and all(-1000 <= int(word) <= 1000 for word in words)"""
TAKES_ALL = "def is_valid_input(input_str):\n    return True"

SPLIT_GENERATOR = "tests = [f'{n}\\n' for n in range(4, 10)]\nprint(tests)"
SPLIT_CHECKER = """def is_valid_output(input_str, output_str, reference_output_str):
    try:
        words = output_str.split()
        values = [int(word) for word in words]
        n = int(input_str)
    except ValueError:
        return False
    if len(values) != 2 or any(str(value) != word for value, word in zip(values, words)):
        return False
    return min(values) >= 1 and sum(values) == n"""
ALWAYS = "def is_valid_output(input_str, output_str, reference_output_str):\n    return True"
NEVER = "def is_valid_output(input_str, output_str, reference_output_str):\n    return False"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def cases_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = row["reward"]["ground_truth"]["input_output"]
    return found
