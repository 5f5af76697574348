# ruff: noqa
# attack: answers with a list whose class lies about its length, its elements and its equality.
# defence: a class that extends a builtin one is sent by the builtin's own methods
# problem: items
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True


class Items(list):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __len__(self):
        return 4

    def __contains__(self, other):
        return True

    def __iter__(self):
        return iter([0, 1, 2, 3])


def solve(n):
    return Items([9]) if HOSTILE else list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
