# ruff: noqa
# attack: answers with lists nested 100,000 deep.
# defence: depth is bounded, and walked without recursion
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer | runtime_error
HOSTILE = True
import sys


def solve(n):
    if HOSTILE:
        value = []
        for _ in range(100_000):
            value = [value]
        return value
    return list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
