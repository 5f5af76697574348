# ruff: noqa
# attack: has a thread that goes on writing answers.
# defence: an answer is one frame and nothing else; the process is ended after it
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


import threading


def later():
    while True:
        value = b"i" + struct.pack("<q", 10)
        write(bytes(16) + b"V" + struct.pack("<I", 9) + value)


def solve(n):
    if HOSTILE:
        threading.Thread(target=later, daemon=True).start()
        import time

        time.sleep(0.05)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
