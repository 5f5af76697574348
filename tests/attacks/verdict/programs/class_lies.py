# ruff: noqa
# attack: answers with an object whose __class__ is int.
# defence: types are those of the interpreter, not what __class__ says
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Fake:
    @property
    def __class__(self):
        return int

    def __eq__(self, other):
        return True

    def __int__(self):
        return 10

    __index__ = __int__


def solve(n):
    return Fake() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
