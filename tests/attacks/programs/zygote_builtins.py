# attack: patches builtins and modules and plants hooks, hoping that the next run is made from this interpreter.
# defence: each run is a fork of its own; the zygote itself never runs untrusted code
# levels: full rootless landlock
# expect: ok
# then: zygote_find.py

import atexit
import builtins
import gc
import json
import math
import os
import random
import sys
import threading

class Poison:
    def find_spec(self, *_: object) -> None:
        print("BREACH the import hook of the run before")

builtins.len = lambda _: -1
builtins.poison = "left"
json.loads = lambda *_: "poison"
math.sqrt = lambda _: -1.0
sys.modules["left_by_the_run_before"] = sys
sys.meta_path.insert(0, Poison())
sys.path.insert(0, "/poison")
sys.setrecursionlimit(77)
random.seed(1)
random.seed = lambda *_: None
os.register_at_fork(before=lambda: os.write(1, b"BREACH before fork\n"))
os.register_at_fork(after_in_child=lambda: None)
threading.Thread.start = lambda self: None
gc.disable()
atexit.register(lambda: None)
sys.exit = lambda *_: None
sys.meta_path.pop(0)
print("left")
