"""As many screws as there may be: far apart, and all below one strip."""
import random


def wall(a, p, b, q, x):
    return f"{len(x)} {a} {p} {b} {q}\n{' '.join(map(str, x))}\n"


rng = random.Random(2)
apart = [1000 * i for i in range(-100000, 100000)]
rng.shuffle(apart)
near = [rng.randint(-(10**8), 10**8) for _ in range(200000)]
print([wall(7, 10**9, 999, 10**9, apart), wall(10**9, 5, 10**8, 3, near)])
