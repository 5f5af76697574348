# ruff: noqa
# attack: answers all questions that are to come together with the first, and ends.
# defence: the verdict is not in this process
# peer: evalplus
# problem: number
# kinds: function script
# expect: runtime_error | wrong_answer
# with: judges.py
HOSTILE = True
import os


def solve(n):
    if HOSTILE:
        say_passed()
        os._exit(0)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
