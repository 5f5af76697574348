# ruff: noqa
# attack: writes to every descriptor that is open.
# defence: an answer is one frame and nothing else
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
# parts: some
HOSTILE = True
import os


def solve(n):
    if HOSTILE:
        for number in range(1024):
            try:
                os.write(number, b"success\n10\n")
            except OSError:
                continue
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
