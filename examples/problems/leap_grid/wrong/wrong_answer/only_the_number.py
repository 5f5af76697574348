# Forgets the way itself.
from collections import deque

h, w = map(int, input().split())
grid = [input() for _ in range(h)]
y = next(y for y in range(h) if "S" in grid[y])
start = (y, grid[y].index("S"))
distance = {start: 0}
queue = deque([start])
answer = "none"
while queue:
    y, x = queue.popleft()
    if grid[y][x] == "T":
        answer = distance[y, x]
        break
    for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1), (-2, 0), (2, 0), (0, -2), (0, 2)):
        v, u = y + dy, x + dx
        if 0 <= v < h and 0 <= u < w and grid[v][u] != "#" and (v, u) not in distance:
            distance[v, u] = distance[y, x] + 1
            queue.append((v, u))
print(answer)
