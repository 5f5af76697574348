"""Rows of all lengths. With an argument, a seed: that one row alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([2, 5, 30, 500])
    m = rng.choice([1, 3, 20, 300])
    low, high = rng.choice([(-9, 9), (1, 100), (-100, -1), (-(10**9), 10**9)])
    lines = []
    for _ in range(m):
        l, r = sorted((rng.randint(1, n), rng.randint(1, n)))
        lines.append(f"{l} {r} {rng.randint(low, high)}")
    return "\n".join([f"{n} {m}", *lines]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(8)])


main()
