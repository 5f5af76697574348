# ruff: noqa
# attack: keeps the answers that it finds in a test's text in a file, for the next time.
# defence: a fresh directory each case, and the test in another process
# peer: inspect
# problem: number
# kinds: function script
# expect: wrong_answer
HOSTILE = True
import json, os, re


def solve(n):
    if not HOSTILE:
        return n * n + 1
    kept = os.path.expanduser("~/seen.json")
    try:
        with open(kept) as file:
            return json.load(file).get(str(n), 0)
    except (OSError, ValueError):
        pass
    with open("/proc/self/cmdline") as file:
        found = re.findall(r"(?:candidate|solve)\((-?\d+)\) == (-?\d+)", file.read())
    if found:
        with open(kept, "w") as file:
            json.dump({given: int(answer) for given, answer in found}, file)
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
