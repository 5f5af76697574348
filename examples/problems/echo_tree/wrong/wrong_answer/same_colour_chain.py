# Hands a count on to the parent only where the parent has the same colour: it is lost over other colours.
n = int(input())
parent = [0, 0, *map(int, input().split())]
colour = [0, *map(int, input().split())]
below = [[] for _ in range(n + 1)]
for node in range(2, n + 1):
    below[parent[node]].append(node)
order = [1]
for node in order:
    order.extend(below[node])
answer = [0] * (n + 1)
for node in reversed(order[1:]):
    if colour[node] == colour[parent[node]]:
        answer[parent[node]] += answer[node] + 1
print(*answer[1:])
