"""As large as a grid may be: empty, and with ways that wind."""
n = 300
empty = [["."] * n for _ in range(n)]
winding = [["."] * n for _ in range(n)]
for k, y in enumerate(range(1, n - 2, 4)):  # double walls with a gap on alternating sides
    for x in range(n):
        if x != (n - 1 if k % 2 == 0 else 0):
            winding[y][x] = winding[y + 1][x] = "#"
for fields in (empty, winding):
    fields[0][0], fields[n - 1][n - 1] = "S", "T"
print(["\n".join([f"{n} {n}", *map("".join, fields)]) + "\n" for fields in (empty, winding)])
