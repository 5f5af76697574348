# The list has no place behind the last tank.
import sys

n, m, *rest = map(int, sys.stdin.read().split())
step = [0] * n
for l, r, v in zip(rest[::3], rest[1::3], rest[2::3]):
    step[l - 1] += v
    step[r] -= v
level = 0
levels = []
for i in range(n):
    level += step[i]
    levels.append(level)
print(max(levels), levels.index(max(levels)) + 1)
