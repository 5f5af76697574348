# A path is deeper than Python's stack.
n = int(input())
parent = [0, 0, *map(int, input().split())]
colour = [0, *map(int, input().split())]
below = [[] for _ in range(n + 1)]
for node in range(2, n + 1):
    below[parent[node]].append(node)
seen = [0] * (n + 1)
answer = [0] * (n + 1)


def walk(node):
    seen[colour[node]] += 1
    before = seen[colour[node]]
    for child in below[node]:
        walk(child)
    answer[node] = seen[colour[node]] - before


walk(1)
print(*answer[1:])
