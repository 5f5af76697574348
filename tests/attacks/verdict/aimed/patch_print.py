# ruff: noqa
# attack: replaces print by one that prints what the judge wants to see.
# defence: nothing that is printed counts but an answer
# peer: evalscope
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import builtins

real = print
if HOSTILE:
    builtins.print = lambda *args, **keywords: real("TEST_PASSED", flush=True)


def solve(n):
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
