"""Streets of all sizes. With an argument, a seed: that one street alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([2, 3, 5, 10, 100, 1000])
    high = rng.choice([3, 10, 1000, 10**9])
    return f"{n}\n{' '.join(str(rng.randint(1, high)) for _ in range(n))}\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(8)])


main()
