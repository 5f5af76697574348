# ruff: noqa
# attack: ends the process with exit code 0 in the call.
# defence: an ending is no answer; SystemExit is an exception like any other
# problem: number
# kinds: stdin function script
# expect: runtime_error | wrong_answer
HOSTILE = True
import sys


def solve(n):
    if HOSTILE:
        sys.exit(0)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
