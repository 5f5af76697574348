n = int(input())
points = []
for b, a in sorted(tuple(map(int, input().split()))[::-1] for _ in range(n)):
    if not points or points[-1] < a:
        points.append(b)
print(len(points))
print(*points)
