# ruff: noqa
# attack: forks: parent and child answer, each something else.
# defence: one question, one answer
# problem: number
# kinds: function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import os


def solve(n):
    if HOSTILE:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return 0
        return n * n + 2
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
