def row(i, n):
    return [i * j for j in range(1, n + 1)]
