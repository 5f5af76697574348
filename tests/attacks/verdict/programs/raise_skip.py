# ruff: noqa
# attack: raises the exception with which a test is skipped.
# defence: exceptions of the candidate are its own classes in the test's process; a skipped test has not passed
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True
import unittest


def solve(n):
    if HOSTILE:
        raise unittest.SkipTest("not today")
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
