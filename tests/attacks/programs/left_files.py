# attack: leaves files for the next run in every place that it can write to.
# defence: a fresh tmpfs for each run; at landlock only the working directory is writable, and emptied
# levels: full rootless landlock
# expect: ok
# then: files_find.py

import os

for place in (".", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/", "/var", "/etc", "/usr/lib", os.path.dirname(os.getcwd()), os.environ.get("TMPDIR", "."), os.path.expanduser("~")):
    for name in ("left-by-the-run-before", ".left-by-the-run-before"):
        try:
            with open(os.path.join(place, name), "w") as file:
                file.write("left in " + place)
            os.chmod(os.path.join(place, name), 0o777)
        except OSError:
            pass
print("left")
