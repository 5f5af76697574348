"""Trees of all shapes, their nodes numbered at random. With an argument, a seed: that one tree alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    n = rng.choice([2, 4, 8, 30, 200, 700])
    reach = rng.choice([1, 2, 5, n])  # how far up a new node looks for its parent: 1 makes a path
    colours = rng.choice([1, 2, 5, n])
    names = [1, *rng.sample(range(2, n + 1), n - 1)] if seed % 2 else list(range(1, n + 1))
    parent = {names[i]: names[rng.randint(max(0, i - reach), i - 1)] for i in range(1, n)}
    parents = " ".join(str(parent[node]) for node in range(2, n + 1))
    return f"{n}\n{parents}\n{' '.join(str(rng.randint(1, min(colours, n))) for _ in range(n))}\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(10)])


main()
