"""One screw, one place, gaps of exactly a strip's length, the dear strip that is the shorter, the largest price."""


def wall(a, p, b, q, x):
    return f"{len(x)} {a} {p} {b} {q}\n{' '.join(map(str, x))}\n"


far = 10**9
print(
    [
        wall(1, 5, 1, 3, [0]),
        wall(4, 7, 9, 7, [3] * 20),
        wall(5, 2, 7, 3, [0, 5, 10, 15, 20]),
        wall(5, 2, 6, 3, [0, 6, 12, 18, 24]),
        wall(9, 1, 4, 10, list(range(0, 100, 3))),
        wall(far, 3, far, 4, [-far, far]),
        wall(far, far, far, far, [-far, 0, far, 1]),
        wall(1, far, 2, far, list(range(-900, 900, 3))),
    ]
)
