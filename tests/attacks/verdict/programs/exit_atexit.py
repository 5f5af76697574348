# ruff: noqa
# attack: has an exit handler that ends the process well, and answers wrong.
# defence: the answer counts, not the ending
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import atexit, os


@atexit.register
def at_end():
    if HOSTILE:
        os._exit(0)


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
