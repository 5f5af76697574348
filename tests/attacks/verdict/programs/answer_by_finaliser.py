# ruff: noqa
# attack: answers with an object whose finaliser writes an answer and ends the process well.
# defence: an answer carries the question's own nonce; an ending is no answer
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


class Last:
    def __del__(self):
        write(bytes(16) + b"V" + struct.pack("<I", 9) + b"i" + struct.pack("<q", 10))
        os._exit(0)


def solve(n):
    if HOSTILE:
        Last()
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
