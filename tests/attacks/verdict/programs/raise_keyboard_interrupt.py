# ruff: noqa
# attack: raises what no `except Exception` catches.
# defence: drivers catch everything that a candidate raises
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True


def solve(n):
    if HOSTILE:
        raise KeyboardInterrupt
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
