n = int(input())
for i in range(1, n + 1):
    print(*(f'{i * j:>5}' for j in range(1, n + 1)))
