# Looks at every pair.
n = int(input())
b = list(map(int, input().split()))
total = 0
for i in range(n):
    for j in range(i):
        total += b[i] if b[i] > b[j] else b[j]
print(total)
