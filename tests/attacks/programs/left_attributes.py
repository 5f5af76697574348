# attack: changes what processes hand on (niceness, umask, limits, processors, ignored signals), hoping that the zygote keeps it.
# defence: each run is a fork of its own; what it changes ends with it
# levels: full rootless landlock
# expect: ok
# then: left_attributes_find.py

import os
import resource
import signal

os.umask(0o777)
for attempt in (
    lambda: os.nice(19),
    lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)),
    lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    lambda: os.chdir("/"),
):
    try:
        attempt()
    except OSError:
        pass
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
print("left")
