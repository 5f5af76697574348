# ruff: noqa
# attack: raises GeneratorExit.
# defence: drivers catch everything that a candidate raises
# problem: number
# kinds: stdin function script
# expect: runtime_error
HOSTILE = True


def solve(n):
    if HOSTILE:
        raise GeneratorExit
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
