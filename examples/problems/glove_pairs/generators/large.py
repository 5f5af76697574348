"""As many gloves as there may be, in one box."""
import random

n = 100000
rng = random.Random(8)
far = [f"{'LR'[i % 2]} {rng.randint(1, 10**9)}" for i in range(n)]
near = [f"{'LR'[i % 2]} {1 + i // 2}" for i in range(n)]
rng.shuffle(near)
print(["\n".join(["1", f"{n} 20000", *far]) + "\n", "\n".join(["1", f"{n} 0", *near]) + "\n"])
