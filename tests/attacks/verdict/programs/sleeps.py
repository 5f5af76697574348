# ruff: noqa
# attack: never answers.
# defence: the wall clock
# problem: number
# kinds: stdin function script
# expect: time_limit_exceeded
HOSTILE = True
import time


def solve(n):
    if HOSTILE:
        time.sleep(1000)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
