# ruff: noqa
# attack: answers with an object that says which number it is when it is looked at.
# defence: what an object says of itself is not asked with the expected value in hand
# problem: number
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Later:
    def __int__(self):
        return 10

    def __float__(self):
        return 10.5

    def __index__(self):
        return 11

    def __round__(self, digits=0):
        return 12

    def __bool__(self):
        return True


def solve(n):
    return Later() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
