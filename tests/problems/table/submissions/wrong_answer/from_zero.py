n = int(input())
for i in range(n):
    print(*(i * j for j in range(n)))
