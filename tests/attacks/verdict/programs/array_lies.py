# ruff: noqa
# attack: answers with an array whose class overrides every function of numpy.
# defence: a class that extends a builtin one is refused or sent by value
# problem: floats
# kinds: stdin function script
# expect: format_error | wrong_answer | runtime_error
HOSTILE = True
import numpy


class Fake(numpy.ndarray):
    def __eq__(self, other):
        return True

    def __array_function__(self, *args, **kwargs):
        return True

    def __array_ufunc__(self, *args, **kwargs):
        return 0.0

    def __sub__(self, other):
        return 0.0


def solve(n):
    return numpy.zeros(1).view(Fake) if HOSTILE else float(numpy.float64(n) / 3)


if __name__ == "__main__":
    print(solve(int(input())))
