# Greedy: each left glove takes the nearest right one.
from bisect import bisect_left

for _ in range(int(input())):
    n, d = map(int, input().split())
    hands = {"L": [], "R": []}
    for _ in range(n):
        hand, size = input().split()
        hands[hand].append(int(size))
    right = sorted(hands["R"])
    pairs = 0
    for size in sorted(hands["L"]):
        at = bisect_left(right, size)
        near = [k for k in (at - 1, at) if 0 <= k < len(right)]
        if near:
            best = min(near, key=lambda k: abs(right[k] - size))
            if abs(right[best] - size) <= d:
                right.pop(best)
                pairs += 1
    print(pairs)
