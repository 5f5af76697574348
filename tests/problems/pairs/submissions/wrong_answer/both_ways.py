from itertools import permutations
input()
for a, b in permutations(input().split(), 2):
    print(a, b)
