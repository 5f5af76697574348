# attack: searches its own memory, a fork of the zygote's, for source, input and arguments of the run before.
# defence: sources and inputs do not pass through the zygote's memory, or are wiped there
# levels: full rootless landlock
# expect: ok

import re

secret = re.compile(rb"leftover-[a-z]+-[0-9a-f]{16}")  # does not match itself
found = set()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
    for line in maps.read().splitlines():
        where, mode = line.split()[:2]
        start, end = (int(part, 16) for part in where.split("-"))
        if "w" not in mode or end - start > 256 << 20:
            continue
        try:
            memory.seek(start)
            found.update(secret.findall(memory.read(end - start)))
        except (OSError, ValueError, OverflowError):
            pass
for value in found:
    print("BREACH found", value.decode(), flush=True)
if not found:
    print("held")
