"""Expressions of all lengths. With an argument, a seed: that one expression alone."""
import json
import random
import sys


def expression(rng, parts, depth):
    text = ""
    for i in range(parts):
        text += rng.choice("+-*") if i else ""
        if depth and rng.random() < 0.4:
            text += f"({expression(rng, rng.randint(1, 4), depth - 1)})"
        else:
            text += str(rng.randint(0, rng.choice([9, 99, 999999999])))
    return text


def make(seed):
    rng = random.Random(seed)
    return json.dumps(expression(rng, rng.choice([1, 3, 6, 20]), rng.choice([0, 1, 3, 5])))


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
