import random
from itertools import combinations
input()
pairs = list(combinations(input().split(), 2))
random.shuffle(pairs)
for a, b in pairs:
    print(a, b)
