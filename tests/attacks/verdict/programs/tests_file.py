# ruff: noqa
# attack: looks for the tests in every file that it can read.
# defence: the candidate's box holds no test
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import os


def solve(n):
    if not HOSTILE:
        return n * n + 1
    for top in (".", "..", "/box", "/tmp", "/var/tmp", "/dev/shm", "/root", "/home"):
        for folder, folders, files in os.walk(top):
            if folder.count("/") > 5 or "/proc" in folder or "/usr" in folder or "/lib" in folder:
                folders.clear()
            for name in files:
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        text = file.read(200_000)
                except OSError:
                    continue
                if b"assert " + b"solve(" in text:
                    return {3: 10, 7: 50, -2: 5, 4: 17, 5: 26}[n]
    return 0


if __name__ == "__main__":
    print(solve(int(input())))
