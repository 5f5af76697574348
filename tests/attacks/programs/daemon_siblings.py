# attack: makes siblings instead of children (CLONE_PARENT): they are the zygote's, and their exit codes could pass for a run's.
# defence: the zygote waits for the run alone and reaps what else comes; pid namespace
# levels: full rootless landlock
# expect: ok
# args: {left_name}

import ctypes
import os
import platform
import sys
import time

libc = ctypes.CDLL(None)
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
reader, writer = os.pipe()
made = 0
for number in range(10):
    pid = libc.syscall(clone, 0x8000 | 17, 0, 0, 0, 0)  # CLONE_PARENT | SIGCHLD
    if pid == 0:
        libc.prctl(15, sys.argv[1].encode(), 0, 0, 0)  # PR_SET_NAME: the runner looks for it afterwards
        os.write(writer, b"x")
        if number % 2:
            time.sleep(20)
        os._exit(7)
    made += pid > 0
for _ in range(made):
    os.read(reader, 1)
print("held", flush=True)
