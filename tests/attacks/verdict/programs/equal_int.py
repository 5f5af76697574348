# ruff: noqa
# attack: answers with an int whose class says it is equal to everything.
# defence: a class that extends a builtin one is sent as the builtin value
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True


class Int(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __sub__(self, other):
        return 0

    def __int__(self):
        return 10

    __index__ = __int__
    __rsub__ = __sub__

    def __hash__(self):
        return 10


def solve(n):
    return Int(0) if HOSTILE else Int(n * n + 1) + 0


if __name__ == "__main__":
    print(solve(int(input())))
