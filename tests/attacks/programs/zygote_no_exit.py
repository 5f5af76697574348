# attack: takes away every way out (os._exit, sys.exit, atexit, exceptions), to fall back into the code that waits for runs.
# defence: the end of a run does not depend on names that the run can patch; no control descriptor is left in it
# levels: full rootless landlock
# expect: ok | runtime_error
# then: zygote_find.py

import atexit
import os
import signal
import sys
import threading

def stay(*_: object) -> None:
    pass

os._exit = sys.exit = os.abort = os.kill = stay
signal.raise_signal = stay
sys.excepthook = sys.unraisablehook = stay
threading._shutdown = stay
atexit.register = stay
frame = sys._getframe()
while frame is not None:  # whoever called the program finds these names changed too
    for name in ("os", "sys", "_exit", "exit"):
        if name in frame.f_globals and frame.f_globals is not globals():
            frame.f_globals[name] = stay
    frame = frame.f_back
print("left")
raise SystemExit(0)
