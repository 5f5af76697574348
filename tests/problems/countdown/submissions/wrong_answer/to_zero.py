n = int(input())
print('\n'.join(map(str, range(n, -1, -1))))
