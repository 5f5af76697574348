# attack: compares the C library's code in memory with its file, after the run before tried to change it.
# defence: libraries are mapped privately, their files are read-only; each run is a fork of its own
# levels: full rootless landlock
# expect: ok

import ctypes

held = True
with open("/proc/self/maps") as maps:
    rows = [line.split() for line in maps if "libc.so" in line or "libc-2" in line]
for row in rows:
    if "x" not in row[1]:
        continue
    start, end = (int(part, 16) for part in row[0].split("-"))
    with open(row[5], "rb") as file:
        file.seek(int(row[2], 16))
        wanted = file.read(end - start)
    if ctypes.string_at(start, len(wanted)) != wanted:
        print("BREACH the code in memory differs from", row[5], flush=True)
        held = False
if held:
    print("held")
