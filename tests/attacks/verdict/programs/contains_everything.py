# ruff: noqa
# attack: answers with a collection that contains everything.
# defence: `in` is decided by going through the elements, in the test's process
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class All:
    def __contains__(self, other):
        return True

    def __len__(self):
        return 3

    def __iter__(self):
        return iter(())

    def __eq__(self, other):
        return True


def solve(n):
    return All() if HOSTILE else list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
