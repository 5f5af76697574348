"""Grids of all sizes, with few and with many walls. With an argument, a seed: that one grid alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    h, w = rng.choice([(1, 9), (4, 4), (7, 12), (25, 20), (40, 40)])
    walls = rng.choice([0.1, 0.35, 0.55])
    fields = ["#" if rng.random() < walls else "." for _ in range(h * w)]
    start, goal = rng.sample(range(h * w), 2)
    fields[start], fields[goal] = "S", "T"
    return "\n".join([f"{h} {w}", *("".join(fields[y * w : y * w + w]) for y in range(h))]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
