# ruff: noqa
# attack: traces every function, and changes what they return and hold.
# defence: no function of the judge or the test runs in this process
# problem: number
# kinds: stdin function script
# expect: wrong_answer | runtime_error | format_error
HOSTILE = True
import sys


def tracer(frame, event, arg):
    for name in ("exp", "expected", "result", "results", "out"):
        if name in frame.f_locals:
            frame.f_locals[name] = 0
    return tracer


def solve(n):
    if HOSTILE:
        sys.settrace(tracer)
        sys.setprofile(tracer)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
