a, b = map(int, input().split())
input()
print(a + b)
