# attack: looks in shared writable mappings for the mark of the run before.
# defence: the zygote has no shared writable mapping, or a run's are its own
# levels: full rootless landlock
# expect: ok

import ctypes

held = True
with open("/proc/self/maps") as file:
    shared = [line for line in file if line.split()[1] in ("rw-s", "rwxs", "r--s")]
for line in shared:
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    if ctypes.string_at(end - 22, 22) == b"left-by-the-run-before":
        print("BREACH the mark of the run before in", line.strip(), flush=True)
        held = False
if held:
    print("held")
