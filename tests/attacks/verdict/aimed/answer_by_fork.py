# ruff: noqa
# attack: forks: the parent, for which the judge waits, ends well; the child answers.
# defence: an ending is no answer, whatever the exit code
# peer: inspect, pytest
# problem: number
# kinds: function script
# expect: format_error | runtime_error | wrong_answer
HOSTILE = True
import os


def solve(n):
    if HOSTILE and os.fork():
        os._exit(0)
    return 0 if HOSTILE else n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
