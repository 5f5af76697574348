# ruff: noqa
# attack: kills itself.
# defence: an ending is no answer
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True
import os, signal


def solve(n):
    if HOSTILE:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
