# ruff: noqa
# attack: answers while it is loaded, before any question.
# defence: an answer carries the question's own nonce
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import os, struct


def descriptors():
    return [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]


def write(data):
    for number in descriptors():
        try:
            os.write(number, data)
        except OSError:
            continue


if HOSTILE:
    value = b"i" + struct.pack("<q", 10)
    for _ in range(3):
        write(bytes(16) + b"V" + struct.pack("<I", 9) + value)
        write(struct.pack("<I8sc", len(value), bytes(8), b"V") + value)


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
