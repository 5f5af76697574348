# ruff: noqa
# attack: answers with an object whose difference from everything is 0.
# defence: no operator of an answer that is an object gets a value of the test
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Near:
    def __sub__(self, other):
        return 0

    def __abs__(self):
        return 0

    def __float__(self):
        return 10.0

    __rsub__ = __truediv__ = __mod__ = __sub__


def solve(n):
    return Near() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
