# ruff: noqa
# attack: answers with 200 MB.
# defence: answers have a largest size, and the run its limits
# problem: text
# kinds: stdin function script
# expect: format_error | output_limit_exceeded | memory_limit_exceeded | time_limit_exceeded
HOSTILE = True


def solve(n):
    return "x" * 200_000_000 if HOSTILE else "x" * n


if __name__ == "__main__":
    print(solve(int(input())))
