from itertools import combinations
input()
pairs = list(combinations(input().split(), 2))
for a, b in pairs + pairs[:1]:
    print(a, b)
