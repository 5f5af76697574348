# attack: looks for files that the run before left behind.
# defence: a fresh tmpfs for each run; at landlock only the working directory is writable, and emptied
# levels: full rootless landlock
# expect: ok

import os

places = {".", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/", "/var", "/etc", "/usr/lib", os.path.dirname(os.getcwd()), os.environ.get("TMPDIR", "."), os.path.expanduser("~")}
found = set()
for place in places:
    for name in ("left-by-the-run-before", ".left-by-the-run-before"):
        if os.path.lexists(os.path.join(place, name)):
            found.add(os.path.join(place, name))
for place in (".", "/tmp", "/dev/shm"):
    for folder, folders, names in os.walk(place):
        if folder.count("/") > 8:
            folders.clear()
        found.update(os.path.join(folder, name) for name in names if "left-by-the-run-before" in name)
        found.update(os.path.join(folder, name) for name in folders if "-by-the-run-before" in name)
for path in found:
    print("BREACH found", path, flush=True)
    if os.path.isfile(path):
        os.unlink(path)  # bare, the next try starts clean
if not found:
    print("held")
