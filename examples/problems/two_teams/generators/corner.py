"""No pairs, the quarrel in a part of its own, long rings, paths, two triangles, a ring with a tail."""


def club(n, pairs):
    return "\n".join([f"{n} {len(pairs)}", *(f"{a} {b}" for a, b in pairs)]) + "\n"


def ring(*players):
    return list(zip(players, players[1:] + players[:1]))


print(
    [
        club(1, []),
        club(2, [(2, 1)]),
        club(5, [(4, 5), (2, 3)]),
        club(6, [(1, 2), *ring(4, 5, 6)]),
        club(6, [*ring(1, 2, 3), *ring(4, 5, 6)]),
        club(8, [(1, 2), (2, 3), (3, 4), *ring(4, 5, 6, 7, 8)]),
        club(6, [(6, 1), (6, 2), (1, 3), (2, 4), (3, 4), (1, 5), (5, 2)]),
        club(300, ring(*range(1, 301))),
        club(301, ring(*range(301, 0, -1))),
        club(301, [(i, i + 1) for i in range(300, 0, -1)]),
    ]
)
