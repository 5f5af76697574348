n = int(input())
print(*(i * j for i in range(1, n + 1) for j in range(1, n + 1)))
