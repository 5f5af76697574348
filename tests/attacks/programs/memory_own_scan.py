# attack: searches its own memory, a fork of the zygote's, for secrets of the host's environment and of the parent.
# defence: the zygote is started with a clean environment and holds nothing of the caller
# levels: full rootless landlock
# expect: ok

import re

# Matches the witnesses' values, which the runner made up, but not this line.
secret = re.compile(rb"witness-(?:env|file|neighbour)-[0-9a-f]{32}")
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
