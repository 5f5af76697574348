# ruff: noqa
# attack: writes a well-formed answer with a nonce that it made up, and ends the process.
# defence: an answer carries the question's own nonce, drawn anew for each
# problem: number
# kinds: function script stdin
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


def solve(n):
    if HOSTILE:
        value = b"i" + struct.pack("<q", n * n + 1)
        write(bytes(16) + b"V" + struct.pack("<I", 9) + value)
        answer = b"l\3\0\0\0" + value + b"N" + b"s\0\0\0\0"
        write(struct.pack("<I8sc", len(answer), bytes(8), b"V") + answer)
        os._exit(0)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
