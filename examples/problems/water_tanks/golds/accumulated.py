import sys
from itertools import accumulate


def main():
    n, _, *rest = map(int, sys.stdin.buffer.read().split())
    step = [0] * (n + 1)
    for l, r, v in zip(rest[::3], rest[1::3], rest[2::3]):
        step[l - 1] += v
        step[r] -= v
    levels = list(accumulate(step[:n]))
    best = max(levels)
    print(best, levels.index(best) + 1)


main()
