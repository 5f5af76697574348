# ruff: noqa
# attack: answers with NaN, with which every comparison is false.
# defence: NaN is equal to NaN alone
# problem: floats
# kinds: stdin function script
# expect: wrong_answer
# parts: some
HOSTILE = True


def solve(n):
    return float("nan") if HOSTILE else n / 3


if __name__ == "__main__":
    print(solve(int(input())))
