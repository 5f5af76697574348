# ruff: noqa
# attack: answers right from the second call on, when the same process is asked again.
# defence: one process a case for functions; a script's first wrong answer counts
# problem: number
# kinds: stdin function script
# expect: wrong_answer
# parts: some
HOSTILE = True
calls = 0


def solve(n):
    global calls
    calls += 1
    if HOSTILE and calls < 2:
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
