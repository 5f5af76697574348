# attack: overwrites code of the C library in memory, by mprotect and by /proc/self/mem, hoping that others run it too.
# defence: libraries are mapped privately, their files are read-only; each run is a fork of its own
# levels: full rootless landlock
# expect: ok
# then: zygote_libc_find.py

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
target = ctypes.cast(libc.l64a, ctypes.c_void_p).value  # a function that nobody needs
page = target & ~4095
if libc.mprotect(page, 8192, 7) == 0:
    ctypes.memmove(target, b"\xcc" * 8, 8)
try:
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(target)
        memory.write(b"\xcc" * 8)
except OSError:
    pass
# The file itself, through every mapping of it.
held = True
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps if "/lib" in line and ".so" in line}
for path in files:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError:
        continue
    print("BREACH may write", path, flush=True)
    held = False
if held:
    print("held")
