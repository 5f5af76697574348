# attack: leaves a daemon behind that holds no pipe of the run and sits in its own session.
# defence: pid namespace ends with its init; at landlock the tree is tracked, killed and reaped
# levels: full rootless landlock
# expect: ok
# args: {left_name}

import contextlib
import ctypes
import os
import signal
import sys
import time

reader, writer = os.pipe()
if os.fork() == 0:
    with contextlib.suppress(PermissionError):
        os.setsid()
    if os.fork() != 0:
        os._exit(0)
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)  # PR_SET_NAME: the runner looks for it afterwards
    os.write(writer, b"x")
    os.closerange(0, 65536)
    os.chdir("/")
    time.sleep(20)
    os._exit(0)
os.read(reader, 1)
print("held")
