# ruff: noqa
# attack: replaces math.isclose and its like.
# defence: the comparison happens in another process
# problem: floats
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import math

if HOSTILE:
    math.isclose = lambda *args, **keywords: True
    math.fabs = lambda value: 0.0
    math.isnan = lambda value: True


def solve(n):
    if HOSTILE:
        return 99.0
    return math.fsum([n]) / 3


if __name__ == "__main__":
    print(solve(int(input())))
