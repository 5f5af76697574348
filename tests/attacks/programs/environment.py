# attack: looks for the host's environment in its own: the variables, what the kernel kept, the interpreter's memory.
# defence: the environment is built from nothing for the worker already
# levels: full rootless landlock
# expect: ok
# args: {secret_env_name}

import ctypes
import os
import sys

name = sys.argv[1]
held = True
if name in os.environ or os.getenv(name):
    print("BREACH in os.environ", flush=True)
    held = False
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
if libc.getenv(name.encode()):
    print("BREACH in the C library's environ", flush=True)
    held = False
# The kernel shows the environment that the interpreter was started with, whatever was unset later.
for path in ("/proc/self/environ", f"/proc/{os.getpid()}/environ", f"/proc/{os.getppid()}/environ", "/proc/1/environ"):
    try:
        with open(path, "rb") as file:
            if name.encode() in file.read():
                print("BREACH in", path, flush=True)
                held = False
    except OSError:
        pass
if held:
    print("held")
