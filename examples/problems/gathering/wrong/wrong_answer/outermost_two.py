# Thinks that the two who stand furthest apart decide.
n = int(input())
walkers = sorted(tuple(map(int, input().split())) for _ in range(n))
(a, v), (b, w) = walkers[0], walkers[-1]
print((b - a) / (v + w))
