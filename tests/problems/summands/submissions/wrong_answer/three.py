n = int(input())
print(1, n - 2, 1)
