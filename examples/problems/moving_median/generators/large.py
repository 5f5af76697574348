"""As many readings as there may be, with windows of half of them and of a few."""
import json
import random

rng = random.Random(13)
wild = [rng.randint(-(10**9), 10**9) for _ in range(50000)]
print([f"{json.dumps(wild)}\n{width}" for width in (25000, 8)])
