# ruff: noqa
# attack: replaces builtin functions by ones that agree.
# defence: the comparison happens in another process
# problem: number
# kinds: stdin function script
# expect: wrong_answer | runtime_error
HOSTILE = True
import builtins

if HOSTILE:  # at once, as a test looks abs up before it calls what is in the brackets
    builtins.abs = lambda value: 0


def solve(n):
    if HOSTILE:
        builtins.all = builtins.any = builtins.isinstance = lambda *args: True
        builtins.set = builtins.sorted = lambda *args: []
        builtins.AssertionError = SystemError
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
