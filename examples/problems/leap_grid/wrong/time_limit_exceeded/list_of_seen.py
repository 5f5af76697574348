# Looks through a list of all fields seen so far.
h, w = map(int, input().split())
grid = [input() for _ in range(h)]
y = next(y for y in range(h) if "S" in grid[y])
seen = [(y, grid[y].index("S"))]
ways = [""]
moves = [("u", -1, 0), ("d", 1, 0), ("l", 0, -1), ("r", 0, 1), ("U", -2, 0), ("D", 2, 0), ("L", 0, -2), ("R", 0, 2)]
answer = "none"
for at, (y, x) in enumerate(seen):
    if grid[y][x] == "T":
        answer = f"{len(ways[at])}\n{ways[at]}"
        break
    for name, dy, dx in moves:
        v, u = y + dy, x + dx
        if 0 <= v < h and 0 <= u < w and grid[v][u] != "#" and (v, u) not in seen:
            seen.append((v, u))
            ways.append(ways[at] + name)
print(answer)
