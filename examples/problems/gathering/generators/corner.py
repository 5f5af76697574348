"""Nobody has to walk, the longest way, long fractions, short ways far out, one slow walker among many."""


def group(walkers):
    return "\n".join([str(len(walkers)), *(f"{x} {v}" for x, v in walkers)]) + "\n"


far = 10**6
print(
    [
        group([(0, 1)]),
        group([(5, 1), (5, 1000)]),
        group([(-far, 1), (far, 1)]),
        group([(-far, 1), (far, 2)]),
        group([(0, 500), (1, 499)]),
        group([(0, 3), (1, 4)]),
        group([(far - 1, 1), (far, 2)]),
        group([(1 - far, 7), (-far, 4), (-far, 9)]),
        group([(-far, 1000), (far, 1000), (0, 1), (1, 1)]),
        group([(999983, 1), (-999979, 6), (0, 1)]),
        group([(x, 1000) for x in range(-50, 50)] + [(far, 1)]),
    ]
)
