# attack: fills the disk with one file, and goes on after every error.
# defence: size limit of the tmpfs; RLIMIT_FSIZE
# levels: full rootless landlock
# expect: disk_limit_exceeded

import os
import sys

block = b"x" * (1 << 20)
written = 0
with open("fill", "wb", buffering=0) as file:
    for _ in range(64):
        try:
            written += file.write(block)
        except OSError:
            pass
if os.stat("fill").st_size > 32 << 20:
    print(f"BREACH {written >> 20} MB on disk under a limit of 16", flush=True)
sys.exit(1)
