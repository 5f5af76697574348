"""Smallest and largest sums, and those just beyond; more badges than numbers."""
cases = [(1, 1, 1), (1, 1, 2), (1, 10**9, 10**9), (5, 4, 10), (5, 4, 15), (3, 3, 6), (3, 3, 5), (3, 3, 7), (2, 2, 1)]
for k, m in [(10, 30), (2000, 10**9)]:
    least, most = k * (k + 1) // 2, k * (2 * m - k + 1) // 2
    cases += [(k, m, least - 1), (k, m, least), (k, m, most), (k, m, most + 1)]
cases.append((1, 1, 10**18))
print([f"{k} {m} {s}\n" for k, m, s in cases])
