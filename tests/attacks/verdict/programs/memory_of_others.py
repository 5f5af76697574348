# ruff: noqa
# attack: reads the memory, the files and the descriptors of every process that it sees in /proc.
# defence: each process is in a box of its own
# problem: number
# kinds: stdin function script
# expect: wrong_answer
HOSTILE = True
import os


def solve(n):
    if not HOSTILE:
        return n * n + 1
    found = b""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        for name in ("environ", "cmdline", "cwd/test.py", "cwd/codejury.cfg", "fd/0", "fd/900", "root/test.py"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    os.set_blocking(file.fileno(), False)
                    found += file.read(100_000) or b""
            except (OSError, ValueError):
                continue
    right = str({3: 10, 7: 50, -2: 5, 4: 17, 5: 26}[n])
    return int(right) if b"assert" in found and right.encode() in found else 0


if __name__ == "__main__":
    print(solve(int(input())))
