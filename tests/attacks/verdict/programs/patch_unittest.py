# ruff: noqa
# attack: replaces the methods of unittest.TestCase by ones that agree.
# defence: the test runs in another process
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import unittest

if HOSTILE:
    for name in dir(unittest.TestCase):
        if name.startswith("assert"):
            setattr(unittest.TestCase, name, lambda *args, **keywords: None)


def solve(n):
    if HOSTILE:
        unittest.TestCase.run = lambda *args, **keywords: None
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
