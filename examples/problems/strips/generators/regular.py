"""Walls of all sizes, with prices that are worth a thought. With an argument, a seed: that one wall alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([3, 6, 12, 40, 200])
    wide = rng.choice([20, 100, 2000])
    a = rng.randint(1, wide // 4)
    b = a + rng.randint(1, wide // 3)
    p = rng.randint(1, 50)
    q = p + rng.randint(1, max(1, p * b // a))
    x = " ".join(str(rng.randint(-wide, wide)) for _ in range(n))
    return f"{n} {a} {p} {b} {q}\n{x}\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(10)])


main()
