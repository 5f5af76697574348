"""As many badges as there may be."""
k, m = 100000, 10**9
most = k * (2 * m - k + 1) // 2
print([f"{k} {m} {s}\n" for s in (most, most - 12345678901, most // 2, most + 1)])
