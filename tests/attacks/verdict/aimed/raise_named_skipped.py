# ruff: noqa
# attack: raises the exception with which pytest skips a test.
# defence: what the candidate raised is known as such; a skipped test has not passed
# peer: pytest
# problem: number
# kinds: function script
# expect: runtime_error
HOSTILE = True
import sys


class Skipped(BaseException):
    pass


def solve(n):
    if HOSTILE:
        raise getattr(sys.modules.get("_pytest.outcomes"), "Skipped", Skipped)("not today")
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
