# attack: walks over /proc and takes from every other process what it can: environment, memory, root, descriptors.
# defence: pid namespace; at landlock only its own /proc entry is readable
# levels: full rootless landlock
# expect: ok
# args: {host_pid} {secret_file}

import os
import sys

host_pid, secret_file = sys.argv[1:]
try:
    seen = [name for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    seen = []
# A listing can be refused while the entries are open, so the numbers around are tried as well.
near = range(max(1, os.getpid() - 300), os.getpid() + 300)
broken = []

def attempt(path: str, flags: int) -> None:
    try:
        fd = os.open(path, flags | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if path.endswith("/mem") or os.read(fd, 1):
            broken.append(path)
    except OSError:
        pass
    os.close(fd)

for pid in sorted({*seen, *map(str, near), host_pid}):
    if pid == str(os.getpid()):
        continue
    # The command line of a run's own init is no secret, that of a host process is.
    for name in ("environ", "auxv", "maps", "io", f"root{secret_file}", *(["cmdline"] if pid == host_pid else [])):
        attempt(f"/proc/{pid}/{name}", os.O_RDONLY)
    attempt(f"/proc/{pid}/mem", os.O_RDWR)
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            broken.append(f"/proc/{pid}/fd/{fd}: {os.readlink(f'/proc/{pid}/fd/{fd}')}")
    except OSError:
        pass
for path in broken[:20]:
    print("BREACH", path, flush=True)
if not broken:
    print("held")
