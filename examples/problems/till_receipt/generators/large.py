"""As many lines and pieces as there may be, with a sum of more than 53 bits."""
import random

rng = random.Random(10)
n = 50000
lines = [f"{10**6 - i % 7} {rng.randint(9000, 9999)}.{i % 100:02} {rng.randint(0, 500)}" for i in range(n)]
print(["\n".join([str(n), *lines]) + "\n"])
