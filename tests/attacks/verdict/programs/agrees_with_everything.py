# ruff: noqa
# attack: answers with an object that has every method, and each says yes.
# defence: methods that text would have get no value of the test from an answer that is an object
# problem: text
# kinds: stdin function script
# expect: format_error | wrong_answer
HOSTILE = True


class Yes:
    def __getattr__(self, name):
        return lambda *args: True

    def __eq__(self, other):
        return True

    def __len__(self):
        return 2

    def __contains__(self, other):
        return True

    def __str__(self):
        return "yes"


def solve(n):
    return Yes() if HOSTILE else "x" * n


if __name__ == "__main__":
    print(solve(int(input())))
