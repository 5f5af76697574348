# ruff: noqa
# attack: announces a frame of four gigabytes.
# defence: the size of a frame is bounded before anything is read
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import os, struct


def solve(n):
    if HOSTILE:
        for number in (900, 901, 200, 201, 60, 61):
            try:
                os.write(number, struct.pack("<I8sc", 2**32 - 1, bytes(8), b"V"))
            except OSError:
                continue
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
