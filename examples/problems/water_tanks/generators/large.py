"""As many tanks and orders as there may be."""
import random


def row(n, orders):
    return "\n".join([f"{n} {len(orders)}", *(f"{l} {r} {v}" for l, r, v in orders)]) + "\n"


n = 200000
rng = random.Random(7)
print([row(n, [(1 + i % 9, n - i % 7, rng.randint(-(10**9), 10**9)) for i in range(n)])])
