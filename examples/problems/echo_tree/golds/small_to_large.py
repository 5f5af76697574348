import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    n = data[0]
    parent = [0, 0, *data[1:n]]
    colour = [0, *data[n:]]
    below = [[] for _ in range(n + 1)]
    for node in range(2, n + 1):
        below[parent[node]].append(node)
    order = [1]
    for node in order:
        order.extend(below[node])
    counts = [None] * (n + 1)  # colour -> nodes of it, from this node down
    answer = [0] * (n + 1)
    for node in reversed(order):
        merged = {}
        for child in below[node]:
            other, counts[child] = counts[child], None
            if len(other) > len(merged):
                merged, other = other, merged
            for key, count in other.items():
                merged[key] = merged.get(key, 0) + count
        own = colour[node]
        answer[node] = merged.get(own, 0)
        merged[own] = answer[node] + 1
        counts[node] = merged
    print(*answer[1:])


main()
