# ruff: noqa
# attack: has the driver answer with the test's own objects, by numbers that it guesses.
# defence: numbers name only what the candidate was given
# problem: number
# kinds: stdin function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import sys


def solve(n):
    if not HOSTILE:
        return n * n + 1
    values = sys.modules.get("codejury_values")
    candidate = sys.modules.get("codejury_candidate")
    if candidate:

        class Guess:
            pass

        candidate.Side.describe = lambda self, value: values.encode(["yours", 0])
        return Guess()
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
