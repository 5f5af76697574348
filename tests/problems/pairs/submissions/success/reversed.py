from itertools import combinations
input()
for a, b in reversed(list(combinations(input().split(), 2))):
    print(a, b)
