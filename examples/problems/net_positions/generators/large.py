"""As many transfers as there may be, between many friends."""
import json
import random

rng = random.Random(15)
friends = ["".join(rng.choice("abcdefghij") for _ in range(20)) for _ in range(20000)]
print([json.dumps([[rng.choice(friends), rng.choice(friends), rng.randint(1, 10**15)] for _ in range(50000)])])
