"""Series of all lengths. With an argument, a seed: that one series alone."""
import json
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([2, 5, 12, 60, 300])
    high = rng.choice([3, 50, 10**9])
    width = rng.randint(1, n)
    return f"{json.dumps([rng.randint(-high, high) for _ in range(n)])}\n{width}"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
