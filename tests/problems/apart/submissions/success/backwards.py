n = int(input())
order = [*range(2, n + 1, 2), *range(1, n + 1, 2)][::-1]
print('none' if n in (2, 3) else '\n'.join(map(str, order)))
