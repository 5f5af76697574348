# Walks from player 1 only.
n, m = map(int, input().split())
foes = [[] for _ in range(n + 1)]
for _ in range(m):
    a, b = map(int, input().split())
    foes[a].append(b)
    foes[b].append(a)
depth = [0] * (n + 1)
above = [0] * (n + 1)
depth[1] = 1
queue = [1]
ring = []
for a in queue:
    for b in foes[a]:
        if not depth[b]:
            depth[b], above[b] = depth[a] + 1, a
            queue.append(b)
        elif depth[a] == depth[b] and not ring:
            left, right = [a], [b]
            while left[-1] != right[-1]:
                left.append(above[left[-1]])
                right.append(above[right[-1]])
            ring = left + right[-2::-1]
if ring:
    print("quarrel", len(ring), " ".join(map(str, ring)), sep="\n")
else:
    print("teams", "".join("AB"[d % 2] for d in depth[1:]), sep="\n")
