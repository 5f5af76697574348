"""As many players and pairs as there may be: a path given backwards, a long odd ring, a random club."""
import random

n = 100000
rng = random.Random(11)
path = [(i, i + 1) for i in range(n - 1, 0, -1)]
ring = [(i, i % (n - 1) + 1) for i in range(n - 1, 0, -1)]
wild = {(a, b) for a, b in ((rng.randint(1, n // 2), rng.randint(n // 2 + 1, n)) for _ in range(n))}


def club(pairs):
    return "\n".join([f"{n} {len(pairs)}", *(f"{a} {b}" for a, b in pairs)]) + "\n"


print([club(path), club(ring), club(sorted(wild))])
