"""Groups of all sizes. With an argument, a seed: that one group alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([2, 3, 5, 20, 200, 1000])
    far, fast = rng.choice([(10, 3), (1000, 10), (10**6, 1000), (10**6, 3)])
    lines = [f"{rng.randint(-far, far)} {rng.randint(1, fast)}" for _ in range(n)]
    return "\n".join([str(n), *lines]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(8)])


main()
