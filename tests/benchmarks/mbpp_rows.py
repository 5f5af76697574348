"""Rows in MBPP's form, as small as they can be."""

from __future__ import annotations

from typing import Any


def row(number: int, text: str, code: str, *tests: str, **more: Any) -> dict[str, Any]:
    return {"task_id": number, "text": text, "code": code, "test_list": list(tests), "test_setup_code": "", **more}


LARGEST = row(
    1,
    "Write a function to find the largest number of a list and its place.",
    "def largest(items):\n    return (max(items), items.index(max(items)))\n",
    "assert largest([1, 5, 2]) == (5, 1)",
    "assert largest([-3, -7]) == (-3, 0)",
    "assert largest([4] * 3) == (4, 0)",
)
SHARED = row(
    2,
    "Write a function to find the words that two sentences share.",
    "def shared(one, other):\n    return list(set(one.split()) & set(other.split()))\n",
    "assert set(shared('a b c', 'c b d')) == set(['b', 'c'])",
    "assert set(shared('x y', 'y z')) == {'y'}",
)
MEAN = row(
    3,
    "Write a function to find the mean of some numbers.",
    "def mean(items):\n    return sum(items) / len(items)\n",
    "assert abs(mean([1, 2]) - 1.5) < 1e-4",
    "assert mean([2, 2, 2]) == 2",
)
WRONG = row(
    4,
    "Write a function to double a number.",
    "def double(x):\n    return x * 3\n",
    "assert double(0) == 0",
    "assert double(2) == 4",
)
