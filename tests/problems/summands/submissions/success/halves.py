n = int(input())
print(n // 2)
print(n - n // 2)
