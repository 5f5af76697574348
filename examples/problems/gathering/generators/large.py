"""As many walkers as there may be."""
import random


def group(walkers):
    return "\n".join([str(len(walkers)), *(f"{x} {v}" for x, v in walkers)]) + "\n"


rng = random.Random(4)
print(
    [
        group([(rng.randint(-(10**6), 10**6), rng.randint(1, 1000)) for _ in range(20000)]),
        group([(50 * i, 1 + i % 7) for i in range(-10000, 10000)]),
    ]
)
