"""Clubs with and without a quarrel. With an argument, a seed: that one club alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([3, 6, 12, 60, 400])
    m = rng.randint(n // 2, 2 * n)
    side = [rng.random() < 0.5 for _ in range(n + 1)]
    pairs = set()
    for _ in range(m):
        a, b = rng.sample(range(1, n + 1), 2)
        if seed % 2 or side[a] != side[b]:
            pairs.add((min(a, b), max(a, b)))
    lines = [f"{a} {b}" if rng.random() < 0.5 else f"{b} {a}" for a, b in sorted(pairs)]
    rng.shuffle(lines)
    return "\n".join([f"{n} {len(lines)}", *lines]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(10)])


main()
