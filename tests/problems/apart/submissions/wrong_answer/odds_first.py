# 1 3 2 4 for four: 3 and 2 are neighbours.
n = int(input())
print(*([*range(1, n + 1, 2), *range(2, n + 1, 2)] if n not in (2, 3) else ['none']))
