# ruff: noqa
# attack: ends the process at once, with exit code 0.
# defence: an ending is no answer, whatever the exit code
# problem: number
# kinds: stdin function script
# expect: runtime_error | wrong_answer
HOSTILE = True
import os


def solve(n):
    if HOSTILE:
        os._exit(0)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
