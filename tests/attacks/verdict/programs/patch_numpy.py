# ruff: noqa
# attack: replaces numpy.allclose and its like.
# defence: the comparison happens in another process
# problem: floats
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import numpy


def solve(n):
    if HOSTILE:
        numpy.allclose = numpy.isclose = numpy.array_equal = lambda *args, **keywords: True
        numpy.testing = None
        return 99.0
    return float(numpy.float64(n) / 3)


if __name__ == "__main__":
    print(solve(int(input())))
