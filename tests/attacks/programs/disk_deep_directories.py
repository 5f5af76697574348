# attack: nests directories far beyond the longest path, so that a cleaner that uses paths gives up.
# defence: the tmpfs goes as a whole; at landlock the cleaner works with directory descriptors
# levels: full rootless landlock
# expect: ok | disk_limit_exceeded
# then: files_find.py

import os

name = "deep-by-the-run-before-" + "d" * 200
try:
    for _ in range(2000):
        os.mkdir(name)
        os.chdir(name)
    with open("left-by-the-run-before", "w") as file:
        file.write("deep down")
except OSError as error:
    raise SystemExit(f"stopped: {error}")
print("left")
