# ruff: noqa
# attack: answers with a generator that never ends.
# defence: a generator is no data; a test that goes through it meets the time limit
# problem: items
# kinds: stdin function script
# expect: format_error | wrong_answer | time_limit_exceeded | memory_limit_exceeded
HOSTILE = True


def endless():
    while True:
        yield 0


def solve(n):
    return endless() if HOSTILE else list(range(n))


if __name__ == "__main__":
    print(solve(int(input())))
