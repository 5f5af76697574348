# ruff: noqa
# attack: raises SystemExit(0) while it is loaded.
# defence: what loading raises is a runtime error
# problem: number
# kinds: stdin function script
# expect: runtime_error | wrong_answer
HOSTILE = True
if HOSTILE:
    raise SystemExit(0)


def solve(n):
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
