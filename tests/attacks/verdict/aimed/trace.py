# ruff: noqa
# attack: traces the judge, and makes its variable of the answer that of the expected one.
# defence: no function of the judge or the test runs in this process
# peer: evalplus
# problem: number
# kinds: function script
# expect: wrong_answer | runtime_error | format_error
# with: judges.py
HOSTILE = True


def tracer(frame, event, arg):
    here = frame.f_locals
    if "exp" in here and "out" in here:
        here["out"] = here["exp"]
    return tracer


def solve(n):
    if HOSTILE:
        sys.settrace(tracer)
        for frame in below():
            frame.f_trace = tracer
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
