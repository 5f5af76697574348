# Takes any ring for a quarrel, also an even one.
import sys

n, m, *rest = map(int, sys.stdin.read().split())
foes = [[] for _ in range(n + 1)]
for a, b in zip(rest[::2], rest[1::2]):
    foes[a].append(b)
    foes[b].append(a)
team = [None] * (n + 1)
above = [0] * (n + 1)
for root in range(1, n + 1):
    if team[root]:
        continue
    team[root] = "A"
    stack = [root]
    while stack:
        a = stack.pop()
        for b in foes[a]:
            if not team[b]:
                team[b] = "B" if team[a] == "A" else "A"
                above[b] = a
                stack.append(b)
            elif b != above[a]:
                ring = [a]
                while ring[-1] != b and above[ring[-1]]:
                    ring.append(above[ring[-1]])
                print("quarrel", len(ring), " ".join(map(str, ring)), sep="\n")
                sys.exit()
print("teams", "".join(team[1:]), sep="\n")
