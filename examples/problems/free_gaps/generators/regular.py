"""Days of all lengths. With an argument, a seed: that one day alone."""
import json
import random
import sys


def make(seed):
    rng = random.Random(seed)
    day = rng.choice([5, 20, 100, 1440, 10**9])
    count = rng.choice([0, 1, 3, 8, 40])
    long = max(1, day // rng.choice([2, 5, 30]))
    bookings = []
    for _ in range(count):
        start = rng.randint(0, day - 1)
        bookings.append([start, min(day, start + rng.randint(1, long))])
    need = rng.randint(1, max(1, day // 10))
    return f"{day}\n{json.dumps(bookings)}\n{need}"


def main():
    if len(sys.argv) > 1:
        sys.stdout.write(make(int(sys.argv[1])))
    else:
        print([make(seed) for seed in range(14)])


main()
