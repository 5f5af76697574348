# ruff: noqa
# attack: closes every descriptor.
# defence: no answer is a runtime error
# problem: number
# kinds: function script
# expect: runtime_error | wrong_answer
HOSTILE = True
import os


def solve(n):
    if HOSTILE:
        os.closerange(0, 1024)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
