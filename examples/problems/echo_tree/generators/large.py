"""As many nodes as there may be: a path in random order, and a bushy tree."""
import random


def tree(parents, colours):
    return f"{len(colours)}\n{' '.join(map(str, parents))}\n{' '.join(map(str, colours))}\n"


n = 100000
rng = random.Random(5)
order = [1, *rng.sample(range(2, n + 1), n - 1)]
parent = dict(zip(order[1:], order))
path = [parent[node] for node in range(2, n + 1)]
bushy = [rng.randint(1, node - 1) for node in range(2, n + 1)]
print([tree(path, [1 + i % 2 for i in range(n)]), tree(bushy, [rng.randint(1, n) for _ in range(n)])])
