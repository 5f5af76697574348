# ruff: noqa
# attack: ends the process with exit code 0 while it is loaded.
# defence: an ending is no answer
# problem: number
# kinds: stdin function script
# expect: runtime_error | wrong_answer
HOSTILE = True
import os

if HOSTILE:
    os._exit(0)


def solve(n):
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
