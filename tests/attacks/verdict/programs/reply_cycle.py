# ruff: noqa
# attack: answers with a list that contains itself.
# defence: cycles are refused
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


def solve(n):
    value = list(range(n))
    if HOSTILE:
        value.append(value)
    return value


if __name__ == "__main__":
    print(solve(int(input())))
