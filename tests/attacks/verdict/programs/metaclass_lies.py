# ruff: noqa
# attack: answers with a class whose metaclass says it is equal to everything.
# defence: a class is no data, and equal to itself alone
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(int)

    def __sub__(cls, other):
        return 0

    def __instancecheck__(cls, other):
        return True


class Answer(metaclass=Meta):
    pass


def solve(n):
    return Answer if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
