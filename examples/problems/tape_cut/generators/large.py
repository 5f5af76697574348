"""As long as a tape may be."""
import random

n = 200000
rng = random.Random(6)
mixed = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(n))
print([text + "\n" for text in (mixed, mixed[: n // 2] * 2, "a" * n, "a" * (n - 1) + "b")])
