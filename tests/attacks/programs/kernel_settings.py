# attack: changes the settings of the kernel in /proc/sys and /sys.
# defence: read-only mounts or none, no capabilities; at landlock the rules of Landlock
# levels: full rootless landlock
# expect: ok

import glob
import os

paths = [
    "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/randomize_va_space", "/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/swappiness", "/proc/sys/fs/file-max", "/proc/sys/fs/suid_dumpable", "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/msgmax", "/proc/sys/fs/mqueue/queues_max",
    "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/ksm/run", "/sys/kernel/profiling",
    "/sys/kernel/uevent_helper", "/sys/module/kernel/parameters/panic", "/proc/irq/default_smp_affinity",
    *glob.glob("/sys/block/*/queue/nr_requests")[:3],
]
held = True
for path in paths:
    try:
        fd = os.open(path, os.O_RDWR)
        # What was read is written back: a hole shows, and nothing changes.
        value = os.read(fd, 256)
        os.pwrite(fd, value, 0)
    except OSError:
        continue
    print("BREACH wrote", path, flush=True)
    held = False
for path in ("/proc/sysrq-trigger", "/proc/sys/vm/drop_caches", "/proc/sys/vm/compact_memory", "/sys/bus/pci/rescan"):
    try:
        os.open(path, os.O_WRONLY)  # to open is enough: what it takes would be felt by all
    except OSError:
        continue
    print("BREACH may write", path, flush=True)
    held = False
if held:
    print("held")
