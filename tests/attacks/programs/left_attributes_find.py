# attack: looks for what the run before changed in the process that runs are made from.
# defence: each run is a fork of its own
# levels: full rootless landlock
# expect: ok

import os
import resource
import signal

found = []
umask = os.umask(0o022)
if umask & 0o700:
    found.append(f"umask {umask:o}")
if os.nice(0) == 19:
    found.append(f"niceness {os.nice(0)}")
if os.sched_getscheduler(0) == os.SCHED_IDLE:
    found.append("idle scheduling")
if resource.getrlimit(resource.RLIMIT_NOFILE)[1] == 16:
    found.append("16 open files")
if resource.getrlimit(resource.RLIMIT_FSIZE)[1] == 0:
    found.append("no file size")
if os.getcwd() == "/":
    found.append("the working directory")
if signal.pthread_sigmask(signal.SIG_BLOCK, ()):
    found.append("blocked signals")
if signal.getsignal(signal.SIGTERM) != signal.SIG_DFL or signal.getsignal(signal.SIGCHLD) != signal.SIG_DFL:
    found.append("ignored signals")
print(*(f"BREACH {what}" for what in found) if found else ["held"], sep="\n", flush=True)
