# ruff: noqa
# attack: has a timer whose handler writes answers and ends the process well.
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


import signal, time


def handler(*_):
    write(bytes(16) + b"V" + struct.pack("<I", 9) + b"i" + struct.pack("<q", 10))
    os._exit(0)


def solve(n):
    if HOSTILE:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        time.sleep(1)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
