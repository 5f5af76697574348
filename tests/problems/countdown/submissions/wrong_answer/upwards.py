n = int(input())
print('\n'.join(map(str, range(1, n + 1))))
