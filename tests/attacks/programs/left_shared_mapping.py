# attack: writes into every shared writable mapping that it inherited, which the zygote and later runs would see.
# defence: the zygote has no shared writable mapping, or a run's are its own
# levels: full rootless landlock
# expect: ok
# then: left_shared_mapping_find.py

import ctypes

with open("/proc/self/maps") as file:
    shared = [line for line in file if line.split()[1] in ("rw-s", "rwxs")]
for line in shared:
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    # At the far end of it, where a counter or a ring is least likely to be overwritten by its owner.
    mark = b"left-by-the-run-before"
    ctypes.memmove(end - len(mark), mark, len(mark))
print("left", len(shared))
