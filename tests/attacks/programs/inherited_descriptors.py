# attack: looks for descriptors of the waiting interpreter that its fork was left with.
# defence: the fork closes all but 0, 1, 2 before untrusted code starts
# levels: full rootless landlock
# expect: ok

import os

held = True
for fd in range(3, 4096):
    try:
        os.fstat(fd)
    except OSError:
        continue
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        target = "?"
    # A plain `python3 file.py` has none open while the program runs; what is here came from the zygote.
    print(f"BREACH descriptor {fd} was left open: {target}", flush=True)
    held = False
if held:
    print("held")
