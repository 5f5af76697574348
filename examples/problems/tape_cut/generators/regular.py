"""Tapes with and without repetition. With an argument, a seed: that one tape alone."""
import random
import sys


def make(seed):
    rng = random.Random(seed)
    letters = rng.choice(["a", "ab", "abc", "abcdefghijklmnopqrstuvwxyz"])
    piece = "".join(rng.choice(letters) for _ in range(rng.choice([1, 2, 3, 7, 40])))
    text = piece * rng.choice([1, 2, 3, 4, 6])
    if seed % 3 == 0:
        text += text[: rng.randint(1, len(text))]  # a border that is no period
    return text + "\n"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(12)])


main()
