# ruff: noqa
# attack: writes the judge's verdict and raises KeyboardInterrupt, after which the judge writes none.
# defence: drivers catch everything that a candidate raises
# peer: prime_code
# problem: number
# kinds: function script
# expect: runtime_error
# with: judges.py
HOSTILE = True


def solve(n):
    if HOSTILE:
        say_passed()
        raise KeyboardInterrupt
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
