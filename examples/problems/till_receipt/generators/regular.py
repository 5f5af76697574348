"""Purchases of all sizes. With an argument, a seed: that one purchase alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([1, 2, 5, 30, 300])
    most, dear = rng.choice([(3, 2000), (100, 10000), (1000, 10**6)])
    lines = []
    for _ in range(n):
        cents = rng.randint(1, dear)
        rate = rng.choice([0, 50, 70, 190, 250, rng.randint(0, 500)])
        lines.append(f"{rng.randint(1, most)} {cents // 100}.{cents % 100:02} {rate}")
    return "\n".join([str(n), *lines]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(10)])


main()
