"""Circles of friends of all sizes. With an argument, a seed: that one circle alone."""
import json
import random
import sys


def make(seed):
    rng = random.Random(seed)
    friends = ["".join(rng.choice("aAbBcC") for _ in range(rng.randint(1, 3))) for _ in range(rng.choice([2, 4, 12, 50]))]
    high = rng.choice([3, 1000, 10**15])
    count = rng.choice([1, 3, 10, 80, 500])
    return json.dumps([[rng.choice(friends), rng.choice(friends), rng.randint(1, high)] for _ in range(count)])


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
