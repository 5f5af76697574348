# A path is deeper than Python's stack.
import sys

n, m, *rest = map(int, sys.stdin.read().split())
foes = [[] for _ in range(n + 1)]
for a, b in zip(rest[::2], rest[1::2]):
    foes[a].append(b)
    foes[b].append(a)
team = [None] * (n + 1)
path = []


def walk(at, side):
    team[at] = side
    path.append(at)
    for other in foes[at]:
        if team[other] is None:
            walk(other, not side)
        elif team[other] == side:
            ring = path[path.index(other) :]
            print("quarrel", len(ring), " ".join(map(str, ring)), sep="\n")
            sys.exit()
    path.pop()


for root in range(1, n + 1):
    if team[root] is None:
        walk(root, True)
print("teams", "".join("BA"[side] for side in team[1:]), sep="\n")
