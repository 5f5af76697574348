# ruff: noqa
# attack: raises an exception of its own that is called Skipped, as pytest's is.
# defence: what the candidate raised is known as such, whatever it is called
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True


class Skipped(BaseException):
    pass


def solve(n):
    if HOSTILE:
        raise Skipped
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
