n = int(input())
print(*([*range(2, n + 1, 2), *range(1, n + 1, 2), 99999] if n not in (2, 3) else ['none']))
