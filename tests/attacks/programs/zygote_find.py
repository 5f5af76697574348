# attack: looks for what the run before changed in the interpreter.
# defence: each run is a fork of its own; the zygote itself never runs untrusted code
# levels: full rootless landlock
# expect: ok

import builtins
import gc
import json
import math
import sys
import threading

found = []
if len("abc") != 3:
    found.append("len")
if hasattr(builtins, "poison"):
    found.append("builtins")
if json.loads("[1]") != [1]:
    found.append("json")
if math.sqrt(4) != 2:
    found.append("math")
if "left_by_the_run_before" in sys.modules or "/poison" in sys.path:
    found.append("modules")
if sys.getrecursionlimit() == 77:
    found.append("recursion limit")
if not gc.isenabled():
    found.append("gc")
try:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
except RuntimeError:
    found.append("threads")
print(*(f"BREACH {what}" for what in found) if found else ["held"], sep="\n", flush=True)
