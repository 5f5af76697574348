"""One tank, all levels negative, ties, orders up to the last tank, levels beyond 32 bits."""


def row(n, orders):
    return "\n".join([f"{n} {len(orders)}", *(f"{l} {r} {v}" for l, r, v in orders)]) + "\n"


far = 10**9
print(
    [
        row(1, [(1, 1, 0)]),
        row(1, [(1, 1, -far)]),
        row(4, [(1, 4, -3), (2, 3, -1)]),
        row(6, [(2, 3, 5), (5, 6, 5)]),
        row(6, [(6, 6, 1)]),
        row(6, [(1, 5, 3), (6, 6, 3)]),
        row(3, [(1, 3, far)] * 5),
        row(3, [(1, 3, -far)] * 5),
    ]
)
