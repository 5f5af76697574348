# Does not leap over walls.
from collections import deque

h, w = map(int, input().split())
grid = [input() for _ in range(h)]
y = next(y for y in range(h) if "S" in grid[y])
start = (y, grid[y].index("S"))
moves = [("u", -1, 0), ("d", 1, 0), ("l", 0, -1), ("r", 0, 1)]
way = {start: ""}
queue = deque([start])
answer = "none"
while queue:
    y, x = queue.popleft()
    if grid[y][x] == "T":
        answer = f"{len(way[y, x])}\n{way[y, x]}"
        break
    for name, dy, dx in moves:
        for far in (1, 2):
            v, u = y + far * dy, x + far * dx
            if not (0 <= v < h and 0 <= u < w) or grid[v][u] == "#":
                break
            if (v, u) not in way:
                way[v, u] = way[y, x] + (name if far == 1 else name.upper())
                queue.append((v, u))
print(answer)
