# ruff: noqa
# attack: answers with an object whose operators give that object again, and whose size is 0.
# defence: no operator of an answer that is an object gets a value of the test
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Near:
    def __sub__(self, other):
        return self

    def __abs__(self):
        return self

    def __lt__(self, other):
        return True

    def __bool__(self):
        return True

    __rsub__ = __add__ = __radd__ = __sub__


def solve(n):
    return Near() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
