# attack: looks for the files of a run that goes on beside it, in every place that runs share.
# defence: own mount namespace and tmpfs; at landlock the rules of Landlock
# levels: full rootless landlock
# expect: ok
# beside: neighbour.py

import os
import time

deadline = time.monotonic() + 1.0
places = {"/tmp", "/var/tmp", "/dev/shm", "/run"}
folder = os.getcwd()
while folder != "/" and folder.count("/") > 1:
    folder = os.path.dirname(folder)
    places.add(folder)
broken = set()
while time.monotonic() < deadline and not broken:
    try:
        pids = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        pids = []
    for pid in pids:
        if pid != str(os.getpid()):
            places.update((f"/proc/{pid}/cwd", f"/proc/{pid}/root/tmp"))
    for place in sorted(places):
        for where, folders, names in os.walk(place):
            if time.monotonic() > deadline:
                break
            if where.count("/") - place.count("/") > 3:
                folders.clear()
            for name in names:
                if name == "witness-neighbour":
                    try:
                        with open(os.path.join(where, name)) as file:
                            broken.add(file.read())
                    except OSError:
                        pass
    time.sleep(0.02)
for value in broken:
    print("BREACH read", value, flush=True)
if not broken:
    print("held")
