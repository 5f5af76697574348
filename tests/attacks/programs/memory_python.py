# attack: grows a list of byte arrays, catching every MemoryError.
# defence: memory cgroup, else the watch on the tree's memory
# levels: full rootless landlock
# expect: memory_limit_exceeded
# limits: memory_mb=128

import time

hoard = []
while len(hoard) < 64:
    try:
        hoard.append(bytearray(b"x") * (8 << 20))
    except MemoryError:
        pass
time.sleep(0.3)
print("BREACH 512 MB under a limit of 128", flush=True)
