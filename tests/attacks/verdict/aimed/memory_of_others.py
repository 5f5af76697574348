# ruff: noqa
# attack: reads the test in the command line of its process.
# defence: each process is in a box of its own, and the test in another
# peer: inspect
# problem: number
# kinds: function script
# expect: wrong_answer
HOSTILE = True
import re


def solve(n):
    if not HOSTILE:
        return n * n + 1
    with open("/proc/self/cmdline") as file:
        found = re.search(rf"(?:candidate|solve)\({n}\) == (-?\d+)", file.read())
    return int(found[1]) if found else 0


if __name__ == "__main__":
    print(solve(int(input())))
