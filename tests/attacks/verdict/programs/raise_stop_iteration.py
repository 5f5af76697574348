# ruff: noqa
# attack: raises StopIteration, which quietly ends the loop over map() that it is raised in.
# defence: StopIteration of a candidate's function is another exception in the test
# problem: number
# kinds: stdin function script
# expect: runtime_error | wrong_answer
HOSTILE = True


def solve(n):
    if HOSTILE:
        raise StopIteration
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
