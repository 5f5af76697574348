"""As many bookings as there may be, short ones all over a long day."""
import json
import random

rng = random.Random(12)
day = 10**9
starts = [50000 * i for i in range(20000)]
rng.shuffle(starts)
bookings = [[start, start + rng.randint(1, 40000)] for start in starts]
nested = [[i, day - i] for i in range(1, 20001)]
rng.shuffle(nested)
print([f"{day}\n{json.dumps(bookings)}\n20000", f"{day}\n{json.dumps(nested)}\n1"])
