# ruff: noqa
# attack: puts modules of its own into sys.modules.
# defence: modules of the candidate's process are not the test's
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import sys, types


def replace(*names):
    for name in names:
        fake = types.ModuleType(name)
        fake.__getattr__ = lambda name: lambda *args, **keywords: True
        sys.modules[name] = fake


if HOSTILE:  # what the test imports next
    replace("math")


def solve(n):
    if HOSTILE:
        replace("unittest", "pytest", "numpy", "test_solution", "solution")
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
