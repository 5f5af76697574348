"""Rows to make tests for: the sum of a list, in several languages, and what can be wrong with it."""

from __future__ import annotations

from typing import Any

from codejury.testgen.rows import Task, task_of

SUM_PY = "n = int(input())\nprint(sum(map(int, input().split())))\n"
SUM_LOOP_PY = """import sys
words = sys.stdin.read().split()
total = 0
for word in words[1:int(words[0]) + 1]:
    total += int(word)
print(total)
"""
SUM_CPP = """#include <iostream>
int main() {
    int n; std::cin >> n; long long s = 0, x;
    while (n--) { std::cin >> x; s += x; }
    std::cout << s << std::endl;
}
"""
SUM_C = """#include <stdio.h>
int main(void) {
    int n; long long s = 0, x; scanf("%d", &n);
    while (n--) { scanf("%lld", &x); s += x; }
    printf("%lld\\n", s);
    return 0;
}
"""
GOLDS = [SUM_PY, SUM_LOOP_PY, SUM_CPP]


def generator(count: int = 10, seed: int = 7, largest: int = 10**9) -> str:
    return f"""import random
random.seed({seed})
tests = []
for _ in range({count}):
    n = random.randint(1, 8)
    tests.append(f"{{n}}\\n{{' '.join(str(random.randint(-{largest}, {largest})) for _ in range(n))}}\\n")
print(tests)
"""


def row(name: str = "sum", **fields: Any) -> dict[str, Any]:
    return {
        "custom_id": name,
        "question": "n, then n numbers: their sum",
        "solutions": GOLDS,
        "input_generator": [generator()],
        "type": "stdin",
        "input_output": "",
        "time-limit": 2,
        "memory-limit": 256,
        **fields,
    }


def task(name: str = "sum", **fields: Any) -> Task:
    return task_of(row(name, **fields), where="rows, line 1")


def pairs_of(made: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(test["input"], test["output"]) for test in made["reward"]["ground_truth"]["input_output"]]


def right_sum(text: str) -> str:
    return str(sum(map(int, text.split()[1:])))


# Two numbers with a given sum: several answers are right.
SPLIT_CHECKER = """import sys

def is_valid_output(input_str, output_str, reference_output_str):
    try:
        a, b = map(int, output_str.split())
    except ValueError:
        return False
    return a + b == int(input_str) and a > 0 and b > 0

def main():
    print(is_valid_output(*sys.argv[1:4]))

if __name__ == "__main__":
    main()
"""
SPLIT_GOLDS = [
    "n = int(input())\nprint(1, n - 1)\n",
    "n = int(input())\nprint(n - 1, 1)\n",
    "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n / 2 << ' ' << n - n / 2; }\n",
]
SPLIT_GENERATOR = "print([str(n) for n in range(2, 12)])"


def split_row(name: str = "split", **fields: Any) -> dict[str, Any]:
    given = {"solutions": SPLIT_GOLDS, "input_generator": [SPLIT_GENERATOR], "checker": ["nonsense(", SPLIT_CHECKER]}
    return row(name, **{**given, **fields})


# A function.
ADD_GOLDS = [
    "def add(a, b):\n    return a + b\n",
    "class Solution:\n    def add(self, a, b):\n        return sum([a, b])\n",
]
ADD_GENERATOR = "print([[n, n * n] for n in range(6)])"


def add_row(name: str = "add", **fields: Any) -> dict[str, Any]:
    given = {"solutions": ADD_GOLDS, "input_generator": [ADD_GENERATOR], "type": "function_call", "fn_name": "add"}
    return row(name, **{**given, **fields})
