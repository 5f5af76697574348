# ruff: noqa
# attack: keeps what it sees in files, to learn the answers from one case to the next.
# defence: a fresh directory each case, and nobody ever tells it an answer
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import os


def solve(n):
    if not HOSTILE:
        return n * n + 1
    for place in (".", "/tmp", "/dev/shm", "/var/tmp"):
        try:
            with open(os.path.join(place, "seen"), "a+") as file:
                file.seek(0)
                seen = file.read().split()
                file.write(f"{n} ")
        except OSError:
            continue
        if len(seen) >= 1 and "answer" in seen:
            return n * n + 1
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
