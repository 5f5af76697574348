from itertools import combinations
input()
for a, b in list(combinations(input().split(), 2))[1:]:
    print(a, b)
