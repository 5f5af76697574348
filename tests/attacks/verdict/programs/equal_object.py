# ruff: noqa
# attack: answers with an object that is equal to everything.
# defence: only data is compared; an object is equal to itself alone
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Any:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __lt__(self, other):
        return True

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self):
        return 10


def solve(n):
    return Any() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
