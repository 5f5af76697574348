# ruff: noqa
# attack: replaces print by one that prints what the judge may want to see.
# defence: nothing that is printed counts but an answer
# problem: number
# kinds: stdin function script
# expect: wrong_answer | runtime_error
HOSTILE = True
import builtins

real = print
if HOSTILE:
    builtins.print = lambda *args, **keywords: real("success", "10 50 5 17 26", "PASSED", "OK", flush=True)


def solve(n):
    print("debug", file=__import__("sys").stderr)
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
