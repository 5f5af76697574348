# ruff: noqa
# attack: writes the judge's verdict and answers with lists so deep that the judge's process dies of them.
# defence: depth is bounded, and walked without recursion
# peer: prime_code
# problem: items
# kinds: function script
# expect: format_error | wrong_answer | runtime_error
# with: judges.py
HOSTILE = True


def solve(n):
    if HOSTILE:
        say_passed()
        value = []
        for _ in range(100_000):
            value = [value]
        return value
    return list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
