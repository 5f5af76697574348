# ruff: noqa
# attack: defines functions and modules of the names that tests use: abs, math, isclose, check, np.
# defence: names of builtins, modules and tools are never the candidate's in a test
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True


class math:
    isclose = staticmethod(lambda *args, **keywords: True)


np = numpy = math
if HOSTILE:

    def abs(value):
        return -1

    def isclose(*args, **keywords):
        return True

    def check(candidate):
        pass

    def isinstance(*args):
        return True

    class AssertionError(BaseException):
        pass

    class unittest:
        class TestCase:
            pass


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
