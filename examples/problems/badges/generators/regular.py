"""Clubs of all sizes, most of them with a choice. With an argument, a seed: that one club alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    k = rng.choice([1, 2, 5, 20, 300, 2000])
    m = k + rng.choice([0, 1, 5, 1000, 10**6])
    least, most = k * (k + 1) // 2, k * (2 * m - k + 1) // 2
    s = rng.randint(max(1, least - 2), most + 2) if seed % 3 else rng.randint(least, most)
    return f"{k} {m} {s}\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
