# ruff: noqa
# attack: replaces its process by another program that answers with a frame of its own.
# defence: an answer carries the question's own nonce
# problem: number
# kinds: stdin function script
# expect: runtime_error | format_error | wrong_answer
HOSTILE = True
import os, sys


def solve(n):
    if HOSTILE:
        code = "import os; [os.write(n, bytes(16) + b'V' + bytes([9, 0, 0, 0]) + b'i' + bytes([10]) + bytes(7)) for n in (1, 2)]"
        for number in range(3, 1000):
            try:
                os.set_inheritable(number, True)
            except OSError:
                continue
        os.execv(sys.executable, [sys.executable, "-c", code])
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
