"""One lantern, all alike, all different, the largest sums."""


def street(values):
    return f"{len(values)}\n{' '.join(map(str, values))}\n"


print(
    [
        street([1]),
        street([10**9]),
        street([1, 1]),
        street([10**9, 1]),
        street([5] * 50),
        street(list(range(60, 0, -1))),
        street([10**9] * 1000),
    ]
)
