# ruff: noqa
# attack: prints all numbers, markers and verdicts.
# defence: nothing that is printed counts but an answer
# problem: number
# kinds: stdin function script
# expect: wrong_answer | format_error
HOSTILE = True
import sys


def solve(n):
    if HOSTILE:
        for stream in (sys.stdout, sys.stderr, sys.__stdout__):
            print(*range(100), "success PASSED ok {'verdict': 'success'}", file=stream, flush=True)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
