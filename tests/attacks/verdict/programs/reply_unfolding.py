# ruff: noqa
# attack: answers with 30 lists, each holding the one before twice.
# defence: the size of what is sent is bounded
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer | time_limit_exceeded | memory_limit_exceeded | output_limit_exceeded
HOSTILE = True


def solve(n):
    value = list(range(n))
    if HOSTILE:
        for _ in range(30):
            value = [value, value]
    return value


if __name__ == "__main__":
    print(solve(int(input())))
