# Fills each tank of each order.
import sys

n, m, *rest = map(int, sys.stdin.read().split())
levels = [0] * n
for l, r, v in zip(rest[::3], rest[1::3], rest[2::3]):
    for i in range(l - 1, r):
        levels[i] += v
print(max(levels), levels.index(max(levels)) + 1)
