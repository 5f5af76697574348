"""Boxes of all sizes, several in an input. With an argument, a seed: that one input alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    boxes = []
    for _ in range(rng.choice([1, 3, 10])):
        n = rng.choice([1, 2, 6, 15, 60])
        high = rng.choice([5, 30, 1000, 10**9])
        d = rng.randint(0, high // rng.choice([2, 8, 20]))
        gloves = [f"{rng.choice('LR')} {rng.randint(1, high)}" for _ in range(n)]
        boxes.append("\n".join([f"{n} {d}", *gloves]))
    return "\n".join([str(len(boxes)), *boxes]) + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(8)])


main()
