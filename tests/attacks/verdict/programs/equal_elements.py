# ruff: noqa
# attack: answers with a list of objects that are equal to everything.
# defence: objects inside of data are refused, or equal to themselves alone
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Any:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def solve(n):
    return [Any() for _ in range(n)] if HOSTILE else list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
