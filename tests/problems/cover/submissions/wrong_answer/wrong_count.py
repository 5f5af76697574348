n = int(input())
points = [int(input().split()[1]) for _ in range(n)]
print(1, *points)
