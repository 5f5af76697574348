# The slowest pair decides: right, and quadratic.
n = int(input())
walkers = [tuple(map(int, input().split())) for _ in range(n)]
best = 0.0
for i, (x, v) in enumerate(walkers):
    for y, w in walkers[:i]:
        t = abs(x - y) / (v + w)
        if t > best:
            best = t
print(best)
