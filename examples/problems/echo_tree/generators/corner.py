"""One node, a star, a path upwards in number, one colour, all colours."""


def tree(parents, colours):
    return f"{len(colours)}\n{' '.join(map(str, parents))}\n{' '.join(map(str, colours))}\n"


n = 300
backwards = [node + 1 for node in range(2, n)] + [1]  # 1 - n - n-1 - … - 2
print(
    [
        tree([], [1]),
        tree([1], [1, 1]),
        tree([1], [1, 2]),
        tree([1] * (n - 1), [1] * n),
        tree(backwards, [1] * n),
        tree(backwards, [1 + i % 3 for i in range(n)]),
        tree(list(range(1, n)), list(range(1, n + 1))),
        tree([(i + 2) // 2 for i in range(n - 1)], [n] * n),
    ]
)
