n = int(input())
points = [int(input().split()[0]) for _ in range(n)]
print(n, *points)
