from itertools import combinations
input()
for a, b in combinations(input().split(), 2):
    print(b, a)
