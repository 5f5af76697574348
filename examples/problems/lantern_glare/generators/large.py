"""As many lanterns as there may be."""
import random


def street(values):
    return f"{len(values)}\n{' '.join(map(str, values))}\n"


rng = random.Random(1)
print([street([10**9] * 100000), street([rng.randint(1, 10**9) for _ in range(100000)])])
